"""Cutting a stream into lists of a bounded length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items in order, in lists of `size`, the last one shorter; reads no further than it must."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
