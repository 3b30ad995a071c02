"""What is counted: requests by route, and, read from the store at most every few seconds, how the projects stand."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from api.recent import Recent
from ingest.health.intervals import states
from knowledge.errors import StoreUnavailableError
from knowledge.kinds import CASES, NIGHTS, PUBLICATIONS, STAGES, Kind, M
from knowledge.nights import Night, Project
from knowledge.store import Query
from wiring.build import Errata

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
READ_SECONDS = 10.0
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
MAX_AGENTS = 200
MAX_TOOLS = 500


class Metrics:
    """The counters of one app, in a registry of its own."""

    def __init__(self, errata: Errata) -> None:
        self._errata = errata
        self._registry = CollectorRegistry()
        self._read: Recent[bool] = Recent(READ_SECONDS, 1)
        self._agents: set[tuple[str, str]] = set()
        self._children: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._requests = self._counter("http_requests", "requests answered", "route", "method", "status")
        self._seconds = Histogram(
            "errata_http_request_seconds",
            "time to answer, long polls too",
            ["route"],
            registry=self._registry,
        )
        self.not_analysed = self._counter(
            "not_analysed", "records of ingested bodies that could not be read", "project"
        )
        self.spans = self._counter("spans", "spans received over OTLP", "project", "status")
        self.decisions = self._counter("decisions", "decision reports taken in", "project", "status")
        self._up = self._gauge("store_up", "1 if the store answered when it was last read")
        self._cases = self._gauge("cases", "failure cases kept", "project", "error_code")
        self._revision = self._gauge("bundle_revision", "newest revision of the rules", "project")
        self._age = self._gauge("night_age_seconds", "time since the last good night ended", "project")
        self._stale = self._gauge("night_stale", "1 if the last good night is too long ago", "project")
        self._failed = self._gauge("night_failed_stages", "stages of the last night that failed", "project")
        self._skipped = self._gauge(
            "night_not_analysed", "things that the last night did not look at", "project"
        )
        self._tools = self._gauge(
            "tool_up", "1 if every probe of the tool found it up last", "project", "tool"
        )
        self._active = self._gauge(
            "agent_active_revision", "revision that agents reported", "project", "agent"
        )

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """One request was answered."""
        children = self._children.get((route, method, status))
        if children is None:
            known = method if method in METHODS else "OTHER"
            children = self._requests.labels(route, known, str(status)), self._seconds.labels(route)
            if known == method:
                self._children[route, method, status] = children
        children[0].inc()
        children[1].observe(seconds)

    def agent_has(self, project: str, agent: str, revision: int) -> None:
        """An agent said which revision it applies; the first `MAX_AGENTS` names are told apart."""
        if (project, agent) not in self._agents and len(self._agents) >= MAX_AGENTS:
            agent = "others"
        else:
            self._agents.add((project, agent))
        self._active.labels(project, agent).set(revision)

    def exposition(self, now: datetime) -> bytes:
        """All of it in Prometheus' text format. Without the store, the figures read from it stay as they were."""
        if self._read.get("projects", now) is None:
            self._up.set(self._measure_all(now))
            self._read.put("projects", True, now)
        return generate_latest(self._registry)

    def _measure_all(self, now: datetime) -> bool:
        try:
            for project in self._errata.projects():
                self._measure(project, now)
        except StoreUnavailableError:
            return False
        return True

    def _measure(self, project: Project, now: datetime) -> None:
        name = project.project_id
        for tally in self._errata.store.collection(name, CASES).tally(Query(), "error_code"):
            self._cases.labels(name, tally.value).set(tally.count)
        newest = next(self._latest(name, PUBLICATIONS, "revision"), None)
        self._revision.labels(name).set(newest.revision if newest else 0)
        for tool, up in islice(states(self._errata.shift(name)).items(), MAX_TOOLS):
            self._tools.labels(name, tool).set(up)
        self._measure_nights(project, now)

    def _measure_nights(self, project: Project, now: datetime) -> None:
        name = project.project_id
        last = next(self._latest(name, NIGHTS, "started_at"), None)
        good = next(self._latest(name, NIGHTS, "started_at", status="done"), None)
        self._age.labels(name).set(_age(good, now) if good else float("nan"))
        self._stale.labels(name).set(is_stale(project, good, self._errata.settings.stale_night_hours, now))
        if last is not None:
            stages = list(self._latest(name, STAGES, "position", night_id=last.night_id))
            self._failed.labels(name).set(sum(stage.status == "failed" for stage in stages))
            self._skipped.labels(name).set(sum(len(stage.skipped) for stage in stages))

    def _latest(self, project: str, kind: Kind[M], by: str, **where: str) -> Iterator[M]:
        query = Query(where=where, sort=by, descending=True)
        page = self._errata.store.collection(project, kind).find(query, limit=50)
        return (stored.item for stored in page.items)

    def _gauge(self, name: str, told: str, *labels: str) -> Gauge:
        return Gauge(f"errata_{name}", told, labels, registry=self._registry)

    def _counter(self, name: str, told: str, *labels: str) -> Counter:
        return Counter(f"errata_{name}", told, labels, registry=self._registry)


def is_stale(project: Project, good: Night | None, hours: float, now: datetime) -> bool:
    """Whether the last good night ended, or, where there was none, the project was made, over `hours` ago."""
    since = (good.ended_at or good.started_at) if good else project.created_at
    return (now - since).total_seconds() > hours * 3600


def _age(good: Night, now: datetime) -> float:
    return (now - (good.ended_at or good.started_at)).total_seconds()
