"""Health and metrics: what an operator's tools look at."""

from __future__ import annotations

import math

import pytest
from fastapi.testclient import TestClient

from api.metrics import MAX_AGENTS, READ_SECONDS, Metrics
from knowledge.kinds import CASES, NIGHTS, PUBLICATIONS, STAGES
from knowledge.nights import Night, StageRecord
from knowledge.strategies import Publication
from tests.api.parties import PROJECT, HandClock, MakeBearer
from tests.api.records import case
from wiring.build import Errata


def figures(client: TestClient) -> dict[str, float]:
    lines = client.get("/metrics").text.splitlines()
    return {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if not line.startswith("#")
    }


def night(errata: Errata, status: str = "done", name: str = "n-1") -> None:
    now = errata.clock()
    made = Night(night_id=name, as_of=now, started_at=now, ended_at=now, status=status, fencing_token=1)
    errata.store.collection(PROJECT, NIGHTS).put_many([made])


def stage(errata: Errata, position: int, status: str, skipped: int = 0, name: str = "n-1") -> None:
    made = StageRecord(
        night_id=name,
        position=position,
        stage=f"stage-{position}",
        status=status,
        started_at=errata.clock(),
        fencing_token=1,
        skipped=tuple({"reason": "why"} for _ in range(skipped)),
    )
    errata.store.collection(PROJECT, STAGES).put_many([made])


def test_the_service_says_that_it_lives_and_which_store_answers(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json()["store"].startswith("SQLite")


def test_requests_are_counted_by_route_and_not_by_address(client: TestClient, bearer: MakeBearer) -> None:
    mine = bearer("review")
    for number in range(3):
        mine.get(f"/v1/projects/{PROJECT}/cases/{number}")
    client.get("/nowhere/1")
    client.request("BREW", "/healthz")

    found = figures(client)

    route = "/v1/projects/{project}/cases/{case_id}"
    assert found[f'errata_http_requests_total{{method="GET",route="{route}",status="404"}}'] == 3
    assert found['errata_http_requests_total{method="GET",route="none",status="404"}'] == 1
    assert not [name for name in found if "BREW" in name or "nowhere" in name]


def test_cases_and_the_revision_are_read_off_the_store(errata: Errata, client: TestClient) -> None:
    errata.store.collection(PROJECT, CASES).add_many([case(1), case(2), case(3, error_code="tool.timeout")])
    made = Publication(revision=4, at=errata.clock(), rules=(), actor="mei", reason="none left")
    errata.store.collection(PROJECT, PUBLICATIONS).put(made, None)

    found = figures(client)

    assert found['errata_cases{error_code="tool.error",project="shop"}'] == 2
    assert found['errata_cases{error_code="tool.timeout",project="shop"}'] == 1
    assert found['errata_bundle_revision{project="shop"}'] == 4
    assert found['errata_bundle_revision{project="bank"}'] == 0
    assert found["errata_store_up"] == 1


def test_a_good_night_is_not_stale_and_one_too_long_ago_is(
    errata: Errata, client: TestClient, clock: HandClock
) -> None:
    night(errata)

    clock.forward(hours=26)
    young = figures(client)
    clock.forward(hours=1)
    old = figures(client)

    assert young['errata_night_stale{project="shop"}'] == 0
    assert young['errata_night_age_seconds{project="shop"}'] == 26 * 3600
    assert old['errata_night_stale{project="shop"}'] == 1


def test_a_night_that_failed_does_not_count_as_a_good_one(
    errata: Errata, client: TestClient, clock: HandClock
) -> None:
    night(errata)
    clock.forward(hours=27)
    night(errata, "failed", "n-2")
    stage(errata, 0, "done", skipped=3, name="n-2")
    stage(errata, 1, "failed", skipped=2, name="n-2")

    found = figures(client)

    assert found['errata_night_stale{project="shop"}'] == 1
    assert found['errata_night_failed_stages{project="shop"}'] == 1
    assert found['errata_night_not_analysed{project="shop"}'] == 5


def test_a_project_that_never_had_a_night_goes_stale_too(client: TestClient, clock: HandClock) -> None:
    assert math.isnan(figures(client)['errata_night_age_seconds{project="shop"}'])
    clock.forward(hours=27)

    assert figures(client)['errata_night_stale{project="shop"}'] == 1


def test_figures_of_the_store_are_kept_for_a_few_seconds(
    errata: Errata, client: TestClient, clock: HandClock
) -> None:
    name = 'errata_cases{error_code="tool.error",project="shop"}'
    errata.store.collection(PROJECT, CASES).add_many([case(1)])
    assert figures(client)[name] == 1
    errata.store.collection(PROJECT, CASES).add_many([case(2)])

    assert figures(client)[name] == 1
    clock.forward(seconds=READ_SECONDS)
    assert figures(client)[name] == 2


def test_only_so_many_agents_are_told_apart(errata: Errata) -> None:
    metrics = Metrics(errata)
    for number in range(MAX_AGENTS + 50):
        metrics.agent_has(PROJECT, f"agent-{number}", 7)

    lines = metrics.exposition(errata.clock()).decode().splitlines()

    told = [line for line in lines if line.startswith("errata_agent_active_revision{")]
    assert len(told) == MAX_AGENTS + 1
    assert any('agent="others"' in line for line in told)


@pytest.mark.parametrize("route", ["/healthz", "/readyz", "/metrics"])
def test_health_needs_no_token_but_does_not_mind_one(client: TestClient, route: str) -> None:
    assert client.get(route, headers={"Authorization": "Bearer wrong"}).status_code == 200


def test_nights_are_listed_latest_first_and_shown_with_their_stages(
    errata: Errata, bearer: MakeBearer, clock: HandClock
) -> None:
    night(errata, "done", "n-1")
    clock.forward(days=1)
    night(errata, "failed", "n-2")
    stage(errata, 1, "failed", name="n-2")
    stage(errata, 0, "done", skipped=1, name="n-2")
    stage(errata, 0, "done", name="n-1")
    reviewer = bearer("review")

    listed = reviewer.get(f"/v1/projects/{PROJECT}/nights").json()["items"]
    failed = reviewer.get(f"/v1/projects/{PROJECT}/nights", params={"status": "failed"}).json()["items"]
    shown = reviewer.get(f"/v1/projects/{PROJECT}/nights/n-2").json()

    assert [item["night_id"] for item in listed] == ["n-2", "n-1"]
    assert [item["night_id"] for item in failed] == ["n-2"]
    assert [(item["position"], item["status"]) for item in shown["stages"]] == [(0, "done"), (1, "failed")]
    assert shown["stages"][0]["skipped"] == [{"reason": "why"}]
