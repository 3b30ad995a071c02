"""Traces in, as OpenTelemetry's exporters send them: OTLP over HTTP, protobuf or JSON.

A span is answered for once it is in the store. A trace becomes a run as soon as it is whole; what waits for more is
made one by a task beside the requests (`api.settling`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.auth import admit, authenticate, demand_scope
from api.errors import BusyError, Refuse, refuse_with
from api.limits import pieces
from api.openapi import described, parameter
from api.otlp_answers import JSON, PROTOBUF, Encoding, answer, encoding_of, refusal
from api.service import Service, Visit, service_of
from ingest.adapters.jsonvalue import NotJsonError, loads
from ingest.adapters.otlp.json_wire import RESOURCES, spans_in
from ingest.adapters.otlp.proto_wire import request_spans
from ingest.adapters.otlp.span import Span, SpanError
from ingest.live.keeping import MAX_OPEN, Kept, keep, open_traces
from ingest.live.settling import settle
from knowledge.errors import BadInputError, ErrataError

log = logging.getLogger("api")
router = APIRouter()

MAX_BYTES = 20 * 1024 * 1024
"""Bytes of a body, packed or unpacked, as the specification recommends; ERRATA_MAX_BODY_BYTES may be less."""

PROJECT_HEADER = "X-Errata-Project"
_STATUSES = (400, 401, 403, 404, 413, 415, 429, 503)


def _described() -> dict[str, object]:
    """Its errors are no problem documents but google.rpc.Status, in the encoding of the request."""
    made = described(
        "Receive traces over OTLP",
        example=examples.TRACES_TAKEN,
        scope="ingest",
        errors=_STATUSES,
        parameters=(
            parameter("header", PROJECT_HEADER, {"type": "string"}, "the project; else the token's only one"),
        ),
        body_content={JSON: {"example": examples.TRACES}, PROTOBUF: {"example": "ExportTraceServiceRequest"}},
    )
    for status in _STATUSES:
        content = {JSON: {"example": examples.TRACES_REFUSED}, PROTOBUF: {"example": "google.rpc.Status"}}
        made["responses"][status]["content"] = content
    return made


@router.post("/v1/traces", **_described())  # type: ignore[arg-type]
async def traces(request: Request) -> Response:
    """An ExportTraceServiceRequest, protobuf or JSON, gzip or not. Answered once its spans are in the store; spans that cannot
    be taken are counted in `partial_success`. Sending the same spans again changes nothing."""
    refuse_with(request, _refusing(JSON))
    encoding = encoding_of(request)
    refuse_with(request, _refusing(encoding))
    service = service_of(request)
    visit = await _visit(service, request)
    limit = min(MAX_BYTES, service.errata.settings.max_body_bytes)
    with service.underway.place():
        body = b"".join([piece async for piece in pieces(request, limit)])
        kept = await run_in_threadpool(_take, visit, body, encoding)
    return answer(encoding, kept.refused, "; ".join(kept.reasons))


def _refusing(encoding: Encoding) -> Refuse:
    def refuse(status: int, message: str, headers: Mapping[str, str]) -> Response:
        return refusal(encoding, status, message, headers)

    return refuse


async def _visit(service: Service, request: Request) -> Visit:
    """The project is the header's, else the only one of the token, else that of the settings."""
    now = service.errata.clock()
    token = await authenticate(service.gate, request, now)
    demand_scope(token, ("ingest",))
    alone = token.projects[0] if len(token.projects) == 1 else service.errata.settings.project
    project = request.headers.get(PROJECT_HEADER, "").strip() or alone
    return Visit(service, await admit(service.gate, request, project, ("ingest",), now), project)


def _take(visit: Visit, body: bytes, encoding: Encoding) -> Kept:
    """Keep the spans; then make runs of the traces that are whole. That the latter fails is no reason to send the spans
    again: they are kept, and are tried again beside the requests."""
    shift, errata = visit.shift, visit.service.errata
    if open_traces(shift) >= MAX_OPEN:
        raise BusyError(f"{MAX_OPEN} traces wait for more spans: send this again later")
    try:
        kept = keep(_spans(body, encoding), shift, errata.masker(visit.project))
    except SpanError as error:
        raise BadInputError(f"the body is {error}") from error
    visit.service.metrics.spans.labels(visit.project, "kept").inc(kept.spans)
    visit.service.metrics.spans.labels(visit.project, "refused").inc(kept.refused)
    try:
        settle(shift, kept.traces)
    except ErrataError as error:
        log.warning("traces are kept, but no runs yet: %s: %s", error.code, error)
    return kept


def _spans(body: bytes, encoding: Encoding) -> Iterator[Span | SpanError]:
    """The spans of the body. SpanError where it is no request."""
    if encoding == PROTOBUF:
        return request_spans(body)
    try:
        value = loads(body)
    except NotJsonError as error:
        raise SpanError(str(error)) from error
    if not isinstance(value, dict) or (value and not set(RESOURCES) & set(value)):
        raise SpanError("JSON, but no ExportTraceServiceRequest: an object with resourceSpans")
    return spans_in(value)
