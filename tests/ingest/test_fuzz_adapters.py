"""Every adapter on files as no one should write them: nothing breaks it, and of a broken record nothing is written."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errata_client.run import Run
from ingest.adapters.port import NotAnalysed
from ingest.adapters.records import open_source
from ingest.adapters.registry import ADAPTERS, AUTO, recognise
from ingest.analysis import analyse
from ingest.bounds import bounded
from ingest.masking import Masker
from ingest.service import ingest_file
from knowledge.errors import BadInputError
from knowledge.sqlite import SqliteStore
from tests.ingest.making import (
    KEY,
    NOW,
    a_loan,
    a_shift,
    calls,
    reply,
    simulation,
    state,
    tau,
    tau2,
    tau2_call,
    tau2_reply,
    user,
)
from tests.ingest.test_pages import section_on
from tests.ingest.tracing import a_desk, lf_trace, observation

Json = Any

FAILED = (
    "exitcode: 1 (execution failed)\nCode output: Traceback (most recent call last):\nNameError: name 'x'"
)
CALL = {"tool": "lend", "arguments": {"book_id": "B-1"}}
GENERATION = observation(
    2,
    "GENERATION",
    "ChatModel",
    input=json.dumps([{"role": "user", "content": "Lend me B-1."}]),
    output={
        "role": "assistant",
        "content": "",
        "tool_calls": [{"name": "lend", "args": {"a": 1}, "id": "c1"}],
    },
)
RICH: dict[str, list[Json]] = {
    "native_jsonl": [
        {"run_id": "r-1", "steps": [{"index": 0, "tool_call": CALL, "observation": "lent", "error": None}]}
    ],
    "openai_chat": [{"messages": [user("hi"), calls(("c1", "lend", {"a": 1})), reply("c1", "Error: lent")]}],
    "tau_bench": [tau(a_loan("Error: lent"))],
    "tau2_bench": [
        tau2([simulation([tau2_call("c1", "lend", {"a": 1}), tau2_reply("c1", "no", error=True)])])
    ],
    "langsmith": a_desk(),
    "langfuse": [
        lf_trace(
            observation(3, "TOOL", "lend", input='{"a": 1}', level="ERROR", statusMessage="lent"),
            GENERATION,
            observation(1, "AGENT", "desk"),
            scores=[{"id": "s", "traceId": "trace-1", "name": "correctness", "value": 0}],
        )
    ],
    "multi_agent_chat": [
        {
            "question": "How many?",
            "history": [
                {"name": "A_Expert", "role": "assistant", "content": "```python\nx\n```"},
                {"name": "terminal", "role": "user", "content": FAILED},
                {"name": "B_Expert", "role": "user", "content": "So?"},
            ],
        }
    ],
    "recorded_actions": [
        {"task": "t", "instruction": "Lend.", "agent_actions": [{"name": "lend", "arguments": {"a": 1}}]}
    ],
}
NAMES = [adapter.name for adapter in ADAPTERS]
EVERY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

odd = st.sampled_from(
    [None, True, -1, 0.5, 10**30, -(10**400), 1e308, "", "\x00", "\ud800", "错误：没有", "{", "[" * 80, "[1, {", [], {}, [[]], [None], {"": {}},
     {"role": "user"}, {"lc": 1, "id": [], "kwargs": {}}, {"type": "ai", "content": [{"type": "tool_use"}]}, "9" * 5_000]
)  # fmt: skip
nested = st.integers(1, 200).map(lambda depth: json.loads("[" * depth + "]" * depth))
values = odd | nested | st.recursive(odd, lambda inner: st.lists(inner, max_size=3), max_leaves=6)


def seeds(name: str) -> list[Json]:
    """The records that a source's file is made of; its page's smallest input where no richer one stands here."""
    if name in RICH:
        return RICH[name]
    block = section_on(name).partition("```")[2].partition("\n")[2].partition("\n```")[0]
    try:
        return [json.loads(block)]
    except json.JSONDecodeError:
        return [{"text": block}]


def places(value: Json, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of everything in a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, below in items for found in places(below, (*path, key)))]


def changed(value: Json, path: tuple[Any, ...], new: Json, *, drop: bool) -> Json:
    """A copy with `new` at the path, or without what is there."""
    if not path:
        return new
    key, *rest = path
    copied = dict(value) if isinstance(value, dict) else list(value)
    if drop and not rest:
        del copied[key]
    else:
        copied[key] = changed(copied[key], tuple(rest), new, drop=drop)
    return copied


@st.composite
def altered(draw: st.DrawFn, name: str) -> list[Json]:
    """The records of a source with up to three things in them replaced or taken out."""
    records: Json = seeds(name)
    for _ in range(draw(st.integers(1, 3))):
        where = places(records)
        path = where[draw(st.integers(0, len(where) - 1))]
        records = changed(records, path, draw(values), drop=draw(st.booleans()))
    return records if isinstance(records, list) else [records]


@st.composite
def files(draw: st.DrawFn, name: str) -> bytes:
    """A file of altered records, in a layout and an encoding, cut, with bytes in it that do not belong there."""
    records = draw(altered(name))
    layout = draw(st.sampled_from(["lines", "array", "values"]))
    text = (
        json.dumps(records)
        if layout == "array"
        else "\n".join(
            json.dumps(record, indent=1 if layout == "values" else None, ensure_ascii=draw(st.booleans()))
            for record in records
        )
    )
    data = text.encode(
        draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030"])), "replace"
    )
    if draw(st.booleans()):
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.binary(max_size=8)) + data[at + draw(st.integers(0, 4)) :]
    if draw(st.booleans()):
        data = gzip.compress(data, compresslevel=1)
    return data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data


def read_all(path: Path, source: str) -> list[Run | NotAnalysed]:
    """All that is read, each run brought through the whole analysis. BadInputError is the one error there may be."""
    try:
        opening = open_source(path)
        items = list(recognise(opening, source).adapter.read(opening))
    except BadInputError:
        return []
    masker = Masker(KEY)
    for run in (item for item in items if isinstance(item, Run)):
        analyse(masker.run(bounded(run)[0]), "fuzz", NOW)
        assert [step.index for step in run.steps] == list(range(len(run.steps)))
        json.loads(run.model_dump_json())
    return items


@pytest.mark.parametrize("name", NAMES)
@EVERY
@given(data=st.data())
def test_no_altered_file_breaks_its_adapter_or_the_recognition(
    tmp_path: Path, name: str, data: st.DataObject
) -> None:
    path = tmp_path / "file"
    path.write_bytes(data.draw(files(name)))
    read_all(path, name)
    read_all(path, AUTO)


@pytest.mark.parametrize("name", NAMES)
@EVERY
@given(content=st.binary(max_size=200))
def test_no_bytes_break_an_adapter(tmp_path: Path, name: str, content: bytes) -> None:
    for number, start in enumerate((b"", b"{", b"[{", b'{"messages": [')):
        path = tmp_path / str(number)
        path.write_bytes(start + content)
        read_all(path, name)


LINES = [name for name in NAMES if name in RICH and name != "tau2_bench"]


def renamed(records: list[Json], number: int) -> list[Json]:
    """The records as those of another run: of traces the ids, of others a text that makes the run's id."""
    text = json.dumps(records)
    for old in (
        "01990000-0000-7000-8000",
        "trace-1",
        "r-1",
        "Lend me B-1001",
        "How many?",
        '"hi"',
        '"task": "t"',
    ):
        text = text.replace(old, old[:-1] + f"{number}" + old[-1])
    return list(json.loads(text))


def ingested(folder: Path, lines: list[str]) -> tuple[int, dict[str, list[Json]]]:
    """How many runs a file of these lines gave, and all that it left in a store."""
    path = folder / "file.jsonl"
    path.write_text("\n".join(lines) + "\n")
    store = SqliteStore(folder / "errata.db")
    store.prepare()
    try:
        report = ingest_file(path, AUTO, a_shift(store), Masker(KEY))
        return report.runs, state(store)
    finally:
        store.close()
        for left in folder.iterdir():
            left.unlink()


@pytest.mark.parametrize("name", LINES)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_of_a_broken_record_nothing_is_written(tmp_path: Path, name: str, data: st.DataObject) -> None:
    before, broken, after = (
        [json.dumps(record) for record in renamed(RICH[name], number)] for number in (1, 2, 3)
    )
    cut = [line[: data.draw(st.integers(1, len(line) - 1))] for line in broken]
    runs, left = ingested(tmp_path, [*before, *cut, *after])
    assert (runs, left) == ingested(tmp_path, [*before, *after])
    assert runs == 2
