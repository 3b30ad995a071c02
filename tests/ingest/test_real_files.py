"""Published runs, where they lie beside the checkout: every reply that is an error is a case, and no other is."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from ingest.masking import Masker
from ingest.service import ingest_file
from knowledge.errors import BadInputError
from knowledge.sqlite import SqliteStore
from knowledge.store import Store
from tests.ingest.making import DATA, KEY, a_shift, read

TAU = sorted(DATA.glob("tau-bench/*.json.gz")) + sorted(DATA.glob("agentrx/tau_dataset_*.json.gz"))
TAU2 = sorted(DATA.glob("tau2-bench/*.json.gz"))
LABELS = DATA / "agentrx/tau_ground_truth.json.gz"
CHATS = DATA / "who-and-when/algorithm-generated.jsonl.gz"
ACTIONS = DATA / "tau-bench/labelled-failures.jsonl.gz"

pytestmark = pytest.mark.skipif(not TAU, reason=f"no published runs in {DATA}")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """One engine is enough here: this is about reading, and there is much to read."""
    made = SqliteStore(tmp_path / "errata.db")
    made.prepare()
    yield made
    made.close()


def count_errors(path: Path) -> int:
    """By the raw messages, without any adapter."""
    content = orjson.loads(gzip.decompress(path.read_bytes()))
    if isinstance(content, dict):
        return sum(
            m.get("error") is True
            for s in content["simulations"]
            for m in s["messages"]
            if m["role"] == "tool"
        )
    messages = [message for record in content for message in record["traj"]]
    replies = [message["content"] for message in messages if message["role"] == "tool"]
    replies += [
        str(message["content"]).removeprefix("API output: ")
        for message in messages
        if message["role"] == "user" and str(message["content"]).startswith("API output: ")
    ]
    return sum(str(text).startswith("Error") for text in replies)


@pytest.mark.parametrize("path", TAU + TAU2, ids=lambda path: path.name.partition(".json")[0])
def test_every_error_reply_is_a_case_and_no_other_reply_is(path: Path, store: Store) -> None:
    shift = a_shift(store)
    report = ingest_file(path, "auto", shift, Masker(KEY))
    errors = report.by_error_code.get("tool.error", 0) + report.by_error_code.get("tool.unavailable", 0)
    assert errors == count_errors(path)
    assert not report.not_analysed
    assert ingest_file(path, "auto", shift, Masker(KEY)).new_cases == 0


def test_a_file_of_labels_is_refused_with_what_it_is(store: Store) -> None:
    with pytest.raises(BadInputError, match="not the runs"):
        ingest_file(LABELS, "auto", a_shift(store), Masker(KEY))


def test_every_chat_of_several_agents_is_read_whole(store: Store) -> None:
    raw = [orjson.loads(line) for line in gzip.decompress(CHATS.read_bytes()).splitlines()]
    runs, left_out = read(CHATS)
    assert not left_out
    assert [len(run.steps) for run in runs] == [len(record["history"]) for record in raw]
    executions = [
        m["content"] for record in raw for m in record["history"] if m["content"].startswith("exitcode: ")
    ]
    failed = sum(not text.startswith("exitcode: 0") for text in executions)
    report = ingest_file(CHATS, "auto", a_shift(store), Masker(KEY))
    errors = report.by_error_code.get("tool.error", 0) + report.by_error_code.get("tool.unavailable", 0)
    assert (report.runs, report.calls, errors) == (125, len(executions), failed)


def test_runs_of_which_only_calls_were_kept_are_read(store: Store) -> None:
    raw = [orjson.loads(line) for line in gzip.decompress(ACTIONS.read_bytes()).splitlines()]
    report = ingest_file(ACTIONS, "auto", a_shift(store), Masker(KEY))
    assert (report.runs, report.calls) == (len(raw), sum(len(record["agent_actions"]) for record in raw))
    assert report.reference_calls == 0
    assert "tool.error" not in report.by_error_code


def test_the_injected_failures_of_a_tool_are_told_apart(store: Store) -> None:
    report = ingest_file(DATA / "tau-bench/grok-3-retail.json.gz", "auto", a_shift(store), Masker(KEY))
    assert report.by_error_code["tool.unavailable"] == 123


def test_the_same_runs_in_another_record_shape_are_the_same_runs() -> None:
    one, _ = read(DATA / "tau-bench/tool-calling-retail.json.gz")
    other, _ = read(DATA / "agentrx/tau_dataset_full.json.gz")
    assert {run.run_id for run in one} == {run.run_id for run in other}
