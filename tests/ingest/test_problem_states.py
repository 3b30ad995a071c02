"""New, ongoing, escalating or regressed: told from counts and versions, and a person's resolution ends only by evidence."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from errata_client.run import Agent, Outcome, Run, Step, StepError, ToolCall
from ingest.masking import Masker
from ingest.problem_state import Window, at_least, escalates, older
from ingest.problem_states import change_status, mark_states
from ingest.service import ingest_runs
from ingest.stages import group
from knowledge.cases import Problem
from knowledge.errors import BadInputError, NotFoundError
from knowledge.kinds import AUDIT, PROBLEMS
from knowledge.stage import Shift
from knowledge.store import Query, Store

NOW = datetime(2026, 6, 1, 2, tzinfo=UTC)
DAY = timedelta(days=1)


def runs(name: str, count: int, at: datetime, *, fail: bool = True, version: str | None = None) -> list[Run]:
    error = StepError(message="订单不存在 order not found") if fail else None
    return [
        Run(
            run_id=f"{name}-{number}",
            agent=Agent(name="desk", version=version),
            started_at=at,
            steps=(
                Step(
                    index=0,
                    user_input="where is my order?",
                    tool_call=ToolCall(tool="get_order", arguments={"order_id": f"no-{name}-{number}"}),
                    observation=None if fail else "found",
                    error=error,
                ),
            ),
            outcome=Outcome(status="unknown"),
        )
        for number in range(count)
    ]


class Shop:
    """A store and its nights."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def shift(self, now: datetime = NOW) -> Shift:
        return Shift(self.store, "shop", "n", now)

    def take(self, *given: list[Run]) -> None:
        ingest_runs([run for some in given for run in some], self.shift(), Masker(b"k" * 32))

    def problem(self) -> Problem:
        found = [s.item for s in self.store.collection("shop", PROBLEMS).scan(Query())]
        (one,) = [problem for problem in found if problem.error_code == "tool.error"]
        return one

    def night(self, now: datetime = NOW) -> Problem:
        group(self.shift(now))
        return self.problem()


@pytest.fixture
def shop(store: Store) -> Shop:
    return Shop(store)


def test_a_problem_is_new_for_a_week_and_then_goes_on(shop: Shop) -> None:
    shop.take(runs("a", 3, NOW - 2 * DAY))
    problem = shop.night()
    assert problem.state == "new"
    assert "3 cases in 3 runs of the last 7 days" in problem.state_reason
    assert shop.night(NOW + 10 * DAY).state == "ongoing"


def test_many_more_cases_per_run_than_before_escalate(shop: Shop) -> None:
    shop.take(
        runs("old", 4, NOW - 20 * DAY),
        runs("fine-old", 200, NOW - 20 * DAY, fail=False),
        runs("now", 20, NOW - DAY),
        runs("fine", 40, NOW - DAY, fail=False),
    )
    assert shop.night().state == "escalating"


def test_more_cases_in_more_runs_are_no_escalation(shop: Shop) -> None:
    shop.take(
        runs("old", 5, NOW - 20 * DAY),
        runs("fine-old", 20, NOW - 20 * DAY, fail=False),
        runs("now", 30, NOW - DAY),
        runs("fine", 120, NOW - DAY, fail=False),
    )
    assert shop.night().state == "ongoing"


def test_a_resolved_problem_that_shows_again_is_a_regression_and_unresolved(shop: Shop) -> None:
    shop.take(runs("a", 3, NOW - 20 * DAY))
    fingerprint = shop.night().fingerprint
    change_status(shop.shift(NOW - 10 * DAY), fingerprint, "resolved", "mei", "the tool takes both forms")
    assert shop.night().status == "resolved"

    shop.take(runs("b", 1, NOW - DAY))
    back = shop.night()
    assert (back.status, back.state) == ("unresolved", "regressed")
    assert "resolved 2026-05-22, seen again 2026-05-31" in back.state_reason
    entries = [s.item for s in shop.store.collection("shop", AUDIT).scan(Query(sort="at"))]
    assert [entry.actor for entry in entries] == ["mei", "errata nightly"]
    assert shop.night(NOW + 30 * DAY).state == "ongoing"


def test_a_case_of_an_agent_older_than_the_remedy_is_no_regression(shop: Shop) -> None:
    shop.take(runs("a", 3, NOW - 20 * DAY, version="1.9"))
    fingerprint = shop.night().fingerprint
    change_status(shop.shift(NOW - 10 * DAY), fingerprint, "resolved", "mei", "fixed", "1.10")

    shop.take(runs("late", 2, NOW - 2 * DAY, version="1.9"))
    assert shop.night().status == "resolved"
    shop.take(runs("new", 1, NOW - DAY, version="1.10"))
    back = shop.night()
    assert (back.status, back.state) == ("unresolved", "regressed")
    assert "in version 1.10" in back.state_reason


def test_versions_without_numbers_are_ordered_by_their_first_runs(shop: Shop) -> None:
    shop.take(
        runs("a", 1, NOW - 30 * DAY, version="zebra"), runs("f", 1, NOW - 12 * DAY, fail=False, version="ape")
    )
    fingerprint = shop.night().fingerprint
    change_status(shop.shift(NOW - 10 * DAY), fingerprint, "resolved", "mei", "fixed", "ape")
    shop.take(runs("late", 1, NOW - 2 * DAY, version="zebra"))
    assert shop.night().status == "resolved"
    shop.take(runs("new", 1, NOW - DAY, version="ape"))
    assert shop.night().state == "regressed"


def test_new_cases_and_nights_leave_what_a_person_archived(shop: Shop) -> None:
    shop.take(runs("a", 3, NOW - 20 * DAY))
    fingerprint = shop.night().fingerprint
    change_status(shop.shift(), fingerprint, "archived", "mei", "known")
    shop.take(runs("b", 9, NOW - DAY))
    assert shop.night().status == "archived"


def test_a_night_that_runs_twice_changes_nothing_more(shop: Shop) -> None:
    shop.take(runs("a", 3, NOW - 20 * DAY))
    fingerprint = shop.night().fingerprint
    change_status(shop.shift(NOW - 10 * DAY), fingerprint, "resolved", "mei", "fixed")
    shop.take(runs("b", 1, NOW - DAY))
    once = shop.night()
    assert mark_states(shop.shift())["regressed"] == 1
    assert shop.problem() == once


def test_a_status_needs_a_reason_a_problem_and_no_stray_version(shop: Shop) -> None:
    shop.take(runs("a", 1, NOW - DAY))
    fingerprint = shop.problem().fingerprint
    with pytest.raises(BadInputError, match="reason"):
        change_status(shop.shift(), fingerprint, "resolved", "mei", " ")
    with pytest.raises(BadInputError, match="version"):
        change_status(shop.shift(), fingerprint, "archived", "mei", "why", "1.0")
    with pytest.raises(NotFoundError, match="no problem"):
        change_status(shop.shift(), "nothing", "resolved", "mei", "why")


def test_the_chance_of_many_is_that_of_the_binomial() -> None:
    assert at_least(8, 10, 0.5) == pytest.approx(56 / 1024)
    assert at_least(0, 10, 0.3) == pytest.approx(1.0)
    assert at_least(30, 30, 0.5) == pytest.approx(0.5**30)
    assert escalates(Window(5, 10), Window(0, 1000))
    assert not escalates(Window(4, 10), Window(0, 1000))
    assert not escalates(Window(50, 10), Window(0, 0))


def test_versions_are_compared_as_numbers() -> None:
    def nobody(_: str) -> None:
        return None

    assert older("1.9", "1.10", nobody)
    assert not older("2.0.1", "2.0", nobody)
    assert not older("same", "same", nobody)
    assert not older("abc", "def", nobody)
