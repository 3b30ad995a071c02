"""What is too long to be kept with a case: whole in the object store, and told in the case."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from errata_client.run import Run
from ingest.bounds import Cut
from knowledge.cases import FailureCase
from knowledge.objects import Objects, Payload

MAX_EXCERPT = 500
MAX_PAYLOADS = 8
"""Of one case: of its own step, then the nearest before it."""

_STEP = re.compile(r"/steps/(\d+)/")


def put_away(cuts: Iterable[Cut], project: str, objects: Objects) -> tuple[Payload, ...]:
    """The texts (masked) kept whole, in the order in which they stand in the run. Keeping one twice changes nothing."""
    return tuple(_payload(cut, project, objects) for cut in cuts)


def _payload(cut: Cut, project: str, objects: Objects) -> Payload:
    data = cut.text.encode("utf-8", "replace")
    return Payload(
        where=cut.where,
        digest=objects.put(project, data),
        length=len(cut.text),
        size=len(data),
        excerpt=cut.text[:MAX_EXCERPT],
    )


def with_payloads(
    cases: Iterable[FailureCase], run: Run, payloads: Sequence[Payload]
) -> tuple[FailureCase, ...]:
    """The cases of the run, each with those of its payloads that it is to tell of."""
    if not payloads:
        return tuple(cases)
    places = {step.index: place for place, step in enumerate(run.steps)}
    return tuple(
        case.model_copy(update={"payloads": payloads_at(payloads, places[case.trigger_step.index])})
        for case in cases
    )


def payloads_at(payloads: Iterable[Payload], place: int) -> tuple[Payload, ...]:
    """Those that a case at this place of the run's steps is to tell of: of its step and before, the nearest first."""
    before = [payload for payload in payloads if _place(payload) <= place]
    return tuple(sorted(before, key=lambda payload: -_place(payload))[:MAX_PAYLOADS])


def _place(payload: Payload) -> int:
    """The place of its step; what belongs to the run itself stands before all of them."""
    found = _STEP.match(payload.where)
    return int(found.group(1)) if found else -1
