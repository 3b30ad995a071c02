"""How routes are described: each has a summary, an example, a scope, and the errors that it answers."""

from __future__ import annotations

import http
from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import JSONResponse, Response

from api.errors import MEDIA_TYPE, TYPE_PREFIX, ProblemDetails
from errata_client.model import Model

JSON = "application/json"
REFERENCE = "#/components/schemas/{model}"
DETAILS: Mapping[int, tuple[str, str]] = {
    400: ("bad_input", "the body is not JSON: unexpected end of data: line 1 column 12 (char 11)"),
    401: ("unauthenticated", "this token is not known: make one with `errata tokens create`"),
    403: ("not_allowed", "this needs the scope review; the token 'agents' has rules:read"),
    404: ("not_found", "no strategy 'ST-0042' in the project 'shop'"),
    409: ("conflict", "ST-0007 is retired: it cannot be approved"),
    412: ("stale_version", "ST-0007 changed since version 3 was read: look at it again"),
    413: ("body_too_large", "the body has more than 67108864 bytes: send it in parts"),
    415: ("unsupported_body", "Content-Type 'text/plain' is not read here: send JSON"),
    422: ("invalid_request", "/body/reason: Field required"),
    428: ("precondition_required", 'send If-Match: "VERSION"'),
    429: ("busy", "too many requests are being stored: send this again"),
    503: ("store_unavailable", "the store does not answer: try again"),
}
BODY_ERRORS = (400, 413, 415, 422)


def described(
    summary: str,
    *,
    answer: Any = None,
    example: object = None,
    status: int = 200,
    scope: str = "",
    errors: Sequence[int] = (),
    body: type[Model] | None = None,
    body_example: object = None,
    body_content: Mapping[str, object] | None = None,
    parameters: Sequence[Mapping[str, object]] = (),
    also: Mapping[int, str] | None = None,
    media: str = JSON,
) -> dict[str, Any]:
    """The arguments of a route's decorator. `body` (or `body_content`, per media type) is what it reads, `answer` and
    `example` what it answers, `errors` the statuses of its problems, `also` other answers without a body."""
    responses: dict[int | str, dict[str, Any]] = {code: _error(code) for code in sorted(errors)}
    responses |= {code: {"description": told} for code, told in (also or {}).items()}
    responses[status] = {"description": summary, "content": {media: {"example": example}}}
    extra: dict[str, Any] = {"parameters": list(parameters)} if parameters else {}
    if scope:
        extra["security"] = [{"bearer": []}]
        extra["x-scope"] = scope
    if body is not None:
        body_content = {JSON: {"schema": _schema(body), "example": body_example}}
    if body_content is not None:
        extra["requestBody"] = {"required": True, "content": body_content}
    return {
        "summary": summary,
        "status_code": status,
        "response_model": answer,
        "responses": responses,
        "response_class": JSONResponse if media == JSON else Response,
        "openapi_extra": extra or None,
    }


def parameter(place: str, name: str, schema: Mapping[str, object], told: str) -> dict[str, object]:
    """A parameter that the route reads off the request itself."""
    return {
        "in": place,
        "name": name,
        "required": place == "path",
        "schema": dict(schema),
        "description": told,
    }


IF_MATCH = parameter("header", "If-Match", {"type": "string"}, 'the version that was looked at, as "VERSION"')


def install(app: FastAPI) -> None:
    """Let the app's OpenAPI document hold the bodies' models, the problems and the security scheme."""

    def document() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = document  # type: ignore[method-assign]


def _document(app: FastAPI) -> dict[str, Any]:
    document = get_openapi(
        title=app.title,
        version=app.version,
        description=app.description,
        routes=app.routes,
        summary=app.summary,
    )
    components = document.setdefault("components", {})
    components["securitySchemes"] = {"bearer": {"type": "http", "scheme": "bearer"}}
    schemas = components.setdefault("schemas", {})
    schemas["ProblemDetails"] = _schema(ProblemDetails)
    for holder in [schemas["ProblemDetails"], *_body_schemas(document)]:
        schemas |= {name: schema for name, schema in holder.pop("$defs", {}).items() if name not in schemas}
    _drop_undocumented(document, schemas)
    return document


def _drop_undocumented(document: Mapping[str, Any], schemas: dict[str, Any]) -> None:
    """Take out the 422 that FastAPI adds by itself: it is not what this service answers."""
    for operation in _operations(document):
        if "application/json" in operation["responses"].get("422", {}).get("content", {}):
            del operation["responses"]["422"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)


def _body_schemas(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The schemas of the bodies, each with the definitions it needs still inside it."""
    return [
        content["schema"]
        for operation in _operations(document)
        for content in operation.get("requestBody", {}).get("content", {}).values()
        if "schema" in content
    ]


def _operations(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        operation
        for item in document.get("paths", {}).values()
        for operation in item.values()
        if isinstance(operation, dict)
    ]


def _schema(model: type[Model]) -> dict[str, Any]:
    return model.model_json_schema(ref_template=REFERENCE)


def _error(status: int) -> dict[str, Any]:
    code, detail = DETAILS[status]
    title = http.HTTPStatus(status).phrase
    example = {
        "type": TYPE_PREFIX + code,
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
        "request_id": "5f1c2a90d7e84b36",
    }
    return {
        "description": title,
        "content": {
            MEDIA_TYPE: {"schema": {"$ref": REFERENCE.format(model="ProblemDetails")}, "example": example}
        },
    }
