"""What a project may be called."""

from __future__ import annotations

import re

from knowledge.errors import BadInputError
from knowledge.kinds import SYSTEM

_PROJECT = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


def checked_project(project: str) -> str:
    """The id; BadInputError where it is none."""
    if project != SYSTEM and not _PROJECT.fullmatch(project):
        raise BadInputError(
            f"{project[:80]!r} is no project id: 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit"
        )
    return project
