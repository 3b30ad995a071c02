"""The one translation from Errata's errors to HTTP: problem details after RFC 9457."""

from __future__ import annotations

import http
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from errata_client.faults import in_json_words
from errata_client.model import Model
from knowledge.errors import (
    BadInputError,
    ConflictError,
    ErrataError,
    NotAllowedError,
    NotFoundError,
    SettingsError,
    StaleError,
    StoreUnavailableError,
)

log = logging.getLogger("api")

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:errata:error:"
MAX_FAULTS = 20


class UnauthenticatedError(NotAllowedError):
    """No token was sent, or one that is not known."""

    code = "unauthenticated"


class BodyTooLargeError(BadInputError):
    """The body, as sent or unpacked, is over the limit."""

    code = "body_too_large"


class UnsupportedBodyError(BadInputError):
    """The body is of a media type or an encoding that this route does not read."""

    code = "unsupported_body"


class PreconditionRequiredError(BadInputError):
    """An edit came without the version that it is meant for."""

    code = "precondition_required"


class BusyError(ErrataError):
    """More comes in than is taken in at once; the same request is good later."""

    code = "busy"


class Fault(Model):
    """One thing that was wrong with a request: `where` is a place such as /body/reason or /query/limit."""

    where: str
    detail: str


class InvalidRequestError(BadInputError):
    """The request could be read, but parts of it are not what the route takes."""

    code = "invalid_request"

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("; ".join(f"{fault.where}: {fault.detail}" for fault in faults[:3]))
        self.faults = tuple(faults)

    @classmethod
    def of_body(cls, error: ValidationError) -> InvalidRequestError:
        """From a model's refusal of a JSON body."""
        return cls(faults(error.errors(include_url=False, include_context=False), "body"))


class ProblemDetails(Model):
    """What every error answers, as application/problem+json. `code` is the stable word for machines."""

    type: str = Field(examples=["urn:errata:error:not_found"])
    title: str
    status: int
    detail: str
    code: str
    request_id: str
    errors: tuple[Fault, ...] = ()


STATUSES: Mapping[type[ErrataError], int] = {
    ErrataError: 500,
    BadInputError: 400,
    NotFoundError: 404,
    ConflictError: 409,
    StaleError: 412,
    NotAllowedError: 403,
    StoreUnavailableError: 503,
    SettingsError: 500,
    UnauthenticatedError: 401,
    BodyTooLargeError: 413,
    UnsupportedBodyError: 415,
    PreconditionRequiredError: 428,
    BusyError: 429,
    InvalidRequestError: 422,
}
HEADERS: Mapping[int, Mapping[str, str]] = {
    401: {"WWW-Authenticate": 'Bearer realm="errata"'},
    429: {"Retry-After": "2"},
    503: {"Retry-After": "5"},
}
ROUTING_CODES = {404: "no_such_route", 405: "method_not_allowed"}


def status_of(error: type[ErrataError]) -> int:
    """The HTTP status of an error: its own, or that of the nearest ancestor that has one."""
    return next(STATUSES[ancestor] for ancestor in error.__mro__ if ancestor in STATUSES)


Refuse = Callable[[int, str, Mapping[str, str]], Response]
"""Makes the answer for an error out of its status, what to say and headers."""


def refuse_with(request: Request, refuse: Refuse) -> None:
    """Let the errors of this request be answered in another way than as problems: for protocols that have their own."""
    request.state.refuse = refuse


def problem(
    request: Request,
    status: int,
    code: str,
    detail: str,
    errors: tuple[Fault, ...] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The answer for one error; it never holds a traceback."""
    sent = {"Cache-Control": "no-store", **HEADERS.get(status, {}), **(headers or {})}
    refuse: Refuse | None = getattr(request.state, "refuse", None)
    if refuse is not None:
        return refuse(status, str(_clean(detail)), sent)
    details = ProblemDetails(
        type=TYPE_PREFIX + code,
        title=http.HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        code=code,
        request_id=request_id_of(request),
        errors=errors,
    )
    content = details.model_dump(mode="json", exclude=set() if errors else {"errors"})
    return Response(
        orjson.dumps(_speakable(content)),
        status,
        sent,
        MEDIA_TYPE,
    )


def request_id_of(request: Request) -> str:
    """The id under which the logs know this request."""
    return str(getattr(request.state, "request_id", ""))


def faults(errors: Iterable[ErrorDetails | Mapping[str, object]], root: str | None = None) -> list[Fault]:
    """A validator's findings as faults, at most `MAX_FAULTS`; `root` names the part they are about."""
    found = []
    for error in errors:
        location = error["loc"]
        parts = [str(part) for part in (location if isinstance(location, tuple | list) else ())]
        where = "/" + "/".join([root, *parts] if root else parts)
        found.append(Fault(where=where, detail=in_json_words(str(error["type"]), str(error["msg"]))))
    return found[:MAX_FAULTS]


def install(app: FastAPI) -> None:
    """Let every error of the app be answered as a problem."""
    app.add_exception_handler(ErrataError, _errata)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _routing)
    app.add_exception_handler(Exception, _unexpected)


def _errata(request: Request, error: Exception) -> Response:
    assert isinstance(error, ErrataError)
    status = status_of(type(error))
    if status >= 500:
        log.warning("request failed: %s: %s", error.code, error)
    found = error.faults if isinstance(error, InvalidRequestError) else ()
    return problem(request, status, error.code, str(error), found)


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return _errata(request, InvalidRequestError(faults(error.errors())))


def _routing(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    code = ROUTING_CODES.get(error.status_code, "http_error")
    detail = error.detail
    if error.status_code == 404:
        detail = f"there is nothing at {request.url.path}: /docs lists every route"
    elif error.status_code == 405:
        detail = f"{request.method} is not possible at {request.url.path}"
    return problem(request, error.status_code, code, detail, headers=error.headers)


def _unexpected(request: Request, error: Exception) -> Response:
    """A fault of ours: the log has the traceback, the caller gets the id to ask for it."""
    request_id = request_id_of(request)
    log.error("unexpected error in request %s", request_id, exc_info=error)
    detail = f"a fault of the service; its log has the reason under request id {request_id}"
    return problem(request, 500, "internal", detail, headers={"X-Request-Id": request_id})


def _speakable(content: dict[str, object]) -> dict[str, object]:
    """Without lone surrogates, which no UTF-8 answer can hold (a message may quote what was sent)."""
    return {key: _clean(value) for key, value in content.items()}


def _clean(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return _speakable(value) if isinstance(value, dict) else value
