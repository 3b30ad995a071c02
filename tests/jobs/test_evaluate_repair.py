from __future__ import annotations

import pytest

from errata_client.run import Run, Step, StepError, ToolCall
from strategies.replay.port import ReplayRequest
from tests.jobs.cli import CommandLine


def shop(count: int = 40, bare: int = 24) -> list[Run]:
    """Runs of as many tasks; some give the order's number without its mark, fail, and then write it in full."""
    return [_run(index, bare=False) for index in range(count)] + [
        _run(index, bare=True) for index in range(bare)
    ]


def _run(index: int, *, bare: bool) -> Run:
    number = str(4_100_000 + index * 7_919 + bare)
    calls = [(number, "Error: order not found")] if bare else []
    steps = [
        Step(
            index=place,
            user_input=f"where is order {number} (#W{number})?" if place == 0 else None,
            tool_call=ToolCall(tool="get_order", arguments={"order_id": order}),
            observation=None if error else {"status": "delivered"},
            error=StepError(message=error) if error else None,
        )
        for place, (order, error) in enumerate([*calls, (f"#W{number}", None)])
    ]
    return Run(run_id=f"run-{index}-{bare}", task_id=f"task-{index}-{bare}", steps=tuple(steps))


def test_rules_of_one_half_repair_the_errors_of_the_other(cli: CommandLine) -> None:
    found = cli.json("evaluate", "repair", cli.file("runs.jsonl", shop()), "--split", "task")

    assert (found["errors"], found["repaired"], found["wrong"], found["harmed"]) == (24, 24, 0, 0)
    assert found["by_synthesiser"]["argument_rewrite"]["repaired"] == 24
    assert found["precision"] == 1.0
    assert {draft["direction"][:6] for draft in found["drafts"]} == {"half 1", "half 2"}


@pytest.mark.parametrize("seed", [1, 2])
def test_another_seed_halves_the_tasks_otherwise(cli: CommandLine, seed: int) -> None:
    runs = cli.file("runs.jsonl", shop())
    first, other = (cli.json("evaluate", "repair", runs, "--seed", str(number)) for number in (0, seed))

    assert other["errors"] == first["errors"]
    assert other["directions"][0]["errors"] != first["directions"][0]["errors"]


def test_nothing_of_an_evaluation_stays_in_the_project(cli: CommandLine) -> None:
    cli.json("evaluate", "repair", cli.file("runs.jsonl", shop()))

    assert cli.json("projects", "list") == []


def answering(request: ReplayRequest) -> object:
    return {"status": "delivered"} if str(request.arguments["order_id"]).startswith("#W") else "Error: no"


def test_a_replayer_is_named_by_module_and_function(cli: CommandLine) -> None:
    runs = shop()
    given_up = [run.model_copy(update={"steps": run.steps[:1]}) for run in runs[-6:]]
    file = cli.file("runs.jsonl", [*runs[:-6], *given_up])
    named = f"{__name__}:answering"

    silent = cli.json("evaluate", "repair", file)
    told = cli.json("evaluate", "repair", file, "--replayer", named, "--safe-tool", "get_order")

    assert (silent["unproven"], told["unproven"]) == (6, 0)
    assert told["repaired"] == silent["repaired"] + 6


@pytest.mark.parametrize(
    "name", ["nowhere", "no.such.module:it", "json:nothing", "https://tools.example.com"]
)
def test_a_replayer_that_is_none_is_said_at_once(cli: CommandLine, name: str) -> None:
    answer = cli("evaluate", "repair", cli.file("runs.jsonl", shop(2, 2)), "--replayer", name)

    assert answer.code == 2
    assert "--replayer" in answer.err


def test_what_is_read_by_people_names_the_share_and_each_draft(cli: CommandLine) -> None:
    told = cli("evaluate", "repair", cli.file("runs.jsonl", shop()))

    assert "100.0% of the errors" in told.out
    assert "argument_rewrite" in told.out
