"""The reviewer: every morning reads the open work orders and what waits for a person, and acts by the rules below."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from attribution.corrections import record_label
from attribution.order_preview import OrderPreview, preview_order
from attribution.orders import approve_order, merge_order, reject_order
from attribution.stages import read_causes
from benchmarks.nights.reading import one_meaning, read
from knowledge.causes import Attribution, RootCause, WorkOrder
from knowledge.kinds import ATTRIBUTIONS, PROBLEMS, WORK_ORDERS
from knowledge.store import Query
from wiring.build import Errata

ACTOR = "reviewer"
RULES = """\
The reviewer never sees a score. In a text, all values are struck out: masks, numbers, names in code, quotations, lists.
Two texts say the same where at least half of all their words stand in both, and both negate or neither does.
Work orders, the oldest first:
 1. more than one meaning (a text of it does not say what its first text says): rejected
 2. a cause of the same error code has an exemplar that says the same as the first text: merged into that cause
 3. the preview takes a problem from another cause, or puts one in doubt there: left open
 4. else: approved
Problems with two cases or more that the night left to a person, with the cause that came nearest:
 5. an exemplar of that cause says the same as the problem: confirmed
 6. no exemplar of it shares a word with the problem: rejected
 7. else: left to another person"""

Act = Callable[[str, str], None]


@dataclass
class Reviewer:
    """Acts as a person would through the command line, morning after morning; counts what was done."""

    errata: Errata
    project: str
    done: Counter[str] = field(default_factory=Counter)

    def work(self) -> None:
        """One morning."""
        for order in self._open_orders():
            self.done[self._decide(order)] += 1
        for attribution in self._abstained():
            self.done[self._answer(attribution)] += 1

    def _decide(self, order: WorkOrder) -> str:
        shift = self.errata.shift(self.project)
        texts = [exemplar.error_pattern for exemplar in order.draft.exemplars]
        if not one_meaning(texts):
            reject_order(shift, order.order_id, ACTOR, "rule 1: more than one meaning")
            return "rejected"
        into = _same_meaning(texts[0], order, read_causes(shift))
        if into is not None:
            merge_order(shift, order.order_id, into.cause_id, ACTOR, "rule 2: the same error")
            return "merged"
        if self._preview(order).from_causes:
            return "left open"
        approve_order(shift, order.order_id, ACTOR, "rule 4: one meaning, and nobody's problems")
        return "approved"

    def _preview(self, order: WorkOrder) -> OrderPreview:
        parameters = self.errata.parameters_of(self.project)
        return preview_order(
            self.errata.shift(self.project), self.errata.encoders_of(self.project), parameters, order
        )

    def _answer(self, attribution: Attribution) -> str:
        shift = self.errata.shift(self.project)
        stored = self.errata.store.collection(self.project, PROBLEMS).get(attribution.fingerprint)
        causes = {cause.cause_id: cause for cause in read_causes(shift)}
        if stored is None or attribution.winner is None or attribution.winner.cause_id not in causes:
            return "left"
        cause = causes[attribution.winner.cause_id]
        text = read(stored.item.error_pattern)
        exemplars = [read(exemplar.error_pattern) for exemplar in cause.exemplars]
        if any(text.says_what(exemplar) for exemplar in exemplars):
            record_label(
                shift, attribution.fingerprint, "confirm", cause.cause_id, ACTOR, "rule 5: the same error"
            )
            return "confirmed"
        if all(text.shares_nothing(exemplar) for exemplar in exemplars):
            record_label(
                shift, attribution.fingerprint, "reject", cause.cause_id, ACTOR, "rule 6: not a word of it"
            )
            return "refused"
        return "left"

    def _open_orders(self) -> list[WorkOrder]:
        found = self.errata.store.collection(self.project, WORK_ORDERS).scan(Query(where={"state": "open"}))
        return sorted((stored.item for stored in found), key=lambda order: order.order_id)

    def _abstained(self) -> list[Attribution]:
        found = self.errata.store.collection(self.project, ATTRIBUTIONS).scan(
            Query(where={"verdict": "abstained"})
        )
        problems = self.errata.store.collection(self.project, PROBLEMS)
        waiting = {stored.item.fingerprint: stored.item for stored in found}
        repeated = {key for key, one in problems.get_many(waiting).items() if one.item.count > 1}
        return [waiting[fingerprint] for fingerprint in sorted(repeated)]


def _same_meaning(text: str, order: WorkOrder, causes: list[RootCause]) -> RootCause | None:
    """The first cause with one of the order's codes and an exemplar that says the same."""
    wanted = read(text)
    codes = set(order.draft.error_codes)
    akin = [cause for cause in causes if cause.enabled and codes & set(cause.error_codes)]
    return next(
        (one for one in akin if any(wanted.says_what(read(x.error_pattern)) for x in one.exemplars)), None
    )
