from __future__ import annotations

import pytest

from attribution.encoders.port import Encoder
from attribution.orders import approve_order, merge_order, reject_order
from attribution.parameters import default_parameters
from attribution.stages import attribute, cluster, read_causes
from knowledge.causes import Attribution
from knowledge.errors import BadInputError, ConflictError, NotFoundError, StaleError
from knowledge.kinds import ATTRIBUTIONS, ROOT_CAUSES, WORK_ORDERS
from knowledge.stage import Shift
from knowledge.store import Store
from tests.attribution.making import a_shift, cause, keep, problem

PARAMETERS = default_parameters()
JAMMED = problem("the parcel scanner is jammed")
STUCK = problem("the parcel scanner is jammed", tool="sort", error_kind="unknown")


@pytest.fixture
def proposed(shift: Shift, fake: tuple[Encoder, ...]) -> Shift:
    keep(shift, cause("RC-A", "the van broke down", error_kinds=("internal",)), JAMMED, STUCK)
    attribute(shift, fake, PARAMETERS)
    cluster(shift, fake, PARAMETERS)
    return shift


def decision(shift: Shift, fingerprint: str) -> Attribution:
    stored = shift.store.collection(shift.project, ATTRIBUTIONS).get(fingerprint)
    assert stored is not None
    return stored.item


def state(shift: Shift) -> str:
    stored = shift.store.collection(shift.project, WORK_ORDERS).get("WO-0001")
    assert stored is not None
    return stored.item.state


def test_approving_makes_a_root_cause_and_the_next_night_attributes_by_it(
    proposed: Shift, store: Store, fake: tuple[Encoder, ...]
) -> None:
    made = approve_order(proposed, "WO-0001", "mei", "seen in three depots")
    assert (made.cause_id, made.created_by) == ("RC-101", "WO-0001")
    new = problem("the parcel scanner is jammed", tool="weigh")
    keep(proposed, new)
    attribute(a_shift(store, 1), fake, PARAMETERS)
    assert decision(proposed, JAMMED.fingerprint).rung == "confirmed"
    assert decision(proposed, new.fingerprint).root_cause == "RC-101"
    assert state(proposed) == "approved"


def test_an_approved_draft_may_be_edited_first(proposed: Shift) -> None:
    stored = proposed.store.collection(proposed.project, WORK_ORDERS).get("WO-0001")
    assert stored is not None
    draft = stored.item.draft.model_copy(update={"name": "Scanner jam", "playbook": "Ask for the number."})
    made = approve_order(proposed, "WO-0001", "mei", "renamed", draft=draft, version=stored.version)
    assert (made.name, made.playbook) == ("Scanner jam", "Ask for the number.")


def test_merging_adds_the_exemplars_and_opens_the_gates_for_them(
    proposed: Shift, store: Store, fake: tuple[Encoder, ...]
) -> None:
    merged = merge_order(proposed, "WO-0001", "RC-A", "mei", "the same machine")
    assert merged.error_kinds == ("internal", "unknown")
    assert [one.error_pattern for one in merged.exemplars] == [
        "the van broke down",
        "the parcel scanner is jammed",
    ]
    attribute(a_shift(store, 1), fake, PARAMETERS)
    assert decision(proposed, STUCK.fingerprint).root_cause == "RC-A"
    assert state(proposed) == "merged"


def test_a_decided_order_is_decided_once(proposed: Shift) -> None:
    reject_order(proposed, "WO-0001", "mei", "not ours")
    for decide in (approve_order, reject_order):
        with pytest.raises(ConflictError, match="rejected by mei already"):
            decide(proposed, "WO-0001", "bo", "again")
    assert [one.cause_id for one in read_causes(proposed)] == ["RC-A"]


def test_a_stale_reader_does_not_decide(proposed: Shift) -> None:
    with pytest.raises(StaleError):
        approve_order(proposed, "WO-0001", "mei", "sure", version="not the stored one")
    assert state(proposed) == "open"


def test_unknown_orders_and_causes_and_empty_reasons_are_refused(proposed: Shift) -> None:
    with pytest.raises(NotFoundError, match="WO-0009"):
        reject_order(proposed, "WO-0009", "mei", "sure")
    with pytest.raises(NotFoundError, match="RC-X"):
        merge_order(proposed, "WO-0001", "RC-X", "mei", "sure")
    with pytest.raises(BadInputError, match="reason"):
        approve_order(proposed, "WO-0001", "mei", "")
    assert state(proposed) == "open"


def test_an_approval_that_was_cut_off_makes_no_second_cause(proposed: Shift) -> None:
    made = approve_order(proposed, "WO-0001", "mei", "sure")
    orders = proposed.store.collection(proposed.project, WORK_ORDERS)
    stored = orders.get("WO-0001")
    assert stored is not None
    orders.put_many([stored.item.model_copy(update={"state": "open"})])
    assert approve_order(proposed, "WO-0001", "mei", "sure").cause_id == made.cause_id
    assert (
        len(list(proposed.store.collection(proposed.project, ROOT_CAUSES).get_many(["RC-101", "RC-102"])))
        == 1
    )


def test_decided_problems_make_no_new_order(proposed: Shift, store: Store, fake: tuple[Encoder, ...]) -> None:
    approve_order(proposed, "WO-0001", "mei", "sure")
    later = a_shift(store, 1)
    attribute(later, fake, PARAMETERS)
    assert cluster(later, fake, PARAMETERS).counts["new"] == 0
