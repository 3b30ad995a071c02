"""A query checked against its kind, in the form of the index. Each store turns a plan into its own language."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from knowledge.alike import Alternatives, alternatives
from knowledge.errors import BadInputError
from knowledge.fields import Scalar, is_unicode, microseconds, scalar
from knowledge.ids import digest
from knowledge.kinds import FieldType, Kind
from knowledge.store import MAX_PAGE, Query, Range
from knowledge.words import phrases

MAX_VALUES = 10_000
MAX_WORDS = 100

Position = list[Any]
"""Where a page ended: the values of the last item's sort fields, as its engine compares them."""


@dataclass(frozen=True)
class Match:
    """Any of `values`; with `absent`, also those without a value."""

    field: str
    values: tuple[Scalar, ...]
    absent: bool


@dataclass(frozen=True)
class Between:
    """since <= value < until; None leaves a side open."""

    field: str
    since: Scalar | None
    until: Scalar | None


@dataclass(frozen=True)
class Plan:
    """All of it must hold. `phrases`: of each, any of its alternatives; None: no text asked; empty: a text that holds no
    word, so nothing is found."""

    matches: tuple[Match, ...]
    ranges: tuple[Between, ...]
    phrases: tuple[Alternatives, ...] | None
    sort: str
    descending: bool
    digest: str


def plan_query(project: str, kind: Kind[Any], query: Query) -> Plan:
    """The plan; BadInputError names the field and what it can be asked."""
    matches = tuple(_match(kind, field, wanted) for field, wanted in query.where.items())
    ranges = tuple(_between(kind, field, wanted) for field, wanted in query.ranges.items())
    if query.sort:
        _exact_type(kind, query.sort)
    said = _phrases(query.text, alike=query.alike)
    parts = (
        project,
        kind.name,
        sorted((match.field, sorted(map(str, match.values)), match.absent) for match in matches),
        sorted((between.field, between.since, between.until) for between in ranges),
        said,
        query.sort,
        query.descending,
    )
    return Plan(matches, ranges, said, query.sort, query.descending, digest(*parts))


def check_tally(kind: Kind[Any], field: str) -> None:
    """BadInputError unless `field` is one of the kind's keyword fields."""
    if _exact_type(kind, field) != "keyword":
        raise BadInputError(f"{kind.name} cannot be counted by {field}: it is no keyword field")


def page_size(limit: int) -> int:
    """The limit, at most MAX_PAGE; BadInputError under 1."""
    if limit < 1:
        raise BadInputError(f"a page of {limit} items is none; ask for 1 to {MAX_PAGE}")
    return min(limit, MAX_PAGE)


def encode_cursor(plan: Plan, position: Position) -> str:
    """An opaque cursor: where the page ended, and the digest of the query it is good for."""
    return base64.urlsafe_b64encode(orjson.dumps([plan.digest, position])).decode()


def decode_cursor(plan: Plan, cursor: str) -> Position:
    """Where the page ended; BadInputError where the cursor was not made for this query."""
    try:
        made_for, position = orjson.loads(base64.urlsafe_b64decode(cursor.encode()))
    except (ValueError, TypeError, binascii.Error):
        made_for, position = None, None
    if made_for != plan.digest or not isinstance(position, list):
        raise BadInputError("the cursor was not made for this query; start again without one")
    return position


def _exact_type(kind: Kind[Any], field: str) -> FieldType:
    form = kind.fields.get(field)
    if form is None:
        raise BadInputError(
            f"{kind.name} has no field {field!r} to ask by; there are {', '.join(sorted(kind.fields))}"
        )
    if form == "text":
        raise BadInputError(f"{field} of {kind.name} is text: search it by words (text), not by exact values")
    return form


def _match(kind: Kind[Any], field: str, wanted: object) -> Match:
    form = _exact_type(kind, field)
    several = (
        wanted
        if isinstance(wanted, Sequence | set | frozenset) and not isinstance(wanted, str)
        else (wanted,)
    )
    if len(several) > MAX_VALUES:
        raise BadInputError(
            f"{field}: {len(several)} values are asked for at once; ask for at most {MAX_VALUES}"
        )
    values = tuple(dict.fromkeys(scalar(field, form, value) for value in several if value is not None))
    return Match(field=field, values=values, absent=any(value is None for value in several))


def _between(kind: Kind[Any], field: str, wanted: Range) -> Between:
    form = _exact_type(kind, field)
    if form not in ("date", "integer", "number"):
        raise BadInputError(f"{field} of {kind.name} is a {form} field; only dates and numbers have ranges")
    return Between(field, _bound(field, form, wanted.since), _bound(field, form, wanted.until))


def _bound(field: str, form: FieldType, value: datetime | float | None) -> Scalar | None:
    if value is None:
        return None
    if isinstance(value, datetime):
        if form != "date":
            raise BadInputError(f"{field} is a {form} field; a time is no bound of it")
        return microseconds(value)
    if form == "date":
        raise BadInputError(f"{field} is a date field; {value!r} is no time")
    return scalar(field, "number" if isinstance(value, float) else form, value)


def _phrases(text: str | None, *, alike: bool) -> tuple[Alternatives, ...] | None:
    if text is None or not text.strip():
        return None
    if not is_unicode(text):
        raise BadInputError(
            "the text to search for holds half of a surrogate pair, which is no text; remove it"
        )
    said = tuple(dict.fromkeys(phrases(text)))
    if sum(map(len, said)) > MAX_WORDS:
        raise BadInputError(
            f"the text to search for is long; give at most {MAX_WORDS} words or Chinese characters"
        )
    return alternatives(text) if alike else tuple((phrase,) for phrase in said)
