"""What a stage of the night is, and what a night reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from errata_client.model import Model, UtcDatetime
from knowledge.ids import digest
from knowledge.nights import StageRecord
from knowledge.stage import Shift, StageReport
from wiring.build import Errata

LEASE = "nightly:{project}"
Work = Callable[[Errata, Shift], StageReport]


@dataclass(frozen=True)
class Stage:
    """One link of the chain. It runs only where every stage in `needs` is done."""

    name: str
    work: Work
    needs: tuple[str, ...] = ()


class NightReport(Model):
    """How a night went. `resumed`: it had been begun before. `stages` are in their order, whether they ran or not."""

    night_id: str
    project: str
    as_of: UtcDatetime
    status: Literal["done", "failed"]
    resumed: bool
    started_at: UtcDatetime
    ended_at: UtcDatetime
    stages: tuple[StageRecord, ...]
    attributed: dict[str, int]
    drafted: int


def night_id(project: str, as_of: UtcDatetime) -> str:
    """The id of the night of a project at a moment: a night run again is the same night."""
    return digest("night", project, as_of.isoformat())
