"""Results of probes made into intervals, and the question whether a tool was down at a moment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from knowledge.errors import StaleError
from knowledge.health import MAX_DETAIL, HealthInterval, ProbeResult
from knowledge.ids import digest
from knowledge.kinds import HEALTH
from knowledge.stage import Shift
from knowledge.store import Collection, Query, Range, Stored

MINUTE = timedelta(minutes=1)
TRIES = 5


def record_results(shift: Shift, results: Iterable[ProbeResult]) -> int:
    """Keep what probes saw (masked), oldest first; how many of the results told something new, counted for each tool.
    A result that came before is nothing new, and one from before the interval that goes on is too late."""
    collection = shift.store.collection(shift.project, HEALTH)
    ordered = sorted(results, key=lambda result: result.at)
    return sum(
        _record(collection, result, tool) for result in ordered for tool in dict.fromkeys(result.tools)
    )


def _record(collection: Collection[HealthInterval], result: ProbeResult, tool: str) -> bool:
    for _ in range(TRIES):
        latest = _latest(collection, result.probe, tool)
        if latest is not None and result.at <= latest.item.until:
            return False
        try:
            _write(collection, latest, result, tool)
        except StaleError:
            continue
        return True
    raise StaleError(f"the health of {tool} is being changed by others all the time; report it again")


def _write(
    collection: Collection[HealthInterval],
    latest: Stored[HealthInterval] | None,
    result: ProbeResult,
    tool: str,
) -> None:
    state = "up" if result.up else "down"
    if latest is not None and latest.item.state == state:
        longer = {"until": result.at, "checks": latest.item.checks + 1}
        collection.put(latest.item.model_copy(update=longer), latest.version)
        return
    if latest is not None:
        collection.put(latest.item.model_copy(update={"until": result.at, "ended": True}), latest.version)
    begun = HealthInterval(
        interval_id=digest(result.probe, tool, result.at.isoformat()),
        probe=result.probe,
        tool=tool,
        state=state,
        since=result.at,
        until=result.at,
        detail=result.detail[:MAX_DETAIL],
    )
    collection.put_many([begun])


def _latest(collection: Collection[HealthInterval], probe: str, tool: str) -> Stored[HealthInterval] | None:
    query = Query(where={"probe": probe, "tool": tool}, sort="since", descending=True)
    return next(iter(collection.find(query, limit=1).items), None)


def outages(
    shift: Shift, since: datetime | None = None, until: datetime | None = None
) -> tuple[HealthInterval, ...]:
    """The stretches in which tools were down, of those that reach into the time asked about."""
    ranges = {"until": Range(since - MINUTE if since else None, None), "since": Range(None, until)}
    query = Query(where={"state": "down"}, ranges=ranges, sort="since")
    return tuple(stored.item for stored in shift.store.collection(shift.project, HEALTH).scan(query))


def bounds(outage: HealthInterval) -> tuple[datetime, datetime]:
    """The minutes that count as down, as [first, end): from the one of the first bad result to the one before the first
    good result, or to the end of the one of the last bad result."""
    first, last = _minute(outage.since), _minute(outage.until)
    return first, max(last, first + MINUTE) if outage.ended else last + MINUTE


def outage_at(found: Sequence[HealthInterval], tool: str | None, moment: datetime) -> HealthInterval | None:
    """The outage of the tool in the minute of `moment`, if there was one."""
    for outage in found:
        first, end = bounds(outage)
        if outage.tool == tool and first <= moment < end:
            return outage
    return None


def states(shift: Shift) -> dict[str, bool]:
    """Of each tool that is probed, whether the latest result of every probe of it found it up."""
    found: dict[str, dict[str, bool]] = {}
    for stored in shift.store.collection(shift.project, HEALTH).scan(Query(sort="since")):
        interval = stored.item
        found.setdefault(interval.tool, {})[interval.probe] = interval.state == "up"
    return {tool: all(probes.values()) for tool, probes in sorted(found.items())}


def _minute(moment: datetime) -> datetime:
    return moment.replace(second=0, microsecond=0)
