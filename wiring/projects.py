"""Projects: made once, looked up often."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from knowledge.errors import NotFoundError
from knowledge.kinds import CASES, PROJECTS, SYSTEM
from knowledge.nights import Project
from knowledge.stage import Guard
from knowledge.store import Query, Store


def ensure_project(store: Store, project: str, now: datetime, holdout: float) -> Project:
    """The project, made where it is missing; BadInputError for an id that cannot be one."""
    store.collection(project, CASES)
    projects = store.collection(SYSTEM, PROJECTS)
    projects.add_many([Project(project_id=project, created_at=now, holdout=holdout)])
    return require_project(store, project)


def made_at_first(store: Store, project: str, clock: Callable[[], datetime], holdout: float) -> Guard:
    """What makes the project where it is missing, when it is first called: before anything is written into it, so that none
    is left of what could not be read. BadInputError, at once, for an id that cannot be one."""
    store.collection(project, CASES)
    made: list[Project] = []

    def make() -> None:
        if not made:
            made.append(ensure_project(store, project, clock(), holdout))

    return make


def require_project(store: Store, project: str) -> Project:
    """The project; NotFoundError says how one is made."""
    found = store.collection(SYSTEM, PROJECTS).get(project)
    if found is None:
        raise NotFoundError(
            f"no project {project!r}: ingest a file into it, or make it with `errata projects create {project}`"
        )
    return found.item


def list_projects(store: Store) -> list[Project]:
    """All of them, by id."""
    return [stored.item for stored in store.collection(SYSTEM, PROJECTS).scan(Query())]
