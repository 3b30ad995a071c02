"""The bundle as agents pull it: tags, 304, long polls, and how soon a new revision is seen."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from httpx2 import ASGITransport, AsyncClient

from api.app import create_app
from api.bundle import names
from api.published import FRESH_SECONDS
from errata_client.bundle import read_bundle
from errata_client.rule import Rule
from knowledge.kinds import PUBLICATIONS
from knowledge.strategies import Publication
from tests.api.parties import OTHER, PROJECT, Bearer, HandClock, MakeBearer
from tests.api.records import strategy
from wiring.build import Errata
from wiring.tokens import create_token

URL = f"/v1/projects/{PROJECT}/bundle"


@pytest.fixture
def agent(bearer: MakeBearer) -> Bearer:
    return bearer("rules:read")


def publish(errata: Errata, revision: int, *rules: Rule, project: str = PROJECT) -> None:
    made = Publication(revision=revision, at=errata.clock(), rules=rules, actor="mei", reason="tried")
    errata.store.collection(project, PUBLICATIONS).put(made, None)


def active_rule(number: int = 7) -> Rule:
    return strategy(number, "active", mode="active").rule


def test_a_project_without_rules_has_revision_0(agent: Bearer) -> None:
    answer = agent.get(URL)

    bundle = read_bundle(answer.content)
    assert (bundle.project, bundle.revision, bundle.rules) == (PROJECT, 0, ())
    assert answer.headers["etag"] == f'"0-{bundle.digest[:16]}"'
    assert answer.headers["content-type"] == "application/json"


def test_the_bundle_holds_the_published_rules_and_verifies(errata: Errata, agent: Bearer) -> None:
    publish(errata, 1, active_rule())

    bundle = read_bundle(agent.get(URL).content)

    assert bundle.revision == 1
    assert bundle.rules == (active_rule(),)


def test_who_has_the_bundle_gets_304_without_a_body(agent: Bearer) -> None:
    etag = agent.get(URL).headers["etag"]

    answer = agent.get(URL, headers={"If-None-Match": etag})

    assert (answer.status_code, answer.content) == (304, b"")
    assert answer.headers["etag"] == etag


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ('"3-ab"', True),
        ('W/"3-ab"', True),
        ('"2-cd", "3-ab"', True),
        ('"2-cd" , W/"3-ab"', True),
        ("*", True),
        ("", False),
        ("3-ab", False),
        ('"3-abc"', False),
        ('"2-cd"', False),
    ],
)
def test_if_none_match_is_read_as_http_means_it(header: str, found: bool) -> None:
    assert names(header, '"3-ab"') is found


def test_a_new_revision_is_seen_after_a_quarter_of_a_second_at_the_latest(
    errata: Errata, clock: HandClock, agent: Bearer
) -> None:
    before = agent.get(URL).headers["etag"]
    publish(errata, 1, active_rule())

    clock.forward(seconds=FRESH_SECONDS)

    answer = agent.get(URL, headers={"If-None-Match": before})
    assert answer.status_code == 200
    assert answer.json()["revision"] == 1


def test_within_that_time_the_store_is_not_asked(errata: Errata, clock: HandClock, agent: Bearer) -> None:
    before = agent.get(URL).headers["etag"]
    publish(errata, 1, active_rule())

    clock.forward(seconds=FRESH_SECONDS / 2)

    assert agent.get(URL, headers={"If-None-Match": before}).status_code == 304


def test_each_project_has_a_bundle_of_its_own(errata: Errata, agent: Bearer) -> None:
    publish(errata, 5, active_rule(), project=OTHER)

    assert agent.get(URL).json()["revision"] == 0
    assert agent.get(f"/v1/projects/{OTHER}/bundle").json()["revision"] == 5


@pytest.mark.parametrize("wait", ["-1", "nan", "inf", "x", "1e999"])
def test_a_wait_that_is_none_is_400(agent: Bearer, wait: str) -> None:
    etag = agent.get(URL).headers["etag"]

    answer = agent.get(URL, headers={"If-None-Match": etag}, params={"wait": wait})

    assert answer.status_code == 400
    assert "wait" in answer.json()["detail"]


def test_the_memory_of_a_bundle_never_serves_a_token_that_may_not_read_it(bearer: MakeBearer) -> None:
    etag = bearer("rules:read").get(URL).headers["etag"]
    for wrong in (bearer("ingest"), bearer("rules:read", projects=[OTHER])):
        for _ in range(2):
            wrong.get(f"/v1/projects/{OTHER}/bundle")
            assert wrong.get(URL, headers={"If-None-Match": etag}).status_code == 403


def test_a_long_poll_ends_with_304_when_its_time_is_over(errata: Errata, agent: Bearer) -> None:
    settings = errata.settings.model_copy(update={"max_wait_seconds": 0.05})
    with TestClient(create_app(replace(errata, settings=settings))) as client:
        etag = agent.get(URL).headers["etag"]

        answer = Bearer(client, agent.secret).get(URL, headers={"If-None-Match": etag}, params={"wait": 30})

    assert answer.status_code == 304


def test_a_hundred_long_polls_wait_without_a_thread_each_and_all_get_the_new_revision(
    errata: Errata, clock: HandClock
) -> None:
    secret, _ = create_token(errata, "agents", ["rules:read"])
    app = create_app(errata)

    async def poll(client: AsyncClient, etag: str) -> int:
        answer = await client.get(URL, headers={"If-None-Match": etag}, params={"wait": 20})
        return int(answer.json()["revision"])

    async def story() -> list[int]:
        async with AsyncClient(
            transport=ASGITransport(app),
            base_url="http://errata",
            headers={"Authorization": f"Bearer {secret}"},
        ) as client:
            etag = (await client.get(URL)).headers["etag"]
            waiting = [asyncio.create_task(poll(client, etag)) for _ in range(100)]
            assert (await client.get("/healthz")).status_code == 200
            assert not any(task.done() for task in waiting)
            publish(errata, 1, active_rule())
            clock.now += timedelta(seconds=1)
            return await asyncio.gather(*waiting)

    assert asyncio.run(story()) == [1] * 100


def test_an_earlier_revision_is_answered_as_it_was_made(errata: Errata, agent: Bearer) -> None:
    publish(errata, 1, active_rule())
    first = agent.get(URL).content
    publish(errata, 2)

    again = read_bundle(agent.get(URL, params={"revision": 1}).content)

    assert again == read_bundle(first)
    assert agent.get(URL, params={"revision": 3}).status_code == 404
    assert {agent.get(URL, params={"revision": text}).status_code for text in ("0", "-1", "x", "9" * 30)} == {
        400
    }
