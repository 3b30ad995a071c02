"""JSON bodies: read within the limit, as strict UTF-8, and made into a model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import orjson
from pydantic import ValidationError
from starlette.requests import Request

from api.errors import InvalidRequestError, UnsupportedBodyError
from api.limits import pieces
from api.service import service_of
from errata_client.model import Model
from knowledge.errors import BadInputError

B = TypeVar("B", bound=Model)


def body_of(model: type[B]) -> Callable[[Request], Awaitable[B]]:
    """A dependency that reads the request's body as `model`. It belongs after the visit, so strangers send nothing.

    Raises: UnsupportedBodyError, BodyTooLargeError, BadInputError for what is no JSON, InvalidRequestError for JSON
    that is no such model.
    """

    async def read(request: Request) -> B:
        _demand_json(request)
        limit = service_of(request).errata.settings.max_body_bytes
        data = b"".join([piece async for piece in pieces(request, limit)])
        return masked_reason(request, parsed(data, model))

    return read


def masked_reason(request: Request, given: B) -> B:
    """What was given, its `reason` masked: people quote what they see, and reasons are kept."""
    reason, project = getattr(given, "reason", None), request.path_params.get("project")
    if not isinstance(reason, str) or not isinstance(project, str):
        return given
    masked = service_of(request).errata.masker(project).authored(reason)
    return given if masked == reason else given.model_copy(update={"reason": masked})


def parsed(data: bytes, model: type[B]) -> B:
    """The model in `data`; lone surrogates and invalid UTF-8 are no JSON."""
    try:
        return model.model_validate(loaded(data))
    except ValidationError as error:
        raise InvalidRequestError.of_body(error) from error


def loaded(data: bytes) -> object:
    """The JSON value in `data`; BadInputError says what is wrong with it, and where."""
    if not data.strip():
        raise BadInputError("the body is empty: send JSON")
    try:
        data.decode("utf-8")
        return orjson.loads(data)
    except UnicodeDecodeError as error:
        raise BadInputError(
            f"the body is not UTF-8: byte {data[error.start]:#04x} at position {error.start}: {error.reason}"
        ) from error
    except orjson.JSONDecodeError as error:
        raise BadInputError(f"the body is not JSON: {error}") from error


def _demand_json(request: Request) -> None:
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise UnsupportedBodyError(
            f"Content-Type {kind!r} is not read here: send JSON, with Content-Type: application/json"
        )
