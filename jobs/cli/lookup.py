"""Finding one thing by its id, or by the start of it."""

from __future__ import annotations

from jobs.cli.session import Session
from knowledge.errors import BadInputError, NotFoundError
from knowledge.kinds import Kind, M, key_of
from knowledge.store import Query, Stored

SHORTEST = 4


def find_one(session: Session, kind: Kind[M], key: str, noun: str, listing: str) -> Stored[M]:
    """The thing; NotFoundError if there is none, BadInputError if the start of an id fits several."""
    collection = session.errata.store.collection(session.project, kind)
    exact = collection.get(key)
    if exact is not None:
        return exact
    fits = []
    if len(key) >= SHORTEST:
        fits = [stored for stored in collection.scan(Query()) if key_of(kind, stored.item).startswith(key)]
    if not fits:
        raise NotFoundError(f"no {noun} {key!r} in project {session.project!r}: `{listing}` shows them")
    if len(fits) > 1:
        some = ", ".join(key_of(kind, stored.item) for stored in fits[:3])
        raise BadInputError(f"{noun} {key!r} could be {len(fits)} of them ({some}…): write more of it")
    return fits[0]
