"""Patterns over the fields of a call view: RE2 throughout, over UTF-8 bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias, cast

import re2

from errata_client.jsontext import as_text
from errata_client.model import JsonValue
from errata_client.pointer import MISSING, Missing, get, pointer_of
from errata_client.rule import compiled
from errata_client.view import CallView

MEMORY_LEAST = 16 << 20
MEMORY_PER_PATTERN = 128 << 10
MEMORY_MOST = 1 << 30

Read: TypeAlias = Callable[[CallView, "dict[str, JsonValue]"], "str | None"]


def encoded(text: str) -> bytes:
    """UTF-8; a lone surrogate, which UTF-8 cannot hold, becomes `?`."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace")


class Pattern:
    """One compiled pattern, to be searched in texts."""

    def __init__(self, pattern: str) -> None:
        self._regexp = compiled(pattern)

    def found(self, text: str) -> bool:
        """Whether it matches anywhere in `text`."""
        return self._regexp.search(encoded(text)) is not None

    def captures(self, text: str) -> tuple[str | None, ...] | None:
        """The whole match and then each group (None where it took no part), or None without a match."""
        match = self._regexp.search(encoded(text))
        if match is None:
            return None
        return tuple(
            None if group is None else group.decode(errors="replace")
            for group in (match.group(0), *match.groups())
        )


def pattern_set(patterns: Sequence[str]) -> Callable[[str | bytes], Sequence[int] | None]:
    """All `patterns` as one set, asked once for a text: the places of those that match, in no order, or None.

    A text with a lone surrogate raises UnicodeEncodeError: ask again with it `encoded`.
    Its memory is a limit, not taken up front; too little of it and RE2 would silently find nothing.
    """
    options = re2.Options()
    options.log_errors = False
    options.max_mem = min(MEMORY_MOST, MEMORY_LEAST + MEMORY_PER_PATTERN * len(patterns))
    found = re2.Set.SearchSet(options)
    for pattern in patterns:
        found.Add(pattern)
    found.Compile()

    match: Callable[[str | bytes], Sequence[int] | None] = found.Match
    return match


def reader(field: str) -> Read:
    """How the text of a rule's field is read: a string as it is, other JSON as compact text, None if absent."""
    if not field.startswith("args."):
        return lambda view, _: getattr(view, field)
    pointer, name = pointer_of(field), argument_name(field)
    if name:
        return lambda _, arguments: _text(arguments.get(name, MISSING))
    return lambda _, arguments: _text(get(arguments, pointer))


def argument_name(field: str) -> str:
    """The name of a top-level argument ("args.order_id" -> "order_id"); "" for any other field."""
    name = field.removeprefix("args.")
    return "" if name == field or "/" in name or "~" in name else name


def _text(value: JsonValue | Missing) -> str | None:
    return None if value is MISSING else as_text(value)


def filled(template: str, captures: Sequence[str | None]) -> str | None:
    """`template` with its captures, doubled braces made single; None where a capture took no part."""
    found = [part if isinstance(part, str) else captures[part] for part in _template_parts(template)]
    return None if None in found else "".join(cast("list[str]", found))


@lru_cache(maxsize=4_096)
def _template_parts(template: str) -> tuple[str | int, ...]:
    """The literal texts and capture numbers of a template that check_template has let through."""
    parts: list[str | int] = []
    at = 0
    while at < len(template):
        character = template[at]
        if character in "{}" and template[at : at + 2] == character * 2:
            parts.append(character)
            at += 2
        elif character == "{":
            end = template.index("}", at)
            parts.append(int(template[at + 1 : end]))
            at = end + 1
        else:
            parts.append(character)
            at += 1
    return tuple(parts)
