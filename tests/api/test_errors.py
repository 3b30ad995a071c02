"""Every error is a problem document: what was wrong, where, and what to do; never a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

import knowledge.errors
from api import errors
from api.app import create_app
from api.errors import MAX_FAULTS, STATUSES, status_of
from knowledge.errors import ErrataError, StoreUnavailableError
from tests.api.parties import PROJECT, Bearer, MakeBearer
from wiring.build import Errata


def tree(root: type[ErrataError] = ErrataError) -> Iterator[type[ErrataError]]:
    yield root
    for child in root.__subclasses__():
        yield from tree(child)


OURS = [kind for kind in tree() if kind.__module__ in {knowledge.errors.__name__, errors.__name__}]


def test_the_statuses_are_the_documented_ones() -> None:
    assert {kind.code: status_of(kind) for kind in OURS} == {
        "error": 500,
        "bad_input": 400,
        "not_found": 404,
        "conflict": 409,
        "stale_version": 412,
        "lease_held": 409,
        "lease_lost": 409,
        "not_allowed": 403,
        "store_unavailable": 503,
        "settings": 500,
        "unauthenticated": 401,
        "body_too_large": 413,
        "unsupported_body": 415,
        "precondition_required": 428,
        "busy": 429,
        "invalid_request": 422,
    }


def test_an_error_that_the_table_does_not_name_takes_its_ancestors_status() -> None:
    class StrangeError(knowledge.errors.StaleError):
        code = "strange"

    assert StrangeError not in STATUSES
    assert status_of(StrangeError) == 412


def test_a_problem_has_the_members_of_rfc_9457_and_the_request_id(bearer: MakeBearer) -> None:
    answer = bearer("review").get(
        f"/v1/projects/{PROJECT}/problems/none", headers={"X-Request-Id": "morning-7"}
    )

    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-request-id"] == "morning-7"
    assert answer.json() == {
        "type": "urn:errata:error:not_found",
        "title": "Not Found",
        "status": 404,
        "detail": "no problem 'none' in the project 'shop'",
        "code": "not_found",
        "request_id": "morning-7",
    }


@pytest.mark.parametrize("given", ["", "a b", "x" * 65, "a\tb"])
def test_a_request_id_that_could_spoil_a_log_is_replaced(client: TestClient, given: str) -> None:
    answer = client.get("/healthz", headers={"X-Request-Id": given})

    assert answer.headers["x-request-id"] != given
    assert len(answer.headers["x-request-id"]) == 16


def test_an_unknown_route_and_a_wrong_method_are_problems_too(client: TestClient) -> None:
    missing, wrong = client.get("/v2/nothing"), client.delete("/healthz")

    assert (missing.status_code, missing.json()["code"]) == (404, "no_such_route")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")
    assert wrong.headers["allow"] == "GET"
    assert missing.headers["content-type"] == wrong.headers["content-type"] == "application/problem+json"


class SilentStore:
    """A store that does not answer."""

    def collection(self, project: str, kind: object) -> object:
        raise StoreUnavailableError("the store at http://search:9200 does not answer: is it running?")

    def ping(self) -> str:
        raise StoreUnavailableError("the store at http://search:9200 does not answer: is it running?")


class BrokenStore:
    """A store with a fault in it."""

    def ping(self) -> str:
        raise RuntimeError("secret internals")


def test_a_store_that_does_not_answer_is_503_with_a_time_to_come_back(errata: Errata) -> None:
    with TestClient(create_app(replace(errata, store=SilentStore()))) as client:
        ready = client.get("/readyz")
        asked = client.get(f"/v1/projects/{PROJECT}/problems", headers={"Authorization": "Bearer x"})

        assert client.get("/healthz").status_code == 200
        assert "errata_store_up 0.0" in client.get("/metrics").text
    for answer in (ready, asked):
        assert (answer.status_code, answer.json()["code"]) == (503, "store_unavailable")
        assert answer.headers["retry-after"] == "5"
        assert "is it running" in answer.json()["detail"]


def test_a_fault_of_the_service_is_500_without_its_inside(
    errata: Errata, caplog: pytest.LogCaptureFixture
) -> None:
    app = create_app(replace(errata, store=BrokenStore()))
    with TestClient(app, raise_server_exceptions=False) as client:
        answer = client.get("/readyz", headers={"X-Request-Id": "r-1"})

    assert answer.status_code == 500
    assert answer.json()["code"] == "internal"
    assert "secret internals" not in answer.text
    assert "r-1" in answer.json()["detail"]
    assert answer.headers["x-request-id"] == "r-1"
    assert "secret internals" in caplog.text


def test_only_so_many_faults_are_told(bearer: MakeBearer) -> None:
    wrong = "&".join(f"error_code=wrong-{number}" for number in range(100))

    answer = bearer("review").get(f"/v1/projects/{PROJECT}/problems?{wrong}")

    assert answer.status_code == 422
    assert len(answer.json()["errors"]) == MAX_FAULTS


@pytest.fixture
def reviewer(bearer: MakeBearer) -> Bearer:
    return bearer("review")


LABELS = f"/v1/projects/{PROJECT}/problems/fp-00001/labels"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "empty"),
        (b"   ", "empty"),
        (b"{", "not JSON"),
        (b'{"answer": }', "not JSON"),
        (b'{"answer": NaN}', "not JSON"),
        (b'{"reason": "\xff"}', "not UTF-8"),
        (b'{"reason": "\xed\xa0\x80"}', "not UTF-8"),
        (rb'{"reason": "\ud800"}', "not JSON"),
        (rb'{"reason": "\udc00 x"}', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"\x00", "not JSON"),
    ],
)
def test_a_damaged_body_is_400_and_says_how_it_is_damaged(reviewer: Bearer, body: bytes, told: str) -> None:
    answer = reviewer.post(LABELS, content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code == 400
    assert answer.json()["code"] == "bad_input"
    assert told in answer.json()["detail"]


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"answer": "confirm", "root_cause": "RC-042"}, "/body/reason"),
        ({"answer": "maybe", "root_cause": "RC-042", "reason": "x"}, "/body/answer"),
        ({"answer": "confirm", "root_cause": 5, "reason": "x"}, "/body/root_cause"),
        ({"answer": "confirm", "root_cause": None, "reason": ""}, "/body/reason"),
        ({"answer": "confirm", "root_cause": None, "reason": "x" * 2001}, "/body/reason"),
        ({"answer": "confirm", "root_cause": None, "reason": "x", "actr": "mei"}, "/body/actr"),
        ([], "/body"),
        ("text", "/body"),
        (5, "/body"),
    ],
)
def test_a_body_that_is_no_such_thing_is_422_and_names_the_place(
    reviewer: Bearer, body: object, where: str
) -> None:
    answer = reviewer.post(LABELS, json=body)

    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["where"] == where


def test_a_body_of_another_type_is_415(reviewer: Bearer) -> None:
    answer = reviewer.post(LABELS, content=b"answer=confirm", headers={"Content-Type": "text/plain"})

    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_body")
    assert "application/json" in answer.json()["detail"]
