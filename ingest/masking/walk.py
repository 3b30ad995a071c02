"""Every text of a model, replaced by a function: one walk over whatever fields it has, used for each pass of masking."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel

from errata_client.model import JsonValue

M = TypeVar("M", bound=BaseModel)
Text = Callable[[str], str]
Under = Callable[[str, JsonValue], JsonValue]
"""A JSON value replaced, given the key under which it stands."""


def replaced(model: M, text: Text, under: Under) -> M:
    """The model with `text` applied to each of its texts and `under` to each JSON value, unknown fields and models within
    it included. Words of a closed set, times and typed numbers stay; so does the model itself where nothing changed."""
    changed: dict[str, Any] = {}
    for name in _open_fields(type(model)):
        given = getattr(model, name)
        made = given if given is None else _part(name, given, text, under)
        if made is not given:
            changed[name] = made
    extra = model.model_extra
    changed.update({text(key): under(key, given) for key, given in (extra or {}).items()})
    if not changed:
        return model
    made_model = model.model_copy(update=changed)
    for key in extra or {}:
        if key not in changed and made_model.model_extra is not None:
            del made_model.model_extra[key]
    return made_model


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
