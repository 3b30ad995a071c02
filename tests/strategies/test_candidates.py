"""Of drafts that do the same and are made from the same cases, one is tried: under the cause that explains most of them."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

from errata_client.rule import Block, Repeated, Rule, Scope, Trigger
from knowledge.strategies import Candidate
from strategies.draft_key import draft_key
from strategies.stages import once

CASES = ("a", "b", "c")


def candidate(cause: str, cases: tuple[str, ...] = CASES, pattern: str = "^") -> Candidate:
    rule = Rule(
        id="ST-draft",
        revision=1,
        root_cause=cause,
        scope=Scope(step_id="pay", tool="pay"),
        trigger=Trigger(field="args.amount", pattern=pattern, conditions=(Repeated(times=1),)),
        action=Block(text=f"It failed before ({cause})."),
        valid_until=date(2027, 1, 1),
    )
    return Candidate(
        draft_key=draft_key(rule), night_id="n", synthesiser="s", rule=rule, cases=cases, explanation="why"
    )


def explaining(cause: str, *cases: str) -> Any:
    return SimpleNamespace(
        cause=SimpleNamespace(cause_id=cause), cases=[SimpleNamespace(case_id=one) for one in cases]
    )


MATERIALS = [explaining("RC-A", "a"), explaining("RC-B", "b", "c", "d"), explaining("RC-C")]


def test_one_is_kept_under_the_cause_that_explains_most_of_its_cases() -> None:
    given = [candidate("RC-A"), candidate("RC-B"), candidate("RC-C")]
    assert [one.rule.root_cause for one in once(given, MATERIALS)] == ["RC-B"]
    assert once(given[::-1], MATERIALS) == once(given, MATERIALS)


def test_drafts_from_other_cases_and_drafts_that_do_otherwise_are_all_kept() -> None:
    given = [candidate("RC-A"), candidate("RC-B", ("b", "c")), candidate("RC-B", pattern="^0")]
    assert sorted(one.draft_key for one in once(given, MATERIALS)) == sorted(one.draft_key for one in given)
