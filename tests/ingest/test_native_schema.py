"""The native format's published schema: current, true of what is read, and of what its page shows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from errata_client.run import Run
from ingest.native_schema import native_schema
from tests.ingest.making import read

FORMATS = Path(__file__).resolve().parents[2] / "docs" / "formats"


def schema() -> Any:
    return json.loads((FORMATS / "native.schema.json").read_text(encoding="utf-8"))


def example() -> str:
    return re.findall(r"```json\n(.*?)\n```", (FORMATS / "native.md").read_text(encoding="utf-8"), re.DOTALL)[
        0
    ]


def test_the_published_schema_is_the_one_that_the_command_makes() -> None:
    assert schema() == native_schema(), "run: errata schema --out docs/formats/native.schema.json"


def test_the_pages_example_is_valid_and_is_read_as_it_stands(tmp_path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    jsonschema.validate(json.loads(example()), schema())
    path = tmp_path / "runs.jsonl"
    path.write_text(example())
    (run,), left_out = read(path)
    assert not left_out
    assert (run.run_id, run.agent.kind, run.outcome.status) == ("r-1", "plan_execute", "failure")
    assert run.plans[0].steps[0].status == "failed"
    assert run.steps[0].error is not None
    jsonschema.validate(run.model_dump(mode="json"), schema())


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": []},
        {"run_id": "r", "steps": [{"index": -1}]},
        {"run_id": "r", "steps": [{"tool_call": {"arguments": {}}}]},
        {"run_id": "r", "agent": {"kind": "wizard"}},
        {"run_id": "r", "plans": [{"steps": [{"step_id": "a", "status": "perhaps"}]}]},
        {"run_id": "r", "thoughts": [{"text": "no id"}]},
    ],
)
def test_what_the_reader_refuses_the_schema_refuses_too(tmp_path: Path, wrong: Any) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema())
    path = tmp_path / "runs.jsonl"
    path.write_text(
        json.dumps({"run_id": "first", "steps": []})
        + "\n"
        + json.dumps({**wrong, "steps": wrong.get("steps", [])})
    )
    runs, left_out = read(path, "native_jsonl")
    assert ([run.run_id for run in runs], len(left_out)) == (["first"], 1)


def test_every_field_of_the_models_is_on_the_page() -> None:
    page = (FORMATS / "native.md").read_text(encoding="utf-8")
    assert [name for name in Run.model_fields if f"`{name}`" not in page] == []
    assert [name for name in schema()["$defs"]["Step"]["properties"] if name not in page] == []
