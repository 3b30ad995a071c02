"""The bundle of a project: the rules of its live strategies, at one revision."""

from __future__ import annotations

from datetime import date, datetime

from errata_client.bundle import Bundle
from errata_client.rule import Rule
from knowledge.errors import ConflictError, NotFoundError
from knowledge.kinds import PROJECTS, PUBLICATIONS, STRATEGIES, SYSTEM
from knowledge.stage import Shift
from knowledge.store import Query, Store
from knowledge.strategies import Publication
from strategies.life import LIVE

MAX_RACES = 20


def live_rules(store: Store, project: str, today: date) -> tuple[Rule, ...]:
    """The rules that agents should have today, by id."""
    query = Query(where={"state": LIVE})
    found = (stored.item.rule for stored in store.collection(project, STRATEGIES).scan(query))
    return tuple(sorted((rule for rule in found if rule.valid_until >= today), key=lambda rule: rule.id))


def newest_publication(store: Store, project: str) -> Publication | None:
    """The publication with the highest revision; None where nothing was published yet."""
    query = Query(sort="revision", descending=True)
    page = store.collection(project, PUBLICATIONS).find(query, limit=1)
    return page.items[0].item if page.items else None


def publish_live(shift: Shift, actor: str, reason: str) -> int:
    """Make a new revision if the live rules, or the project's holdout, differ from the newest one; the revision that holds now.

    Safe to repeat: whoever loses the race for a revision looks again.
    """
    publications = shift.store.collection(shift.project, PUBLICATIONS)
    for _ in range(MAX_RACES):
        newest = newest_publication(shift.store, shift.project)
        rules = live_rules(shift.store, shift.project, shift.now.date())
        holdout = _holdout(shift.store, shift.project)
        same = newest is None or newest.holdout in {None, holdout}
        if same and rules == (newest.rules if newest else ()):
            return newest.revision if newest else 0
        revision = newest.revision + 1 if newest else 1
        made = Publication(
            revision=revision,
            at=shift.now,
            rules=rules,
            actor=actor,
            reason=reason,
            holdout=holdout,
        )
        try:
            publications.put(made, None)
        except ConflictError:
            continue
        return revision
    raise ConflictError("the bundle is being published by many at once: try again")


def bundle_at(store: Store, project: str, revision: int) -> Bundle:
    """The bundle of an earlier revision, as it was when it was made: the same rules, the same digest. Rules that have expired
    since are in it, and engines still never apply them. NotFoundError where there is no such revision."""
    found = store.collection(project, PUBLICATIONS).get(str(revision))
    if found is None:
        newest = newest_publication(store, project)
        last = newest.revision if newest else 0
        raise NotFoundError(f"project {project} has no revision {revision}: the newest is {last}")
    made = found.item
    holdout = _holdout(store, project) if made.holdout is None else made.holdout
    bundle = Bundle(
        project=project, revision=made.revision, created_at=made.at, holdout=holdout, rules=made.rules
    )
    return bundle.sealed()


def _holdout(store: Store, project: str) -> float:
    stored = store.collection(SYSTEM, PROJECTS).get(project)
    return stored.item.holdout if stored else 0.0


def current_bundle(store: Store, project: str, now: datetime) -> Bundle:
    """The newest publication, sealed, without rules that have expired since; revision 0 where there is none."""
    newest = newest_publication(store, project)
    holdout = _holdout(store, project) if newest is None or newest.holdout is None else newest.holdout
    rules = newest.rules if newest else ()
    return Bundle(
        project=project,
        revision=newest.revision if newest else 0,
        created_at=newest.at if newest else now,
        holdout=holdout,
        rules=tuple(rule for rule in rules if rule.valid_until >= now.date()),
    ).sealed()
