"""Arguments that no framework could read are read out of the text, where they stand whole; nothing is guessed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from errata_client.run import Outcome, Run, Step, StepError, ToolCall
from knowledge.store import Store
from tests.strategies.shop import fine_orders, night

FAULT = "the arguments are not valid JSON: Expecting ',' delimiter"


def unreadable(count: int, raw: str, *, repaired: bool = True) -> Iterator[Run]:
    """Runs in which a ticket is opened with a text that is no JSON object, and then with one that is."""
    for number in range(count):
        given = {"customer": f"C-{number + 100}", "summary": f"门铃 {number} is silent"}
        text = raw.format(customer=given["customer"], summary=given["summary"])
        broken = Step(
            index=0,
            user_input="please open a ticket",
            raw_output=text,
            tool_call=ToolCall(tool="open_ticket", raw_arguments=text),
            error=StepError(message=FAULT),
        )
        again = Step(index=1, tool_call=ToolCall(tool="open_ticket", arguments=given), observation="opened")
        yield Run(
            run_id=f"json-{number}",
            task_id=f"task-json-{number}",
            steps=(broken, again) if repaired else (broken,),
            outcome=Outcome(status="unknown"),
        )


WHOLE = '{{"customer": "{customer}", "summary": "{summary}"'
FENCED = 'Here it is:\n```json\n{{"customer": "{customer}", "summary": "{summary}"}}\n```'
CUT = '{{"customer": "{customer}", "summary": "{summary}'


@pytest.mark.parametrize("raw", [WHOLE, FENCED])
def test_arguments_that_stand_whole_in_the_text_are_read_out_of_it(store: Store, raw: str) -> None:
    drafted = [
        one
        for one in night(store, [*fine_orders(), *unreadable(12, raw)])
        if one.rule.scope.tool == "open_ticket"
    ]
    (strategy,) = drafted
    assert strategy.synthesiser == "json_extraction"
    assert strategy.rule.action.kind == "extract_json"
    assert strategy.evidence.right == 12
    assert (strategy.evidence.wrong, strategy.evidence.harmed) == (0, 0)
    assert strategy.evidence.rows[0].after == strategy.evidence.rows[0].expected


def test_a_value_that_was_cut_off_is_not_guessed(store: Store) -> None:
    assert night(store, [*fine_orders(), *unreadable(12, CUT)]) == []


def test_what_nobody_tried_again_is_not_believed(store: Store) -> None:
    assert night(store, [*fine_orders(), *unreadable(12, WHOLE, repaired=False)]) == []
