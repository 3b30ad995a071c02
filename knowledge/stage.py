"""What a stage of a night is given and what it answers, whoever runs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from errata_client.model import JsonValue
from knowledge.objects import Objects
from knowledge.store import Store

Guard = Callable[[], None]
"""Called before every batch of writes; raises LeaseLostError where the lease is gone."""

Progress = Callable[[int, int | None], None]
"""Called now and then with how much is done, and of how much where that is known."""


def unguarded() -> None:
    """The guard of whoever needs no lease."""


def silent(done: int, total: int | None) -> None:
    """The progress of whoever does not look."""


@dataclass(frozen=True)
class Shift:
    """Where and when a stage works. `now` is the night's `as_of`: the same for a resumed night. Without `objects`, what is
    too long to be kept with a case is lost."""

    store: Store
    project: str
    night_id: str
    now: datetime
    guard: Guard = unguarded
    progress: Progress = silent
    objects: Objects | None = None


@dataclass(frozen=True)
class StageReport:
    """`counts` says what was done; `skipped` what was not looked at, each with a `reason`."""

    counts: dict[str, int] = field(default_factory=dict)
    skipped: tuple[dict[str, JsonValue], ...] = ()
