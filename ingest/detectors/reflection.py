"""reflection.regressed, reflection.no_improvement and reflection.off_target: what a reflection did not bring about."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from errata_client.deliberation import Episode
from errata_client.jsontext import canonical
from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.detectors.port import Detector, Finding
from ingest.text import error_pattern

LEAST = 1e-9
EXCERPT = 200
ENOUGH = 20
_WORD = re.compile(r"[a-z]{3,}|\d{2,}|[\u4e00-\u9fff]{2}")
_COMMON = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "that",
        "this",
        "was",
        "were",
        "not",
        "but",
        "had",
        "have",
        "has",
        "from",
        "into",
        "when",
        "then",
        "than",
        "next",
        "time",
        "will",
        "should",
        "would",
        "could",
        "more",
        "must",
        "need",
        "needs",
        "try",
        "again",
        "error",
        "failed",
        "failure",
        "call",
        "tool",
        "are",
        "its",
        "错误",
        "失败",
        "调用",
        "工具",
        "应该",
        "下次",
        "需要",
        "再次",
        "没有",
    ]
)


@dataclass(frozen=True)
class _Attempt:
    """An episode with its steps."""

    episode: Episode
    steps: tuple[Step, ...]

    @property
    def failures(self) -> list[Step]:
        """Its calls that failed."""
        return [step for step in self.steps if step.error is not None and step.tool_call is not None]


def detect(run: Run, _calls: Sequence[StepView]) -> Iterator[Finding]:
    """Each episode beside the one before it, if that one has a reflection; at the last step of the later one.

    - reflection.regressed: its score is lower, or it failed where the one before had succeeded.
    - reflection.no_improvement: it did not succeed and its score is the very same; or, where there are no scores, it made
      the very same calls in the same order.
    - reflection.off_target: a call failed in the one before, the reflection shares no word with that error, the tool's name
      or the arguments' names, and the same tool failed with the same error again.

    Not: a first attempt; a reflection after success; episodes without steps. Evidence: scores, the reflection's start, the
    error that came again.
    """
    attempts = _attempts(run)
    for before, after in itertools.pairwise(attempts):
        if not before.episode.reflection or not after.steps:
            continue
        code = _compared(before, after)
        if code is not None:
            yield _finding(before, after, code)
        again = _missed(before, after)
        if again is not None:
            yield _off_target(before, after, again)


def _attempts(run: Run) -> list[_Attempt]:
    ends = [episode.first_step for episode in run.episodes[1:]]
    return [
        _Attempt(
            episode,
            tuple(
                step
                for step in run.steps
                if episode.first_step <= step.index and (end is None or step.index < end)
            ),
        )
        for episode, end in zip(run.episodes, [*ends, None], strict=False)
    ]


def _compared(before: _Attempt, after: _Attempt) -> str | None:
    old, new = before.episode, after.episode
    if old.success and new.success is False:
        return "reflection.regressed"
    if old.score is not None and new.score is not None:
        if new.score < old.score - LEAST:
            return "reflection.regressed"
        same = abs(new.score - old.score) <= LEAST and not new.success and not old.success
        return "reflection.no_improvement" if same else None
    if new.success or old.success or not _calls_of(before):
        return None
    return "reflection.no_improvement" if _calls_of(before) == _calls_of(after) else None


def _calls_of(attempt: _Attempt) -> list[str]:
    calls = (step.tool_call for step in attempt.steps)
    return [canonical([call.tool, call.arguments]) for call in calls if call is not None]


def _missed(before: _Attempt, after: _Attempt) -> Step | None:
    """The failure of the later attempt that the reflection should have spoken of."""
    reflection = before.episode.reflection or ""
    if len(reflection.strip()) < ENOUGH and reflection.isascii():
        return None
    spoken = _words(reflection)
    for failed in before.failures:
        if not spoken & _about(failed):
            again = next((step for step in after.failures if _kin(step) == _kin(failed)), None)
            if again is not None:
                return again
    return None


def _kin(step: Step) -> tuple[str, str]:
    assert step.tool_call is not None
    assert step.error is not None
    return step.tool_call.tool, error_pattern(step.error.message)


def _about(step: Step) -> set[str]:
    assert step.tool_call is not None
    assert step.error is not None
    told = " ".join([step.tool_call.tool, *step.tool_call.arguments, step.error.message])
    return _words(re.sub(r"_", " ", told)) | _words(canonical(step.tool_call.arguments))


def _words(text: str) -> set[str]:
    found = set(_WORD.findall(re.sub(r"([a-z])([A-Z])", r"\1 \2", text).casefold()))
    pairs = {text[at : at + 2] for at in range(len(text) - 1) if "\u4e00" <= text[at] <= "\u9fff"}
    return (found | pairs) - _COMMON


def _finding(before: _Attempt, after: _Attempt, code: str) -> Finding:
    regressed = code == "reflection.regressed"
    return Finding(
        index=after.steps[-1].index,
        code="reflection.regressed" if regressed else "reflection.no_improvement",
        message="the attempt after the reflection went "
        + ("worse than the one before" if regressed else "no better than the one before"),
        evidence={
            "score_before": before.episode.score,
            "score_after": after.episode.score,
            "same_calls": _calls_of(before) == _calls_of(after),
            "reflection": (before.episode.reflection or "")[:EXCERPT],
        },
    )


def _off_target(before: _Attempt, after: _Attempt, again: Step) -> Finding:
    assert again.tool_call is not None
    assert again.error is not None
    return Finding(
        index=again.index,
        code="reflection.off_target",
        message="the reflection does not speak of the error, and the next attempt met it again",
        evidence={
            "tool": again.tool_call.tool,
            "error": again.error.message[:EXCERPT],
            "reflection": (before.episode.reflection or "")[:EXCERPT],
            "attempt_from": after.episode.first_step,
        },
    )


DETECTOR = Detector(
    "reflection", ("reflection.regressed", "reflection.no_improvement", "reflection.off_target"), detect
)
