"""Text of any kind is read or refused, and never breaks an adapter: random bytes, cut off, deep, of mixed encodings."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errata_client.run import Run
from ingest.adapters.records import open_source
from ingest.adapters.registry import recognise
from ingest.analysis import analyse
from ingest.bounds import bounded
from ingest.masking import Masker
from knowledge.errors import BadInputError
from tests.ingest.making import KEY, NOW

TEXT_SOURCES = ("react_transcript", "execution_contract", "dot_graph", "reflexion")
PIECES = [
    "Question: ", "Thought: ", "Thought 1: ", "Action: ", "Action 2: ", "Action Input: ", "Observation: ", "Observation 9999: ",
    "Final Answer: ", "思考：", "动作1：", "行动输入：", "观察：", "最终答案：", "问题：", "**Thought:** ", "Correct answer: ",
    "<think>", "</think>", "<reasoning>", "</reasoning>", "<action>", "</action>", "<observation>", "</answer>", "<answer>",
    "=====\n", "-----\n", "Begin!\n", "(END OF EXAMPLES)\n", "Here are some examples.\n", "> Entering new AgentExecutor chain...\n",
    "> Finished chain.\n", "look_up[", "]", "look_up(a=1)", "look_up(", "Finish[x]", '{"action": "look_up", "action_input": ',
    '{"name": "x", "arguments": "{', "{" * 70, "[" * 200, "}" * 5, "```json\n", "```", "None", "9" * 400, "1e999", "\x00", "\r",
    "\x1b[31m", "\x1b]0;", "\ufeff", "书", "Error: ", '{"error": "x"}', "Environment #1:", "STATUS: FAIL", "Plan: ", "#E1 = s[x]",
    "digraph { a -> ", "}\n", "a [tool=x]; ",
]  # fmt: skip
texts = st.lists(
    st.sampled_from(PIECES) | st.text(max_size=12) | st.just("\n") | st.just("\n\n"), max_size=60
).map("".join)
encoded = st.tuples(texts, st.sampled_from(["utf-8", "utf-16", "utf-16-le", "gb18030", "utf-32"])).map(
    lambda made: made[0].encode(made[1], "surrogatepass" if made[1].startswith("utf") else "replace")
)
raw = st.one_of(
    st.binary(max_size=300), encoded, st.tuples(encoded, st.binary(max_size=40), encoded).map(b"".join)
)
anything = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def read_all(path: Path, source: str) -> int:
    """How many runs were read, each brought through the whole analysis."""
    try:
        opening = open_source(path)
        adapter = recognise(opening, source).adapter
    except BadInputError:
        return 0
    runs = [item for item in adapter.read(opening) if isinstance(item, Run)]
    masker = Masker(KEY)
    for run in runs:
        analyse(masker.run(bounded(run)[0]), "fuzz", NOW)
        assert [step.index for step in run.steps] == list(range(len(run.steps)))
        json.loads(run.model_dump_json())
    return len(runs)


@pytest.mark.parametrize("source", [*TEXT_SOURCES, "auto"])
@anything
@given(data=raw)
def test_no_text_breaks_an_adapter(tmp_path: Path, source: str, data: bytes) -> None:
    path = tmp_path / "any.txt"
    path.write_bytes(data)
    read_all(path, source)


@pytest.mark.parametrize("source", TEXT_SOURCES)
@anything
@given(text=texts)
def test_no_text_within_a_record_breaks_an_adapter(tmp_path: Path, source: str, text: str) -> None:
    path = tmp_path / "any.jsonl"
    record = {"text": text, "plan": text, "dot": text, "trials": [{"trajectory": text, "reflection": text}]}
    path.write_text(json.dumps(record) + "\n" + json.dumps({"log": text}), "utf-8", "surrogatepass")
    read_all(path, source)


@pytest.mark.parametrize(
    "piece",
    [
        *PIECES,
        " ",
        "\t",
        "> ",
        "a [",
        "Env 1 ",
        "Thought 1: a\nAction 1: x[1]\nObservation 1: ",
        "<action>x</action>",
    ],
)
def test_the_same_piece_over_and_over_takes_time_and_memory_in_proportion(tmp_path: Path, piece: str) -> None:
    path = tmp_path / "many.txt"
    path.write_text("text\n" + piece * (50_000 // len(piece)))
    tracemalloc.start()
    for source in TEXT_SOURCES:
        opening = open_source(path)
        for item in recognise(opening, source).adapter.read(opening):
            assert item
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30_000_000
