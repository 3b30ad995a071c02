"""What an index looks like, made from the kind alone. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from knowledge.documents import Document
from knowledge.ids import digest
from knowledge.kinds import FieldType, Kind

Json = dict[str, Any]

_STORED: Json = {"type": "keyword", "index": False, "doc_values": False}
"""Text that is only read back: not searched, not sorted, of any length."""
_TYPES: dict[FieldType, Json] = {
    "keyword": {"type": "keyword"},
    "text": {"type": "text", "analyzer": "whitespace", "norms": False},
    "date": {"type": "long"},
    "integer": {"type": "long"},
    "number": {"type": "double"},
    "boolean": {"type": "byte"},
}
_SETTINGS: Json = {"number_of_shards": 1, "auto_expand_replicas": "0-1"}
_MAX_KEY_BYTES = 400


@dataclass(frozen=True)
class Index:
    """An index that is wanted: its alias, which is what is read and written, and what stands behind it.
    `ordered_by` are fields whose values no two documents share."""

    alias: str
    properties: Json
    ordered_by: tuple[str, ...]
    kind: Kind[Any] | None = None

    @property
    def name(self) -> str:
        """The name of the index itself; it changes with the mapping."""
        return f"{self.alias}-{digest(self.properties, _SETTINGS)[:12]}"

    @property
    def mappings(self) -> Json:
        """Fields that are not named are an error."""
        return {"dynamic": "strict", "properties": self.properties}

    @property
    def settings(self) -> Json:
        """One shard; a replica where there is a second node."""
        return dict(_SETTINGS)


def kind_index(prefix: str, kind: Kind[Any]) -> Index:
    """The index of a kind: who it belongs to, what it is found by, and all of it as text."""
    properties = {
        "project": {"type": "keyword"},
        "key": {"type": "keyword"},
        "body": _STORED,
        "fields": {"properties": {field: _TYPES[form] for field, form in kind.fields.items()}},
    }
    return Index(f"{prefix}-{kind.name}", properties, ("project", "key"), kind)


def leases_index(prefix: str) -> Index:
    """One document per lease."""
    return Index(f"{prefix}-leases", {"name": {"type": "keyword"}, "body": _STORED}, ("name",))


def vectors_index(prefix: str) -> Index:
    """One document per vector, and one per encoder with the length that its vectors have."""
    properties = {
        "encoder": {"type": "keyword"},
        "digest": {"type": "keyword"},
        "vector": {"type": "binary"},
        "length": {"type": "integer", "index": False},
    }
    return Index(f"{prefix}-vectors", properties, ("encoder", "digest"))


def neighbours_index(prefix: str, space: str, dimension: int) -> Index:
    """The vectors of one space, for exact kNN. Derived: a changed mapping is filled again by whoever asks."""
    vector: Json = {
        "type": "dense_vector",
        "dims": dimension,
        "index": True,
        "similarity": "max_inner_product",
        "index_options": {"type": "flat"},
    }
    properties = {
        "project": {"type": "keyword"},
        "group": {"type": "keyword"},
        "digest": _STORED,
        "vector": vector,
    }
    return Index(f"{prefix}-neighbours-{digest(space)[:12]}", properties, ("project", "group"))


def document_id(project: str, key: str) -> str:
    """The `_id` of an item, which may have 512 bytes: long keys are hashed. No two items share one."""
    if len(key.encode()) > _MAX_KEY_BYTES:
        return f"{project}#{digest(key)}"
    return f"{project}/{key}"


def source_of(project: str, document: Document) -> Json:
    """The document as it is sent."""
    fields: Json = {field: list(values) for field, values in document.values.items() if values}
    fields.update((field, text) for field, text in document.texts.items() if text)
    return {"project": project, "key": document.key, "body": document.body, "fields": fields}


def version_of(found: Json) -> str:
    """The opaque version of a document that was read or written: index, sequence number and primary term."""
    return f"{found['_index'].rpartition('-')[2]}.{found['_seq_no']}.{found['_primary_term']}"
