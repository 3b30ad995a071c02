"""An example document of every source, for tests that go through all of them.

Where there is none here, it is the smallest input on the source's page. Register a fuller one where the smallest leaves
out fields that a source may hold.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.ingest.making import (
    Json,
    a_loan,
    calls,
    reply,
    says,
    simulation,
    system,
    tau,
    tau2,
    tau2_call,
    tau2_reply,
    user,
)

DOCS = Path(__file__).resolve().parents[2] / "docs"


def section_on(name: str) -> str:
    """The source's own page, or its section of the page on ingest."""
    page = DOCS / "formats" / f"{name.replace('_', '-')}.md"
    if page.exists():
        return page.read_text()
    return (DOCS / "ingest.md").read_text().partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def _native() -> Json:
    call = {
        "tool": "lend",
        "arguments": {"book_id": "B-1", "who": {"mail": "x"}, "tags": ["a"]},
        "raw_arguments": "{",
        "call_id": "c1",
    }
    return {
        "run_id": "run-1",
        "agent": {"name": "desk", "version": "1", "kind": "react", "team": "x"},
        "model_version": "m-1",
        "task_id": "t-1",
        "user_intent": "lend a book",
        "conversation_id": "c-1",
        "prompt": "You lend books.",
        "tools": [{"name": "lend", "description": "lends", "parameters": {"type": "object", "properties": {"book_id": {"type": "string", "description": "the book"}}}}],
        "permitted_tools": ["lend", "find"],
        "steps": [
            {"step_id": "s1", "user_input": "hello", "thought": "hm", "raw_output": "out", "tool_call": call, "observation": {"note": "Error: no such book", "list": ["x", {"y": "z"}]}, "error": {"message": "no such book", "type": "NotFound"}, "mood": "fine"},
            {"step_id": "s2", "tool_call": {"tool": "find", "arguments": {"q": "x"}}, "observation": "found", "error": None},
        ],
        "plans": [{"text": "first", "allowed_tools": ["lend"], "steps": [{"step_id": "s1", "tool": "lend", "purpose": "p", "arguments": {"a": "b"}, "depends_on": ["s0"], "premises": ["it is there"], "expects": {"type": "object"}}]}],
        "episodes": [{"first_step": 0, "reflection": "do better"}],
        "thoughts": [{"thought_id": "n1", "text": "root"}, {"thought_id": "n2", "parent": "n1", "text": "leaf"}],
        "outcome": {"status": "failure", "reason": "gave up"},
        "labels": {"reviewer": "someone", "tags": ["x"]},
    }  # fmt: skip


def _openai() -> Json:
    return {
        "messages": [
            system("You lend books."),
            user("lend me B-1"),
            {**calls(("c1", "lend", {"book_id": "B-1"})), "content": "I will."},
            reply("c1", "Error: no such book"),
            says("Sorry."),
        ],
        "tools": [{"type": "function", "function": {"name": "lend", "description": "lends", "parameters": {"type": "object", "properties": {}}}}],
        "model": "m-1",
        "metadata": {"customer": "someone", "tags": ["x"]},
    }  # fmt: skip


def _tau2() -> Json:
    messages = [
        user("hello"),
        tau2_call("c1", "lend", {"book_id": "B-1"}),
        tau2_reply("c1", "Error: no such book", error=True),
        tau2_call("c2", "toggle", {"device": "d"}, requestor="user"),
        tau2_reply("c2", "on", error=False, requestor="user"),
        says("Bye."),
    ]
    return tau2([simulation(messages, info={"note": "x"})])


EXAMPLES: dict[str, Json] = {
    "native_jsonl": _native(),
    "openai_chat": _openai(),
    "tau_bench": [tau(a_loan("Error: no such book"), reward=0.0)],
    "tau2_bench": _tau2(),
}
"""By the name of the adapter: a JSON value, or the text of a source that is no JSON."""


def example(name: str) -> Json:
    """The example of one source; a text where the source is no JSON. LookupError where neither the list nor a page has
    one."""
    if name in EXAMPLES:
        return EXAMPLES[name]
    blocks = re.findall(r"```[a-z]*\n(.*?)\n```", section_on(name), re.DOTALL)
    if not blocks:
        raise LookupError(f"the source {name} has no example: add one to EXAMPLES, or to its page")
    try:
        return json.loads(blocks[0])
    except json.JSONDecodeError:
        return blocks[0]
