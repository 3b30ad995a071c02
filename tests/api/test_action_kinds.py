"""From runs to an agent that is stopped or asked, and back: each kind of rule that only speaks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from errata_client.client import RuleClient
from errata_client.context import RunContext
from errata_client.current import running
from errata_client.decision import Decision
from errata_client.decorator import CallBlocked, guarded
from errata_client.run import Run
from knowledge.kinds import DECISIONS
from knowledge.store import Query
from knowledge.strategies import Strategy
from tests.api.parties import PROJECT, HandClock, MakeBearer
from tests.strategies.shop import contrasted
from tests.strategies.test_before_answer import asked, forgot, opened
from tests.strategies.test_confirm import cancelled, hasty, kept
from tests.strategies.test_replan import shipped
from wiring.build import Errata


class InProcess(httpx.BaseTransport):
    """The service, asked without a network."""

    def __init__(self, service: TestClient) -> None:
        self._service = service

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        answer = self._service.request(
            request.method,
            request.url.raw_path.decode(),
            headers=dict(request.headers),
            content=request.read(),
        )
        return httpx.Response(answer.status_code, headers=dict(answer.headers), content=answer.content)


@dataclass(frozen=True)
class Story:
    """Runs that a rule of `synthesiser` is drafted from, and an agent's run in which it acts and one in which it does not.

    `acts` and `passes` are what the person says and the calls before the one of `tool` with `arguments`.
    """

    synthesiser: str
    runs: Sequence[Run]
    tool: str
    arguments: dict[str, Any]
    acts: tuple[str, ...]
    passes: tuple[str, ...]
    said: str
    results: dict[str, Any] = field(default_factory=dict)


STORIES = (
    Story(
        "confirm",
        [*cancelled(), *kept(), *hasty()],
        "cancel_order",
        {"order_id": "#W7654321"},
        acts=("hear it takes too long",),
        passes=("hear it takes too long", "hear yes, please"),
        said="has not said yes",
    ),
    Story(
        "before_answer",
        [*opened(), *asked(), *forgot()],
        "final_answer",
        {},
        acts=("open_repair",),
        passes=("open_repair", "write_log"),
        said="held back: write_log was not called",
    ),
    Story(
        "replan",
        [*shipped(), *shipped(5, status="delivered", spoils=True, first=50)],
        "change_address",
        {"order_id": "#W7654321"},
        acts=("get_order",),
        passes=(),
        said="Make a new plan",
        results={"get_order": {"order_id": "#W7654321", "status": "delivered"}},
    ),
)


def approved(errata: Errata, bearer: MakeBearer, story: Story) -> Strategy:
    """The draft of a night over the story's runs, approved over HTTP."""
    (drafted,) = [one for one in contrasted(errata.store, story.runs) if one.synthesiser == story.synthesiser]
    assert drafted.state == "in_review"
    engineer, url = bearer("review"), f"/v1/projects/{PROJECT}/strategies/{drafted.strategy_id}"
    version = engineer.get(url).json()["version"]
    answer = engineer.post(f"{url}/approve", json={"reason": "right"}, headers={"If-Match": f'"{version}"'})
    assert answer.status_code == 200, answer.text
    return drafted


def spoken(rules: RuleClient, run_id: str, story: Story, before: Sequence[str]) -> tuple[Any, list[str]]:
    """The call of the story in a run of its own, and what the agent was told by hints."""
    told: list[str] = []

    def hinted(text: str, _decision: Decision) -> None:
        told.append(text)

    def tool(name: str) -> Callable[..., Any]:
        def made(**_arguments: Any) -> Any:
            return story.results.get(name, "done")

        return guarded(rules, tool=name, on_hint=hinted)(made)

    with running(RunContext(run_id)) as context:
        for line in before:
            word, _, rest = line.partition(" ")
            if word == "hear":
                context.hear(rest)
            else:
                tool(word)(**story.arguments)
        return tool(story.tool)(**story.arguments), told


@pytest.mark.parametrize("story", STORIES, ids=lambda one: one.synthesiser)
def test_a_draft_is_approved_stops_the_agent_and_is_recorded(
    errata: Errata, clock: HandClock, client: TestClient, bearer: MakeBearer, story: Story
) -> None:
    drafted = approved(errata, bearer, story)
    rules = RuleClient(
        "http://errata.test",
        bearer("rules:read").secret or "",
        project=PROJECT,
        transport=InProcess(client),
        clock=clock,
    )
    assert rules.refresh()

    assert spoken(rules, "fine", story, story.passes)[0] == story.results.get(story.tool, "done")
    with pytest.raises(CallBlocked, match=story.said):
        spoken(rules, "stopped", story, story.acts)
    rules.flush()
    rules.close()

    found = [one.item for one in errata.store.collection(PROJECT, DECISIONS).scan(Query())]
    assert [(one.run_id, one.firing.rule_id) for one in found] == [("stopped", drafted.strategy_id)]
