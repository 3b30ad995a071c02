"""Times as they are written on the command line."""

from __future__ import annotations

from datetime import UTC, datetime

from knowledge.errors import BadInputError


def parse_moment(option: str, text: str | None) -> datetime | None:
    """A time, or a date, which means its first moment; UTC where no zone is given. BadInputError for anything else."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadInputError(
            f"{option} {text!r} is no time: write one such as 2026-03-01 or 2026-03-01T08:00Z"
        ) from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
