"""Showing what waits for review to each target, once; and doing what people decided there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from errata_client.model import JsonValue
from knowledge.deliveries import Delivery
from knowledge.errors import ErrataError
from knowledge.ids import digest
from knowledge.kinds import DELIVERIES, STRATEGIES
from knowledge.stage import Shift, StageReport
from knowledge.store import Query, Stored
from knowledge.strategies import Strategy
from strategies import review
from strategies.neighbours import conflicts_among
from strategies.publish.port import Answer, Answering, Message, Publisher, PublishError

MAX_ATTEMPTS = 14
"""Nights after which a message that is never taken is given up; `errata publish list` goes on showing it."""


def announce(shift: Shift, publishers: Sequence[Publisher], link: str | None = None) -> StageReport:
    """Send to each target what waits for review and was not sent there; try again what failed. What cannot be sent is
    kept with its error, and said; it does not fail the night."""
    counts, skipped = Counter[str](), list[dict[str, JsonValue]]()
    waiting = _waiting(shift)
    for publisher in publishers:
        for delivery, drafts in _due(shift, publisher, waiting):
            sent = _sent(shift, publisher, delivery, drafts, link)
            counts[sent.state] += len(drafts)
            if sent.error:
                skipped.append({"target": publisher.name, "drafts": len(drafts), "reason": sent.error})
    return StageReport({"sent": counts["sent"], "failed": counts["failed"]}, tuple(skipped))


def settle(shift: Shift, publishers: Sequence[Publisher]) -> StageReport:
    """Approve and reject what people approved and rejected at the targets. What cannot be done (a rule that conflicts
    now, a file that is no rule) is said and stays in review."""
    counts, skipped = Counter[str](approved=0, rejected=0), list[dict[str, JsonValue]]()
    for publisher in publishers:
        if not isinstance(publisher, Answering):
            continue
        for stored in _open(shift, publisher):
            drafts = _drafts(shift, stored.item)
            try:
                answers = publisher.answers(stored.item, drafts) if drafts else []
            except ErrataError as error:
                skipped.append({"target": publisher.name, "reason": str(error)})
                continue
            for answer in answers:
                trouble = _done(shift, answer)
                counts[answer.verdict] += trouble is None
                if trouble:
                    skipped.append(
                        {"target": publisher.name, "strategy": answer.strategy_id, "reason": trouble}
                    )
            _close(shift, stored)
    return StageReport(dict(counts), tuple(skipped))


def _waiting(shift: Shift) -> list[Strategy]:
    query = Query(where={"state": "in_review"})
    return [stored.item for stored in shift.store.collection(shift.project, STRATEGIES).scan(query)]


def _due(
    shift: Shift, publisher: Publisher, waiting: Sequence[Strategy]
) -> Iterator[tuple[Delivery | None, list[Strategy]]]:
    """What failed before, then what was never sent."""
    query = Query(where={"target": publisher.name})
    known = [stored.item for stored in shift.store.collection(shift.project, DELIVERIES).scan(query)]
    told = {strategy_id for delivery in known for strategy_id in delivery.strategies}
    for delivery in known:
        again = [strategy for strategy in waiting if strategy.strategy_id in delivery.strategies]
        if delivery.state == "failed" and again and delivery.attempts < MAX_ATTEMPTS:
            yield delivery, again
    fresh = [strategy for strategy in waiting if strategy.strategy_id not in told]
    if fresh:
        yield None, fresh


def _sent(
    shift: Shift,
    publisher: Publisher,
    before: Delivery | None,
    drafts: Sequence[Strategy],
    link: str | None,
) -> Delivery:
    """Send, and keep what became of it. It is kept before it is sent, as failed: whoever dies in between sends twice
    rather than never."""
    begun = before or _begun(shift, publisher, drafts)
    attempts = begun.attempts + 1 if before else 1
    shift.guard()
    collection = shift.store.collection(shift.project, DELIVERIES)
    collection.put_many([begun])
    ways = conflicts_among(shift, drafts)
    message = Message(shift.project, shift.now.date(), tuple(drafts), link, ways)
    update: dict[str, object] = {"at": shift.now, "attempts": attempts}
    try:
        sent = publisher.publish(message)
        update |= {"state": "sent", "error": None, "reference": sent.reference, "url": sent.url}
    except PublishError as error:
        update |= {"state": "failed", "error": str(error)[:500]}
    done = begun.model_copy(update=update)
    collection.put_many([done])
    return done


def _begun(shift: Shift, publisher: Publisher, drafts: Sequence[Strategy]) -> Delivery:
    shown = {strategy.strategy_id: strategy.rule.revision for strategy in drafts}
    return Delivery(
        delivery_id=digest("delivery", shift.project, publisher.name, *sorted(shown)),
        target=publisher.name,
        night_id=shift.night_id,
        strategies=shown,
        state="failed",
        at=shift.now,
        attempts=0,
        error="it was not said what became of it",
    )


def _open(shift: Shift, publisher: Publisher) -> list[Stored[Delivery]]:
    query = Query(where={"target": publisher.name, "state": "sent"})
    return list(shift.store.collection(shift.project, DELIVERIES).scan(query))


def _drafts(shift: Shift, delivery: Delivery) -> list[Strategy]:
    """The delivery's strategies that still wait."""
    found = shift.store.collection(shift.project, STRATEGIES).get_many(delivery.strategies)
    waiting = (stored.item for stored in found.values() if stored.item.state == "in_review")
    return sorted(waiting, key=lambda strategy: strategy.strategy_id)


def _done(shift: Shift, answer: Answer) -> str | None:
    """Do what was decided; what stood in the way, in words."""
    try:
        if answer.verdict == "rejected":
            review.reject(shift, answer.strategy_id, answer.actor, answer.reason)
            return None
        if answer.rule is not None:
            review.edit(
                shift, answer.strategy_id, answer.rule, answer.actor, f"{answer.reason}, as edited there"
            )
        review.approve(shift, answer.strategy_id, answer.actor, answer.reason, acknowledge=answer.acknowledge)
    except ErrataError as error:
        return str(error)
    return None


def _close(shift: Shift, stored: Stored[Delivery]) -> None:
    """A delivery of which nothing waits any more is done with."""
    if not _drafts(shift, stored.item):
        settled = stored.item.model_copy(update={"state": "settled"})
        shift.store.collection(shift.project, DELIVERIES).put(settled, stored.version)
