"""Texts of a run cut to a length that can be analysed and kept with its cases."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from errata_client.jsontext import as_text
from errata_client.model import JsonValue
from errata_client.provenance import MAX_TEXT
from errata_client.run import Run

M = TypeVar("M", bound=BaseModel)

MAX_LENGTH = MAX_TEXT + 1024
"""Characters of one text. More than a run's sources keep: so provenance knows that something was forgotten, and calls
a value that it does not find unknown rather than invented."""

MAX_ARGUMENT = 64 * 1024
"""Characters of one text among the arguments of a call, and of any other: they are kept with every case and reference
call."""

MAX_VIEWED = 16 * 1024
"""Characters of a thought or of an output as the agent wrote it: views keep them."""

_LIMITS = {
    "prompt": MAX_LENGTH,
    "user_intent": MAX_LENGTH,
    "user_input": MAX_LENGTH,
    "message": MAX_LENGTH,
    "observation": MAX_LENGTH,
    "thought": MAX_VIEWED,
    "raw_output": MAX_VIEWED,
}
"""By the name of the field; MAX_ARGUMENT for all others."""


@dataclass(frozen=True)
class Cut:
    """A text that was cut: where in the run it stands (/steps/3/observation), and all of it."""

    where: str
    text: str


def bounded(run: Run) -> tuple[Run, tuple[Cut, ...]]:
    """The run with its longer texts cut, and what those were. The same run where none is too long."""
    if _fits(run, ""):
        return run, ()
    cutting = _Cutting()
    return cutting.model(run, ""), tuple(cutting.cuts)


def _fits(value: Any, name: str) -> bool:
    """Whether nothing in `value`, which stands under `name`, is too long. Most runs are looked through no further."""
    if isinstance(value, str):
        return len(value) <= MAX_VIEWED or len(value) <= _LIMITS.get(name, MAX_ARGUMENT)
    if isinstance(value, BaseModel):
        extra = value.__pydantic_extra__
        return _all_fit(value.__dict__.items()) and (not extra or _all_fit(extra.items()))
    if isinstance(value, dict | list) and name == "observation":
        return len(as_text(value)) <= MAX_LENGTH
    if isinstance(value, dict):
        return _all_fit(value.items())
    if isinstance(value, list | tuple):
        return _all_fit(("", below) for below in value)
    return True


def _all_fit(held: Iterable[tuple[str, Any]]) -> bool:
    for name, below in held:
        kind = below.__class__
        if kind in _SMALL or (kind is str and len(below) <= MAX_VIEWED):
            continue
        if not _fits(below, name):
            return False
    return True


_SMALL = frozenset({type(None), bool, int, float})


class _Cutting:
    """One walk over a run: whatever had nothing to cut stays as it was."""

    def __init__(self) -> None:
        self.cuts: list[Cut] = []

    def model(self, model: M, where: str) -> M:
        changed = {
            name: made
            for given in (model.__dict__, model.model_extra or {})
            for name, value in given.items()
            if value is not None
            and not isinstance(value, int | float)
            and (made := self.part(value, name, where)) is not value
        }
        return model.model_copy(update=changed) if changed else model

    def part(self, value: Any, name: str, where: str) -> Any:
        limit = _LIMITS.get(name, MAX_ARGUMENT)
        if isinstance(value, str):
            return value if len(value) <= limit else self._cut(value, f"{where}/{name}", limit)
        place = f"{where}/{name}"
        if isinstance(value, BaseModel):
            return self.model(value, place)
        if name == "observation" and isinstance(value, dict | list):
            return self._answer(value, place, limit)
        if isinstance(value, dict):
            made = {key: self.part(below, key, place) for key, below in value.items()}
            return made if any(made[key] is not value[key] for key in value) else value
        if isinstance(value, list | tuple):
            items = [self.part(below, str(index), place) for index, below in enumerate(value)]
            same = all(item is below for item, below in zip(items, value, strict=True))
            return value if same else type(value)(items)
        return value

    def _answer(self, value: JsonValue, place: str, limit: int) -> JsonValue:
        """A tool's answer in JSON is measured as text; a longer one is kept as the beginning of that."""
        text = as_text(value)
        return self._cut(text, place, limit) if len(text) > limit else value

    def _cut(self, text: str, place: str, limit: int) -> str:
        if len(text) <= limit:
            return text
        self.cuts.append(Cut(place, text))
        return text[:limit]
