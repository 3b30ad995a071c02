"""The night's work on strategies: draft, try, file, look after what is live, publish."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta

from errata_client.engine import Engine
from errata_client.rule import Rule
from knowledge.errors import ConflictError
from knowledge.kinds import CANDIDATES, CASES, STRATEGIES
from knowledge.language_model import LanguageModel
from knowledge.stage import Shift, StageReport
from knowledge.store import Query, Stored
from knowledge.strategies import Candidate, Evidence, Strategy
from strategies import gate, life
from strategies.asking import Asking
from strategies.backtest import backtest as tried
from strategies.bundles import publish_live
from strategies.conflicts import STOPS
from strategies.draft_key import draft_key, effect_key, trigger_key
from strategies.likeness import LIKE_REJECTED, resemblances
from strategies.material import Material, view_before
from strategies.model_proposals import NAME
from strategies.reach import Volume, reach
from strategies.review import TAINTED
from strategies.supply import Supply
from strategies.synthesis.port import Draft
from strategies.synthesis.registry import drafts
from strategies.taint import is_tainted, says_tainted

NIGHT = "errata nightly"
VALID_FOR = timedelta(days=90)
UNNUMBERED = "ST-draft"
MENDING = frozenset({"rewrite", "set", "rename", "drop", "derive"})
"""Kinds of actions that mend a call; of what they answer nothing is left to stop."""


def synthesize(shift: Shift, model: LanguageModel | None = None) -> StageReport:
    """Draft candidates from the cases of matched problems, by root cause and scope; a language model may propose more.

    What it proposes gives way to a draft that does the same. One that cannot be asked is said, and asked no more this night.
    """
    supply, counts, asked = Supply(shift), Counter[str](), Asking(model)
    candidates = shift.store.collection(shift.project, CANDIDATES)
    for scope in supply.scopes():
        materials = list(supply.materials(scope))
        made = {
            item.draft_key: item
            for item in once([i for m in materials for i in drafted(m, shift.night_id)], materials)
        }
        for material in (item for item in materials if item.cases):
            for draft in asked.proposed(material):
                item = _candidate(material, draft, shift.night_id)
                made.setdefault(item.draft_key, item)
        shift.guard()
        candidates.put_many(made[key] for key in sorted(made))
        counts.update(item.synthesiser for item in made.values())
        counts["scopes"] += 1
    _forget_older(shift)
    counts["candidates"] = _count(shift)
    return StageReport(dict(sorted(counts.items())), (*supply.skipped(), *asked.skipped))


def backtest(shift: Shift) -> StageReport:
    """Try every candidate of this night, and say whether it may be shown to a person."""
    supply, counts = Supply(shift), Counter[str]()
    candidates = shift.store.collection(shift.project, CANDIDATES)
    found: dict[tuple[str, str], list[Candidate]] = {}
    for stored in list(candidates.scan(_of_night(shift))):
        scope = stored.item.rule.scope
        found.setdefault((scope.step_id, scope.tool), []).append(stored.item)
    for scope_key in sorted(found):
        materials = {material.cause.cause_id: material for material in supply.materials(scope_key)}
        volume = supply.volume(scope_key)
        judged = [
            _with_reach(judged_by(item, materials[item.rule.root_cause]), materials, volume)
            for item in found[scope_key]
        ]
        shift.guard()
        candidates.put_many(judged)
        counts.update(f"{item.verdict}ed" for item in judged)
    return StageReport({"passed": counts["passed"], "failed": counts["failed"]})


def file(shift: Shift) -> StageReport:
    """Give the candidates that passed a number and put them in front of the reviewers.

    An idea that was filed before, whatever became of it, is not filed again; nor is one that a strategy in review
    or live answers already.
    """
    strategies = shift.store.collection(shift.project, STRATEGIES)
    known = [stored.item for stored in strategies.scan(Query())]
    counts = Counter[str](filed=0)
    for candidate in _passed(shift):
        reason = _known_already(candidate, known) or _mended_already(shift, candidate, known)
        if reason is None:
            shift.guard()
            known.append(_filed(shift, candidate, known))
        elif not _filed_tonight(shift, candidate, known):
            counts[reason] += 1
    counts["filed"] = sum(item.history[0].at == shift.now for item in known)
    return StageReport(dict(sorted(counts.items())))


def review_live(shift: Shift) -> StageReport:
    """Retire what has expired, and mark what soon will."""
    strategies = shift.store.collection(shift.project, STRATEGIES)
    counts = Counter[str](retired=0, expiring=0)
    for stored in list(strategies.scan(Query(where={"state": life.LIVE}))):
        target = life.due(stored.item, shift.now.date())
        if target is not None:
            reason = f"valid until {stored.item.rule.valid_until}"
            shift.guard()
            strategies.put(life.moved(stored.item, target, shift.now, NIGHT, reason), stored.version)
            counts[target] += 1
    return StageReport(dict(counts))


def publish(shift: Shift) -> StageReport:
    """Make sure that the newest revision of the bundle holds the rules that are live."""
    shift.guard()
    return StageReport({"revision": publish_live(shift, NIGHT, f"night of {shift.now.date()}")})


def _of_night(shift: Shift) -> Query:
    return Query(where={"night_id": shift.night_id})


def drafted(material: Material, night_id: str) -> Iterator[Candidate]:
    """Every draft that the material supports, not tried yet."""
    for draft in drafts(material):
        yield _candidate(material, draft, night_id)


def once(items: Sequence[Candidate], materials: Sequence[Material]) -> list[Candidate]:
    """Of drafts that do the same and are made from the same cases, under several causes of a scope, the one under the cause
    that explains most of those cases."""
    explained = {m.cause.cause_id: {case.case_id for case in m.cases} for m in materials}
    found: dict[tuple[str, tuple[str, ...]], Candidate] = {}
    for item in sorted(items, key=lambda one: one.rule.root_cause):
        key = effect_key(item.rule), item.cases
        other = found.get(key)
        if other is None or _share(item, explained) > _share(other, explained):
            found[key] = item
    return list(found.values())


def _share(item: Candidate, explained: Mapping[str, set[str]]) -> int:
    return len(explained[item.rule.root_cause].intersection(item.cases))


def _candidate(material: Material, draft: Draft, night_id: str) -> Candidate:
    known = (*material.cases, *material.others, *material.foreign)
    cases = {case.case_id: case for case in known}
    rule = _rule(material, draft)
    tainted = says_tainted(rule, draft.explanation) or any(
        is_tainted(cases[case_id]) for case_id in draft.cases
    )
    return Candidate(
        draft_key=draft_key(rule),
        night_id=night_id,
        synthesiser=draft.synthesiser,
        rule=rule,
        cases=draft.cases,
        explanation=draft.explanation,
        flags=(*draft.flags, *((TAINTED,) if tainted else ())),
    )


def _rule(material: Material, draft: Draft) -> Rule:
    return Rule(
        id=UNNUMBERED,
        revision=1,
        root_cause=material.cause.cause_id,
        scope=material.scope,
        trigger=draft.trigger,
        action=draft.action,
        mode="shadow",
        valid_until=material.today + VALID_FOR,
    )


def judged_by(candidate: Candidate, material: Material) -> Candidate:
    """The candidate, tried on the material, with the gate's verdict."""
    evidence = tried(candidate, material)
    failures = gate.failures(evidence)
    return candidate.model_copy(
        update={"evidence": evidence, "failures": failures, "verdict": "fail" if failures else "pass"}
    )


def _with_reach(candidate: Candidate, materials: Mapping[str, Material], volume: Volume) -> Candidate:
    """What passed, with its blast radius."""
    if candidate.verdict != "pass" or candidate.evidence is None:
        return candidate
    rule = candidate.rule
    found = reach(rule, materials[rule.root_cause], volume)
    return candidate.model_copy(update={"evidence": candidate.evidence.model_copy(update={"reach": found})})


def _passed(shift: Shift) -> list[Candidate]:
    """Of each scope those that mend a call before those that stop it, what a model proposed last, then the most
    convincing first."""
    query = Query(where={"night_id": shift.night_id, "verdict": "pass"})
    found = [stored.item for stored in shift.store.collection(shift.project, CANDIDATES).scan(query)]
    return sorted(found, key=_rank)


def _rank(candidate: Candidate) -> tuple[str, str, bool, bool, int, int, str]:
    scope, evidence = candidate.rule.scope, candidate.evidence
    right = evidence.right if evidence else 0
    stops = candidate.rule.action.kind not in MENDING
    by_model = candidate.synthesiser == NAME
    return (
        scope.step_id,
        scope.tool,
        stops,
        by_model,
        -right,
        len(candidate.rule.trigger.pattern),
        candidate.draft_key,
    )


def _known_already(candidate: Candidate, known: Sequence[Strategy]) -> str | None:
    """Why the candidate need not be filed; None where it is new."""
    if any(_same_idea(candidate, strategy) for strategy in known):
        return "known"
    mine, stops = set(candidate.cases), candidate.rule.action.kind in STOPS
    same = [
        strategy for strategy in known if strategy.rule.scope == candidate.rule.scope and _answers(strategy)
    ]
    looks = trigger_key(candidate.rule)
    if any(stops and item.rule.action.kind in STOPS and trigger_key(item.rule) == looks for item in same):
        return "answered"
    answered = [
        set(item.evidence.cases) for item in same if item.rule.action.kind == candidate.rule.action.kind
    ]
    mended = set().union(*(item.evidence.cases for item in same if item.rule.action.kind in MENDING))
    return "answered" if any(mine <= cases for cases in answered) or mine <= mended else None


def _mended_already(shift: Shift, candidate: Candidate, known: Sequence[Strategy]) -> str | None:
    """Whether a stop has nothing left to stop: the rules of its scope that mend calls, asked as agents ask them, change all
    but a few of its cases."""
    if candidate.rule.action.kind in MENDING or candidate.rule.trigger.phase != "before":
        return None
    mending = [
        item.rule
        for item in known
        if item.rule.scope == candidate.rule.scope and item.rule.action.kind in MENDING and _answers(item)
    ]
    if not mending:
        return None
    engine, today = Engine(mending, treat_shadow_as_active=True), shift.now.date()
    cases = shift.store.collection(shift.project, CASES).get_many(candidate.cases)
    views = [view for stored in cases.values() if (view := view_before(stored.item)) is not None]
    left = len(candidate.cases) - sum(engine.decide(view, today).outcome != "pass" for view in views)
    return "answered" if left < gate.MIN_SUPPORT else None


def _same_idea(candidate: Candidate, strategy: Strategy) -> bool:
    return strategy.draft_key == candidate.draft_key or effect_key(strategy.rule) == effect_key(
        candidate.rule
    )


def _answers(strategy: Strategy) -> bool:
    return strategy.state in life.OPEN


def _filed_tonight(shift: Shift, candidate: Candidate, known: Sequence[Strategy]) -> bool:
    same = (strategy for strategy in known if strategy.draft_key == candidate.draft_key)
    return any(strategy.history[0].at == shift.now for strategy in same)


def _filed(shift: Shift, candidate: Candidate, known: Sequence[Strategy]) -> Strategy:
    """The candidate as a strategy in review, under the next number."""
    number = max((int(strategy.strategy_id.removeprefix("ST-")) for strategy in known), default=0) + 1
    strategy_id = f"ST-{number:04d}"
    if candidate.evidence is None:
        raise ConflictError(f"candidate {candidate.draft_key} was never tried: run the backtest first")
    draft = Strategy(
        strategy_id=strategy_id,
        draft_key=candidate.draft_key,
        synthesiser=candidate.synthesiser,
        state="draft",
        rule=candidate.rule.model_copy(update={"id": strategy_id}),
        evidence=_remembering(candidate.evidence, candidate, known),
    )
    drafted = life.begun(draft, shift.now, NIGHT, candidate.explanation)
    entered = life.moved(drafted, "in_review", shift.now, NIGHT, "passed the gate")
    shift.store.collection(shift.project, STRATEGIES).put(entered, None)
    return entered


def _remembering(evidence: Evidence, candidate: Candidate, known: Sequence[Strategy]) -> Evidence:
    """The evidence, with what the idea is like of all that was turned down."""
    alike = resemblances(candidate.rule, candidate.cases, known)
    if not alike:
        return evidence
    flags = tuple(dict.fromkeys((*evidence.flags, LIKE_REJECTED)))
    return evidence.model_copy(update={"resembles": alike, "flags": flags})


def _forget_older(shift: Shift) -> None:
    """Candidates of earlier nights go once this night's are written."""
    candidates = shift.store.collection(shift.project, CANDIDATES)
    older: list[Stored[Candidate]] = [
        stored for stored in candidates.scan(Query()) if stored.item.night_id != shift.night_id
    ]
    shift.guard()
    candidates.remove_many(stored.item.draft_key for stored in older)


def _count(shift: Shift) -> int:
    tallies = shift.store.collection(shift.project, CANDIDATES).tally(_of_night(shift), "night_id")
    return sum(tally.count for tally in tallies)
