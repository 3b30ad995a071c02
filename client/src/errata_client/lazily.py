"""A property that is worked out once, when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazily(Generic[T]):  # noqa: N801 - used as a decorator
    """As `functools.cached_property`, which until Python 3.12 takes a lock each time: threads that ask at once may both
    work it out, and get the same."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make, self.__doc__ = make, make.__doc__
        self._name = make.__name__

    @overload
    def __get__(self, owner: None, kind: type) -> lazily[T]: ...
    @overload
    def __get__(self, owner: object, kind: type) -> T: ...
    def __get__(self, owner: object | None, kind: type) -> T | lazily[T]:
        """The value, which takes the property's place on `owner`."""
        if owner is None:
            return self
        value = owner.__dict__[self._name] = self._make(owner)
        return value
