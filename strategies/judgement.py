"""What one firing was worth, judged against what then happened in the recorded run. Silenced is not repaired."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from errata_client.decision import Decision
from errata_client.jsontext import canonical
from errata_client.matching import Pattern
from errata_client.rule import Confirm, FactIs, RequireCall, Rule
from knowledge.cases import FailureCase
from knowledge.runs import FINAL_ANSWER
from strategies.material import UNDUE, Material
from strategies.synthesis.retry import is_transient

_WORD = re.compile(r"[^\W\d]+")
MIN_NAMED = 4
Worth = Literal["right", "wrong", "unproven", "idle", "untouched"]


EVIDENT = {
    "unseen": "the call failed, and nobody had given the value",
    "repeated": "the very same call had failed before, and failed again",
}
"""Conditions that are right of whatever failed, with whatever error."""


@dataclass(frozen=True)
class Judgement:
    """The worth of a firing, and why, in words."""

    worth: Worth
    why: str


@dataclass(frozen=True)
class Standards:
    """What firings are held against: the calls of the scope that worked and those that failed, by content (these with
    run and masked error); the
    latest step at which each run made a call that failed; the tools that had succeeded before each call that worked; and
    the cases that the root cause explains. `heard`: what the person had last said before each call that worked."""

    worked: Collection[str]
    failed: Mapping[str, Collection[tuple[str, str]]]
    latest: Mapping[tuple[str, str], int]
    explained: Collection[str]
    prepared: Mapping[tuple[str, str], Collection[str]]
    heard: Mapping[tuple[str, str], str]

    @classmethod
    def of(cls, material: Material) -> Standards:
        """The standards of one root cause in one scope."""
        failing = (*material.cases, *material.others)
        latest: dict[tuple[str, str], int] = {}
        failed: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for case in failing:
            made = (case.run_id, canonical(case.trigger_step.arguments))
            latest[made] = max(case.trigger_step.index, latest.get(made, 0))
            failed[made[1]].add((case.run_id, case.error_pattern))
        return cls(
            worked=frozenset(canonical(call.arguments) for call in material.references),
            failed=failed,
            latest=latest,
            explained=frozenset(case.case_id for part in (material, *material.kin) for case in part.cases),
            prepared={
                (call.run_id, canonical(call.arguments)): frozenset(
                    before.tool for before in call.view.calls_before if before.ok
                )
                for call in material.references
            },
            heard={
                (call.run_id, canonical(call.arguments)): call.view.user_input for call in material.references
            },
        )


def judge(rule: Rule, case: FailureCase, decision: Decision, standards: Standards) -> Judgement:
    """The worth of `decision` on the failing call of `case`."""
    if not decision.fired:
        return Judgement("untouched", "the rule does not fire")
    if decision.arguments is not case.view.arguments if case.view else decision.outcome == "rewrite":
        return _rewritten(rule, case, decision, standards)
    if decision.outcome == "retry":
        return _retried(case, standards)
    if decision.outcome in {"block", "require_call", "confirm", "replan"}:
        return _stopped(rule, case, standards)
    return Judgement("unproven", "a hint: the record does not tell what the model would have made of it")


def _rewritten(rule: Rule, case: FailureCase, decision: Decision, standards: Standards) -> Judgement:
    """Right is only the call that then worked, in this run or, with just these arguments, in another."""
    made = canonical(decision.arguments)
    if case.repair is not None and made == canonical(case.repair.arguments):
        return Judgement("right", "it is the call that then worked in this run")
    if made in standards.worked:
        return Judgement("right", "just this call worked in another run")
    if rule.action.kind == "derive":
        return _derived(case, standards.failed.get(made, ()))
    if made in standards.failed:
        return Judgement("wrong", "just this call failed as well")
    if case.repair is not None:
        return Judgement("wrong", "another call worked in this run")
    return Judgement("unproven", "nobody tried this call: it fits the form of those that work")


def _derived(case: FailureCase, failed: Collection[tuple[str, str]]) -> Judgement:
    """The call that an error asks for, which nobody saw work; `failed`: where it failed itself, by run and error. In another run,
    with another error, the world was another one."""
    same = case.error_pattern.casefold()
    if any(run == case.run_id or error.casefold() == same for run, error in failed):
        return Judgement("wrong", "just this call failed as well")
    if failed:
        return Judgement("unproven", "just this call failed in another run, for another reason")
    if case.repair is not None:
        return Judgement("unproven", "another call worked in this run: whether this one had is not told")
    return Judgement("unproven", "nobody tried this call: it does what the error asks for")


def _retried(case: FailureCase, standards: Standards) -> Judgement:
    """A retry that fails leaves the agent where it was; the gate asks that it helps more often than not."""
    repair = case.repair
    if repair is not None and not (repair.changed or repair.added or repair.removed):
        return Judgement("right", "the same call worked later in this run")
    latest = standards.latest.get((case.run_id, canonical(case.trigger_step.arguments)), 0)
    if latest > case.trigger_step.index:
        return Judgement(
            "idle", "the same call was made again in this run and failed: nothing gained or lost"
        )
    return Judgement("unproven", "nobody made the same call again in this run")


def _stopped(rule: Rule, case: FailureCase, standards: Standards) -> Judgement:
    """A stop is right where the call failed for the reason that the rule gives."""
    if case.error_code in UNDUE or case.trigger_step.tool == FINAL_ANSWER:
        judged = _not_made if case.error_code in UNDUE else _unfinished
        return judged(rule, case, standards)
    repair = case.repair
    if repair is not None and not (repair.changed or repair.added or repair.removed):
        return _worked_later(rule, case, (case.run_id, canonical(repair.arguments)), standards)
    if is_transient(case):
        return Judgement("wrong", "the tool was down: the call itself may have been right")
    for condition in rule.trigger.conditions:
        if condition.kind in EVIDENT:
            return Judgement("right", EVIDENT[condition.kind])
    if case.case_id in standards.explained or names_what_is_asked(rule, case.error_pattern):
        return Judgement("right", "the call failed for the reason that the rule gives")
    return Judgement(
        "unproven", "the call failed, with another error: whether for this reason too is not told"
    )


def names_what_is_asked(rule: Rule, error: str) -> bool:
    """Whether the error names a value that the rule asks a fact to have, which it has not: "non-delivered order"."""
    asked = [
        Pattern(condition.pattern)
        for condition in rule.trigger.conditions
        if isinstance(condition, FactIs) and condition.negate
    ]
    words = [word for word in _WORD.findall(error) if len(word) >= MIN_NAMED]
    return any(pattern.found(word) or pattern.found(word.lower()) for pattern in asked for word in words)


def _worked_later(rule: Rule, case: FailureCase, made: tuple[str, str], standards: Standards) -> Judgement:
    """The very same call worked later: right only where what the rule asked for was done in between."""
    if isinstance(rule.action, RequireCall) and rule.action.tool in standards.prepared.get(made, ()):
        return Judgement("right", f"the very same call worked once {rule.action.tool} had been called")
    if isinstance(rule.action, Confirm) and standards.heard.get(made) != _heard(case):
        return Judgement("right", "the very same call worked once the person had been asked")
    return Judgement("wrong", "the very same call worked later in this run")


NOT_TO_BE_MADE = {
    "outcome.extra_action": "the run failed, and no successful run of the task made this call",
    "plan.stale_premise": "the plan took for granted what an earlier result had denied",
    "plan.order": "the step needed what had not been done, or had failed",
}


def _not_made(_rule: Rule, case: FailureCase, standards: Standards) -> Judgement:
    """Of a call that should not have been made, an error says nothing, nor that it worked."""
    if case.case_id in standards.explained:
        return Judgement("right", NOT_TO_BE_MADE[case.error_code])
    return Judgement("unproven", "the call should not have been made: whether for this reason is not told")


def _heard(case: FailureCase) -> str:
    return case.view.user_input if case.view else ""


def _unfinished(rule: Rule, case: FailureCase, standards: Standards) -> Judgement:
    """An answer held back: right where contrast says that just what the rule asks for was missing."""
    wanted = rule.action.tool if isinstance(rule.action, RequireCall) else None
    missing = case.evidence.get("tool") if case.error_code == "outcome.missing_action" else None
    if case.case_id not in standards.explained or (missing or wanted) != wanted:
        return Judgement("unproven", "the run failed: whether for want of this is not told")
    if missing is None:
        return Judgement("right", "the run failed for the reason that the rule gives")
    return Judgement("right", f"successful runs of the task called {missing}, and this run ended without it")
