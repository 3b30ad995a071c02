"""The arguments of a Python call by their names, and the call made again with other ones."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from errata_client.jsontext import plain
from errata_client.model import JsonValue

_NAMED = {inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD}


class Parameters:
    """The names that a function gives to what it is called with."""

    def __init__(self, function: Callable[..., Any]) -> None:
        found = list(inspect.signature(function).parameters.values())
        self.positional = [parameter.name for parameter in found if parameter.kind in _NAMED]
        self.unnamed = {
            parameter.name for parameter in found if parameter.kind is inspect.Parameter.POSITIONAL_ONLY
        }
        self.has_owner = self.positional[:1] in (["self"], ["cls"])

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BoundCall:
        """The call, its positional arguments named. Names that the function does not know are kept: a rule may
        mend them before the function sees them."""
        owner = args[:1] if self.has_owner else ()
        names = self.positional[len(owner) :]
        given = args[len(owner) :]
        named = dict(zip(names, given, strict=False))
        if named.keys() & kwargs.keys():
            names, named, rest = [], {}, given  # given twice: let the function say so
        else:
            rest = given[len(names) :]
        return BoundCall(owner, names, {**named, **kwargs}, rest, len(given) if rest else 0, self.unnamed)


class BoundCall:
    """One call: what it was given by name, and what is passed on beside that."""

    def __init__(
        self,
        owner: tuple[Any, ...],
        names: list[str],
        values: dict[str, Any],
        rest: tuple[Any, ...],
        leading: int,
        unnamed: set[str],
    ) -> None:
        self._owner, self._names, self._values, self._rest = owner, names, values, rest
        self._leading, self._unnamed = leading, unnamed
        self.arguments: dict[str, JsonValue] = {name: plain(value) for name, value in values.items()}

    def with_arguments(self, arguments: dict[str, JsonValue]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments; what did not change is the very object that was given."""
        values = {
            name: self._values[name] if name in self._values and self.arguments[name] == value else value
            for name, value in arguments.items()
        }
        leading = [
            values.pop(name)
            for place, name in enumerate(self._names)
            if name in values and (place < self._leading or name in self._unnamed)
        ]
        return (*self._owner, *leading, *self._rest), values
