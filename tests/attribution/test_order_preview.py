"""What an approval would do is told before it is done, and is what it then does."""

from __future__ import annotations

from datetime import timedelta

import pytest

from attribution.encoders.port import Encoder
from attribution.order_preview import OrderPreview, preview_order
from attribution.orders import approve_order
from attribution.parameters import default_parameters
from attribution.stages import attribute, cluster, read_causes
from knowledge.causes import WorkOrder
from knowledge.errors import BadInputError
from knowledge.kinds import ATTRIBUTIONS, LABELS, WORK_ORDERS
from knowledge.stage import Shift
from knowledge.store import Query, Store
from tests.attribution.making import NOW, a_shift, cause, keep, problem

PARAMETERS = default_parameters()
JAMMED = problem("the parcel scanner is jammed")
HELD = problem("the parcel scanner is jammed by tape", tool="weigh", count=7)
SLOW = problem("the carrier answers slowly today")


@pytest.fixture
def proposed(shift: Shift, fake: tuple[Encoder, ...]) -> Shift:
    keep(
        shift,
        cause("RC-A", "the parcel scanner is jammed by tape rolls", tools=("weigh",)),
        JAMMED,
        HELD,
        SLOW,
    )
    attribute(shift, fake, PARAMETERS)
    cluster(shift, fake, PARAMETERS)
    return shift


def order(shift: Shift) -> WorkOrder:
    stored = shift.store.collection(shift.project, WORK_ORDERS).scan(Query())
    return next(one.item for one in stored if JAMMED.fingerprint in one.item.fingerprints)


def test_a_preview_says_what_other_causes_would_lose(proposed: Shift, fake: tuple[Encoder, ...]) -> None:
    found = preview_order(proposed, fake, PARAMETERS, order(proposed))
    assert (found.own, found.of, found.asked) == (1, 1, 3)
    (change,) = found.changes
    assert (change.fingerprint, change.was, change.cases) == (HELD.fingerprint, "RC-A", 7)
    assert found.from_causes == {"RC-A": 1}
    assert found.count(change.effect) == 1


def test_a_preview_changes_nothing(proposed: Shift, fake: tuple[Encoder, ...]) -> None:
    preview_order(proposed, fake, PARAMETERS, order(proposed))
    assert [one.cause_id for one in read_causes(proposed)] == ["RC-A"]
    assert not list(proposed.store.collection(proposed.project, LABELS).scan(Query()))


def test_the_next_night_does_what_the_preview_said(
    proposed: Shift, store: Store, fake: tuple[Encoder, ...]
) -> None:
    twin = problem("the parcel scanner is jammed", tool="sort")
    found = _previewed_with(proposed, fake, twin)
    made = approve_order(proposed, order(proposed).order_id, "mei", "seen in three depots")
    attribute(a_shift(store, 1), fake, PARAMETERS)
    decided = proposed.store.collection(proposed.project, ATTRIBUTIONS)
    for change in found.changes:
        stored = decided.get(change.fingerprint)
        assert stored is not None
        assert (stored.item.root_cause == made.cause_id) == (change.effect != "puts_in_doubt")
    assert {change.effect for change in found.changes} >= {"takes"}


def _previewed_with(shift: Shift, fake: tuple[Encoder, ...], new: object) -> OrderPreview:
    keep(shift, new)  # type: ignore[arg-type]
    return preview_order(shift, fake, PARAMETERS, order(shift))


def test_problems_not_seen_for_long_are_not_asked_about(proposed: Shift, fake: tuple[Encoder, ...]) -> None:
    old = NOW - timedelta(days=200)
    keep(proposed, problem("the parcel scanner is jammed", tool="old", first_seen=old, last_seen=old))
    assert preview_order(proposed, fake, PARAMETERS, order(proposed)).asked == 3


def test_a_draft_that_could_not_be_kept_is_refused_before_it_is_approved(
    proposed: Shift, fake: tuple[Encoder, ...]
) -> None:
    nameless = order(proposed).draft.model_copy(update={"name": " "})
    with pytest.raises(BadInputError, match="a name"):
        preview_order(proposed, fake, PARAMETERS, order(proposed), nameless)
