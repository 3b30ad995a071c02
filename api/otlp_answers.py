"""What OTLP over HTTP answers: ExportTraceServiceResponse, and google.rpc.Status for every error, in the request's encoding.

Source: the OTLP specification, "OTLP/HTTP Response".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import orjson
from google.rpc.error_details_pb2 import BadRequest
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from starlette.requests import Request
from starlette.responses import Response

from api.errors import UnsupportedBodyError

Encoding = Literal["application/x-protobuf", "application/json"]
PROTOBUF: Encoding = "application/x-protobuf"
JSON: Encoding = "application/json"
CODES: Mapping[int, int] = {
    400: 3, 401: 16, 403: 7, 404: 5, 413: 8, 415: 3, 429: 8, 500: 13, 503: 14,
}  # fmt: skip
"""google.rpc.Code by HTTP status: INVALID_ARGUMENT, UNAUTHENTICATED, PERMISSION_DENIED, NOT_FOUND, RESOURCE_EXHAUSTED,
INTERNAL, UNAVAILABLE."""

BAD_REQUEST = "type.googleapis.com/google.rpc.BadRequest"


def encoding_of(request: Request) -> Encoding:
    """How the body is encoded, and so the answer; UnsupportedBodyError for any other Content-Type."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == PROTOBUF:
        return PROTOBUF
    if kind == JSON:
        return JSON
    raise UnsupportedBodyError(f"Content-Type {kind[:100]!r}: send {PROTOBUF} or {JSON}")


def answer(encoding: Encoding, rejected: int, message: str) -> Response:
    """Success. `partial_success` is set only where spans were rejected."""
    if encoding == JSON:
        partial = {"partialSuccess": {"rejectedSpans": str(rejected), "errorMessage": message}}
        return Response(orjson.dumps(partial if rejected else {}), 200, media_type=JSON)
    response = ExportTraceServiceResponse()
    if rejected:
        response.partial_success.rejected_spans = rejected
        response.partial_success.error_message = message
    return Response(response.SerializeToString(), 200, media_type=PROTOBUF)


def refusal(encoding: Encoding, status: int, message: str, headers: Mapping[str, str]) -> Response:
    """An error; a 400 holds a google.rpc.BadRequest that says what is wrong with the body."""
    code = CODES.get(status, 2)
    if encoding == JSON:
        told = {"@type": BAD_REQUEST, "fieldViolations": [{"field": "body", "description": message}]}
        content = {"code": code, "message": message, "details": [told] if status == 400 else []}
        return Response(orjson.dumps(content), status, dict(headers), JSON)
    made = Status(code=code, message=message)
    if status == 400:
        violation = BadRequest.FieldViolation(field="body", description=message)
        made.details.add().Pack(BadRequest(field_violations=[violation]))
    return Response(made.SerializeToString(), status, dict(headers), PROTOBUF)
