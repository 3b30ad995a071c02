from __future__ import annotations

from tests.api.parties import PROJECT, HandClock, MakeBearer

URL = f"/v1/projects/{PROJECT}/probes"


def test_clients_report_probes_and_the_metrics_say_which_tools_are_up(
    bearer: MakeBearer, clock: HandClock
) -> None:
    agent = bearer("ingest")
    results = [
        {"probe": "api", "tools": ["lend"], "up": False, "detail": "ask mia@example.org"},
        {"probe": "api", "tools": ["find"], "up": True, "at": "2026-03-02T09:00:00Z"},
    ]
    answer = agent.post(URL, json={"results": results})
    assert (answer.status_code, answer.json()) == (202, {"taken": 2, "tools": {"find": True, "lend": False}})
    assert agent.post(URL, json={"results": results}).json()["taken"] == 0
    clock.forward(minutes=1)
    told = bearer("admin").get("/metrics").text
    assert f'errata_tool_up{{project="{PROJECT}",tool="lend"}} 0.0' in told
    assert f'errata_tool_up{{project="{PROJECT}",tool="find"}} 1.0' in told


def test_who_may_not_ingest_may_not_report(bearer: MakeBearer) -> None:
    answer = bearer("review").post(URL, json={"results": [{"probe": "a", "tools": ["x"], "up": True}]})
    assert answer.status_code == 403


def test_a_report_without_results_is_422(bearer: MakeBearer) -> None:
    assert bearer("ingest").post(URL, json={"results": []}).status_code == 422
