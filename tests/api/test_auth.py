"""Who is let in, and what the others are told."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from api.auth import TOKEN_SECONDS
from tests.api.parties import OTHER, PROJECT, HandClock, MakeBearer
from wiring.build import Errata
from wiring.tokens import create_token, list_tokens, revoke_token

READING = (
    "problems",
    "problems/x",
    "cases",
    "cases/x",
    "causes",
    "causes/x",
    "orders",
    "orders/x",
    "strategies",
    "strategies/x",
    "labels",
    "nights",
    "nights/x",
    "audit",
    "bundle",
)
WRITING = (
    ("POST", "runs", "ingest"),
    ("POST", "decisions", "rules:read"),
    ("POST", "decide", "rules:read"),
    ("POST", "problems/x/labels", "review"),
    ("POST", "problems/x/status", "review"),
    ("POST", "causes", "review"),
    ("POST", "causes/check", "review"),
    ("POST", "orders/x/approve", "review"),
    ("POST", "orders/x/merge", "review"),
    ("POST", "orders/x/reject", "review"),
    ("POST", "strategies/x/approve", "review"),
    ("POST", "strategies/x/reject", "review"),
    ("POST", "strategies/x/retire", "review"),
    ("POST", "strategies/x/activate", "review"),
    ("PUT", "strategies/x/rule", "review"),
)
EVERY = (*(("GET", route, "review") for route in READING), *WRITING)


@pytest.mark.parametrize(("method", "route", "_scope"), EVERY)
def test_without_a_token_every_route_says_401_and_how_to_send_one(
    client: TestClient, errata: Errata, method: str, route: str, _scope: str
) -> None:
    create_token(errata, "someone", ["admin"])

    answer = client.request(method, f"/v1/projects/{PROJECT}/{route}")

    assert answer.status_code == 401
    assert answer.json()["code"] == "unauthenticated"
    assert "Authorization: Bearer" in answer.json()["detail"]
    assert answer.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize(("method", "route", "scope"), EVERY)
def test_a_token_of_another_scope_is_refused_before_anything_is_read(
    bearer: MakeBearer, method: str, route: str, scope: str
) -> None:
    wrong = "ingest" if scope != "ingest" else "rules:read"

    answer = bearer(wrong).request(method, f"/v1/projects/{PROJECT}/{route}")

    assert answer.status_code == 403
    assert answer.json()["code"] == "not_allowed"
    assert wrong in answer.json()["detail"]


@pytest.mark.parametrize(("method", "route", "_scope"), EVERY)
def test_a_token_of_one_project_is_refused_in_another(
    bearer: MakeBearer, method: str, route: str, _scope: str
) -> None:
    answer = bearer("admin", projects=[PROJECT]).request(method, f"/v1/projects/{OTHER}/{route}")

    assert answer.status_code == 403


def test_a_token_of_one_project_does_not_learn_which_others_exist(bearer: MakeBearer) -> None:
    mine = bearer("admin", projects=[PROJECT])

    there, missing = (mine.get(f"/v1/projects/{name}/problems") for name in (OTHER, "nowhere"))

    assert there.status_code == missing.status_code == 403
    assert there.json()["detail"].replace(OTHER, "nowhere") == missing.json()["detail"]
    assert [project["project_id"] for project in mine.get("/v1/projects").json()["items"]] == [PROJECT]


@pytest.mark.parametrize(("method", "route", "_scope"), EVERY)
def test_an_unknown_project_is_404_and_says_how_one_is_made(
    bearer: MakeBearer, method: str, route: str, _scope: str
) -> None:
    answer = bearer("admin").request(method, f"/v1/projects/nowhere/{route}")

    assert answer.status_code == 404
    assert "nowhere" in answer.json()["detail"]
    assert "errata projects create" in answer.json()["detail"]


@pytest.mark.parametrize("project", ["_system", "UPPER", "a" * 65, "%2e%2e", "a%20b", "%ED%A0%80", "%ff"])
def test_a_project_that_cannot_be_one_is_an_error_and_never_a_fault(bearer: MakeBearer, project: str) -> None:
    answer = bearer("admin").get(f"/v1/projects/{project}/problems")

    assert answer.status_code in {400, 404}
    assert answer.json()["code"] in {"bad_input", "not_found"}


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "Basic abc", "errata_abc", "Bearer errata_wrong", "Bearer é", "Bearer a b"],
)
def test_a_wrong_token_is_401(client: TestClient, errata: Errata, header: str) -> None:
    create_token(errata, "someone", ["admin"])

    answer = client.get(f"/v1/projects/{PROJECT}/bundle", headers={"Authorization": header.encode()})

    assert answer.status_code == 401
    assert answer.headers["content-type"] == "application/problem+json"


def test_the_scheme_may_be_written_in_any_case(bearer: MakeBearer) -> None:
    mine = bearer("review")

    answer = mine.client.get(
        f"/v1/projects/{PROJECT}/problems", headers={"Authorization": f"bearer {mine.secret}"}
    )

    assert answer.status_code == 200


def test_before_the_first_token_only_health_is_answered_and_the_way_to_one_is_told(
    client: TestClient,
) -> None:
    assert client.get("/healthz").status_code == 200
    assert client.get("/readyz").status_code == 200
    assert client.get("/metrics").status_code == 200

    answer = client.get(f"/v1/projects/{PROJECT}/problems")

    assert answer.status_code == 401
    assert "errata tokens create" in answer.json()["detail"]


def test_a_revoked_token_is_refused_once_the_memory_of_it_is_over(
    errata: Errata, clock: HandClock, bearer: MakeBearer
) -> None:
    mine = bearer("review")
    assert mine.get(f"/v1/projects/{PROJECT}/problems").status_code == 200
    revoke_token(errata, list_tokens(errata)[0].token_id)

    clock.forward(seconds=TOKEN_SECONDS)

    answer = mine.get(f"/v1/projects/{PROJECT}/problems")
    assert answer.status_code == 401
    assert "revoked" in answer.json()["detail"]


def test_a_clock_set_back_does_not_keep_a_revoked_token_alive(
    errata: Errata, clock: HandClock, bearer: MakeBearer
) -> None:
    mine = bearer("review")
    mine.get(f"/v1/projects/{PROJECT}/problems")
    revoke_token(errata, list_tokens(errata)[0].token_id)

    clock.forward(hours=-1)

    assert mine.get(f"/v1/projects/{PROJECT}/problems").status_code == 401


def test_only_an_admin_of_all_projects_makes_one(bearer: MakeBearer) -> None:
    assert bearer("review").put("/v1/projects/new").status_code == 403
    assert bearer("admin", projects=[PROJECT]).put("/v1/projects/new").status_code == 403

    made = bearer("admin").put("/v1/projects/new")

    assert made.status_code == 200
    assert made.json()["project_id"] == "new"
    assert bearer("admin").get("/v1/projects/new/problems").json() == {"items": [], "next": None}
