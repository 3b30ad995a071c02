"""Reports of what fired: queued without waiting, sent in batches, dropped before they block an agent."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from errata_client.decision import Arm, DecisionReport, Firing
from errata_client.jsontext import canonical, plain
from errata_client.saying import Saying
from errata_client.service import Service, ServiceError
from errata_client.view import CallView

MAX_QUEUE = 10_000
BATCH = 200
MALFORMED = {400, 413, 422}
"""Answers that the same reports will always get."""


@dataclass(frozen=True, slots=True)
class Fired:
    """A firing as it is queued; the report is made of it when it is sent."""

    view: CallView
    firing: Firing
    at: datetime
    revision: int
    arm: Arm


def report_of(fired: Fired, agent: str | None) -> DecisionReport:
    """The report, its id derived from all that it says."""
    firing = fired.firing
    report = DecisionReport(
        report_id="",
        run_id=fired.view.run_id,
        step_id=fired.view.step_id,
        tool=fired.view.tool,
        at=fired.at,
        bundle_revision=fired.revision,
        arm=fired.arm,
        firing=firing.model_copy(update={"before": plain(firing.before), "after": plain(firing.after)}),
        agent=agent,
    )
    said = canonical(report.model_dump(mode="json", exclude={"report_id"}))
    digest = hashlib.sha256(said.encode(errors="replace")).hexdigest()[:32]
    return report.model_copy(update={"report_id": digest})


class Reports:
    """A bounded queue in front of the service."""

    def __init__(self, service: Service, saying: Saying, agent: str | None, limit: int = MAX_QUEUE) -> None:
        self._service, self._saying, self._agent, self._limit = service, saying, agent, limit
        self._queue: deque[Fired] = deque()
        self._lock = Lock()
        self._sending = Lock()
        self._told_revision: int | None = None
        self.dropped = 0

    def __len__(self) -> int:
        return len(self._queue)

    def add(self, firings: Iterable[Fired]) -> None:
        """Queue firings; those for which there is no room are counted in `dropped`."""
        with self._lock:
            for fired in firings:
                if len(self._queue) < self._limit:
                    self._queue.append(fired)
                else:
                    self.dropped += 1

    def flush(self, active_revision: int | None) -> int:
        """Send what is queued, in batches, and the revision in use where the service does not know it yet.

        The number of reports taken. What the service could not take now stays queued; what it refused is dropped.
        """
        with self._sending:
            sent = 0
            while self._queue or active_revision != self._told_revision:
                batch = self._batch()
                if not self._send(batch, active_revision):
                    break
                sent += len(batch)
            return sent

    def _send(self, batch: list[Fired], active_revision: int | None) -> bool:
        reports = [report_of(fired, self._agent) for fired in batch]
        try:
            refused = self._service.report(reports, active_revision, self._agent)
        except ServiceError as error:
            self._saying.once(f"reports {error.status}", f"reports of decisions were not taken ({error})")
            if error.status in MALFORMED:
                self._remove(batch, dropped=len(batch))
            return False
        self._remove(batch, dropped=refused)
        self._told_revision = active_revision
        self._saying.over("reports")
        return True

    def _batch(self) -> list[Fired]:
        with self._lock:
            return [self._queue[at] for at in range(min(BATCH, len(self._queue)))]

    def _remove(self, batch: list[Fired], *, dropped: int) -> None:
        with self._lock:
            self.dropped += dropped
            for _ in batch:
                self._queue.popleft()
