"""Replaying a recorded run."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from errata_client.replay import replay
from errata_client.run import Run, Step, StepError, ToolCall


def call(index: int, tool: str, arguments: dict[str, object], **more: object) -> Step:
    return Step(index=index, tool_call=ToolCall(tool=tool, arguments=arguments), **more)


def provenances(run: Run) -> list[dict[str, str]]:
    return [dict(found.before.provenance) for found in replay(run)]


def test_each_step_with_a_call_is_viewed_before_and_after() -> None:
    run = Run(
        run_id="r1",
        prompt="W0000001",
        steps=(
            Step(index=0, user_input="I am mia"),
            call(
                1, "find_user", {"name": "mia"}, observation={"id": "mia_1234"}, thought="look", step_id="s"
            ),
            call(
                2, "get_order", {"id": "mia_1234", "x": "W0000001"}, error=StepError(message="no such order")
            ),
        ),
    )
    first, second = replay(run)
    assert (first.step.index, second.step.index) == (1, 2)
    assert (first.before.step_id, first.before.thought, first.before.user_input) == ("s", "look", "I am mia")
    assert (first.after.observation, first.after.error) == ('{"id":"mia_1234"}', None)
    assert (second.after.observation, second.after.error) == (None, "no such order")
    assert second.before.provenance == {"/id": "tool", "/x": "prompt"}
    assert [prior.tool for prior in second.before.calls_before] == ["find_user"]


def test_where_no_step_says_what_a_person_said_the_intent_is_it() -> None:
    step = call(0, "get_order", {"id": "W1234567"})
    assert provenances(Run(run_id="r", user_intent="about W1234567", steps=(step,))) == [{"/id": "person"}]
    spoken = Step(index=1, user_input="hello")
    assert provenances(Run(run_id="r", user_intent="about W1234567", steps=(step, spoken))) == [
        {"/id": "nowhere"}
    ]


def test_what_a_sibling_of_the_same_batch_returned_counts_though_none_is_an_earlier_call() -> None:
    steps = (
        call(0, "get_order", {"id": "W1234567"}, batch=1, observation="none"),
        call(1, "find", {"x": "W7777777"}, batch=1, observation="W1234567"),
        call(2, "get_order", {"id": "W1234567"}, batch=1, observation="W8888888"),
        call(3, "next", {"id": "W8888888"}, batch=2, observation=None),
    )
    views = list(replay(Run(run_id="r", steps=steps)))
    assert [view.before.provenance for view in views] == [
        {"/id": "tool"},
        {"/x": "nowhere"},
        {"/id": "tool"},
        {"/id": "tool"},
    ]
    assert [len(view.before.calls_before) for view in views] == [0, 0, 0, 3]
    assert [view.before.repeats for view in views] == [0, 0, 1, 0]


def test_a_call_does_not_give_itself_its_values() -> None:
    steps = (
        call(0, "a", {"id": "W1234567"}, batch=1, observation="W1234567"),
        call(1, "b", {}, batch=1, error=StepError(message="x")),
    )
    assert provenances(Run(run_id="r", steps=steps))[0] == {"/id": "nowhere"}


def test_the_persons_own_calls_are_not_seen_by_the_agents_client() -> None:
    steps = (
        call(0, "check_phone", {}, requestor="user", observation="code W1234567"),
        call(1, "enter", {"code": "W1234567"}),
        call(2, "enter", {"code": "W1234567"}, requestor="user"),
    )
    views = list(replay(Run(run_id="r", steps=steps)))
    assert [view.before.provenance.get("/code") for view in views] == [None, "nowhere", "tool"]
    assert views[1].before.calls_before == ()


def test_text_without_a_call_is_learnt_from_the_surroundings() -> None:
    steps = (Step(index=0, observation="page W1234567"), call(1, "open", {"id": "W1234567"}))
    assert provenances(Run(run_id="r", steps=steps)) == [{"/id": "tool"}]


def real_run(record: dict[str, object]) -> Run:
    """A tau-bench record, read just well enough to be replayed."""
    steps: list[Step] = []
    for message in record["traj"]:
        if message["role"] == "user":
            steps.append(Step(index=len(steps), user_input=message["content"]))
        for asked in message.get("tool_calls") or []:
            arguments = json.loads(asked["function"]["arguments"])
            steps.append(call(len(steps), asked["function"]["name"], arguments, batch=None))
        if message["role"] == "tool":
            said = message["content"]
            more = {"error": StepError(message=said)} if said.startswith("Error") else {"observation": said}
            steps[-1] = steps[-1].model_copy(update=more)
    return Run(run_id=str(record["task_id"]), prompt=record["traj"][0]["content"], steps=tuple(steps))


@pytest.mark.parametrize("name", ["gpt-4o-airline"])
def test_in_real_runs_most_ids_were_given(real_runs: Path, name: str) -> None:
    records = json.loads(gzip.decompress((real_runs / "tau-bench" / f"{name}.json.gz").read_bytes()))
    seen: Counter[str] = Counter()
    for record in records[:60]:
        for view in replay(real_run(record)):
            seen.update(
                [view.before.provenance.get("/user_id") or view.before.provenance.get("/reservation_id")]
            )
    assert seen["person"] + seen["tool"] > 50
    assert seen["nowhere"] < 0.1 * (seen["person"] + seen["tool"])


def test_after_a_call_whose_answer_is_not_recorded_what_is_found_nowhere_is_pending() -> None:
    run = Run(
        run_id="r1",
        steps=(
            call(0, "find_user", {"name": "mia"}, user_input="I am mia", answered=False),
            call(1, "get_order", {"id": "W0000001", "name": "mia"}),
        ),
    )
    assert provenances(run)[1] == {"/id": "pending", "/name": "person"}


def test_in_a_run_that_is_not_recorded_whole_nothing_is_from_nowhere() -> None:
    step = Step(index=0, tool_call=ToolCall(tool="lend", arguments={"id": "B-1001"}), observation="lent")
    whole, partial = (Run(run_id="r", steps=(step,), complete=complete) for complete in (True, False))
    assert [view.before.provenance for view in replay(whole)] == [{"/id": "nowhere"}]
    assert [view.before.provenance for view in replay(partial)] == [{"/id": "pending"}]


def test_of_a_batch_of_many_each_sees_what_all_others_returned_and_not_its_own() -> None:
    """As many looks as there are calls would be too many for a batch of thousands; the answer is the same."""
    size = 33
    ids = [f"W{1_000_000 + number}" for number in range(size)]
    steps = tuple(
        call(
            number,
            "get_order",
            {"id": ids[number], "next": ids[(number + 1) % size]},
            batch=1,
            observation=ids[number],
        )
        for number in range(size)
    )
    for found in provenances(Run(run_id="r1", steps=steps)):
        assert found["/next"] != found["/id"]
