from __future__ import annotations

from datetime import UTC, datetime

import pytest

from knowledge.errors import BadInputError
from wiring.cron import cron_trigger

THURSDAY = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)


def firings(cron: str, times: int, timezone: str = "UTC") -> list[str]:
    trigger, found, now = cron_trigger(cron, timezone), [], THURSDAY
    for _ in range(times):
        now = trigger.get_next_fire_time(now, now)
        found.append(now.astimezone(UTC).strftime("%a %d %H:%M"))
    return found


@pytest.mark.parametrize(
    ("cron", "expected"),
    [
        ("0 2 * * 0", ["Sun 04 02:00", "Sun 11 02:00"]),
        ("0 2 * * 7", ["Sun 04 02:00", "Sun 11 02:00"]),
        ("0 2 * * 1-5", ["Fri 02 02:00", "Mon 05 02:00"]),
        ("0 2 * * 6,0", ["Sat 03 02:00", "Sun 04 02:00"]),
        ("0 2 * * 5-7", ["Fri 02 02:00", "Sat 03 02:00", "Sun 04 02:00", "Fri 09 02:00"]),
        ("0 2 * * mon", ["Mon 05 02:00"]),
        ("30 */6 * * *", ["Thu 01 12:30", "Thu 01 18:30"]),
        ("0 2 * * 1/2", ["Fri 02 02:00", "Sun 04 02:00", "Mon 05 02:00"]),
    ],
)
def test_weekdays_are_counted_as_in_a_crontab(cron: str, expected: list[str]) -> None:
    assert firings(cron, len(expected)) == expected


def test_the_hour_is_that_of_the_time_zone() -> None:
    assert firings("0 2 * * *", 1, "Asia/Shanghai") == ["Thu 01 18:00"]


@pytest.mark.parametrize("cron", ["", "* * * *", "a b c d e", "0 25 * * *", "0 2 * * 8", "0 2 * * 1/0"])
def test_what_is_no_cron_expression_is_refused(cron: str) -> None:
    with pytest.raises(BadInputError, match=r"cron|weekdays"):
        cron_trigger(cron, "UTC")
