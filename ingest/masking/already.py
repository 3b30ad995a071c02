"""For what is masked already: masking a placeholder once more would give another one."""

from __future__ import annotations

from errata_client.model import JsonValue
from errata_client.run import Run
from ingest.masking.masker import Masker
from ingest.masking.walk import M


class AlreadyMasked(Masker):
    """A masker that leaves everything as it is, and counts nothing."""

    def __init__(self) -> None:
        super().__init__(b"")

    def text(self, text: str) -> str:
        """`text` itself."""
        return text

    def value(self, value: JsonValue) -> JsonValue:
        """`value` itself."""
        return value

    def run(self, run: Run) -> Run:
        """The run itself."""
        return run

    def model(self, model: M) -> M:
        """The model itself."""
        return model
