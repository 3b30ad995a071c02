"""A batch of items written: each created, replaced, left as it is, or refused with its reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from knowledge.documents import Document, document_or_refusal, item_of, lost_growth
from knowledge.elastic import bulk
from knowledge.elastic.connection import Connection
from knowledge.elastic.mappings import Json, document_id, source_of
from knowledge.errors import StoreUnavailableError
from knowledge.kinds import Kind, M
from knowledge.store import ItemResult

_TRIES = 20


def added(
    connection: Connection, alias: str, project: str, kind: Kind[M], batch: Sequence[M]
) -> list[ItemResult]:
    """Create the new ones."""
    return _sent(connection, alias, kind, batch, lambda document: _action("create", project, document))


def replaced(
    connection: Connection, alias: str, project: str, kind: Kind[M], batch: Sequence[M]
) -> list[ItemResult]:
    """Create or replace; those of a kind that only grows one by one, each over what was checked."""
    if not kind.append_only:
        return _sent(connection, alias, kind, batch, lambda document: _action("index", project, document))
    return [_grown(connection, alias, project, kind, item) for item in batch]


def _action(verb: Any, project: str, document: Document) -> bulk.Action:
    return bulk.Action(verb, document_id(project, document.key), source_of(project, document))


def _sent(
    connection: Connection,
    alias: str,
    kind: Kind[M],
    batch: Sequence[M],
    action: Callable[[Document], bulk.Action],
) -> list[ItemResult]:
    prepared = [document_or_refusal(kind, item) for item in batch]
    documents = [document for document in prepared if isinstance(document, Document)]
    outcomes = bulk.send(connection, alias, [action(document) for document in documents])
    told = iter(
        [_result(document.key, outcome) for document, outcome in zip(documents, outcomes, strict=True)]
    )
    return [entry if isinstance(entry, ItemResult) else next(told) for entry in prepared]


def _result(key: str, outcome: bulk.Outcome) -> ItemResult:
    if outcome.conflict:
        return ItemResult(key, "exists")
    if not outcome.written:
        return ItemResult(key, "refused", outcome.reason)
    return ItemResult(key, "created" if outcome.result == "created" else "replaced")


def _grown(connection: Connection, alias: str, project: str, kind: Kind[M], item: M) -> ItemResult:
    document = document_or_refusal(kind, item)
    if isinstance(document, ItemResult):
        return document
    doc_id = document_id(project, document.key)
    source = source_of(project, document)
    for _ in range(_TRIES):
        found = connection.read(alias, [doc_id])
        if found and (lost := _lost(kind, item, found[0])):
            return ItemResult(document.key, "refused", lost)
        if connection.write(alias, doc_id, source, found[0] if found else None) is not None:
            return ItemResult(document.key, "replaced" if found else "created")
    raise StoreUnavailableError(
        f"{kind.name} {document.key} is written by others all the time; try again later"
    )


def _lost(kind: Kind[Any], item: Any, found: Json) -> str | None:
    source = found["_source"]
    return lost_growth(kind, item_of(kind, source["key"], source["body"]), item)
