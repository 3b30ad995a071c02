"""What `errata doctor` finds; and what it finds in the cases that are stored."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from jobs.cli.output import count
from knowledge.errors import ErrataError
from knowledge.kinds import CASES
from knowledge.store import Query
from wiring.build import Errata

SHOWN = 5
"""Case ids named for each kind of what was found."""


@dataclass(frozen=True)
class Finding:
    """One thing looked at. `failed` makes the command's exit code 1; a warning does not."""

    what: str
    status: Literal["ok", "warning", "failed"]
    said: str

    @property
    def of_project(self) -> bool:
        """Whether it is of a single project: "nights of shop"."""
        return " of " in self.what


@dataclass
class _Seen:
    cases: int = 0
    private: Counter[str] = field(default_factory=Counter)
    holders: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    digests: dict[str, str] = field(default_factory=dict)


def examine_cases(errata: Errata, project: str, limit: int) -> Iterator[Finding]:
    """Whether the project's `limit` newest cases hold anything that looks private, and whether the texts that they keep
    in the object store are there. Values are never shown."""
    seen = _look(errata, project, limit)
    yield _private(project, seen)
    if seen.digests and errata.objects is not None:
        yield _payloads(errata, project, seen)


def _look(errata: Errata, project: str, limit: int) -> _Seen:
    seen, left = _Seen(), errata.leftovers(project)
    query = Query(sort="occurred_at", descending=True)
    for stored in islice(errata.store.collection(project, CASES).scan(query), limit):
        case, seen.cases = stored.item, seen.cases + 1
        for kind, number in left.of(case.model_dump(mode="json")).items():
            seen.private[kind] += number
            seen.holders[kind].append(case.case_id)
        seen.digests.update({payload.digest: case.case_id for payload in case.payloads})
    return seen


def _private(project: str, seen: _Seen) -> Finding:
    what = f"privacy of {project}"
    looked = f"looked through {count(seen.cases, 'case')}"
    if not seen.private:
        return Finding(what, "ok", f"{looked}: nothing that looks private")
    told = "; ".join(
        f"{kind}: {number} in {_named(seen.holders[kind])}" for kind, number in sorted(seen.private.items())
    )
    advice = "mask at the source, remove these cases, and ingest their runs again; or the key is not the one they were masked with"
    return Finding(what, "failed", f"{looked}: {told}. What to do: {advice}")


def _payloads(errata: Errata, project: str, seen: _Seen) -> Finding:
    what = f"long texts of {project}"
    assert errata.objects is not None
    try:
        gone = errata.objects.missing(project, sorted(seen.digests))
    except ErrataError as error:
        return Finding(what, "failed", str(error))
    if gone:
        named = _named([seen.digests[digest] for digest in gone])
        return Finding(
            what,
            "failed",
            f"{len(gone)} of {len(seen.digests)} are not in the object store, as of {named}: restore them",
        )
    return Finding(what, "ok", f"all {len(seen.digests)} are in the object store")


def _named(cases: list[str]) -> str:
    distinct = list(dict.fromkeys(cases))
    more = f" and {len(distinct) - SHOWN} more" if len(distinct) > SHOWN else ""
    return f"{', '.join(distinct[:SHOWN])}{more}"
