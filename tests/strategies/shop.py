"""A shop's days, made short: runs with a planted fault among runs that work, and the night that looks at them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from errata_client.deliberation import Plan, PlanStep
from errata_client.run import Outcome, OutcomeStatus, Run, Step, StepError, ToolCall
from ingest.contrast.stage import contrast
from ingest.masking import Masker
from ingest.service import ingest_runs
from ingest.stages import group
from knowledge.causes import Attribution, Exemplar, RootCause
from knowledge.kinds import ATTRIBUTIONS, PROBLEMS, ROOT_CAUSES, STRATEGIES
from knowledge.stage import Shift
from knowledge.store import Query, Store
from knowledge.strategies import Strategy
from strategies import stages

PROJECT = "shop"
NOW = datetime(2026, 3, 2, 2, 0, tzinfo=UTC)


class Call(NamedTuple):
    """A call and how it ended; `said` is what the person said just before it, `premise` what its plan takes for
    granted and `needs` the tools that have to come before it, by the plan (a call without a premise is not planned).
    One that `spoils` the run went through all the same."""

    tool: str
    arguments: dict[str, Any]
    result: object = None
    error: str | None = None
    said: str | None = None
    premise: str | None = None
    needs: tuple[str, ...] = ()
    spoils: bool = False


def worked(tool: str, arguments: dict[str, Any], result: object = "done", *, said: str | None = None) -> Call:
    return Call(tool, arguments, result, said=said)


def failed(tool: str, arguments: dict[str, Any], error: str, *, said: str | None = None) -> Call:
    return Call(tool, arguments, error=error, said=said)


def run(
    name: str, said: str, *calls: Call, task: str | None = None, status: OutcomeStatus = "unknown"
) -> Run:
    """One run of one task (its own, unless named); the person speaks first."""
    steps = [
        Step(
            index=index,
            step_id=None if call.premise is None else call.tool,
            user_input=call.said or (said if index == 0 else None),
            tool_call=ToolCall(tool=call.tool, arguments=call.arguments),
            observation=call.result,
            error=None if call.error is None else StepError(message=call.error),
        )
        for index, call in enumerate(calls)
    ]
    planned = [
        PlanStep(step_id=call.tool, tool=call.tool, premises=(call.premise,), depends_on=call.needs)
        for call in calls
        if call.premise is not None
    ]
    return Run(
        run_id=name,
        task_id=f"task-{task or name}",
        user_intent=said,
        steps=tuple(steps),
        plans=(Plan(steps=tuple(planned)),) if planned else (),
        outcome=Outcome(status="failure" if any(call.spoils for call in calls) else status),
    )


def shift_of(store: Store, night: int = 1) -> Shift:
    return Shift(store, PROJECT, f"night-{night}", NOW.replace(day=1 + night))


def cause_of(code: str) -> RootCause:
    return RootCause(
        cause_id=f"RC-{code}",
        name=code,
        statement=code,
        error_codes=("tool.error",),
        exemplars=(Exemplar(error_pattern=code),),
        playbook="Look it up first.",
        playbook_zh="请先查询。",
    )


def explain(shift: Shift) -> None:
    """Bind every problem to a root cause of its error code."""
    problems = [stored.item for stored in shift.store.collection(PROJECT, PROBLEMS).scan(Query())]
    shift.store.collection(PROJECT, ROOT_CAUSES).add_many(
        cause_of(code) for code in sorted({problem.error_code for problem in problems})
    )
    shift.store.collection(PROJECT, ATTRIBUTIONS).put_many(
        Attribution(
            fingerprint=problem.fingerprint,
            verdict="matched",
            root_cause=f"RC-{problem.error_code}",
            rung="person",
            threshold=0.85,
            margin=0.05,
            reason="said so",
            decided_at=shift.now,
        )
        for problem in problems
    )


def night(store: Store, runs: Iterable[Run] = (), number: int = 1) -> list[Strategy]:
    """Ingest, explain, draft, try, file: what is filed in the end, by id."""
    shift = shift_of(store, number)
    ingest_runs(runs, shift, Masker(b"k" * 32))
    explain(shift)
    for stage in (stages.synthesize, stages.backtest, stages.file):
        stage(shift)
    return filed(store)


def contrasted(store: Store, runs: Iterable[Run]) -> list[Strategy]:
    """As `night`, with a look at what successful runs did otherwise."""
    shift = shift_of(store, 1)
    ingest_runs(runs, shift, Masker(b"k" * 32))
    contrast(shift, lambda texts: {})
    group(shift)
    return night(store)


def filed(store: Store) -> list[Strategy]:
    return [stored.item for stored in store.collection(PROJECT, STRATEGIES).scan(Query())]


def number(index: int) -> str:
    """Seven digits that look like nobody's."""
    return f"{(index * 7_919_993 + 1_234_567) % 9_000_000 + 1_000_000}"


def fine_orders(count: int = 40) -> Iterator[Run]:
    """Runs in which the person gives the order's number as it is written, and the tool finds it."""
    for index in range(count):
        order = f"#W{number(index + 500)}"
        yield run(
            f"fine-{index}", f"where is {order}?", worked("get_order", {"order_id": order}, {"id": order})
        )


def bare_orders(count: int = 8, spoken: Sequence[str] = ("{}", "W{}")) -> Iterator[Run]:
    """Runs in which the number goes out bare, fails, and works once it is written in full."""
    for index in range(count):
        bare, whole = spoken[index % len(spoken)].format(number(index)), f"#W{number(index)}"
        yield run(
            f"bare-{index}",
            f"where is my order {bare}?",
            failed("get_order", {"order_id": bare}, "Error: order not found"),
            worked("get_order", {"order_id": whole}, {"id": whole}),
        )
