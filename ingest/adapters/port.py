"""What an adapter is: it recognises a source by its content and reads runs out of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from errata_client.model import Model
from errata_client.run import Run
from ingest.adapters.records import Opening


class NotAnalysed(Model):
    """Something of a source that was left out: where it stood ("record 17", "line 17, message 3") and why."""

    position: str
    reason: str


class RecordError(ValueError):
    """A record that cannot be read as a run; the text says what is wrong with it."""


@dataclass(frozen=True)
class Recognition:
    """Which adapter reads a source, and what it was recognised by."""

    adapter: Adapter
    why: str


class Adapter(Protocol):
    """A kind of source. `looks_for` says in words what it is recognised by."""

    name: str
    looks_for: str

    def recognises(self, opening: Opening) -> str | None:
        """Why this is its kind of source, or None."""
        ...

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """Its runs one by one, and what could not be read. Never raises for what a file holds, and never cuts a text:
        masking comes after it, and half a secret is not known as one."""
        ...
