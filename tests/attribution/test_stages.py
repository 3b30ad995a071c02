from __future__ import annotations

import contextlib
from dataclasses import replace
from itertools import product

import pytest

from attribution.corrections import record_label
from attribution.encoders.hashing import HashingEncoder
from attribution.encoders.port import Encoder
from attribution.orders import approve_order, reject_order
from attribution.parameters import default_parameters
from attribution.stages import attribute, cluster, embed
from knowledge.causes import Attribution, WorkOrder
from knowledge.errors import LeaseLostError, SettingsError
from knowledge.kinds import ATTRIBUTIONS, WORK_ORDERS
from knowledge.stage import Shift
from knowledge.store import Query, Store
from tests.attribution.making import TableEncoder, a_shift, cause, keep, plain_parameters, problem

PARAMETERS = default_parameters()
TEXTS = [
    f"{what} {how}"
    for what in ("parcel", "van", "depot", "driver")
    for how in ("is lost", "broke in two", "完全不见了")
]


def attributions(shift: Shift) -> list[Attribution]:
    stored = shift.store.collection(shift.project, ATTRIBUTIONS).scan(Query())
    return sorted((one.item for one in stored), key=lambda found: found.fingerprint)


def orders(shift: Shift) -> list[WorkOrder]:
    stored = shift.store.collection(shift.project, WORK_ORDERS).scan(Query())
    return sorted((one.item for one in stored), key=lambda order: order.order_id)


def night(shift: Shift, encoders: tuple[Encoder, ...]) -> None:
    embed(shift, encoders)
    attribute(shift, encoders, PARAMETERS)
    cluster(shift, encoders, PARAMETERS)


class Killer:
    """A guard that dies at its n-th call."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def __call__(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise LeaseLostError("gone")


def test_each_distinct_text_is_encoded_once_for_good(shift: Shift) -> None:
    table = {"parcel is lost": (1.0, 0.0), "van broke": (0.0, 1.0)}
    encoder = TableEncoder("table", table)
    parameters = plain_parameters("table")
    keep(
        shift,
        problem("parcel is lost"),
        problem("Error: parcel <id> is lost", tool="b"),
        cause("RC-A", "van broke"),
    )
    first = embed(shift, [encoder], parameters)
    assert first.counts == {"texts": 2, "encoded": 2, "unread": 0}
    keep(shift, problem("parcel is lost", tool="c"))
    assert embed(shift, [encoder], parameters).counts == {"texts": 2, "encoded": 0, "unread": 0}
    attribute(shift, [encoder], parameters)
    assert sorted(encoder.encoded) == sorted(table)


def test_a_text_that_no_encoder_reads_is_listed_with_the_reason(shift: Shift) -> None:
    keep(shift, problem("nobody reads this"), problem("known"))
    report = embed(shift, [TableEncoder("table", {"known": (1.0, 0.0)})], plain_parameters("table"))
    assert report.counts["unread"] == 1
    assert report.skipped == ({"text": "nobody reads this", "reason": "no encoder reads its script"},)


def test_progress_reaches_the_total(store: Store, fake: tuple[Encoder, ...]) -> None:
    seen: list[tuple[int, int | None]] = []
    shift = replace(a_shift(store), progress=lambda done, total: seen.append((done, total)))
    keep(shift, *(problem(text) for text in TEXTS))
    embed(shift, fake)
    assert seen[-1] == (len(TEXTS), len(TEXTS))


def test_every_problem_is_decided_and_counted(shift: Shift, fake: tuple[Encoder, ...]) -> None:
    keep(shift, cause("RC-A", "parcel is lost"), *(problem(text) for text in TEXTS))
    embed(shift, fake)
    counts = attribute(shift, fake, PARAMETERS).counts
    found = attributions(shift)
    assert (
        sum(counts[verdict] for verdict in ("matched", "abstained", "unmatched")) == len(TEXTS) == len(found)
    )
    assert counts["matched"] == sum(one.verdict == "matched" for one in found) >= 1
    assert all(one.encoders == ("hash-512",) and one.reason for one in found)


def test_the_night_says_for_how_many_problems_preselection_was_proved_and_decides_the_same(
    shift: Shift, fake: tuple[Encoder, ...]
) -> None:
    """Of twins that three rounds do not see to the end, none is proved to be the best: every cause is scored for them."""
    words = (
        "amber",
        "basalt",
        "cobalt",
        "dolomite",
        "emerald",
        "flint",
        "garnet",
        "halite",
        "indigo",
        "jade",
    )
    own = [
        cause(f"RC-{n:03}", f"{one} {other} jammed") for n, (one, other) in enumerate(product(words, words))
    ]
    twins = [cause(f"RC-T{n:03}", "the bell rang twice") for n in range(200)]
    asked = [
        problem(text)
        for text in ("amber jade jammed hard", "flint garnet was jammed", "now the bell rang twice")
    ]
    keep(shift, *own, *twins, *asked)
    every = attribute(shift, fake, PARAMETERS)
    before = attributions(shift)
    assert (every.counts["preselection_proved"], every.counts["preselection_unproved"]) == (0, 0)
    some = attribute(shift, fake, PARAMETERS, preselect_above=0)
    assert attributions(shift) == before
    assert (some.counts["preselection_proved"], some.counts["preselection_unproved"]) == (2, 1)


def test_attributing_twice_changes_nothing(shift: Shift, fake: tuple[Encoder, ...]) -> None:
    keep(shift, cause("RC-A", "parcel is lost"), *(problem(text) for text in TEXTS))
    attribute(shift, fake, PARAMETERS)
    before = attributions(shift)
    attribute(shift, fake, PARAMETERS)
    assert attributions(shift) == before


def test_a_persons_rejection_holds_in_every_later_night(store: Store, fake: tuple[Encoder, ...]) -> None:
    first = a_shift(store)
    asked = problem("parcel is lost")
    keep(first, cause("RC-A", "parcel is lost"), asked)
    attribute(first, fake, PARAMETERS)
    assert attributions(first)[0].root_cause == "RC-A"
    record_label(first, asked.fingerprint, "reject", None, "mei", "this parcel was stolen")
    for days in (1, 2):
        attribute(a_shift(store, days), fake, PARAMETERS)
        assert attributions(first)[0].root_cause is None


def test_an_encoder_without_calibration_stops_the_stage_before_it_writes(shift: Shift) -> None:
    keep(shift, problem("parcel is lost"))
    for stage in (attribute, cluster):
        with pytest.raises(SettingsError):
            stage(shift, [HashingEncoder(64)], PARAMETERS)
    assert attributions(shift) == []


def test_unmatched_problems_that_are_alike_become_one_work_order(
    shift: Shift, fake: tuple[Encoder, ...]
) -> None:
    alike = [problem("the parcel scanner is jammed", tool=tool, count=2) for tool in ("scan", "sort")]
    alone = problem("depot gate closed", count=1)
    keep(shift, *alike, alone)
    night(shift, fake)
    (order,) = orders(shift)
    assert order.order_id == "WO-0001"
    assert set(order.fingerprints) == {one.fingerprint for one in alike}
    assert (order.cases, order.state) == (4, "open")
    assert order.draft.name == "the parcel scanner is jammed"
    assert "scanner" in order.key_terms
    assert order.draft.exemplars[0].error_pattern == "the parcel scanner is jammed"
    assert "scan, sort" in order.draft.statement


def test_a_cluster_keeps_its_order_as_it_grows(store: Store, fake: tuple[Encoder, ...]) -> None:
    first = a_shift(store)
    keep(first, problem("the parcel scanner is jammed"), problem("depot gate closed"))
    night(first, fake)
    before = {order.order_id: order.cluster_id for order in orders(first)}
    keep(first, problem("the parcel scanner is jammed", tool="sort"), problem("another thing entirely broke"))
    night(a_shift(store, 1), fake)
    after = {order.order_id: order for order in orders(first)}
    assert {number: after[number].cluster_id for number in before} == before
    assert sorted(after) == ["WO-0001", "WO-0002", "WO-0003"]
    grown = next(order for order in after.values() if "scanner" in order.key_terms)
    assert len(grown.fingerprints) == 2


def test_a_rejected_order_is_not_proposed_again_nor_what_is_like_it(
    store: Store, fake: tuple[Encoder, ...]
) -> None:
    first = a_shift(store)
    keep(first, problem("the parcel scanner is jammed"))
    night(first, fake)
    reject_order(first, "WO-0001", "mei", "the scanner is not ours")
    keep(first, problem("the parcel scanner is jammed", tool="sort"))
    night(a_shift(store, 1), fake)
    (order,) = orders(first)
    assert order.state == "rejected"
    assert len(order.fingerprints) == 1


def test_an_open_order_whose_problems_are_explained_by_now_is_settled(
    store: Store, fake: tuple[Encoder, ...]
) -> None:
    first = a_shift(store)
    keep(first, problem("the parcel scanner is jammed"))
    night(first, fake)
    keep(first, cause("RC-A", "the parcel scanner is jammed"))
    night(a_shift(store, 1), fake)
    (order,) = orders(first)
    assert (order.state, order.actor) == ("merged", "errata")


def test_one_wording_is_one_order_whatever_the_tool_as_the_cause_would_take_them_all(
    shift: Shift, fake: tuple[Encoder, ...]
) -> None:
    made = [
        problem("this call is missing", tool=tool, error_code="outcome.missing_action")
        for tool in ("pay", "book")
    ]
    keep(shift, *made)
    night(shift, fake)
    (order,) = orders(shift)
    assert len(order.fingerprints) == 2
    approve_order(shift, order.order_id, "mei", "something was left undone")
    keep(shift, problem("this call is missing", tool="cancel", error_code="outcome.missing_action"))
    attribute(shift, fake, PARAMETERS)
    assert {one.root_cause for one in attributions(shift)} == {"RC-101"}


def scenario(shift: Shift) -> None:
    keep(shift, cause("RC-A", "parcel is lost"), *(problem(text) for text in TEXTS))


@pytest.mark.parametrize("calls", range(12))
def test_killed_anywhere_and_run_again_the_result_is_that_of_a_clean_night(
    store: Store, fake: tuple[Encoder, ...], calls: int
) -> None:
    clean = replace(a_shift(store), project="clean")
    killed = replace(a_shift(store), project="killed")
    scenario(clean)
    night(clean, fake)
    scenario(killed)
    alive = replace(killed, guard=Killer(calls))
    with contextlib.suppress(LeaseLostError):
        night(alive, fake)
    night(killed, fake)
    assert attributions(killed) == attributions(clean)
    assert orders(killed) == orders(clean)
    assert len(orders(clean)) > 2
