"""What went wrong in runs, counted from the runs themselves: by tool and by what the tool said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from errata_client.jsontext import canonical
from errata_client.run import Run, Step
from examples.ticket_desk.mistakes import Mistake

REPEATED = 3
"""A call that was made this often in one run, with the same arguments, is one failure."""

_SIGNS: tuple[tuple[str, str, Mistake], ...] = (
    ("get_order", "not found", "bare order id"),
    ("get_customer", "not found", "invented customer"),
    ("search_articles", "^503", "busy search"),
    ("refund_order", "not delivered", "refund too early"),
    ("refund_order", "exceeds", "refund too high"),
    ("create_ticket", "not valid JSON", "cut-off JSON"),
    ("reschedule_visit", "invalid date", "slashes in date"),
)


def mistakes_in(run: Run) -> Counter[str]:
    """How often each kind of mistake shows in the run: once per failed call, once per call that went in circles.

    A call that failed and worked when it was made again, as it was, is no failure, whoever made it again.
    """
    made = Counter(_signature(step) for step in run.steps if step.tool_call and step.error is None)
    failed = [step for step in run.steps if step.error is not None and _signature(step) not in made]
    circles = sum(times >= REPEATED for times in made.values())
    return Counter(map(_named, failed)) + Counter({"same call again": circles})


def mistakes_of(runs: Iterable[Run]) -> Counter[str]:
    """The sum over runs."""
    return sum((mistakes_in(run) for run in runs), Counter())


def ended_well(runs: Iterable[Run]) -> int:
    """How many runs gave the person what they wished."""
    return sum(run.outcome.status == "success" for run in runs)


def _signature(step: Step) -> str:
    call = step.tool_call
    return canonical([call.tool, call.arguments, call.raw_arguments] if call else None)


def _named(step: Step) -> str:
    tool = step.tool_call.tool if step.tool_call else ""
    message = step.error.message if step.error else ""
    for sign_tool, pattern, mistake in _SIGNS:
        if tool == sign_tool and re.search(pattern, message):
            return mistake
    return "other"
