"""What an action answers: an effect on the call, or None where it cannot be done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from errata_client.model import JsonValue
from errata_client.view import CallView

StopOutcome = Literal["block", "require_call", "confirm", "replan"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A rule whose trigger matched: the view, the arguments as earlier rules left them, and the captures."""

    view: CallView
    arguments: dict[str, JsonValue]
    captures: Sequence[str | None]


@dataclass(frozen=True, slots=True)
class Changed:
    """The call goes out with these arguments."""

    arguments: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Stopped:
    """The call does not go out; `text` is for the model."""

    outcome: StopOutcome
    text: str
    require_tool: str | None = None


@dataclass(frozen=True, slots=True)
class Hinted:
    """The call goes out; `text` is for the model."""

    text: str


@dataclass(frozen=True, slots=True)
class Again:
    """The same call again, at most `attempts` more times, `delay_ms` apart and doubling."""

    attempts: int
    delay_ms: int


Effect: TypeAlias = Changed | Stopped | Hinted | Again
Apply: TypeAlias = "Callable[[Hit], Effect | None]"
"""None: it cannot be done here (the place is taken, no number is found, nothing would change)."""
