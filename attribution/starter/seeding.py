"""Reading the shipped causes, and adding those that a project lacks."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

from attribution.cause_files import read_causes_text
from knowledge.causes import RootCause
from knowledge.kinds import ROOT_CAUSES
from knowledge.stage import Shift


@lru_cache(maxsize=1)
def starter_causes() -> tuple[RootCause, ...]:
    """All causes of the YAML files beside this module, by id."""
    files = [entry for entry in resources.files(__package__).iterdir() if entry.name.endswith(".yaml")]
    found = [c for entry in files for c in read_causes_text(entry.read_text(encoding="utf-8"), entry.name)]
    return tuple(sorted(found, key=lambda cause: cause.cause_id))


def seed_causes(shift: Shift) -> int:
    """Add the starter causes that the project does not have yet; how many. One that is there stays as it is, edited,
    disabled or not."""
    shift.guard()
    report = shift.store.collection(shift.project, ROOT_CAUSES).add_many(starter_causes())
    return len(report.created)
