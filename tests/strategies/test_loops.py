"""Calls made again as they were: what the agent's other tools say counts, where it was always the same."""

from __future__ import annotations

from collections.abc import Iterator

from errata_client.engine import Engine
from errata_client.run import Run
from errata_client.view import CallView
from knowledge.store import Store
from knowledge.strategies import Strategy
from strategies.synthesis.loop_breaker import SEEN_ELSEWHERE
from tests.strategies.shop import NOW, failed, night, run, worked


def looping(tool: str, count: int) -> Iterator[Run]:
    """Runs in which a refused call is made twice more, as it is."""
    for number in range(count):
        key = f"{tool}-{1000 + number}"
        call = failed(tool, {"key": key}, f"Error: {key} is locked")
        yield run(f"{tool}-loop-{number}", f"please take {key}", call, call, call)


def refused(tool: str, count: int) -> Iterator[Run]:
    for number in range(count):
        key = f"{tool}-{2000 + number}"
        yield run(
            f"{tool}-no-{number}", f"please take {key}", failed(tool, {"key": key}, f"Error: {key} is locked")
        )


def fine(tool: str, count: int = 40) -> Iterator[Run]:
    for number in range(count):
        key = f"{tool}-{3000 + number}"
        yield run(f"{tool}-fine-{number}", f"please take {key}", worked(tool, {"key": key}))


def lucky(tool: str, count: int) -> Iterator[Run]:
    """Runs in which the very same call worked the second time."""
    for number in range(count):
        key = f"{tool}-{4000 + number}"
        calls = failed(tool, {"key": key}, f"Error: {key} is busy"), worked(tool, {"key": key})
        yield run(f"{tool}-luck-{number}", f"please take {key}", *calls)


def breakers(found: list[Strategy]) -> dict[str, Strategy]:
    return {item.rule.scope.tool: item for item in found if item.synthesiser == "loop_breaker"}


def test_a_tool_that_often_refuses_is_not_asked_again_where_two_others_never_gave_in(store: Store) -> None:
    days = [*looping("lock", 4), *looping("seal", 4), *fine("lock"), *fine("seal")]

    found = breakers(night(store, [*days, *refused("open", 10), *fine("open")]))

    assert set(found) == {"lock", "seal", "open"}
    assert SEEN_ELSEWHERE in found["open"].evidence.flags
    assert found["open"].evidence.held_out_right == found["open"].evidence.held_out_fired > 0
    again = CallView(
        run_id="new",
        step_id="open",
        tool="open",
        arguments={"key": "open-9"},
        repeats=1,
        repeated_error="Error: open-9 is locked",
    )
    engine = Engine([found["open"].rule], treat_shadow_as_active=True)
    assert engine.decide(again, NOW.date()).outcome == "block"
    first = again.model_copy(update={"repeats": 0, "repeated_error": None})
    assert engine.decide(first, NOW.date()).outcome == "pass"


def test_one_tool_that_loops_says_nothing_of_the_others(store: Store) -> None:
    days = [*looping("lock", 8), *fine("lock"), *refused("open", 10), *fine("open")]

    assert set(breakers(night(store, days))) == {"lock"}


def test_where_other_tools_gave_in_now_and_then_they_say_nothing(store: Store) -> None:
    days = [*looping("lock", 4), *looping("seal", 4), *fine("lock"), *fine("seal")]

    found = breakers(
        night(store, [*days, *lucky("ring", 3), *fine("ring"), *refused("open", 10), *fine("open")])
    )

    assert set(found) == {"lock", "seal"}


def test_a_tool_that_seldom_refuses_needs_no_rule_of_others(store: Store) -> None:
    days = [*looping("lock", 4), *looping("seal", 4), *fine("lock"), *fine("seal")]

    assert "open" not in breakers(night(store, [*days, *refused("open", 3), *fine("open")]))
