"""LangChain's `intermediate_steps`: [[action, observation], …], the action an object {tool, tool_input, log} or its text."""

from __future__ import annotations

import ast
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Agent, Run, Step
from ingest.adapters.chat import reply_content
from ingest.adapters.jsonvalue import clean_text
from ingest.adapters.plain_text import lines_of
from ingest.adapters.port import NotAnalysed, RecordError
from ingest.adapters.record_fields import about_run, text_at
from ingest.adapters.replies import chat_error
from ingest.adapters.transcript_blocks import blocks
from ingest.adapters.written_call import with_input
from knowledge.ids import digest

KEYS = ("intermediate_steps", "intermediateSteps")
MAX_WRITTEN = 100_000
"""Characters of a step in Python's syntax that are read."""

PARSE_FAILURE = "_Exception"
"""The tool that LangChain calls where the model's text could not be parsed."""


def steps_in(record: Any) -> list[Any] | None:
    """The record's intermediate steps, if it has any."""
    if not isinstance(record, dict):
        return None
    found = next((record[key] for key in KEYS if isinstance(record.get(key), list)), None)
    return found or None


def run_of(record: dict[str, JsonValue], listed: list[Any], position: str) -> tuple[Run, list[NotAnalysed]]:
    """The run of a record {input, intermediate_steps, output}. RecordError where no step can be read."""
    asked = _asked(record.get("input"))
    troubles: list[NotAnalysed] = []
    steps: list[Step] = []
    for number, item in enumerate(listed, 1):
        fields = _step(item)
        if fields is None:
            troubles.append(
                NotAnalysed(
                    position=f"{position}, step {number}", reason="no [action, observation] with a tool"
                )
            )
            continue
        steps.append(Step(index=len(steps), user_input=None if steps else asked, **fields))
    if not steps:
        raise RecordError("none of its intermediate_steps is an [action, observation] with a tool")
    answer = text_at(record, "output", "answer")
    if answer:
        steps.append(Step(index=len(steps), raw_output=answer))
    fields = {
        "run_id": f"langchain-{digest(asked, listed, answer)}",
        "agent": Agent(kind="react"),
        "user_intent": asked,
        "complete": asked is not None,
        "steps": tuple(steps),
    }
    return Run(**{**fields, **about_run(record)}), troubles


def _asked(given: JsonValue) -> str | None:
    if isinstance(given, dict):
        return text_at(given, "input", "question", "query")
    return clean_text(given) if isinstance(given, str) and given else None


def _step(item: Any) -> dict[str, Any] | None:
    action, observation = _parts(item)
    found = _action(action)
    if found is None:
        return None
    content = reply_content(observation)
    log = found.get("log") if isinstance(found.get("log"), str) else None
    fields = {
        "thought": _thought(log),
        "raw_output": clean_text(log) if log else None,
        "observation": content,
    }
    if found["tool"] == PARSE_FAILURE:
        return fields
    call = with_input(clean_text(found["tool"]), found.get("tool_input"))
    call_id = found.get("tool_call_id")
    named = call.model_copy(update={"call_id": call_id}) if isinstance(call_id, str) else call
    return {**fields, "tool_call": named, "error": chat_error(content)}


def _parts(item: Any) -> tuple[Any, Any]:
    if isinstance(item, list) and len(item) == 2:
        return item[0], item[1]
    if isinstance(item, dict):
        return item.get("action", item), item.get("observation")
    return (item, None) if not isinstance(item, str) else _written_pair(item)


def _action(action: Any) -> dict[str, Any] | None:
    if isinstance(action, str):
        action = _written_action(_expression(action))
    if not isinstance(action, dict):
        return None
    inside = action.get("kwargs")
    found = inside if isinstance(inside, dict) and "tool" in inside else action
    return found if isinstance(found.get("tool"), str) and found["tool"] else None


def _written_pair(text: str) -> tuple[Any, Any]:
    """`(AgentAction(tool='x', tool_input='y', log='…'), 'answer')`, as Python writes it."""
    parsed = _expression(text)
    if not isinstance(parsed, ast.Tuple) or len(parsed.elts) != 2:
        return None, None
    return _written_action(parsed.elts[0]), _literal(parsed.elts[1])


def _written_action(parsed: ast.expr | None) -> dict[str, Any] | None:
    if not isinstance(parsed, ast.Call):
        return None
    return {str(word.arg): _literal(word.value) for word in parsed.keywords}


def _expression(text: str) -> ast.expr | None:
    if len(text) > MAX_WRITTEN:
        return None
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


def _literal(parsed: ast.expr) -> Any:
    try:
        return ast.literal_eval(parsed)
    except (ValueError, TypeError, MemoryError, RecursionError):
        return None


def _thought(log: str | None) -> str | None:
    """What the model thought before its action, in the text that LangChain keeps of it."""
    if not log:
        return None
    found = [
        block.text
        for block in blocks(lines_of(log))
        if block.kind in {"thought", "text", "think"} and block.text
    ]
    return found[0] if found else None
