"""The whole loop, small: from runs to fewer failures, through the real service, without a model's encoder."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from rich.console import Console

from examples.ticket_desk.calendar import Calendar
from examples.ticket_desk.report import WIDTH, tell
from examples.ticket_desk.story import Plan, Story, play
from examples.ticket_desk.tally import ended_well, mistakes_of

RUNS = 240
WITHOUT_RULE = {"cut-off JSON", "refund too high", "same call again", "busy search"}
"""Kinds that no rule of this small week is for."""


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    folder = tmp_path_factory.mktemp("desk") / "demo"
    calendar = Calendar.until(datetime(2026, 3, 16, tzinfo=UTC))
    return play(Plan(7, folder, calendar, RUNS, "hash"), lambda _: None)


def test_a_night_drafts_rules_that_are_approved_and_pulled(story: Story) -> None:
    assert story.night.status == "done"
    assert len(story.review.approved) >= 3
    assert not story.review.refused
    assert story.revision >= 1


def test_no_approved_rule_harmed_a_successful_call(story: Story) -> None:
    assert all(draft.strategy.evidence.harmed == 0 for draft in story.review.drafts)


def test_the_same_agent_fails_less_with_its_rules_on_the_same_tasks(story: Story) -> None:
    control, treated = mistakes_of(story.control), mistakes_of(story.treated)
    assert [run.task_id for run in story.control] == [run.task_id for run in story.treated]
    assert treated.total() < 0.6 * control.total()
    assert ended_well(story.treated) > ended_well(story.control)


def test_every_kind_of_failure_that_has_a_rule_shrinks(story: Story) -> None:
    """The others may show more often: a run that is not stopped by one mistake goes on to where it makes the next."""
    control, treated = mistakes_of(story.control), mistakes_of(story.treated)
    ruled = [kind for kind in control if kind not in WITHOUT_RULE]
    assert len(ruled) >= 4
    assert [kind for kind in ruled if treated[kind] >= control[kind]] == []


def test_every_firing_was_reported_to_the_service(story: Story) -> None:
    assert set(story.decisions) <= set(story.review.approved)
    assert story.decisions.total() > 0


def test_the_causes_that_have_a_rule_come_back_less(story: Story) -> None:
    assert story.recurrence.change is not None
    assert story.recurrence.change < -0.4


def test_the_page_fits_a_screen_and_names_where_to_look(story: Story) -> None:
    console = Console(file=io.StringIO(), width=WIDTH, record=True)
    tell(console, story, 12.0)
    page = console.export_text()
    assert page.count("\n") <= 70
    assert "errata.db" in page
    assert "strategies list --project ticket-desk" in " ".join(page.split())
