"""A changed copy of a model is what pydantic's own copy would be."""

from __future__ import annotations

import pytest

from errata_client.model import changed, unchecked
from errata_client.run import Step, ToolCall
from errata_client.view import PriorCall


@pytest.mark.parametrize(
    "step", [Step(index=3, thought="so"), Step.model_validate({"index": 1, "of_another_tool": [1, 2]})]
)
def test_a_changed_copy_is_as_pydantic_copies(step: Step) -> None:
    values = {"observation": {"lent": True}, "tool_call": ToolCall(tool="lend")}
    made, wanted = changed(step, values), step.model_copy(update=values)

    assert made == wanted
    assert made.model_dump_json() == wanted.model_dump_json()
    assert made.model_fields_set == wanted.model_fields_set


def test_the_model_itself_stays_as_it_was() -> None:
    step = Step.model_validate({"index": 1, "of_another_tool": "x"})
    changed(step, {"thought": "other"})

    assert step == Step.model_validate({"index": 1, "of_another_tool": "x"})


def test_what_is_made_unchecked_equals_what_is_checked() -> None:
    step = unchecked(Step, {**Step(index=0).__dict__, "index": 2, "thought": "so"})

    assert step == Step(index=2, thought="so")
    assert unchecked(PriorCall, {"tool": "lend", "ok": True, "error": None}) == PriorCall(
        tool="lend", ok=True
    )


def test_an_unknown_field_can_be_put_on_what_was_made_unchecked() -> None:
    step = unchecked(Step, {**Step(index=0).__dict__})

    assert step.model_copy(update={"note": 1}).model_extra == {"note": 1}
    assert step.model_extra == {}
