"""An item as a store writes it, or why it cannot be written. Pure; the same for every engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from errata_client.faults import faults_told
from knowledge.errors import BadInputError, StoreUnavailableError
from knowledge.fields import Scalar, is_unicode, values_at, values_in
from knowledge.kinds import Kind, M, key_of
from knowledge.store import ItemResult
from knowledge.words import tokens

MAX_KEY_BYTES = 4096


@dataclass(frozen=True)
class Document:
    """`body` is the whole item as JSON; `values` and `texts` are what it is found by (texts as spaced tokens)."""

    key: str
    body: str
    values: Mapping[str, tuple[Scalar, ...]]
    texts: Mapping[str, str]


def document_of(kind: Kind[M], item: M) -> Document:
    """The document of an item; BadInputError says why there can be none."""
    key = checked_key(key_of(kind, item))
    try:
        body = item.model_dump_json()
    except PydanticSerializationError as error:
        raise BadInputError(f"{kind.name} {key}: cannot be written as JSON: {error}") from error
    if "\ufffd" in body and not _sayable(item.model_dump()):
        raise BadInputError(
            f"{kind.name} {key}: a name in it holds half of a surrogate pair, which is no text"
        )
    values = {}
    texts = {}
    for field, form in kind.fields.items():
        found = values_at(item, field)
        if form == "text":
            texts[field] = _tokenised(" ".join(map(str, found)))
        else:
            values[field] = values_in(field, form, found)
    return Document(key=key, body=body, values=values, texts=texts)


@lru_cache(maxsize=1024)
def _tokenised(text: str) -> str:
    """The tokens of a text; the same messages come again and again."""
    return " ".join(tokens(text))


def document_or_refusal(kind: Kind[M], item: M) -> Document | ItemResult:
    """The document, or the result that a bulk report gives for it."""
    try:
        return document_of(kind, item)
    except BadInputError as error:
        return ItemResult(key=printable(key_of(kind, item)), status="refused", reason=printable(str(error)))


def _sayable(value: Any) -> bool:
    """Whether all names in it are text: the JSON writer puts U+FFFD for what is not, instead of refusing it."""
    if isinstance(value, dict):
        return all(is_unicode(str(name)) and _sayable(inner) for name, inner in value.items())
    return not isinstance(value, list | tuple) or all(map(_sayable, value))


def checked_key(key: str) -> str:
    """The key; BadInputError where no store can keep it."""
    if not is_unicode(key):
        raise BadInputError(f"the id {printable(key)[:80]} holds half of a surrogate pair, which is no text")
    if len(key.encode()) > MAX_KEY_BYTES:
        raise BadInputError(f"the id {key[:80]}… is longer than {MAX_KEY_BYTES} bytes; shorten it")
    return key


def is_key(key: str) -> bool:
    """Whether a store could have an item by this key."""
    return is_unicode(key) and len(key.encode()) <= MAX_KEY_BYTES


def printable(text: str) -> str:
    """The text with halves of surrogate pairs written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def item_of(kind: Kind[M], key: str, body: str) -> M:
    """The item a body says; StoreUnavailableError where this version of the model cannot read it."""
    try:
        return kind.model.model_validate_json(body)
    except ValidationError as error:
        raise StoreUnavailableError(
            f"{kind.name} {key}: what is stored cannot be read by this version of Errata "
            f"({faults_told(error, most=1)}); run the version that wrote it"
        ) from error


def lost_growth(kind: Kind[Any], stored: Any, new: Any) -> str | None:
    """Why `new` may not replace `stored`: an append-only field that does not begin with what is stored."""
    for name in kind.append_only:
        before, after = getattr(stored, name), getattr(new, name)
        if after[: len(before)] != before:
            return f"{name} only grows: the {len(before)} entries that are stored must stand at its beginning"
    return None
