"""What a work order says of its problems: in their language, and what sets them apart."""

from __future__ import annotations

from datetime import timedelta

from attribution.clusters import Cluster
from attribution.drafts import draft_order
from attribution.encoders.port import Encoder
from attribution.features import Surroundings
from attribution.parameters import default_parameters
from attribution.stages import attribute, cluster
from errata_client.run import Agent
from errata_client.view import CallView
from knowledge.cases import FailureCase, Problem, StepContext, TriggerStep
from knowledge.causes import Feature, WorkOrder
from knowledge.kinds import CASES, WORK_ORDERS
from knowledge.stage import Shift
from knowledge.store import Query, Store
from tests.attribution.making import NOW, a_shift, cause, keep, problem

PARAMETERS = default_parameters()
JAMMED = problem("the parcel scanner is jammed", tool="scan")
LOST = problem("the label printer is out of ink", tool="print")


def a_case(of: Problem, number: int, **changes: object) -> FailureCase:
    fields: dict[str, object] = {
        "case_id": f"{of.fingerprint}-{number}",
        "run_id": f"run-{number}",
        "occurred_at": NOW - timedelta(hours=number),
        "error_code": of.error_code,
        "error_message": of.error_message,
        "error_pattern": of.error_pattern,
        "user_intent": "",
        "trigger_step": TriggerStep(index=3, step_id=of.step_id, tool=of.tool),
        "fingerprint": of.fingerprint,
    }
    return FailureCase.model_validate({**fields, **changes})


def drafted(*members: Problem) -> WorkOrder:
    return draft_order("WO-0001", Cluster("c", members[0], members), {})


def orders(shift: Shift) -> list[WorkOrder]:
    stored = shift.store.collection(shift.project, WORK_ORDERS).scan(Query())
    return sorted((one.item for one in stored), key=lambda order: order.order_id)


def test_chinese_problems_are_drafted_in_chinese() -> None:
    draft = drafted(problem("包裹扫描仪卡住了", tool="scan")).draft
    assert (draft.name, draft.name_zh) == ("包裹扫描仪卡住了", "包裹扫描仪卡住了")
    assert draft.statement == draft.statement_zh == "1 个问题、3 个案例（scan）报错：包裹扫描仪卡住了"


def test_english_problems_are_drafted_in_english_alone() -> None:
    draft = drafted(JAMMED).draft
    assert (draft.name, draft.name_zh, draft.statement_zh) == ("the parcel scanner is jammed", "", "")
    assert draft.statement == "3 cases of scan say: the parcel scanner is jammed"


def test_problems_in_both_languages_are_drafted_in_both() -> None:
    draft = drafted(problem("包裹扫描仪卡住了", count=9), JAMMED).draft
    assert (draft.name, draft.name_zh) == ("the parcel scanner is jammed", "包裹扫描仪卡住了")
    assert "in one wording or another: the parcel scanner is jammed" in draft.statement
    assert "说法大同小异：包裹扫描仪卡住了" in draft.statement_zh


def test_a_long_name_ends_at_a_word() -> None:
    name = drafted(problem("the conveyor of hall three " * 5)).draft.name
    assert len(name) <= 81
    assert name.endswith((" hall…", " of…", " three…", " conveyor…", " the…"))


def test_what_most_of_the_order_has_and_others_have_not_sets_it_apart() -> None:
    members = (JAMMED, problem("the parcel scanner got jammed again", tool="scan"))
    found = Surroundings(unmatched=(*members, LOST)).features(members)
    assert [(one.kind, one.value) for one in found] == [
        ("word", "jammed"),
        ("word", "parcel"),
        ("word", "scanner"),
        ("tool", "scan"),
    ]
    assert found[-1] == Feature(kind="tool", value="scan", inside=1.0, outside=0.0)


def test_what_others_have_as_well_sets_nothing_apart() -> None:
    other = problem("the parcel scanner is cold", tool="scan")
    found = Surroundings(unmatched=(JAMMED, other)).features((JAMMED,))
    assert [(one.kind, one.value) for one in found] == [("word", "jammed")]


def test_where_values_came_from_and_who_ran_are_read_off_the_cases() -> None:
    view = CallView(run_id="r", step_id="scan", tool="scan", provenance={"/items/0/id": "nowhere"})
    told = {
        "view": view,
        "agent": Agent(name="desk", version="2.1"),
        "step_context": StepContext(tools_before=("open_box",)),
    }
    cases = {
        JAMMED.fingerprint: [a_case(JAMMED, 1, **told), a_case(JAMMED, 2, **told)],
        LOST.fingerprint: [a_case(LOST, 1)],
    }
    found = Surroundings(unmatched=(JAMMED, LOST), cases=cases).features((JAMMED,))
    values = {one.kind: one.value for one in found if one.kind != "word"}
    assert values["provenance"] == "args.items.id: nowhere"
    assert values["agent"] == "desk 2.1"
    assert values["tool_before"] == "open_box"


def test_the_words_of_the_nearest_cause_do_not_set_an_order_apart(
    shift: Shift, fake: tuple[Encoder, ...]
) -> None:
    near = cause("RC-A", "the parcel scanner ran hot and was switched off by its own fuse")
    keep(shift, near, JAMMED, LOST)
    shift.store.collection(shift.project, CASES).add_many([a_case(JAMMED, 1), a_case(LOST, 1)])
    attribute(shift, fake, PARAMETERS)
    cluster(shift, fake, PARAMETERS)
    jammed = next(order for order in orders(shift) if order.draft.name.endswith("jammed"))
    assert jammed.nearest == ("RC-A",)
    assert "jammed" in {one.value for one in jammed.features}
    assert ("tool", "scan") in {(one.kind, one.value) for one in jammed.features}


def test_a_night_run_again_changes_no_order(shift: Shift, store: Store, fake: tuple[Encoder, ...]) -> None:
    keep(shift, JAMMED, LOST)
    attribute(shift, fake, PARAMETERS)
    cluster(shift, fake, PARAMETERS)
    before = orders(shift)
    assert cluster(a_shift(store), fake, PARAMETERS).counts["changed"] == 0
    assert orders(shift) == before


def test_a_problem_that_moves_to_a_cause_leaves_the_other_orders_their_ids(
    shift: Shift, store: Store, fake: tuple[Encoder, ...]
) -> None:
    twin = problem("the parcel scanner is jammed", tool="sort")
    keep(shift, JAMMED, twin, LOST)
    attribute(shift, fake, PARAMETERS)
    cluster(shift, fake, PARAMETERS)
    before = {order.cluster_id: set(order.fingerprints) for order in orders(shift)}
    keep(shift, cause("RC-A", "the parcel scanner is jammed", tools=("scan",)))
    later = a_shift(store, 1)
    attribute(later, fake, PARAMETERS)
    cluster(later, fake, PARAMETERS)
    after = {order.cluster_id: set(order.fingerprints) for order in orders(shift)}
    assert after.keys() == before.keys()
    assert {f for some in after.values() for f in some} == {twin.fingerprint, LOST.fingerprint}
