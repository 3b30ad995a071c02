"""Cron expressions as crontab means them, as a trigger of the scheduler."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from knowledge.errors import BadInputError

if TYPE_CHECKING:
    from apscheduler.triggers.cron import CronTrigger

DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat", "sun")


def cron_trigger(cron: str, timezone: str) -> CronTrigger:
    """The trigger for five fields (minute hour day month weekday) in an IANA time zone; BadInputError names a fault.

    The scheduler numbers weekdays from Monday, crontab from Sunday: numbers are turned into names first, so that
    `0 2 * * 0` is a Sunday.
    """
    from apscheduler.triggers.cron import CronTrigger  # noqa: PLC0415 - only a scheduler pays for its import

    fields = cron.split()
    if len(fields) != 5:
        raise BadInputError(f"cron {cron!r} has {len(fields)} fields: write minute hour day month weekday")
    minute, hour, day, month, weekday = fields
    try:
        return CronTrigger(
            minute=minute,
            hour=hour,
            day=day,
            month=month,
            day_of_week=_named_days(weekday),
            timezone=timezone,
        )
    except (ValueError, LookupError) as error:
        raise BadInputError(f"cron {cron!r} in time zone {timezone!r}: {error}") from error


def _named_days(weekday: str) -> str:
    """`1-5` as `mon-fri`, `0,6` as `sun,sat`, `5-7` as `fri,sat,sun` (a week ends on Sunday there); steps and names stay."""
    return ",".join(_named_part(part) for part in weekday.split(","))


def _named_part(part: str) -> str:
    span = re.fullmatch(r"([0-7])(?:-([0-7]))?(?:/(\d+))?", part)
    if span is None:
        return part
    first = int(span[1])
    last = int(span[2]) if span[2] else (7 if span[3] else first)
    if first > last:
        raise BadInputError(f"weekdays {part!r} run backwards: write the smaller day first")
    step = int(span[3] or 1)
    if step < 1:
        raise BadInputError(f"weekdays {part!r}: a step is 1 or more")
    return ",".join(dict.fromkeys(DAYS[day] for day in range(first, last + 1, step)))
