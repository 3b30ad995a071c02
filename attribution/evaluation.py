"""How good decisions are, held against what is right: coverage, false matches, and what stands behind them. Pure.

coverage          of the cases that have a template, the share that was matched to the right one
false_match_rate  of all matches, the share that is wrong; a match of a case that has no template is wrong
precision         1 - false_match_rate
abstain_rate      of all cases, the share that was left to a person
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from errata_client.model import Model
from knowledge.cases import Problem
from knowledge.causes import Attribution

THRESHOLDS = (0.70, 0.75, 0.80, 0.85, 0.90, 0.95)
Z95 = 1.959964
MAX_MISTAKES = 50


@dataclass(frozen=True)
class Labelled:
    """A problem with what is right for it: a root cause, or None where no template fits."""

    label_id: str
    problem: Problem
    root_cause: str | None
    group: str = ""


class Figures(Model):
    """What came of `cases`; `false_match_upper` is the upper end of the 95 % Wilson interval. None: nothing to divide by."""

    cases: int
    with_template: int
    matched: int
    right: int
    wrong: int
    abstained: int
    unmatched: int
    coverage: float | None
    false_match_rate: float | None
    false_match_upper: float | None
    precision: float | None
    abstain_rate: float | None


class CauseFigures(Model):
    """One cause: cases that are its, how many of them were matched to it, and what else was."""

    cases: int
    right: int
    taken_wrongly: int
    abstained: int
    unmatched: int
    to_others: int
    coverage: float | None
    precision: float | None


class Mistake(Model):
    """A wrong match, with what explains it."""

    label_id: str
    text: str
    right: str | None
    given: str | None
    rung: str
    score: float | None
    runner_up: str | None
    reason: str


def figures(labels: Sequence[Labelled], decided: Sequence[Attribution]) -> Figures:
    """The figures of these decisions, in the order of the labels."""
    counts = Counter(map(_outcome, labels, decided))
    right, wrong = counts["right"], counts["wrong"]
    having = sum(label.root_cause is not None for label in labels)
    matched = right + wrong
    return Figures(
        cases=len(labels),
        with_template=having,
        matched=matched,
        right=right,
        wrong=wrong,
        abstained=counts["abstained"],
        unmatched=counts["unmatched"],
        coverage=_share(right, having),
        false_match_rate=_share(wrong, matched),
        false_match_upper=wilson_upper(wrong, matched),
        precision=_share(right, matched),
        abstain_rate=_share(counts["abstained"], len(labels)),
    )


def by_cause(labels: Sequence[Labelled], decided: Sequence[Attribution]) -> dict[str, CauseFigures]:
    """The figures of each cause that is right for a case, or was given to one."""
    names = {label.root_cause for label in labels} | {one.root_cause for one in decided}
    return {name: _of_cause(name, labels, decided) for name in sorted(name for name in names if name)}


def by_group(labels: Sequence[Labelled], decided: Sequence[Attribution]) -> dict[str, Figures]:
    """The figures of each group of labels, where they have groups."""
    rows: dict[str, list[tuple[Labelled, Attribution]]] = {}
    for label, one in zip(labels, decided, strict=True):
        rows.setdefault(label.group, []).append((label, one))
    return {
        name: figures([label for label, _ in some], [one for _, one in some])
        for name, some in sorted(rows.items())
        if name
    }


def by_rung(labels: Sequence[Labelled], decided: Sequence[Attribution]) -> dict[str, dict[str, int]]:
    """How many were matched rightly and wrongly on each rung of the ladder."""
    counts: dict[str, Counter[str]] = {}
    for label, one in zip(labels, decided, strict=True):
        counts.setdefault(one.rung, Counter())[_outcome(label, one)] += 1
    return {rung: dict(sorted(found.items())) for rung, found in sorted(counts.items())}


def mistakes(labels: Sequence[Labelled], decided: Sequence[Attribution]) -> list[Mistake]:
    """The wrong matches, the most certain first, at most MAX_MISTAKES."""
    wrong = [
        (label, one) for label, one in zip(labels, decided, strict=True) if _outcome(label, one) == "wrong"
    ]
    wrong.sort(key=lambda pair: (-(pair[1].score or 1.0), pair[0].label_id))
    return [
        Mistake(
            label_id=label.label_id,
            text=label.problem.error_pattern[:300],
            right=label.root_cause,
            given=one.root_cause,
            rung=one.rung,
            score=one.score,
            runner_up=one.runner_up.cause_id if one.runner_up else None,
            reason=one.reason,
        )
        for label, one in wrong[:MAX_MISTAKES]
    ]


def reliability(labels: Sequence[Labelled], decided: Sequence[Attribution]) -> list[dict[str, float | int]]:
    """Of the problems whose best cause scored in each tenth, how often that cause was the right one."""
    counts: dict[int, Counter[bool]] = {}
    for label, one in zip(labels, decided, strict=True):
        if one.winner is not None:
            tenth = min(int(one.winner.score * 10), 9)
            counts.setdefault(tenth, Counter())[one.winner.cause_id == label.root_cause] += 1
    return [
        {
            "from": tenth / 10,
            "cases": found.total(),
            "right": found[True],
            "share": found[True] / found.total(),
        }
        for tenth, found in sorted(counts.items())
    ]


def twins(known: Mapping[str, Sequence[str]]) -> list[dict[str, object]]:
    """Texts that stand for several causes: no text can tell those apart. `known` are the texts of each cause."""
    causes: dict[str, set[str]] = {}
    for cause, texts in known.items():
        for text in texts:
            if text:
                causes.setdefault(text, set()).add(cause)
    return [
        {"causes": sorted(names), "text": text} for text, names in sorted(causes.items()) if len(names) > 1
    ]


def wilson_upper(count: int, of: int, z: float = Z95) -> float | None:
    """The upper limit of Wilson's interval for `count` of `of`."""
    if not of:
        return None
    rate, square = count / of, z * z
    middle = rate + square / (2 * of)
    return (middle + z * sqrt(rate * (1 - rate) / of + square / (4 * of * of))) / (1 + square / of)


def _outcome(label: Labelled, one: Attribution) -> str:
    if one.verdict != "matched":
        return one.verdict
    return "right" if one.root_cause == label.root_cause else "wrong"


def _of_cause(name: str, labels: Sequence[Labelled], decided: Sequence[Attribution]) -> CauseFigures:
    mine = Counter(
        "other" if one.verdict == "matched" and one.root_cause != name else _outcome(label, one)
        for label, one in zip(labels, decided, strict=True)
        if label.root_cause == name
    )
    taken = sum(
        one.root_cause == name and label.root_cause != name
        for label, one in zip(labels, decided, strict=True)
    )
    return CauseFigures(
        cases=mine.total(),
        right=mine["right"],
        taken_wrongly=taken,
        abstained=mine["abstained"],
        unmatched=mine["unmatched"],
        to_others=mine["other"],
        coverage=_share(mine["right"], mine.total()),
        precision=_share(mine["right"], mine["right"] + taken),
    )


def _share(count: int, of: int) -> float | None:
    return count / of if of else None
