"""The night stage `judge`: a language model, where one is set up, may propose a root cause for what waits for a person.

Nothing is decided by it. A proposal stands beside the abstained attribution until a person answers; no later stage reads it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from attribution.gates import passes
from attribution.second_opinion import SYSTEM, Inquiry, Tainted, candidates_of, chosen, inquiry
from attribution.stages import read_causes, read_people
from errata_client.model import JsonValue
from knowledge.cases import Problem
from knowledge.causes import Attribution, CauseProposal
from knowledge.kinds import ATTRIBUTIONS, CAUSE_PROPOSALS, PROBLEMS
from knowledge.language_model import LanguageModel, ModelError
from knowledge.stage import Shift, StageReport
from knowledge.store import Query

MAX_UNUSABLE = 3
"""Answers in a row that cannot be used, after which the model is asked no more."""


def judge(shift: Shift, model: LanguageModel | None, tainted: Tainted, budget: int) -> StageReport:
    """Ask about at most `budget` abstained problems, those with most cases first; what was answered before is not asked
    again. Proposals for problems that are abstained no more are removed, with or without a model.

    `skipped` tells what was not sent and why, and which answers were refused. A model that cannot be reached, or gives three
    answers in a row that cannot be used, is asked no more this night.
    """
    waiting = _waiting(shift)
    known = _known(shift, waiting)
    if model is None:
        return StageReport({"asked": 0})
    sitting = _Sitting(shift, model, budget, known)
    for question in _questions(shift, waiting, tainted):
        sitting.take(question)
    return sitting.report()


class _Sitting:
    """One night's questions: what was counted, and why others were not asked."""

    def __init__(
        self, shift: Shift, model: LanguageModel, budget: int, known: Mapping[str, CauseProposal]
    ) -> None:
        self._shift, self._model, self._budget, self._known = shift, model, budget, known
        self._counts = Counter(
            {"asked": 0, "proposed": 0, "none_fits": 0, "known": 0, "not_sent": 0, "left": 0}
        )
        self._skipped: list[dict[str, JsonValue]] = []
        self._unusable = 0
        self._given_up = False

    def take(self, question: tuple[str, Inquiry | str]) -> None:
        """Ask one question, unless it was answered before, must not be sent, or there were enough."""
        fingerprint, asked = question
        if isinstance(asked, str):
            self._counts["not_sent"] += 1
            self._skipped.append({"problem": fingerprint, "reason": asked})
        elif (before := self._known.get(fingerprint)) and before.asked == asked.key(self._model.name):
            self._counts["known"] += 1
        elif self._given_up or self._counts["asked"] >= self._budget:
            self._counts["left"] += 1
        else:
            self._ask(asked)

    def report(self) -> StageReport:
        """What was done, and what was not."""
        if self._counts["left"]:
            why = (
                "the model could not be used"
                if self._given_up
                else f"{self._budget} were asked about tonight"
            )
            self._skipped.append({"problems": self._counts["left"], "reason": f"not asked about: {why}"})
        return StageReport(dict(self._counts), tuple(self._skipped))

    def _ask(self, asked: Inquiry) -> None:
        self._counts["asked"] += 1
        self._shift.progress(self._counts["asked"], None)
        try:
            answer = self._model.ask(SYSTEM, asked.data)
        except ModelError as error:
            self._refused(asked, error)
            self._given_up = True
            return
        try:
            cause = chosen(answer, asked)
        except ModelError as error:
            self._refused(asked, error)
            self._unusable += 1
            self._given_up = self._unusable >= MAX_UNUSABLE
            return
        self._unusable = 0
        self._counts["proposed" if cause else "none_fits"] += 1
        self._write(asked, cause)

    def _refused(self, asked: Inquiry, error: ModelError) -> None:
        self._skipped.append({"problem": asked.fingerprint, "reason": str(error)})

    def _write(self, asked: Inquiry, cause: str | None) -> None:
        proposal = CauseProposal(
            fingerprint=asked.fingerprint,
            root_cause=cause,
            candidates=asked.candidates,
            proposed_by_model=self._model.name,
            asked=asked.key(self._model.name),
            at=self._shift.now,
        )
        self._shift.guard()
        self._shift.store.collection(self._shift.project, CAUSE_PROPOSALS).put_many([proposal])


def _waiting(shift: Shift) -> list[tuple[Problem, Attribution]]:
    """The abstained problems, those with most cases first."""
    found = shift.store.collection(shift.project, ATTRIBUTIONS).scan(Query(where={"verdict": "abstained"}))
    abstained = {stored.item.fingerprint: stored.item for stored in found}
    problems = shift.store.collection(shift.project, PROBLEMS).get_many(sorted(abstained))
    pairs = [(stored.item, abstained[fingerprint]) for fingerprint, stored in problems.items()]
    return sorted(pairs, key=lambda pair: (-pair[0].count, pair[0].fingerprint))


def _known(shift: Shift, waiting: Sequence[tuple[Problem, Attribution]]) -> dict[str, CauseProposal]:
    """The proposals for problems that still wait; the others are removed."""
    proposals = shift.store.collection(shift.project, CAUSE_PROPOSALS)
    stored = {one.item.fingerprint: one.item for one in proposals.scan(Query())}
    gone = sorted(stored.keys() - {problem.fingerprint for problem, _ in waiting})
    if gone:
        shift.guard()
        proposals.remove_many(gone)
    return {fingerprint: one for fingerprint, one in stored.items() if fingerprint not in gone}


def _questions(
    shift: Shift, waiting: Sequence[tuple[Problem, Attribution]], tainted: Tainted
) -> Iterator[tuple[str, Inquiry | str]]:
    causes, people = read_causes(shift), read_people(shift)
    for problem, attribution in waiting:
        refused = people.refuses(problem)
        allowed = [cause for cause in causes if passes(problem, cause) and cause.cause_id not in refused]
        if allowed:
            yield problem.fingerprint, inquiry(problem, candidates_of(problem, attribution, allowed), tainted)
        else:
            yield problem.fingerprint, "no root cause covers it"
