"""One stage of one night, with its checkpoint: what is done stays done, what was cut short runs again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import structlog

from jobs.lease import LeaseGuard
from jobs.night import Stage
from knowledge.errors import ErrataError, LeaseLostError, StoreUnavailableError
from knowledge.kinds import STAGES
from knowledge.nights import Night, StageRecord
from knowledge.stage import Shift, StageReport
from wiring.build import Errata

logger = structlog.get_logger(__name__)


class Watcher(Protocol):
    """Whoever wants to see a night go on."""

    def began(self, stage: str, position: int, stages: int) -> None:
        """A stage starts; `position` counts from 1."""
        ...

    def moved(self, done: int, total: int | None) -> None:
        """The stage that began last has done so much, of so much where that is known."""
        ...

    def ended(self, record: StageRecord) -> None:
        """A stage is done, failed or skipped; or was done before."""
        ...


class Unwatched:
    """The watcher of a night that nobody looks at."""

    def began(self, stage: str, position: int, stages: int) -> None:
        """Nobody looks."""

    def moved(self, done: int, total: int | None) -> None:
        """Nobody looks."""

    def ended(self, record: StageRecord) -> None:
        """Nobody looks."""


@dataclass(frozen=True)
class Checkpoints:
    """Runs stages of one night and writes what became of each. The guard is asked before every write."""

    errata: Errata
    project: str
    night: Night
    guard: LeaseGuard
    watcher: Watcher

    def run(self, stage: Stage, position: int, before: Mapping[str, StageRecord]) -> StageRecord:
        """The stage's record: as found if it was done before, else after it was run or skipped.

        LeaseLostError and StoreUnavailableError end the night where it is, to be resumed: what failed is not the stage.
        """
        found = self._stored(stage)
        if found is not None and found.status == "done":
            return found
        record = StageRecord(
            night_id=self.night.night_id,
            position=position,
            stage=stage.name,
            status="running",
            started_at=self.errata.clock(),
            fencing_token=self.guard.lease.token,
        )
        unmet = [name for name in stage.needs if before[name].status != "done"]
        if unmet:
            return self._end(record, "skipped", error=_unmet(before, unmet))
        self._write(record)
        return self._work(stage, record)

    def _work(self, stage: Stage, record: StageRecord) -> StageRecord:
        try:
            report = stage.work(self.errata, self._shift())
        except (LeaseLostError, StoreUnavailableError):
            raise
        except ErrataError as error:
            return self._end(record, "failed", error=str(error))
        except Exception as error:  # a fault in one stage must not take the others' work away
            logger.exception(
                "stage_failed", stage=stage.name, project=self.project, night=self.night.night_id
            )
            return self._end(record, "failed", error=f"{type(error).__name__}: {error}")
        return self._end(record, "done", report)

    def _shift(self) -> Shift:
        return self.errata.shift(
            self.project,
            self.night.as_of,
            night_id=self.night.night_id,
            guard=self.guard,
            progress=self._moved,
        )

    def _moved(self, done: int, total: int | None) -> None:
        """Long work between two writes keeps the lease too."""
        self.guard()
        self.watcher.moved(done, total)

    def _end(
        self, record: StageRecord, status: str, report: StageReport | None = None, error: str | None = None
    ) -> StageRecord:
        said = report or StageReport()
        ended = StageRecord.model_validate(
            {
                **record.model_dump(),
                "status": status,
                "ended_at": self.errata.clock(),
                "fencing_token": self.guard.lease.token,
                "counts": said.counts,
                "skipped": said.skipped,
                "error": error,
            }
        )
        self._write(ended)
        return ended

    def _write(self, record: StageRecord) -> None:
        self.guard()
        self.errata.store.collection(self.project, STAGES).put_many([record])

    def _stored(self, stage: Stage) -> StageRecord | None:
        key = f"{self.night.night_id}:{stage.name}"
        found = self.errata.store.collection(self.project, STAGES).get(key)
        return found.item if found else None


def _unmet(before: Mapping[str, StageRecord], unmet: list[str]) -> str:
    return "; ".join(f"needs {name}, which was {before[name].status}" for name in unmet)
