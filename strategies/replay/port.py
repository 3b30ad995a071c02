"""The replayer's port: a tool called for real, to see whether a rewritten call works."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from errata_client.model import JsonValue
from knowledge.errors import ErrataError


class ReplayError(ErrataError):
    """No answer could be had of the tool: nothing is known of the call."""

    code = "replay_failed"


@dataclass(frozen=True)
class MadeCall:
    """A call that a run made before, with its arguments as they went out, and whether it worked."""

    tool: str
    arguments: dict[str, JsonValue]
    ok: bool


@dataclass(frozen=True)
class ReplayRequest:
    """A call to be made for real: what a run on `task_id` had done before (`earlier`, in order, so that the tool's
    state can be made again), and the call as a rule would have it."""

    run_id: str
    task_id: str | None
    tool: str
    arguments: dict[str, JsonValue]
    earlier: tuple[MadeCall, ...] = ()


@dataclass(frozen=True)
class Replayed:
    """What the tool answered: whether it worked, and the answer or error as text."""

    ok: bool
    text: str


class Replayer(Protocol):
    """Calls tools for real. Only ever asked about tools that it says are safe."""

    def is_safe(self, tool: str) -> bool:
        """Whether `tool` may be called to see what it answers: it changes nothing, or only a world of its own."""
        ...

    def replay(self, request: ReplayRequest) -> Replayed:
        """Make the call. A tool that fails is an answer (`ok` false); ReplayError where no answer could be had."""
        ...
