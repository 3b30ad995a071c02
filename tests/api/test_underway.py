from __future__ import annotations

from contextlib import ExitStack
from typing import cast

import pytest
from fastapi.testclient import TestClient

from api.errors import BusyError
from api.service import Service
from api.underway import Underway
from tests.api.parties import PROJECT, MakeBearer

URL = f"/v1/projects/{PROJECT}/runs"
RUN = {"run_id": "r", "steps": []}


def test_a_place_is_free_again_after_use_and_after_an_error() -> None:
    underway = Underway(1)
    with underway.place(), pytest.raises(BusyError, match="1 bodies"), underway.place():
        pass
    with pytest.raises(ValueError, match="broken"), underway.place():
        raise ValueError("broken")
    with underway.place():
        pass


def test_more_bodies_than_may_be_taken_in_at_once_are_told_to_come_again(
    client: TestClient, bearer: MakeBearer
) -> None:
    agent, app = bearer("ingest"), client.app
    service = cast("Service", app.state.service)  # type: ignore[attr-defined]
    with ExitStack() as places:
        for _ in range(service.errata.settings.max_ingests):
            places.enter_context(service.underway.place())
        answer = agent.post(URL, json=[RUN])
    assert (answer.status_code, answer.json()["code"]) == (429, "busy")
    assert int(answer.headers["Retry-After"]) >= 1
    assert agent.post(URL, json=[RUN]).status_code == 200


def test_what_is_wrong_with_a_body_is_told_without_where_it_was_spooled(bearer: MakeBearer) -> None:
    answer = bearer("ingest").post(URL, json={"neither": "run"})
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith("the body: no run could be read as native_jsonl")
