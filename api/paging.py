"""Lists come in pages: `limit` and `cursor` in, `next` and a Link header out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Annotated, Generic, TypeVar

from pydantic import BeforeValidator, Field
from starlette.requests import Request
from starlette.responses import Response

from api.replies import reply
from errata_client.model import Model, UtcDatetime
from knowledge.store import MAX_PAGE, Range

T = TypeVar("T")


class Paging(Model):
    """The query parameters of every list; an unknown one is an error, so that a mistyped filter is seen."""

    limit: int = Field(50, ge=1, le=MAX_PAGE, description="items on a page")
    cursor: str | None = Field(
        None, max_length=4096, description="`next` of the page before, with the same filters"
    )


class Listed(Model, Generic[T]):
    """One page. `next` is the cursor of the page after it; null at the end."""

    items: tuple[T, ...]
    next: str | None = None


def _midnight(value: object) -> object:
    """A bare date means its first moment in UTC."""
    if isinstance(value, str) and len(value) == len("2026-01-31"):
        try:
            return datetime.combine(date.fromisoformat(value), time(), UTC)
        except ValueError:
            return value
    return value


def chosen(where: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The filters that were given, as a query's `where`."""
    return {name: tuple(values) for name, values in where.items() if values}


def between(name: str, since: datetime | None, until: datetime | None) -> dict[str, Range]:
    """A query's `ranges` over one date, where a side is given."""
    return {name: Range(since, until)} if since or until else {}


Moment = Annotated[UtcDatetime, BeforeValidator(_midnight)]
"""A time with its zone, or a date, which means its midnight in UTC."""


def reply_page(request: Request, items: Sequence[object], cursor: str | None) -> Response:
    """The page as JSON; where more follows, the Link header has the address of it."""
    headers = {}
    if cursor is not None:
        url = request.url.include_query_params(cursor=cursor)
        headers["Link"] = f'<{url.path}?{url.query}>; rel="next"'
    return reply({"items": items, "next": cursor}, headers=headers)
