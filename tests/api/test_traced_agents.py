"""Agents in processes of their own, traced by OpenTelemetry's SDK and by the instrumentations of OpenInference and Traceloop,
export to a service that is served: their failures arrive as cases."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from knowledge.cases import FailureCase
from knowledge.kinds import CASES, RUN_RECORDS
from knowledge.store import Query
from tests.api.parties import PROJECT
from tests.api.served import ROOT, SECRET, served
from wiring.build import build
from wiring.settings import Settings
from wiring.tokens import create_token


def case_of(folder: Path, how: str) -> FailureCase:
    """The one case that an agent traced in this way leaves with a service."""
    errata = build(Settings(data_dir=folder, encoders=("hash",), secret=SECRET))
    errata.ensure_project(PROJECT)
    token, _ = create_token(errata, "desk", ["ingest"], [PROJECT])
    with served(folder) as (url, _):
        command = [sys.executable, "-m", "tests.api.traced_agent", url, token, how]
        ran = subprocess.run(
            command, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
        )
    assert ran.returncode == 0, ran.stderr
    (case,) = (stored.item for stored in errata.store.collection(PROJECT, CASES).scan(Query()))
    (record,) = (stored.item for stored in errata.store.collection(PROJECT, RUN_RECORDS).scan(Query()))
    errata.close()
    assert record.run_id == case.run_id
    return case


def test_spans_of_the_sdk_arrive_as_a_case(tmp_path: Path) -> None:
    case = case_of(tmp_path, "sdk")
    assert (case.error_code, case.error_message) == ("tool.error", "LoanError: book B-1001 is lent")
    assert (case.agent.name, case.trigger_step.tool) == ("desk", "lend")
    assert case.trigger_step.arguments == {"book_id": "B-1001"}


@pytest.mark.parametrize("how", ["openinference", "traceloop"])
def test_a_conversation_that_a_package_instrumented_arrives_as_a_case(tmp_path: Path, how: str) -> None:
    case = case_of(tmp_path, how)
    assert (case.error_code, case.error_message) == ("tool.error", "Error: book B-1001 is lent")
    assert (case.user_intent, case.model_version) == ("Please lend me B-1001.", "some-model-0101")
    assert case.trigger_step.arguments == {"book_id": "B-1001"}
