"""The story of two weeks: runs, a night, a morning's review, and the same agent with the rules it pulled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import httpx

from errata_client.client import RuleClient
from errata_client.run import Run
from examples.ticket_desk.agent import DeskAgent
from examples.ticket_desk.calendar import Calendar
from examples.ticket_desk.mistakes import Mistakes
from examples.ticket_desk.office import PROJECT, cleared, hand_in, night, office, served, token
from examples.ticket_desk.recurrence import Recurrence, recurrence
from examples.ticket_desk.reviewer import Draft, RefusedError, Reviewer
from examples.ticket_desk.tasks import RUNS_A_WEEK, Task, tasks_of_week
from examples.ticket_desk.world import make_world
from ingest.service import IngestReport
from jobs.night import NightReport
from knowledge.kinds import DECISIONS
from knowledge.store import Query
from wiring.build import Errata

Say = Callable[[str], None]


@dataclass(frozen=True)
class Plan:
    """What to play: the seed, how many runs a week has, where to keep everything, which encoders."""

    seed: int
    folder: Path
    calendar: Calendar
    runs: int = RUNS_A_WEEK
    encoders: str = "minilm,use-multilingual"


@dataclass(frozen=True)
class Review:
    """What the morning brought: the drafts, and the ones that were approved or refused."""

    drafts: tuple[Draft, ...]
    approved: tuple[str, ...]
    refused: tuple[str, ...]


@dataclass(frozen=True)
class Story:
    """Everything that happened, to be told."""

    plan: Plan
    first: tuple[Run, ...]
    ingested: IngestReport
    night: NightReport
    review: Review
    revision: int
    control: tuple[Run, ...]
    treated: tuple[Run, ...]
    decisions: Counter[str]
    recurrence: Recurrence


def play(plan: Plan, say: Say) -> Story:
    """Play both weeks; `say` is told what is being done."""
    with office(cleared(plan.folder), plan.calendar, plan.encoders) as errata:
        return _Weeks(plan, errata, say).play()


class _Weeks:
    """The two weeks, over one assembled service."""

    def __init__(self, plan: Plan, errata: Errata, say: Say) -> None:
        self._plan = plan
        self._errata = errata
        self._say = say
        self._calendar = plan.calendar
        self._world = make_world(plan.seed, plan.calendar.first.date())
        self._agent = DeskAgent(self._world, Mistakes(plan.seed))

    def play(self) -> Story:
        first, ingested = self._first_week()
        self._say("the night: grouping, embedding, attributing, drafting, backtesting")
        self._calendar.set(self._calendar.night)
        report = night(self._errata)
        self._calendar.set(self._calendar.review)
        with served(self._errata) as url:
            review = self._review(url)
            control, treated, revision = self._second_week(url)
        return Story(
            self._plan,
            tuple(first),
            ingested,
            report,
            review,
            revision,
            tuple(control),
            tuple(treated),
            self._decisions(),
            recurrence(self._errata.store, PROJECT, [draft.strategy for draft in review.drafts]),
        )

    def _first_week(self) -> tuple[list[Run], IngestReport]:
        self._say(f"week 1: {self._plan.runs} runs without rules")
        tasks = tasks_of_week(self._world, self._plan.seed, 1, self._calendar.first, self._plan.runs)
        runs = [self._agent.work(task, task.task_id) for task in tasks]
        self._calendar.set(self._calendar.second)
        return runs, hand_in(self._errata, runs, self._file("week-1"))

    def _review(self, url: str) -> Review:
        self._say("the morning: reading and approving the drafts, over HTTP")
        headers = {"Authorization": f"Bearer {token(self._errata, 'morning review', 'review')}"}
        with httpx.Client(base_url=url, headers=headers, timeout=30) as http:
            reviewer = Reviewer(http, PROJECT)
            drafts = reviewer.drafts()
            refused = {draft.strategy.strategy_id: _approved(reviewer, draft) for draft in drafts}
        return Review(
            tuple(drafts),
            tuple(key for key, why in refused.items() if why is None),
            tuple(f"{key}: {why}" for key, why in refused.items() if why is not None),
        )

    def _second_week(self, url: str) -> tuple[list[Run], list[Run], int]:
        self._say(f"week 2: the same {self._plan.runs} tasks twice, without rules and with the rules pulled")
        tasks = tasks_of_week(self._world, self._plan.seed, 2, self._calendar.second, self._plan.runs)
        control = _worked(replace(self._agent, arm="holdout"), tasks, "control")
        treated, revision = self._with_rules(url, tasks)
        self._calendar.set(self._calendar.end)
        hand_in(self._errata, control, self._file("week-2-control"))
        hand_in(self._errata, treated, self._file("week-2-with-rules"))
        return control, treated, revision

    def _with_rules(self, url: str, tasks: Sequence[Task]) -> tuple[list[Run], int]:
        secret = token(self._errata, "ticket desk", "rules:read")
        client = RuleClient(url, secret, project=PROJECT, clock=self._calendar, agent="ticket-desk")
        try:
            client.refresh()
            agent = replace(self._agent, rules=client, revision=lambda: client.active_revision, arm="treated")
            return _worked(agent, tasks, "rules"), client.active_revision or 0
        finally:
            client.close()

    def _decisions(self) -> Counter[str]:
        tallies = self._errata.store.collection(PROJECT, DECISIONS).tally(Query(), "firing.rule_id")
        return Counter({str(tally.value): tally.count for tally in tallies})

    def _file(self, name: str) -> Path:
        return self._plan.folder / "runs" / f"{name}.jsonl"


def _approved(reviewer: Reviewer, draft: Draft) -> str | None:
    """Approve it; the reason where the service refused."""
    try:
        reviewer.approve(draft)
    except RefusedError as error:
        return str(error)
    return None


def _worked(agent: DeskAgent, tasks: Sequence[Task], group: str) -> list[Run]:
    return [agent.work(task, f"{task.task_id}-{group}") for task in tasks]
