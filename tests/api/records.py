"""Things to put into the store of a test."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from api import examples
from knowledge.cases import FailureCase, Problem
from knowledge.causes import Attribution
from knowledge.strategies import Strategy

START = datetime(2026, 3, 1, tzinfo=UTC)


def case(number: int = 0, **changes: object) -> FailureCase:
    given = {
        **examples.CASE,
        "case_id": f"case-{number:05}",
        "occurred_at": START + timedelta(minutes=number),
        **changes,
    }
    return FailureCase.model_validate(given)


def problem(number: int = 0, **changes: object) -> Problem:
    given = {
        name: value for name, value in examples.PROBLEM.items() if name not in {"version", "attribution"}
    }
    given |= {"fingerprint": f"fp-{number:05}", "last_seen": START + timedelta(minutes=number), **changes}
    return Problem.model_validate(given)


def attribution(number: int = 0) -> Attribution:
    return Attribution.model_validate({**examples.ATTRIBUTION, "fingerprint": f"fp-{number:05}"})


def strategy(number: int = 7, state: str = "in_review", **rule: object) -> Strategy:
    name = f"ST-{number:04}"
    given = {key: value for key, value in examples.STRATEGY.items() if key != "version"}
    given |= {
        "strategy_id": name,
        "draft_key": f"draft-{number}",
        "state": state,
        "rule": {**examples.RULE, "mode": "shadow", **rule, "id": name},
    }
    return Strategy.model_validate(given)
