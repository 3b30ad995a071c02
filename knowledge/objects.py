"""The port of the object store: texts too long to be kept with a case, named by their content."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from errata_client.model import Model


class Payload(Model):
    """A text of a run that is kept apart, masked and whole. `where` is its place in the run (/steps/3/observation);
    `digest` the SHA-256 of its UTF-8 bytes, and its name in the object store; `length` counts its characters, `size` its
    bytes; `excerpt` is how it begins."""

    where: str
    digest: str
    length: int
    size: int
    excerpt: str


class Objects(Protocol):
    """Bytes by their digest, project by project. Where the place does not answer: StoreUnavailableError."""

    def put(self, project: str, data: bytes) -> str:
        """Keep them, and answer their SHA-256 in hex. The same bytes again change nothing; they appear whole or not at
        all."""
        ...

    def get(self, project: str, digest: str) -> bytes:
        """The bytes; NotFoundError where there are none, or where they are no longer what their name says."""
        ...

    def missing(self, project: str, digests: Iterable[str]) -> list[str]:
        """Those of the digests under which there is nothing."""
        ...

    def ping(self) -> str:
        """Where it is, for messages; it could be reached."""
        ...
