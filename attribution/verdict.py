"""The ladder: from what people said, and what the scores say, to matched, abstained or unmatched. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from attribution.near_text import turned_round
from attribution.parameters import Parameters
from attribution.ranking import Ranked
from attribution.senses.reading import Spoken
from attribution.text import normalised
from attribution.wordings import Found
from attribution.words import words
from knowledge.cases import Problem
from knowledge.causes import Attribution, Candidate, Label, RootCause, Rung, Verdict


@dataclass(frozen=True)
class Question:
    """A problem with all that bears on its decision. `covering` are the causes whose gates let it through, `refused`
    those that a person rejected for it; `ranked` is None where no scores were needed; `spoken` is None where no probe reads it."""

    problem: Problem
    covering: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    settled: Label | None = None
    same: Found | None = None
    near: Found | None = None
    recased: Callable[[str], str | None] = lambda _: None
    near_miss: Callable[[str], str | None] = lambda _: None
    ranked: Ranked | None = None
    spoken: Spoken | None = None


@dataclass(frozen=True)
class Judge:
    """Decides questions. `causes` are all enabled causes by id; `encoders` the ids of the running encoders."""

    causes: Mapping[str, RootCause]
    parameters: Parameters
    encoders: tuple[str, ...]
    now: datetime

    def by_answers(self, question: Question) -> Attribution | None:
        """The rungs before the score: what a person said of this problem, or what its very text, or nearly the same one, is
        known for; else None."""
        return (
            self._settled(question)
            or self._known(question, question.same, "same_text")
            or self._known(question, question.near, "near_text")
        )

    def by_scores(self, question: Question) -> Attribution:
        """The last rung: threshold, margin, agreement of the encoders."""
        ranked = question.ranked or Ranked()
        if not question.covering:
            return self._answer(
                question, "unmatched", "none", f"no root cause covers {_gate(question.problem)}"
            )
        if not question.covering - question.refused:
            return self._answer(
                question, "unmatched", "none", "a person rejected every root cause that covers it"
            )
        if not ranked.readers:
            reason = "no field that informs, in a script that an encoder reads: a person decides"
            return self._answer(question, "abstained", "none", reason)
        if ranked.winner is None:
            return self._answer(question, "unmatched", "none", "no exemplar can be compared with it")
        verdict, reason = self._verdict(question, ranked, ranked.winner)
        if verdict == "matched":
            return self._answer(question, verdict, "score", reason, ranked.winner.cause_id)
        return self._by_sense(question, reason) or self._answer(question, verdict, "score", reason)

    def _by_sense(self, question: Question, unsettled: str) -> Attribution | None:
        """Where no wording settles it: the cause that alone speaks of what the text speaks of; None where that is not sure
        enough, or the text looks like one of that cause's and means something else."""
        spoken = question.spoken
        if spoken is None or spoken.chance < self.parameters.sense_threshold:
            return None
        if spoken.runner_up_chance > self.parameters.sense_rival or self._misread(question, spoken.cause_id):
            return None
        reason = f"it says that {spoken.says} ({spoken.chance:.2f}), as the texts of {spoken.cause_id} do"
        if spoken.runner_up:
            reason += f" and those of {spoken.runner_up} do not ({spoken.runner_up_chance:.2f})"
        return self._answer(
            question, "matched", "same_sense", f"{reason}; by its wording, {unsettled}", spoken.cause_id
        )

    def _misread(self, question: Question, cause: str) -> str | None:
        """Why a text that speaks of what the cause's texts speak of is not of it, as the words tell; None where they do not."""
        ranked = question.ranked or Ranked()
        own = ranked.winner is not None and ranked.winner.cause_id == cause
        turned = self._turned(question, [text for text, _ in ranked.supporting]) if own else None
        return turned or question.near_miss(cause) or question.recased(cause)

    def _settled(self, question: Question) -> Attribution | None:
        label = question.settled
        if label is None or (label.root_cause is not None and label.root_cause not in self.causes):
            return None
        said = f"{label.actor} said so: {label.reason}"
        if label.root_cause is None:
            return self._answer(question, "unmatched", "person", f"no root cause fits; {said}")
        rung: Rung = "confirmed" if label.answer == "confirm" else "person"
        return self._answer(question, "matched", rung, said, label.root_cause)

    def _known(self, question: Question, found: Found | None, rung: Rung) -> Attribution | None:
        if found is None:
            return None
        if len(found.causes) > 1:
            names = sorted(name or "no template" for name in found.causes)
            reason = f"{found.how} what was confirmed for {' and '.join(names)}: a person decides"
            return self._answer(question, "abstained", rung, reason)
        (cause,) = found.causes
        reason = f"{found.how} {found.source}"
        if cause is None:
            return self._answer(question, "unmatched", rung, f"no root cause fits: {reason}")
        return self._answer(question, "matched", rung, reason, cause)

    def _verdict(self, question: Question, ranked: Ranked, winner: Candidate) -> tuple[Verdict, str]:
        threshold = self._threshold(ranked)
        said = f"{winner.cause_id} scores {winner.score:.4f}"
        if winner.score < round(self._floor(threshold), 4):
            return "unmatched", f"{said}, under the band that begins at {self._floor(threshold):.2f}"
        if winner.score < threshold:
            return "abstained", f"{said}, just below {threshold}: a person decides"
        doubt = self._doubt(question, ranked, winner)
        if doubt:
            return "abstained", f"{said}, but {doubt}: a person decides"
        return "matched", f"{said}, at or over {threshold}{self._ahead(ranked)}"

    def _floor(self, threshold: float) -> float:
        """Where the band of doubt begins: below the threshold of two encoders, also for one alone."""
        return min(threshold, self.parameters.threshold) - self.parameters.band

    def _doubt(self, question: Question, ranked: Ranked, winner: Candidate) -> str | None:
        """Why a score over the threshold is not enough; None if it is."""
        runner_up = ranked.runner_up
        if runner_up and round(winner.score - runner_up.score, 4) < self.parameters.margin:
            return f"{runner_up.cause_id} follows with {runner_up.score:.4f}, within {self.parameters.margin}"
        if ranked.dissent:
            others = ", ".join(
                f"{encoder} prefers {cause}" for encoder, cause in sorted(ranked.dissent.items())
            )
            return f"the encoders do not agree ({others})"
        word = question.recased(winner.cause_id)
        if word is not None:
            return f"{word!r} stands in it in other letters than in every text of {winner.cause_id}"
        missed = question.near_miss(winner.cause_id)
        if missed is not None:
            return missed
        near = [exemplar for exemplar, score in ranked.supporting if score >= self._threshold(ranked)]
        return self._turned(question, near)

    def _turned(self, question: Question, near: Sequence[str]) -> str | None:
        """Doubt where every one of these exemplars that shares a word with the text says something else with it; exemplars of
        another language share none, and settle nothing."""
        text = normalised(question.problem.error_pattern)
        shared = [exemplar for exemplar in near if set(words(exemplar)) & set(words(text))]
        doubts = [turned_round(text, exemplar) for exemplar in shared]
        return doubts[0] if doubts and all(doubts) else None

    def _ahead(self, ranked: Ranked) -> str:
        if ranked.runner_up is None:
            return ", and no other root cause covers it"
        return f", ahead of {ranked.runner_up.cause_id} with {ranked.runner_up.score:.4f}"

    def _threshold(self, ranked: Ranked) -> float:
        cause = self.causes.get(ranked.winner.cause_id) if ranked.winner else None
        if cause and cause.threshold is not None:
            return cause.threshold
        alone = len(self.encoders) > 1 and len(ranked.readers) == 1
        usual = self.parameters.lone_threshold if alone else self.parameters.threshold
        fitted = self.parameters.thresholds.get(ranked.winner.cause_id, usual) if ranked.winner else usual
        return max(usual, fitted) if alone else fitted

    def _answer(
        self, question: Question, verdict: Verdict, rung: Rung, reason: str, cause: str | None = None
    ) -> Attribution:
        ranked = question.ranked or Ranked()
        return Attribution(
            fingerprint=question.problem.fingerprint,
            verdict=verdict,
            root_cause=cause,
            rung=rung,
            score=ranked.winner.score if ranked.winner else None,
            winner=ranked.winner,
            runner_up=ranked.runner_up,
            weights=self.parameters.weights.model_dump(),
            threshold=self._threshold(ranked),
            margin=self.parameters.margin,
            encoders=ranked.readers or self.encoders,
            gated_out=len(self.causes) - len(question.covering),
            reason=reason,
            decided_at=self.now,
        )


def _gate(problem: Problem) -> str:
    where = f" of {problem.tool}" if problem.tool else ""
    return f"{problem.error_code} ({problem.error_kind}){where}"
