"""The demo's time: a clock that is set by hand, so that two weeks pass in a minute."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

WEEK = timedelta(days=7)


@dataclass
class Calendar:
    """Two weeks that end at `end`, a midnight; calling it tells the time, `set` moves it."""

    end: datetime
    _now: datetime | None = None

    @classmethod
    def until(cls, now: datetime) -> Calendar:
        """The two weeks before the last midnight, in UTC."""
        return cls(datetime.combine(now.astimezone(UTC).date(), time(), UTC))

    @property
    def first(self) -> datetime:
        """When the first week begins."""
        return self.end - 2 * WEEK

    @property
    def second(self) -> datetime:
        """When the second week begins."""
        return self.end - WEEK

    @property
    def night(self) -> datetime:
        """The night between the weeks, at two."""
        return self.second + timedelta(hours=2)

    @property
    def review(self) -> datetime:
        """The morning after that night, at eight."""
        return self.second + timedelta(hours=8)

    def set(self, now: datetime) -> None:
        """It is `now`."""
        self._now = now

    def __call__(self) -> datetime:
        """The time it is."""
        return self._now or self.first
