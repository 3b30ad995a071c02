"""The port of a language model, which may help and never decides."""

from __future__ import annotations

from typing import Protocol

from knowledge.errors import ErrataError

MAX_ANSWER = 64 * 1024


class ModelError(ErrataError):
    """The model could not be asked, or its answer could not be used."""

    code = "model"


class LanguageModel(Protocol):
    """A language model that answers one question with one JSON object."""

    @property
    def name(self) -> str:
        """What it is called where it is served."""
        ...

    def ask(self, system: str, data: str) -> str:
        """Its answer, at most MAX_ANSWER characters; ModelError where there is none."""
        ...
