"""Making the indices, and moving them behind their aliases when a mapping changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from elasticsearch import BadRequestError, NotFoundError

from knowledge.batches import batches
from knowledge.documents import document_of, item_of
from knowledge.elastic import bulk
from knowledge.elastic.connection import Connection
from knowledge.elastic.mappings import Index, Json, source_of
from knowledge.elastic.scanning import scanned
from knowledge.errors import StoreUnavailableError


def prepare(connection: Connection, prefix: str, indices: Iterable[Index]) -> None:
    """Every alias leads to an index of the present mapping. May be run by several processes, and again."""
    present = behind_aliases(connection, prefix)
    for index in indices:
        current = present.get(index.alias)
        if current is None:
            _create(connection, index, aliases={index.alias: {}})
            _point(connection, [{"add": {"index": index.name, "alias": index.alias}}])
        elif current != index.name:
            _move(connection, prefix, index, current)


def refill(connection: Connection, prefix: str, index: Index) -> None:
    """The alias leads to an empty index of the present mapping, for what is derived; one of another mapping goes."""
    _create(connection, index, aliases={})
    current = behind_aliases(connection, prefix).get(index.alias)
    actions: list[Json] = [{"add": {"index": index.name, "alias": index.alias}}]
    if current not in (None, index.name):
        actions.append({"remove_index": {"index": current}})
    _point(connection, actions)


def behind_aliases(connection: Connection, prefix: str) -> dict[str, str]:
    """The index behind each alias that begins with the prefix."""

    def action() -> Json:
        try:
            return dict(connection.client.indices.get_alias(name=f"{prefix}-*").body)
        except NotFoundError:
            return {}

    found = connection.call(action)
    return {alias: name for name, about in found.items() for alias in about["aliases"]}


def _create(connection: Connection, index: Index, aliases: Json) -> None:
    """Make it; one that exists (made by another process, or by a move that was cut short) is left as it is."""

    def action() -> None:
        try:
            connection.client.indices.create(
                index=index.name, mappings=index.mappings, settings=index.settings, aliases=aliases
            )
        except BadRequestError as error:
            if error.error != "resource_already_exists_exception":
                raise

    connection.call(action)


def _point(connection: Connection, actions: list[Json]) -> None:
    connection.call(lambda: connection.client.indices.update_aliases(actions=actions))


def _move(connection: Connection, prefix: str, index: Index, current: str) -> None:
    """Fill an index of the new mapping from the old one, then let the alias lead to it, at once.

    The old one is closed to writes meanwhile, readable throughout, and removed in the same step as the alias moves.
    All items are read once before anything is changed, so that one which cannot be moved is found while all goes on
    as before. Cut short, the next call goes on; moved by another process meanwhile, there is nothing left to do.
    """
    try:
        for document in _documents(connection, index, current):
            _source(index, document)
        _create(connection, index, aliases={})
        connection.call(lambda: connection.client.indices.add_block(index=current, block="write"))
        _copy(connection, index, current)
        _check_complete(connection, index, current)
        _point(
            connection,
            [{"add": {"index": index.name, "alias": index.alias}}, {"remove_index": {"index": current}}],
        )
    except StoreUnavailableError:
        if behind_aliases(connection, prefix).get(index.alias) != index.name:
            raise


def _copy(connection: Connection, index: Index, current: str) -> None:
    """Write what is not there yet; nothing that stands in the new index is written over."""
    for batch in batches(_documents(connection, index, current), bulk.MAX_ACTIONS):
        actions = [bulk.Action("create", hit["_id"], _source(index, hit)) for hit in batch]
        for outcome in bulk.send(connection, index.name, actions, alias=False):
            if not outcome.written and not outcome.conflict:
                raise StoreUnavailableError(f"{current} could not be moved to {index.name}: {outcome.reason}")


def _documents(connection: Connection, index: Index, name: str) -> Iterator[Json]:
    """All that is stored in the index called `name`, up to the last write."""
    connection.refresh(name)
    sort: list[Json] = [{field: {"order": "asc"}} for field in index.ordered_by]
    return scanned(connection, name, {"match_all": {}}, sort, ["*"])


def _check_complete(connection: Connection, index: Index, current: str) -> None:
    """StoreUnavailableError, before the old index goes, unless the new one has at least as many documents."""
    connection.refresh(index.name)
    old, new = _count(connection, current), _count(connection, index.name)
    if new < old:
        raise StoreUnavailableError(
            f"{index.name} has {new} of the {old} documents of {current}; prepare again"
        )


def _count(connection: Connection, name: str) -> int:
    return int(connection.call(lambda: connection.client.count(index=name))["count"])


def _source(index: Index, hit: Json) -> Json:
    """The document in the new mapping: made anew from the item."""
    source: Json = hit["_source"]
    if index.kind is None:
        return source
    item = item_of(index.kind, source["key"], source["body"])
    return source_of(source["project"], document_of(index.kind, item))
