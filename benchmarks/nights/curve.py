"""What the nights came to: a line a night, what a cause holds, and what is not matched. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.nights.reading import Reading, read
from knowledge.cases import Problem
from knowledge.causes import Attribution, RootCause

SPOT = 3
"""Texts of each cause that are printed to be read."""
OWN_WORDS = ("tool.error", "tool.timeout", "tool.unavailable")
"""Codes of the problems whose text a tool wrote."""
VERDICTS = ("matched", "abstained", "unmatched")


@dataclass(frozen=True)
class Evening:
    """How a night left things, before the morning after it. `repeated` counts the problems with two cases or more by
    verdict; `opened` are the work orders of this night; `acts` what the reviewer did in the morning."""

    night: int
    runs: int
    problems: int
    repeated: Mapping[str, int]
    opened: int
    acts: Mapping[str, int]

    @property
    def share(self) -> float:
        """Of the repeated problems, those that are matched; 1 where there is none."""
        total = sum(self.repeated.values())
        return self.repeated.get("matched", 0) / total if total else 1.0

    def line(self) -> str:
        """The night in one line."""
        acts = [self.acts.get(name, 0) for name in ("approved", "merged", "rejected", "confirmed", "refused")]
        counts = [self.repeated.get(verdict, 0) for verdict in VERDICTS]
        numbers = [self.night, self.runs, self.problems, sum(counts), *counts]
        return (
            "".join(f"{number:>10}" for number in numbers)
            + f"{self.share:>9.1%}"
            + "".join(f"{number:>10}" for number in (self.opened, *acts))
        )


HEADER = "".join(
    f"{name:>{9 if name == 'share' else 10}}"
    for name in (
        *("night", "runs", "problems", "repeated", *VERDICTS, "share"),
        *("orders", "approved", "merged", "rejected", "confirmed", "refused"),
    )
)


def repeated(problems: Iterable[Problem], attributions: Mapping[str, Attribution]) -> Counter[str]:
    """The problems with two cases or more, by verdict."""
    return Counter(attributions[one.fingerprint].verdict for one in problems if one.count > 1)


def purity(
    problems: Sequence[Problem], attributions: Mapping[str, Attribution], causes: Sequence[RootCause]
) -> list[str]:
    """A paragraph for each cause with problems: how many wordings, codes, kinds and tools it holds, and its texts."""
    held: dict[str, list[Problem]] = defaultdict(list)
    for problem in problems:
        cause = attributions[problem.fingerprint].root_cause
        if cause:
            held[cause].append(problem)
    return [line for cause in causes if cause.cause_id in held for line in _of(cause, held[cause.cause_id])]


def pure(problems: Sequence[Problem], attributions: Mapping[str, Attribution]) -> tuple[int, int]:
    """How many causes hold texts that all say what another of them says, and how many have problems at all."""
    held: dict[str, set[str]] = defaultdict(set)
    for problem in problems:
        cause = attributions[problem.fingerprint].root_cause
        if cause:
            held[cause].add(problem.error_pattern)
    return sum(meanings(texts) == 1 for texts in held.values()), len(held)


def not_matched(problems: Sequence[Problem], attributions: Mapping[str, Attribution]) -> list[str]:
    """The repeated problems that have no cause, and why the night said so."""
    left = [one for one in problems if one.count > 1 and attributions[one.fingerprint].verdict != "matched"]
    return [
        f"  {one.count} × {one.error_code} of {one.tool}: {one.error_pattern[:90]}\n"
        f"      {attributions[one.fingerprint].verdict}: {attributions[one.fingerprint].reason}"
        for one in sorted(left, key=lambda one: (-one.count, one.fingerprint))
    ]


def said_by(
    problems: Iterable[Problem], attributions: Mapping[str, Attribution]
) -> dict[str, tuple[int, int]]:
    """How many repeated problems are matched, and of how many: those in a tool's own words, and those in the words that a
    detector composes, which are known beforehand."""
    counted: dict[str, list[bool]] = {"tools": [], "detectors": []}
    for one in problems:
        if one.count > 1:
            matched = attributions[one.fingerprint].verdict == "matched"
            counted["tools" if one.error_code in OWN_WORDS else "detectors"].append(matched)
    return {name: (sum(matched), len(matched)) for name, matched in counted.items()}


def meanings(texts: Iterable[str]) -> int:
    """How many texts there are of which none says what another one, met before, says."""
    found: list[Reading] = []
    for reading in map(read, sorted(set(texts))):
        if not any(reading.says_what(other) for other in found):
            found.append(reading)
    return len(found)


def _of(cause: RootCause, problems: Sequence[Problem]) -> list[str]:
    texts = Counter[str]()
    for one in problems:
        texts[one.error_pattern] += one.count
    kinds = sorted({f"{one.error_code} ({one.error_kind})" for one in problems})
    said = (
        f"{cause.cause_id} {cause.name}: {sum(texts.values())} cases, {len(problems)} problems, "
        f"{len(texts)} texts, {meanings(texts)} wordings, {len({one.tool for one in problems})} tools; {', '.join(kinds)}"
    )
    return [said, *(f"      {number} × {text[:110]}" for text, number in texts.most_common(SPOT))]
