"""Contrast: what a failed run did to the world otherwise than the successful runs of its task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from errata_client.run import Outcome, Run, Step
from ingest.adapters.arguments import make_call
from ingest.analysis import analyse
from ingest.contrast.actions import actions
from ingest.contrast.cases import contrast_case
from ingest.contrast.differences import Difference, differences
from ingest.contrast.effects import Effects, by_name, learn
from ingest.contrast.intents import Check, Intents, check
from ingest.contrast.siblings import MAX_SIBLINGS, same_task
from ingest.contrast.stage import contrast
from ingest.contrast.verdict import contrast_of
from ingest.masking import Masker
from ingest.service import ingest_runs
from ingest.stages import group
from knowledge.cases import FailureCase
from knowledge.kinds import CASES, PROBLEMS
from knowledge.runs import RunRecord
from knowledge.store import Query, Store
from tests.ingest.making import KEY, NOW, a_run, a_shift, failing, step

SUCCESS, FAILURE = Outcome(status="success", reward=1.0), Outcome(status="failure", reward=0.0)
BY_NAME = Effects()


def run(
    name: str, *steps: Step, ok: bool = False, task: str | None = "t1", intent: str = "Lend me a book."
) -> Run:
    return a_run(*steps, run_id=name, task_id=task, user_intent=intent, outcome=SUCCESS if ok else FAILURE)


def record(made: Run) -> RunRecord:
    return analyse(made, "library", NOW).record


def told(failed: Run, *good: Run, effects: Effects = BY_NAME) -> list[Difference]:
    done = [actions(record(one), effects) for one in good]
    return [*differences(actions(record(failed), effects), done)]


def looked(index: int = 0, book: str = "B-1001") -> Step:
    return step(index, "find_book", {"book_id": book})


def lent(index: int = 1, book: str = "B-1001", days: int = 14) -> Step:
    return step(index, "lend_book", {"book_id": book, "days": days})


def fetched(text: Sequence[str]) -> Mapping[str, NDArray[np.float32]]:
    """Vectors of one number per letter of the alphabet that a text begins with: alike where the first letters are."""
    made = {}
    for one in text:
        vector = np.zeros(128, dtype=np.float32)
        vector[ord(one[0]) % 128] = 1.0
        made[one] = vector
    return made


def test_an_action_that_all_successful_runs_took_and_this_one_did_not_is_missing() -> None:
    found = told(run("bad", looked()), run("a", looked(), lent(), ok=True), run("b", lent(0), ok=True))
    assert found == [Difference("outcome.missing_action", "lend_book", calls=0, expected=(1, 1))]


def test_an_action_that_no_successful_run_took_is_extra_and_is_told_at_its_step() -> None:
    renewed = step(2, "renew_loan", {"book_id": "B-1001"})
    found = told(run("bad", looked(), lent(), renewed), run("a", looked(), lent(), ok=True))
    assert [(one.code, one.tool, one.index) for one in found] == [("outcome.extra_action", "renew_loan", 2)]


def test_only_the_arguments_whose_values_no_successful_run_had_are_named() -> None:
    found = told(
        run("bad", lent(days=30)), run("a", lent(days=14), ok=True), run("b", lent(days=14), ok=True)
    )
    assert [(one.code, one.places, one.index) for one in found] == [
        ("outcome.divergent_arguments", ("/days",), 1)
    ]


def test_what_successful_runs_disagree_about_is_not_told() -> None:
    twice = run("b", lent(1), lent(2, "B-2002"), ok=True)
    assert told(run("bad", lent()), run("a", lent(), ok=True), twice) == []
    assert (
        told(run("bad", lent(days=30)), run("a", lent(days=14), ok=True), run("b", lent(days=30), ok=True))
        == []
    )


def test_where_successful_runs_disagree_and_none_did_the_same_the_nearest_one_tells() -> None:
    one, two, three = lent(1), lent(2, "B-2002"), lent(3, "B-3003")
    others = [record(run("few", one, ok=True)), record(run("all", one, two, three, ok=True))]
    failed = record(run("bad", one, two))
    found = contrast_of(failed, others, BY_NAME)
    assert (found.basis, [sibling.run_id for sibling in found.siblings]) == ("nearest_run", ["all"])
    case = contrast_case("library", failed, found.found[0], found.siblings, found.basis)
    assert case.error_message == (
        "lend_book was not called often enough; the successful run of this task that did most alike called it"
    )


def test_a_run_that_did_what_one_successful_run_did_differs_in_nothing() -> None:
    twice = record(run("b", lent(1), lent(2, "B-2002"), ok=True))
    found = contrast_of(record(run("bad", lent())), [record(run("a", lent(), ok=True)), twice], BY_NAME)
    assert (found.found, len(found.siblings)) == ((), 2)


def test_the_order_of_a_list_is_no_difference() -> None:
    there = step(0, "return_books", {"ids": ["B-1", "B-2"]})
    back = step(0, "return_books", {"ids": ["B-2", "B-1"]})
    assert told(run("bad", there), run("a", back, ok=True)) == []


def test_an_argument_that_only_one_of_two_calls_gave_is_no_difference() -> None:
    brief = step(0, "lend_book", {"book_id": "B-1001"})
    assert told(run("bad", brief), run("a", lent(), ok=True)) == []


def test_prose_is_no_difference() -> None:
    worded = [
        step(0, "cancel_loan", {"book_id": "B-1", "note": note})
        for note in ("it was too long to read", "the reader fell ill in May")
    ]
    assert told(run("bad", worded[0]), run("a", worded[1], ok=True)) == []


def test_a_call_that_failed_or_was_made_again_changed_nothing() -> None:
    refused = failing(0, "lend_book", "Error: already lent", {"book_id": "B-9"})
    assert told(run("bad", refused, lent(1), lent(2)), run("a", lent(), ok=True)) == []


def test_a_chinese_run_is_told_in_the_same_way() -> None:
    cancelled = step(1, "取消订单", {"订单号": "D-1"})
    found = told(run("坏", step(0, "查询订单", {"订单号": "D-1"})), run("好", cancelled, ok=True))
    assert [(one.code, one.tool) for one in found] == [("outcome.missing_action", "取消订单")]


@pytest.mark.parametrize(
    ("tool", "changes"),
    [
        ("get_order_details", False),
        ("order_lookup", False),
        ("cancelOrder", True),
        ("book_flight", True),
        ("check_in_guest", True),
        ("transfer_to_human_agents", False),
        ("transfer_funds", True),
        ("查询天气", False),
        ("修改地址", True),
        ("转人工", False),
        ("weather", None),
    ],
)
def test_a_tool_is_told_by_the_verb_in_its_name(tool: str, changes: bool | None) -> None:
    assert by_name(tool) is changes


def test_what_the_project_declares_of_a_tool_is_believed_before_its_name() -> None:
    assert not Effects({"update_cache": False}).changes("update_cache")


def test_a_tool_without_a_verb_is_a_change_where_an_equal_read_then_answers_otherwise() -> None:
    read = [
        step(index, "get_lamp", {"id": "L-1"}, observation=answer)
        for index, answer in ((0, "off"), (2, "on"))
    ]
    made = record(run("a", read[0], step(1, "lamp", {"id": "L-1"}), read[1]))
    assert learn([made]).learnt == {"lamp": True}


def test_a_tool_without_a_verb_is_a_read_where_it_is_asked_again_and_answers_the_same() -> None:
    asked = [step(index, "weather", {"city": "北京"}, observation="晴") for index in (0, 1)]
    learnt = learn([record(run("a", *asked)), record(run("b", *asked))])
    assert learnt.changes("weather") is False
    assert learn([record(run("a", *asked))]).changes("weather") is True


def test_runs_of_two_tasks_with_one_number_are_told_apart_by_the_ids_they_name() -> None:
    failed = record(run("bad", looked(book="B-1001")))
    others = [record(run("a", lent(book="B-1001"), ok=True)), record(run("b", lent(book="X-77"), ok=True))]
    assert [one.run_id for one in same_task(failed, others)] == ["a"]


def test_a_run_that_names_no_id_goes_to_the_task_with_the_nearest_words() -> None:
    failed = record(run("bad", intent="please extend my loan of the atlas"))
    others = [
        record(run("a", lent(book="B-1001"), ok=True, intent="extend the loan of my atlas")),
        record(run("b", lent(book="X-77"), ok=True, intent="where is the reading room?")),
    ]
    assert [one.run_id for one in same_task(failed, others)] == ["a"]


def test_other_agents_failed_runs_and_other_tasks_are_no_siblings_and_there_are_at_most_so_many() -> None:
    failed = record(run("bad", lent()))
    good = [record(run(f"ok-{number}", lent(), ok=True)) for number in range(MAX_SIBLINGS + 3)]
    strangers = [record(run("other", lent(), ok=True, task="t2")), record(run("worse", lent()))]
    assert len(same_task(failed, [*good, *strangers])) == MAX_SIBLINGS
    assert same_task(failed, strangers) == ()


def test_the_message_names_tools_and_arguments_and_never_a_value() -> None:
    failed, good = record(run("bad", lent(book="B-777"))), record(run("a", lent(book="B-1001"), ok=True))
    made = [*differences(actions(failed, BY_NAME), [actions(good, BY_NAME)])]
    case = contrast_case("library", failed, made[0], [good], "same_task")
    assert (
        case.error_message
        == "lend_book was called with another book_id than in the successful runs of this task"
    )
    assert "777" not in case.model_dump_json()
    assert case.evidence["siblings"] == ["a"]
    assert (case.trigger_step.tool, case.trigger_step.index) == ("lend_book", 1)


def night(store: Store) -> dict[str, int]:
    shift = a_shift(store)
    counts = contrast(shift, fetched).counts
    group(shift)
    return counts


def kept(store: Store, *runs: Run) -> None:
    ingest_runs(runs, a_shift(store), Masker(KEY))


def outcomes(store: Store) -> list[FailureCase]:
    found = (stored.item for stored in store.collection("library", CASES).scan(Query()))
    return [case for case in found if case.error_code.startswith("outcome.")]


def test_a_night_names_the_difference_of_a_silent_failure_and_a_second_one_changes_nothing(
    store: Store,
) -> None:
    kept(store, run("bad", looked()), run("a", looked(), lent(), ok=True))
    assert night(store)["named"] == 1
    before = outcomes(store)
    assert [(case.error_code, case.trigger_step.tool) for case in before if "missing" in case.error_code] == [
        ("outcome.missing_action", "final_answer")
    ]
    assert night(store)["named_before"] == 1
    assert outcomes(store) == before


def test_a_failed_run_with_an_error_that_nothing_mended_is_explained(store: Store) -> None:
    kept(store, run("bad", failing(0, "lend_book", "Error: lent out")), run("a", lent(), ok=True))
    assert night(store)["explained"] == 1
    assert not [case for case in outcomes(store) if case.error_code == "outcome.missing_action"]


def test_arguments_that_were_no_json_but_ran_explain_nothing(store: Store) -> None:
    odd = step(0, "think", tool_call=make_call("think", "{'thought': '嗯'}"))
    kept(store, run("bad", odd), run("a", lent(), ok=True))
    assert night(store)["explained"] == 0
    assert [case.error_code for case in outcomes(store)] == ["outcome.missing_action"]


def test_what_is_not_told_is_said(store: Store) -> None:
    kept(store, run("bad", looked()), run("same", lent(), task="t2"), run("a", lent(), ok=True, task="t2"))
    report = contrast(a_shift(store), fetched)
    assert (report.counts["alike"], report.counts["untold"]) == (1, 1)
    assert [item["failed_runs"] for item in report.skipped] == [1, 1]


def test_a_bare_case_goes_and_its_problem_with_it_once_a_difference_is_named(store: Store) -> None:
    bad, good = run("bad", looked()), run("a", looked(), lent(), ok=True)
    kept(store, bad, good)
    bare = contrast_case("library", record(bad), Difference("outcome.missing_action", "x"), [], "same_task")
    bare = bare.model_copy(
        update={"error_code": "outcome.low_reward", "case_id": "bare", "fingerprint": "bare"}
    )
    store.collection("library", CASES).add_many([bare])
    group(a_shift(store))
    assert store.collection("library", PROBLEMS).get("bare")
    night(store)
    assert "outcome.low_reward" not in {case.error_code for case in outcomes(store)}
    assert store.collection("library", PROBLEMS).get("bare") is None


def loans(*, checks: int) -> list[Run]:
    """Successful runs of many tasks whose intents begin alike and which all lend; failed ones of some of these tasks,
    which did not; and a failed one of a task that nobody solved."""
    good = [run(f"ok-{n}", looked(0, f"B-{n}"), lent(1, f"B-{n}"), ok=True, task=f"t{n}") for n in range(10)]
    bad = [run(f"bad-{n}", looked(0, f"B-{n}"), task=f"t{n}") for n in range(checks)]
    return [*good, *bad, run("alone", looked(0, "B-500"), task="t-alone")]


def test_without_siblings_the_nearest_intents_name_a_tool_for_a_run_that_changed_nothing(
    store: Store,
) -> None:
    kept(store, *loans(checks=6))
    counts = night(store)
    assert (counts["named_by_intent"], counts["intents_checked"], counts["intents_right"]) == (1, 6, 6)
    found = [
        case
        for case in outcomes(store)
        if case.run_id == "alone" and case.error_code == "outcome.missing_action"
    ]
    assert found[0].evidence["basis"] == "nearest_intents"
    assert "nearest intents" in found[0].error_message


def test_nearest_intents_tell_nothing_of_a_run_that_changed_something(store: Store) -> None:
    renewed = run("alone", step(0, "renew_loan", {"book_id": "B-500"}), task="t-alone")
    kept(store, *loans(checks=6)[:-1], renewed)
    counts = night(store)
    assert (counts["named_by_intent"], counts["untold"]) == (0, 1)


def test_successful_runs_without_a_tool_in_common_are_not_near(store: Store) -> None:
    stranger = run("alone", step(0, "find_painting", {"id": "P-500"}), task="t-alone")
    kept(store, *loans(checks=6)[:-1], stranger)
    assert night(store)["named_by_intent"] == 0


def test_nearest_intents_that_were_wrong_are_not_believed() -> None:
    records = [record(one) for one in loans(checks=0)]
    intents = Intents([one for one in records if one.outcome.status == "success"], BY_NAME, fetched)
    shown = check(intents, [(one, ()) for one in records if one.outcome.status == "failure"] * 6)
    assert shown == Check(named=6, right=0)
    assert not shown.trusted
