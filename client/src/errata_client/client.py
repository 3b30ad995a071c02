"""The client: rules in step with the service, decisions without I/O, reports in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

import httpx

from errata_client.cache import BundleCache
from errata_client.decision import Decision
from errata_client.pins import Pinned, Pins
from errata_client.repeating import Repeating
from errata_client.reports import MAX_QUEUE, Fired, Reports
from errata_client.saying import LOGGER, Saying
from errata_client.service import Service
from errata_client.sync import ActiveRules, RuleSync
from errata_client.view import CallView

CLOSE_SECONDS = 2.0


@dataclass(frozen=True)
class ClientStatus:
    """How a client stands: the revision in use (None: no rules) and whence, and what became of its reports."""

    active_revision: int | None
    origin: str | None
    queued: int
    dropped: int
    unanswerable: int


def utc_now() -> datetime:
    """The wall clock."""
    return datetime.now(UTC)


class RuleClient:
    """Applies the reviewed rules of one project to an agent's calls.

    `decide` never waits and never fails: without rules the call passes unchanged. Call `refresh` yourself, or
    `start` to have it done every `poll_seconds` in the background; `wait_seconds` lets the service hold an
    answer back until there is something new. `cache_dir` keeps the last good bundle on disk. `transport`
    and `clock` (aware, any zone) are there to be replaced in tests. Safe to use from many threads.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        project: str,
        cache_dir: Path | str | None = None,
        transport: httpx.BaseTransport | None = None,
        clock: Callable[[], datetime] = utc_now,
        poll_seconds: float = 30.0,
        wait_seconds: float = 0.0,
        report_seconds: float = 5.0,
        max_queue: int = MAX_QUEUE,
        agent: str | None = None,
    ) -> None:
        self._clock = clock
        self._poll_seconds, self._wait_seconds, self._report_seconds = (
            poll_seconds,
            wait_seconds,
            report_seconds,
        )
        self._saying = Saying()
        self._service = Service(url, token, project, transport)
        cache = BundleCache(Path(cache_dir), project) if cache_dir is not None else None
        self._sync = RuleSync(self._service, project, cache, self._saying)
        self._pins = Pins(lambda: self._sync.active)
        self._reports = Reports(self._service, self._saying, agent, max_queue)
        self._threads: list[Repeating] = []

    @property
    def active(self) -> ActiveRules | None:
        """The rules that a new run gets."""
        return self._sync.active

    @property
    def active_revision(self) -> int | None:
        """The revision of the rules that a new run gets; None while there are none."""
        rules = self._sync.active
        return rules.bundle.revision if rules else None

    @property
    def status(self) -> ClientStatus:
        """How the client stands."""
        rules = self._sync.active
        return ClientStatus(
            active_revision=self.active_revision,
            origin=rules.origin if rules else None,
            queued=len(self._reports),
            dropped=self._reports.dropped,
            unanswerable=rules.engine.unanswerable if rules else 0,
        )

    def refresh(self, wait: float = 0.0) -> bool:
        """Ask the service for rules once; whether new ones were activated. Troubles are logged, never raised."""
        return self._sync.refresh(wait)

    def flush(self) -> int:
        """Send the reports that are queued; how many the service took."""
        return self._reports.flush(self.active_revision)

    def pin(self, run_id: str) -> int | None:
        """Pin the rules in use for a run (the first `decide` of a run does it too); their revision."""
        rules = self._pins.of(run_id).rules
        return rules.bundle.revision if rules else None

    def release(self, run_id: str) -> None:
        """The run is over; its pin is forgotten. Without it the latest 10,000 runs stay pinned."""
        self._pins.release(run_id)

    def arm(self, run_id: str) -> str:
        """Whether the run gets rules ("treated") or is one of those that show what happens without ("holdout")."""
        return self._pins.of(run_id).arm

    def decide(self, view: CallView) -> Decision:
        """What becomes of the call; microseconds, no I/O, never an exception."""
        found = self._pins.of(view.run_id)
        if found.rules is None:
            self._saying.once("rules", "there are no rules yet: every call passes unchanged")
            return Decision.passing(view.arguments)
        now = self._clock()
        try:
            decision = found.rules.engine.decide(view, now.astimezone(UTC).date(), withheld=found.withheld)
        except Exception:  # noqa: BLE001 - the edge to the agent: a fault of ours must not stop its work
            LOGGER.exception("deciding on %s failed: the call passes unchanged", view.tool)
            return Decision.passing(view.arguments)
        if decision.fired:
            self._reports.add(self._fired(view, decision, found, found.rules, now))
        if not view.has_context and found.rules.engine.unanswerable:
            self._saying.once(
                "context", "rules that need a run context never fire: make call views with RunContext"
            )
        return decision

    def start(self) -> None:
        """Begin to refresh and report in the background; once."""
        if self._threads:
            return
        pause = self._poll_seconds if not self._wait_seconds else min(self._poll_seconds, 1.0)
        self._threads = [
            Repeating("errata-rules", lambda: self.refresh(self._wait_seconds), pause),
            Repeating("errata-reports", self.flush, self._report_seconds),
        ]

    def close(self) -> None:
        """End the background work, send what is queued if it can be done at once, and close the connections."""
        running, self._threads = self._threads, []
        for thread in running:
            thread.end(CLOSE_SECONDS)
        self.flush()
        self._service.close()

    def __enter__(self) -> RuleClient:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @staticmethod
    def _fired(
        view: CallView, decision: Decision, found: Pinned, rules: ActiveRules, now: datetime
    ) -> list[Fired]:
        """A firing of a rule that this run was not given belongs to the holdout arm."""
        return [
            Fired(
                view,
                firing,
                now,
                rules.bundle.revision,
                "holdout" if firing.rule_id in found.withheld else found.arm,
            )
            for firing in decision.fired
        ]
