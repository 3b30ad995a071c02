"""A small shop's day: failures that a rule can mend, ones that nobody has named yet, and successes to compare with."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from errata_client.run import Agent, Outcome, Run, Step, StepError, ToolCall

START = datetime(2026, 2, 28, 8, 0, tzinfo=UTC)
AGENT = Agent(name="desk", version="1", kind="react")


def day() -> list[Run]:
    """9 runs that leave out the mark of an order's number, 5 with an error that no cause explains, 34 good ones."""
    return [*map(_unmarked, range(9)), *map(_odd, range(5)), *map(_good, range(34))]


def _number(index: int) -> str:
    return str(4_100_000 + index * 7_919)


def _run(name: str, index: int, said: str, *calls: tuple[str, dict[str, object], str | None]) -> Run:
    steps = [
        Step(
            index=place,
            step_id=f"do_{tool}",
            user_input=said if place == 0 else None,
            tool_call=ToolCall(tool=tool, arguments=arguments),
            observation=None if error else '{"status": "delivered"}',
            error=StepError(message=error) if error else None,
        )
        for place, (tool, arguments, error) in enumerate(calls)
    ]
    return Run(
        run_id=f"{name}-{index}",
        agent=AGENT,
        model_version="m1",
        task_id=f"{name}-task-{index}",
        user_intent=said,
        steps=tuple(steps),
        outcome=Outcome(status="success", reward=1.0),
        started_at=START + timedelta(minutes=index),
    )


def _unmarked(index: int) -> Run:
    number = _number(index)
    return _run(
        "unmarked",
        index,
        f"Where is my order {number}? It may also be written #W{number}.",
        ("get_order", {"order_id": number}, "Error: order not found"),
        ("get_order", {"order_id": f"#W{number}"}, None),
    )


def _odd(index: int) -> Run:
    error = f"flux capacitor {index} drifts out of phase with the resonance chamber"
    return _run("odd", index, "Please start the machine", ("start_machine", {"slot": index}, error))


def _good(index: int) -> Run:
    number = f"#W{_number(index + 100)}"
    return _run("good", index, f"Where is my order {number}?", ("get_order", {"order_id": number}, None))
