"""Traces over HTTP, as the OTLP specification says: encodings, partial success, errors, back-pressure; and what becomes
of spans that come in pieces."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from google.rpc.error_details_pb2 import BadRequest
from google.rpc.status_pb2 import Status
from httpx2 import Response
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from api.app import create_app
from api.settling import KEPT_SECONDS, settle_all
from knowledge.kinds import CASES, PROBLEMS, RUN_RECORDS, SPANS, TRACES, Kind
from knowledge.store import Query
from tests.api.parties import OTHER, PROJECT, Bearer, HandClock, MakeBearer
from tests.ingest.spans import LENT, TRACE, a_trace, agent, attributes, protobuf, request, span, tool
from wiring.build import Errata

Json = Any
JSON, PROTOBUF = "application/json", "application/x-protobuf"
URL = "/v1/traces"


@pytest.fixture
def sender(bearer: MakeBearer) -> Bearer:
    return bearer("ingest", projects=[PROJECT])


def send(sender: Bearer, *spans: Json, **headers: str) -> Response:
    """The spans in one request, as protobuf."""
    given = {"Content-Type": PROTOBUF, **headers}
    return sender.post(URL, content=protobuf(request(*spans)), headers=given)


def send_json(sender: Bearer, value: Json) -> Response:
    return sender.post(URL, content=json.dumps(value), headers={"Content-Type": JSON})


def kept(errata: Errata, kind: Kind[Any], project: str = PROJECT) -> list[Any]:
    return [stored.item for stored in errata.store.collection(project, kind).scan(Query())]


def codes(errata: Errata, project: str = PROJECT) -> list[tuple[str, str]]:
    return [(case.error_code, case.error_message) for case in kept(errata, CASES, project)]


def test_a_whole_trace_is_a_case_when_its_request_is_answered(sender: Bearer, errata: Errata) -> None:
    answer = send(sender, *a_trace())
    assert answer.status_code == 200
    assert answer.headers["content-type"] == PROTOBUF
    assert answer.content == b""
    assert codes(errata) == [("tool.error", LENT)]
    assert [record.run_id for record in kept(errata, RUN_RECORDS)] == [TRACE]


def test_json_is_answered_with_json(sender: Bearer, errata: Errata) -> None:
    answer = send_json(sender, request(*a_trace()))
    assert (answer.status_code, answer.headers["content-type"], answer.content) == (200, JSON, b"{}")
    assert codes(errata) == [("tool.error", LENT)]


def test_gzip_is_read_in_both_encodings(sender: Bearer, errata: Errata) -> None:
    for kind, data in (
        (PROTOBUF, protobuf(request(*a_trace()))),
        (JSON, json.dumps(request(*a_trace())).encode()),
    ):
        headers = {"Content-Type": kind, "Content-Encoding": "gzip"}
        assert sender.post(URL, content=gzip.compress(data), headers=headers).status_code == 200
    assert len(kept(errata, SPANS)) == 4


@pytest.mark.parametrize("data", [b"", b"{}", b'{"resourceSpans": []}'])
def test_an_empty_request_is_a_success(sender: Bearer, data: bytes) -> None:
    kind = JSON if data else PROTOBUF
    answer = sender.post(URL, content=data, headers={"Content-Type": kind})
    assert (answer.status_code, answer.content) == (200, b"{}" if data else b"")


def test_spans_that_cannot_be_taken_are_counted_and_the_others_kept(sender: Bearer, errata: Errata) -> None:
    broken = {**tool(9), "spanId": ""}
    answer = send(sender, *a_trace(), broken)
    told = ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert (answer.status_code, told.rejected_spans, told.error_message) == (
        200,
        1,
        "a span without a span id",
    )
    assert len(kept(errata, SPANS)) == 4
    again = send_json(sender, request({**broken, "traceId": ""}))
    assert again.json() == {
        "partialSuccess": {"rejectedSpans": "1", "errorMessage": "a span without a trace id"}
    }


@pytest.mark.parametrize("data", [b"\xff\xff\xff", b"no protobuf at all", protobuf(request(*a_trace()))[:-3]])
def test_a_body_that_is_no_request_is_a_bad_request_in_its_own_encoding(sender: Bearer, data: bytes) -> None:
    answer = sender.post(URL, content=data, headers={"Content-Type": PROTOBUF})
    status = Status.FromString(answer.content)
    assert (answer.status_code, answer.headers["content-type"], status.code) == (400, PROTOBUF, 3)
    violations = BadRequest()
    assert status.details[0].Unpack(violations)
    assert violations.field_violations[0].description == status.message
    assert status.message


@pytest.mark.parametrize("data", [b"{", b"[]", b"7", b'{"spans": []}', b"\xff", b"[" * 100_000])
def test_json_that_is_no_request_is_a_bad_request_in_json(sender: Bearer, data: bytes) -> None:
    answer = sender.post(URL, content=data, headers={"Content-Type": JSON})
    told = answer.json()
    assert (answer.status_code, answer.headers["content-type"], told["code"]) == (400, JSON, 3)
    assert told["details"][0]["fieldViolations"][0]["description"] == told["message"]


def test_who_may_not_is_told_so_in_the_encoding_of_the_request(
    client: TestClient, bearer: MakeBearer, errata: Errata
) -> None:
    for caller, code, status in ((Bearer(client, None), 16, 401), (bearer("review"), 7, 403)):
        answer = send(caller, *a_trace())
        assert (answer.status_code, Status.FromString(answer.content).code) == (status, code)
        assert send_json(caller, request()).json()["code"] == code
    foreign = send(bearer("ingest", projects=[PROJECT]), *a_trace(), **{"X-Errata-Project": OTHER})
    assert foreign.status_code == 403
    assert not kept(errata, SPANS)


def test_another_media_type_or_encoding_is_refused(sender: Bearer) -> None:
    assert sender.post(URL, content=b"x", headers={"Content-Type": "text/plain"}).status_code == 415
    assert send(sender, **{"Content-Encoding": "br"}).status_code == 415


def test_a_body_over_the_limit_is_refused_packed_or_not(small: TestClient, sender: Bearer) -> None:
    caller = Bearer(small, sender.secret)
    many = request(*(tool(number) for number in range(1, 100)))
    packed = gzip.compress(protobuf(many))
    assert len(packed) < 2048
    for data, more in ((protobuf(many), {}), (packed, {"Content-Encoding": "gzip"})):
        answer = caller.post(URL, content=data, headers={"Content-Type": PROTOBUF, **more})
        assert (answer.status_code, Status.FromString(answer.content).code) == (413, 8)


def test_the_project_is_the_header_s_else_the_token_s_only_one_else_the_setting_s(
    bearer: MakeBearer, errata: Errata
) -> None:
    every = bearer("ingest")
    assert send(every, *a_trace(), **{"X-Errata-Project": OTHER}).status_code == 200
    assert codes(errata, OTHER) == [("tool.error", LENT)]
    assert send(bearer("ingest", projects=[PROJECT]), *a_trace()).status_code == 200
    assert codes(errata) == [("tool.error", LENT)]
    assert send(every, *a_trace()).status_code == 404, "there is no project called default"


def test_more_requests_at_once_than_are_stored_are_to_be_sent_again(errata: Errata, sender: Bearer) -> None:
    app = create_app(errata)
    with TestClient(app) as made, app.state.service.underway.place():
        caller = Bearer(made, sender.secret)
        assert send(caller, *a_trace()).status_code == 200
        places = [app.state.service.underway.place() for _ in range(7)]
        for place in places:
            place.__enter__()
        answer = send(caller, *a_trace())
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) > 0
        assert Status.FromString(answer.content).code == 8
        places[0].__exit__(None, None, None)
        assert send(caller, *a_trace()).status_code == 200


def test_a_store_that_does_not_answer_is_to_be_tried_again(errata: Errata, sender: Bearer) -> None:
    with TestClient(create_app(errata)) as made:
        caller = Bearer(made, sender.secret)
        send(caller)
        errata.store.close()
        answer = send(caller, *a_trace())
    assert answer.status_code == 503
    assert answer.headers["retry-after"]
    assert Status.FromString(answer.content).code == 14


def test_spans_that_come_one_by_one_are_one_run_once_the_root_is_there(
    sender: Bearer, errata: Errata
) -> None:
    root, *rest = a_trace()
    for one in reversed(rest):
        send(sender, one)
        assert not kept(errata, RUN_RECORDS)
    send(sender, root)
    (record,) = kept(errata, RUN_RECORDS)
    assert (record.run_id, len(record.calls)) == (TRACE, 1)
    assert codes(errata) == [("tool.error", LENT)]


def test_a_trace_whose_root_never_comes_is_a_run_when_it_has_been_quiet(
    sender: Bearer, errata: Errata, clock: HandClock
) -> None:
    send(sender, tool(3, LENT))
    clock.forward(seconds=20)
    assert settle_all(errata) == 0
    send(sender, tool(4, "lent", call="c2"))
    clock.forward(seconds=20)
    assert settle_all(errata) == 0, "a span came 20 s ago"
    clock.forward(seconds=20)
    assert settle_all(errata) == 1
    assert codes(errata) == [("tool.error", LENT)]
    assert settle_all(errata) == 0


def test_spans_are_not_lost_when_the_service_dies(sender: Bearer, errata: Errata, clock: HandClock) -> None:
    send(sender, tool(3, LENT))
    clock.forward(seconds=60)
    after = replace(errata)
    assert settle_all(after) == 1
    assert codes(errata) == [("tool.error", LENT)]


def test_a_late_span_tells_the_run_again_and_takes_back_what_is_no_more(
    sender: Bearer, errata: Errata, clock: HandClock
) -> None:
    send(sender, agent(), tool(5, "Error: no such reader", call="c2"))
    (before,) = kept(errata, CASES)
    assert before.trigger_step.index == 0
    send(sender, tool(3, LENT))
    assert sorted((case.trigger_step.index, case.error_message) for case in kept(errata, CASES)) == [
        (0, LENT),
        (1, "Error: no such reader"),
    ]
    assert len(kept(errata, RUN_RECORDS)) == 1
    assert sorted(problem.count for problem in kept(errata, PROBLEMS)) == [1, 1]


def test_a_late_span_that_splits_a_trace_takes_the_old_run_back(sender: Bearer, errata: Errata) -> None:
    def turn(number: int, conversation: str) -> list[Json]:
        one = agent(number)
        one["attributes"] += attributes({"gen_ai.conversation.id": conversation})
        return [one, tool(number + 1, LENT, parent=number, call=f"c{number}")]

    send(sender, *turn(2, "talk-1"))
    send(sender, *turn(4, "talk-2"))
    assert sorted(record.run_id for record in kept(errata, RUN_RECORDS)) == [
        f"{TRACE}:talk-1",
        f"{TRACE}:talk-2",
    ]
    assert {case.run_id for case in kept(errata, CASES)} == {f"{TRACE}:talk-1", f"{TRACE}:talk-2"}
    assert [problem.count for problem in kept(errata, PROBLEMS)] == [2]


def test_the_same_spans_again_change_nothing(sender: Bearer, errata: Errata) -> None:
    send(sender, *a_trace())
    before = [kept(errata, kind) for kind in (CASES, PROBLEMS, RUN_RECORDS, SPANS, TRACES)]
    send(sender, *a_trace())
    assert [kept(errata, kind) for kind in (CASES, PROBLEMS, RUN_RECORDS, SPANS, TRACES)] == before


def test_spans_are_forgotten_when_their_trace_is_done_with(
    sender: Bearer, errata: Errata, clock: HandClock
) -> None:
    send(sender, *a_trace())
    clock.forward(seconds=KEPT_SECONDS + 60)
    settle_all(errata)
    assert (kept(errata, SPANS), kept(errata, TRACES)) == ([], [])
    assert codes(errata) == [("tool.error", LENT)]


def test_nothing_is_kept_of_traces_that_are_of_no_agent(sender: Bearer, errata: Errata) -> None:
    assert send(sender, span(1, "GET /books"), span(2, "SELECT", parent=1)).status_code == 200
    assert (kept(errata, SPANS), kept(errata, TRACES), kept(errata, RUN_RECORDS)) == ([], [], [])


def test_spans_are_masked_before_they_are_kept(sender: Bearer, errata: Errata) -> None:
    secret, mail = "sk-proj-Zx81hQ2mLk90PqRsT5vWxYz1", "mia.planted@example.org"
    told = json.dumps({"api_key": secret, "reader": {"mail": mail}})
    one = tool(1, f"Error: {mail} may not, by key {secret}", parent=None)
    one["attributes"] += attributes(
        {"input.value": told, "notes": [secret, {"deep": json.dumps({"token": secret})}]}
    )
    send(sender, {**one, "status": {"code": 2, "message": f"refused {mail}"}})
    everything = "".join(
        item.model_dump_json() for kind in (SPANS, CASES, RUN_RECORDS) for item in kept(errata, kind)
    )
    assert "may not" in everything
    assert secret not in everything
    assert mail not in everything


def test_a_trace_that_came_live_and_one_that_lay_in_a_file_are_the_same_run(
    sender: Bearer, bearer: MakeBearer, errata: Errata
) -> None:
    send(sender, *a_trace())
    data = json.dumps(request(*a_trace()))
    files = bearer("ingest").post(f"/v1/projects/{OTHER}/runs?source=auto", content=data)
    assert files.status_code == 200
    live, filed = (kept(errata, RUN_RECORDS, project) for project in (PROJECT, OTHER))
    assert live == filed
    assert codes(errata) == codes(errata, OTHER)
