"""Every text of a model, replaced by a function: one walk over whatever fields it has, used for each pass of masking."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel

from errata_client.model import JsonValue, changed

M = TypeVar("M", bound=BaseModel)
Text = Callable[[str], str]
Under = Callable[[str, JsonValue], JsonValue]
"""A JSON value replaced, given the key under which it stands."""


def replaced(model: M, text: Text, under: Under) -> M:
    """The model with `text` applied to each of its texts and `under` to each JSON value, unknown fields and models within
    it included. Words of a closed set, times and typed numbers stay; so does the model itself where nothing changed."""
    made_fields: dict[str, Any] = {}
    held = model.__dict__
    for name in _open_fields(type(model)):
        given = held[name]
        if given is not None and (made := _part(name, given, text, under)) is not given:
            made_fields[name] = made
    extra = model.__pydantic_extra__
    if extra:
        return _with_extra(model, made_fields, {text(key): under(key, given) for key, given in extra.items()})
    return changed(model, made_fields) if made_fields else model


def _with_extra(model: M, fields: dict[str, Any], extra: dict[str, Any]) -> M:
    """The model with these fields, and of unknown ones just these."""
    made = model.model_copy(update={**fields, **extra})
    for key in model.model_extra or {}:
        if key not in extra and key not in fields and made.model_extra is not None:
            del made.model_extra[key]
    return made


def _part(name: str, given: Any, text: Text, under: Under) -> Any:
    if isinstance(given, str):
        return text(given)
    if isinstance(given, BaseModel):
        return replaced(given, text, under)
    if isinstance(given, tuple) and given and isinstance(given[0], BaseModel):
        return tuple(replaced(item, text, under) for item in given)
    if isinstance(given, tuple):
        return tuple(_part(name, item, text, under) for item in given)
    if isinstance(given, dict):
        return {text(key): under(key, below) for key, below in given.items()}
    return under(name, given) if isinstance(given, list) else given


@lru_cache(maxsize=256)
def _open_fields(kind: type[BaseModel]) -> tuple[str, ...]:
    """The fields that may hold text: not those of closed sets, times, numbers and flags."""
    return tuple(name for name, field in kind.model_fields.items() if _is_open(field.annotation))


def _is_open(annotation: Any) -> bool:
    if get_origin(annotation) is Literal or annotation in (int, float, bool, type(None)):
        return False
    parts = get_args(annotation)
    if get_origin(annotation) in (tuple, list, dict) or not parts:
        return "datetime" not in str(annotation)
    return any(_is_open(part) for part in parts)
