"""A plan in the words of Elasticsearch. Pure: JSON out, nothing is sent."""

from __future__ import annotations

from typing import Any

from knowledge.alike import Alternatives
from knowledge.kinds import Kind
from knowledge.plan import Between, Match, Plan

Json = dict[str, Any]


def query_of(project: str, kind: Kind[Any], plan: Plan) -> Json:
    """The query: the project's items, and of those what the plan asks for."""
    filters: list[Json] = [{"term": {"project": project}}]
    filters += [_match(match) for match in plan.matches]
    filters += [_range(between) for between in plan.ranges]
    if plan.phrases is not None:
        texts = [f"fields.{field}" for field, form in kind.fields.items() if form == "text"]
        filters += [_any_of(phrases, texts) for phrases in plan.phrases] or [{"match_none": {}}]
    return {"bool": {"filter": filters}}


def sort_of(plan: Plan) -> list[Json]:
    """The order: by the field, those without it last, then by key."""
    order = "desc" if plan.descending else "asc"
    by_key = {"key": {"order": order}}
    if not plan.sort:
        return [by_key]
    return [{f"fields.{plan.sort}": {"order": order, "missing": "_last", "mode": "min"}}, by_key]


def tally_of(field: str, size: int, after: Json | None) -> Json:
    """One page of an aggregation over all values of `field`, and over those without."""
    source = {"value": {"terms": {"field": f"fields.{field}", "missing_bucket": True}}}
    return {
        "values": {"composite": {"size": size, "sources": [source], **({"after": after} if after else {})}}
    }


def _match(match: Match) -> Json:
    name = f"fields.{match.field}"
    any_of: Json = {"terms": {name: list(match.values)}} if match.values else {"match_none": {}}
    if not match.absent:
        return any_of
    absent = {"bool": {"must_not": {"exists": {"field": name}}}}
    return {"bool": {"should": [any_of, absent], "minimum_should_match": 1}}


def _range(between: Between) -> Json:
    bounds = {"gte": between.since, "lt": between.until}
    given = {name: value for name, value in bounds.items() if value is not None}
    name = f"fields.{between.field}"
    return {"range": {name: given}} if given else {"match_all": {}}


def _any_of(phrases: Alternatives, texts: list[str]) -> Json:
    if not texts:
        return {"match_none": {}}
    said = [{"match_phrase": {name: " ".join(phrase)}} for phrase in phrases for name in texts]
    return {"bool": {"should": said, "minimum_should_match": 1}}
