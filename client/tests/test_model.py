"""A changed copy of a model is what pydantic's own copy would be."""

from __future__ import annotations

import pytest

from errata_client.model import changed
from errata_client.run import Step, ToolCall


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
