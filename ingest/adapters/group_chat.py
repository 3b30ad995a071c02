"""The messages of several agents, put together into the steps of one run: one message, one step."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Step, StepError, ToolCall
from ingest.adapters.arguments import make_call
from ingest.adapters.chat import calls_of, reply_content, text_of, time_of
from ingest.adapters.code_blocks import code_call, execution_error, has_code, is_execution, speaks_as_executor
from ingest.adapters.jsonvalue import clean_text
from ingest.adapters.port import NotAnalysed
from ingest.adapters.replies import chat_error

PEOPLE = frozenset({"human", "user", "user_proxy", "userproxy", "admin", "customer", "用户"})
_ADDED = re.compile(r"(?<=\S)\s*\((?:thought|termination condition|->[^()]{0,60})\)$")

REACH = 8
"""Messages back in which the code is looked for that an execution's answer belongs to."""


def speaker(message: dict[str, Any]) -> str | None:
    """Who spoke: `name`, AgentChat's `source`, or else the role, without what Magentic-One adds to it ("Orchestrator
    (thought)", "Orchestrator (-> WebSurfer)")."""
    for key in ("name", "source", "role"):
        found = message.get(key)
        if isinstance(found, str) and found.strip():
            return clean_text(_ADDED.sub("", found.strip()))
    return None


@dataclass
class GroupChat:
    """A run being built. `question` is what the person asked, where the record says it beside the messages."""

    position: str
    question: str | None = None
    steps: list[Step] = field(default_factory=list)
    troubles: list[NotAnalysed] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)
    first_words: str | None = None
    _written: dict[int, str] = field(default_factory=dict)
    _open: dict[str, int] = field(default_factory=dict)

    def read(self, messages: list[Any]) -> None:
        """All messages in their order."""
        for number, message in enumerate(messages, 1):
            if isinstance(message, dict) and speaker(message) is not None:
                self._read(message, number)
            else:
                self.trouble(number, "a message is an object with a name or a role")
        if self.question and self.steps:
            said = self.steps[0].user_input
            self.steps[0] = self.steps[0].model_copy(update={"user_input": said or self.question})

    def trouble(self, number: int, reason: str) -> None:
        """Note that message `number` (from 1) could not be used, or only in part."""
        self.troubles.append(NotAnalysed(position=f"{self.position}, message {number}", reason=reason))

    def _read(self, message: dict[str, Any], number: int) -> None:
        name, text = speaker(message) or "", text_of(message.get("content"))
        results = _results(message)
        if str(message.get("role")) in {"system", "developer"}:
            self.prompts.append(text)
        elif results:
            self._add(step_id=name, message=number)
            self._answer_calls(results, number)
        elif is_execution(text) and self._latest_code() is not None:
            self._answer_code(name, text, number)
        elif name.casefold() in PEOPLE and not speaks_as_executor(text):
            self.first_words = self.first_words or text or None
            self._add(step_id=name, user_input=text or None, message=number)
        else:
            self._speak(message, name, text, number)

    def _speak(self, message: dict[str, Any], name: str, text: str, number: int) -> None:
        """An agent's turn: its words, which the others observe, and the calls in it."""
        calls, reason = _calls(message)
        if reason:
            self.trouble(number, reason)
        for position, call in enumerate(calls):
            self._open[call.call_id or f"message {number}, {position}"] = len(self.steps)
            batch = number if len(calls) > 1 else None
            words = {"thought": text or None} if position == 0 else {}
            self._add(
                step_id=name,
                tool_call=call,
                answered=False,
                batch=batch,
                started_at=time_of(message),
                message=number,
                **words,
            )
        if calls:
            return
        if has_code(text):
            self._written[len(self.steps)] = text
        error = execution_error(text)
        if error is not None:
            self.trouble(number, "the answer of an execution whose code no message before it holds")
        used = message.get("models_usage")
        tokens = used if isinstance(used, dict) else {}
        self._add(
            step_id=name,
            raw_output=text or None,
            observation=text or None,
            started_at=time_of(message),
            input_tokens=_count(tokens.get("prompt_tokens")),
            output_tokens=_count(tokens.get("completion_tokens")),
            message=number,
        )

    def _answer_code(self, executor: str, text: str, number: int) -> None:
        """The code of an earlier message was run: that step is a call of `executor`, and this is its answer."""
        place = self._latest_code()
        assert place is not None
        written = self._written.pop(place)
        call = code_call(written, executor)
        changes = {"tool_call": call, "observation": text, "error": execution_error(text)}
        self.steps[place] = self.steps[place].model_copy(update=changes)
        self._add(step_id=executor, answers=place, message=number)

    def _latest_code(self) -> int | None:
        near = [place for place in self._written if place >= len(self.steps) - REACH]
        return max(near, default=None)

    def _answer_calls(self, results: list[dict[str, Any]], number: int) -> None:
        for result in results:
            content = reply_content(result.get("content"))
            place = self._open.pop(_id_of(result), None)
            if place is None:
                place = self._open.pop(next(iter(self._open), ""), None) if not _id_of(result) else None
            if place is None:
                self.trouble(
                    number, "a tool's reply that answers no call of this run; its arguments are unknown"
                )
                continue
            answered = {"observation": content, "error": _reply_error(content, result), "answered": True}
            self.steps[place] = self.steps[place].model_copy(update=answered)

    def _add(self, **fields: Any) -> None:
        self.steps.append(Step(index=len(self.steps), **fields))


def _calls(message: dict[str, Any]) -> tuple[list[ToolCall], str | None]:
    """The calls of a message: in OpenAI's shape, or AgentChat's, whose content lists {id, name, arguments}."""
    content = message.get("content")
    if isinstance(content, list) and content and all(_is_request(item) for item in content):
        return [
            make_call(clean_text(item["name"]), item["arguments"], _id_of(item) or None) for item in content
        ], None
    return calls_of(message)


def _is_request(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("name"), str) and "arguments" in item


def _results(message: dict[str, Any]) -> list[dict[str, Any]]:
    """What tools replied in this message: AutoGen's `tool_responses`, AgentChat's {call_id, content, is_error}, or it."""
    for listed in (message.get("tool_responses"), message.get("content")):
        if isinstance(listed, list) and listed and all(_is_result(item) for item in listed):
            return listed
    return [message] if str(message.get("role")) in {"tool", "function"} else []


def _is_result(item: Any) -> bool:
    return isinstance(item, dict) and "content" in item and bool(_id_of(item)) and "arguments" not in item


def _id_of(item: dict[str, Any]) -> str:
    return clean_text(str(item.get("call_id") or item.get("tool_call_id") or item.get("id") or ""))


def _reply_error(content: JsonValue, result: dict[str, Any]) -> StepError | None:
    if isinstance(flag := result.get("is_error"), bool):
        return StepError(message=str(content)) if flag else None
    return chat_error(content)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
