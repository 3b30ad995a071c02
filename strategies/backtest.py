"""The backtest: a draft tried with the client's own engine, before a person sees it.

On the failures of its scope, on every successful call of its scope, and, drafted anew without them, on tasks
that it never saw.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from errata_client.engine import Engine
from errata_client.jsontext import canonical
from errata_client.rule import Rule, Scope
from errata_client.view import CallView
from knowledge.cases import FailureCase
from knowledge.ids import digest
from knowledge.runs import ReferenceCall
from knowledge.strategies import BeforeAfter, Candidate, Evidence
from strategies import gate
from strategies.judgement import Standards, judge
from strategies.material import Material, good_calls, task_of, tasks_of, view_after, view_before
from strategies.model_proposals import NAME, held_out_cases
from strategies.synthesis.port import PART, Draft
from strategies.synthesis.registry import named

FOLDS = 5
MAX_ROWS = 8
MAX_LISTED = 100


def backtest(candidate: Candidate, material: Material) -> Evidence:
    """The evidence for a candidate out of all that is known of its scope."""
    chosen = set(candidate.cases)
    support = [case for case in _tried_on(material, chosen) if case.case_id in chosen]
    standards = Standards.of(material)
    trials = list(_tried(candidate.rule, material, standards, chosen))
    good = good_calls(candidate.rule, material.references)
    harmed = list(_harmed(candidate.rule, good, material))
    held_out = list(_held_out(candidate, material, standards))
    right, wrong, unproven, idle = (_count(trials, word) for word in ("right", "wrong", "unproven", "idle"))
    held_fired = [row for row in held_out if row.judgement in {"right", "wrong"}]
    return Evidence(
        support=len(support),
        tasks=len(tasks_of(support)),
        references=len(good),
        fired=right + wrong + unproven + idle,
        right=right,
        wrong=wrong,
        unproven=unproven,
        idle=idle,
        harmed=len(harmed),
        held_out=len(held_out),
        held_out_fired=len(held_fired),
        held_out_right=_count(held_fired, "right"),
        precision=round(right / (right + wrong), 4) if right + wrong else None,
        flags=tuple(dict.fromkeys((*candidate.flags, *gate.flags(len(good))))),
        cases=tuple(case.case_id for case in support)[:MAX_LISTED],
        rows=_shown(trials, held_out, harmed),
        explanation=candidate.explanation,
    )


def _tried(
    rule: Rule, material: Material, standards: Standards, support: Collection[str]
) -> Iterator[BeforeAfter]:
    engine = Engine([rule], treat_shadow_as_active=True)
    for case in _tried_on(material, support):
        source = "support" if case.case_id in support else "held_out"
        row = _row(engine, rule, case, material, standards, source)
        if row is not None:
            yield row


def _row(
    engine: Engine, rule: Rule, case: FailureCase, material: Material, standards: Standards, source: str
) -> BeforeAfter | None:
    """The row of one failure; None where its view was not kept."""
    view = view_before(case) if rule.trigger.phase == "before" else view_after(case)
    if view is None:
        return None
    if (view.step_id, view.tool) != (rule.scope.step_id, rule.scope.tool):
        engine = Engine([_moved(rule, view)], treat_shadow_as_active=True)
    decision = engine.decide(view, material.today)
    judged = judge(rule, case, decision, standards)
    return BeforeAfter(
        source="support" if source == "support" else "held_out",
        origin_id=case.case_id,
        run_id=case.run_id,
        before=view.arguments,
        outcome=decision.outcome,
        after=decision.arguments if decision.outcome == "rewrite" else None,
        text=decision.text,
        error=case.error_message[:500],
        expected=case.repair.arguments if case.repair else None,
        judgement=judged.worth,
        why=judged.why,
    )


def _tried_on(material: Material, support: Collection[str]) -> Iterator[FailureCase]:
    """The failures of the scope, and those of other tools that speak for the draft."""
    yield from (*material.cases, *material.others)
    yield from (case for case in material.foreign if case.case_id in support)


def _moved(rule: Rule, view: CallView) -> Rule:
    """The rule as it would be for the tool of another scope, whose arguments have other names."""
    field = next(
        (f"args.{name}" for name in sorted(view.arguments) if name and not set(name) & set("/~")), None
    )
    trigger = rule.trigger.model_copy(update={"field": field or rule.trigger.field})
    scope = Scope(step_id=view.step_id, tool=view.tool)
    return rule.model_copy(update={"scope": scope, "trigger": trigger})


def _harmed(rule: Rule, good: Sequence[ReferenceCall], material: Material) -> Iterator[BeforeAfter]:
    """The good calls that the rule would have stopped, changed or made twice."""
    engine = Engine([rule], treat_shadow_as_active=True)
    for call in good:
        row = _harm(engine, rule, call, material)
        if row is not None:
            yield row


def _harm(engine: Engine, rule: Rule, call: ReferenceCall, material: Material) -> BeforeAfter | None:
    view = view_before(call) if rule.trigger.phase == "before" else view_after(call)
    decision = engine.decide(view, material.today) if view is not None else None
    if view is None or decision is None or not decision.fired:
        return None
    return BeforeAfter(
        source="reference",
        origin_id=call.reference_id,
        run_id=call.run_id,
        before=view.arguments,
        outcome=decision.outcome,
        after=decision.arguments if decision.outcome == "rewrite" else None,
        text=decision.text,
        judgement="harmed",
        why="the call worked as it was",
    )


def _held_out(candidate: Candidate, material: Material, standards: Standards) -> Iterator[BeforeAfter]:
    """For each part of the tasks: the same idea, drafted from the other parts, tried on this one. What a model proposed is
    tried on the tasks that it was not shown."""
    if candidate.synthesiser == NAME:
        for case in held_out_cases(material):
            yield from _first_fired([candidate.rule], case, material, standards)
        return
    drafted_from = set(candidate.cases)
    cases = [
        *material.cases,
        *(case for case in (*material.others, *material.foreign) if case.case_id in drafted_from),
    ]
    tasks = sorted(tasks_of(cases), key=digest)
    for fold in range(min(FOLDS, len(tasks))):
        out = set(tasks[fold::FOLDS])
        seen = material.without_tasks(out)
        drafts = [
            draft for draft in named(candidate.synthesiser).propose(seen, PART) if _is_same(draft, candidate)
        ]
        rules = [_as_drafted(candidate.rule, draft) for draft in drafts]
        for case in cases:
            if task_of(case) in out:
                yield from _first_fired(rules, case, material, standards)


def _as_drafted(rule: Rule, draft: Draft) -> Rule:
    return rule.model_copy(update={"trigger": draft.trigger, "action": draft.action})


def _first_fired(
    rules: Sequence[Rule], case: FailureCase, material: Material, standards: Standards
) -> Iterator[BeforeAfter]:
    """What the first of the rules that fires on the case makes of it; nothing where none does."""
    for rule in rules:
        engine = Engine([rule], treat_shadow_as_active=True)
        row = _row(engine, rule, case, material, standards, "held_out")
        if row is not None and row.judgement != "untouched":
            yield row
            return


def _is_same(draft: Draft, candidate: Candidate) -> bool:
    trigger, action = candidate.rule.trigger, candidate.rule.action
    return draft.slot == (candidate.synthesiser, trigger.field, action.kind) and _signs(draft) == _signs_of(
        trigger
    )


def _signs(draft: Draft) -> str:
    return _signs_of(draft.trigger)


def _signs_of(trigger: object) -> str:
    """What a trigger looks at besides its field: the kinds of its conditions and what they name."""
    conditions = getattr(trigger, "conditions", ())
    named_parts = [
        item.model_dump(exclude={"pattern", "negate", "unless"}, mode="json") for item in conditions
    ]
    return canonical(named_parts)


def _count(rows: Sequence[BeforeAfter], judgement: str) -> int:
    return sum(row.judgement == judgement for row in rows)


def _shown(
    tried: Sequence[BeforeAfter], held_out: Sequence[BeforeAfter], harmed: Sequence[BeforeAfter]
) -> tuple[BeforeAfter, ...]:
    """What a reviewer reads: the worst first, and of each sort a few, with different arguments where possible."""
    ordered = [
        *harmed,
        *(row for row in tried if row.judgement == "wrong"),
        *(row for row in tried if row.judgement == "right"),
        *(row for row in tried if row.judgement == "unproven"),
        *(row for row in held_out if row.judgement == "right"),
    ]
    distinct = {(row.judgement, row.source, canonical(row.before)): row for row in ordered}
    kept: list[BeforeAfter] = []
    for row in distinct.values():
        if sum(other.judgement == row.judgement for other in kept) < MAX_ROWS:
            kept.append(row)
    return tuple(kept)
