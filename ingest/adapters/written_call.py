"""A tool call as an agent wrote it in its text: `search[x]`, `search(query="x")`, a JSON object, a name and its input."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import ToolCall
from ingest.adapters.arguments import make_call, recover
from ingest.adapters.jsonvalue import NotJsonError, clean_text, loads, storable

INPUT = "input"
"""The argument that a bare input text is of, as LangChain's tools of one argument call it."""

MAX_NAME = 120
PAUSE = "PAUSE"
"""What agents of the simplest loop write behind an action, so that generating stops."""

MAX_LITERAL = 20_000
"""Characters of arguments in Python's syntax that are read."""

NAMES = ("action", "name", "tool", "tool_name", "function", "动作", "行动", "工具")
ARGUMENTS = (
    "action_input",
    "arguments",
    "args",
    "input",
    "tool_input",
    "parameters",
    "kwargs",
    "输入",
    "参数",
)
_BRACKETS = re.compile(
    r"([^\s\[\](){}:：（【][^\[\](){}\n（【]{0,79}?)\s*[\[【](.*)[\]】]\s*[.。]?", re.DOTALL
)
_CALL = re.compile(r"([\w.\-]{1,80})\s*[(（](.*)[)）]\s*[;；]?", re.DOTALL)
_COLON = re.compile(r"([\w.\-]{1,60})[:：]\s?(\S[^\n]{0,4000})")
_COMMAND = re.compile(r"([a-z][a-z_\-]{0,40})(?:[ \t]+([^\n]{1,400}))?")
_NAMED = re.compile(r"""["'](?:action|name|tool|tool_name)["']\s*:\s*["']([^"'\n]{1,80})["']""")
_WRAPPED = re.compile(r"[`*\"'“”\[\]\s]*(.*?)[`*\"'“”\[\]\s.。]*", re.DOTALL)
NOTHING = frozenset({"", "none", "n/a", "null", "无", "没有", "no action", "不需要"})


def written_calls(action: str, given: str | None) -> list[ToolCall]:
    """The calls in an action's text and, where the form has it apart, its input. None where it names no tool."""
    text = unfenced(action)
    if given is not None and "{" not in text[:1]:
        name = _name(text)
        return [] if name.lower() in NOTHING else [with_input(name, given)]
    if text.lower().strip(" .。") in NOTHING:
        return []
    if text[:1] in {"{", "["} or "```" in action:
        return _from_json(text)
    return _from_words(text)


def answer_in(action: str, given: str | None) -> str:
    """What a finishing action gives as the answer: `Finish[42]`, an action input, a blob's input, or the words behind it."""
    text = unfenced(action)
    if given is not None:
        return given.strip()
    calls = _from_json(text) if text[:1] == "{" else []
    if calls:
        value = calls[0].arguments.get(INPUT, calls[0].arguments)
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    bracketed = _BRACKETS.fullmatch(text) or _CALL.fullmatch(text)
    if bracketed:
        return bracketed.group(2).strip().strip("\"'")
    return re.sub(r"^\W*[\w ]{1,14}\b\W*", "", text).strip() or text


def with_input(tool: str, given: Any) -> ToolCall:
    """The call of `tool` with an input as text or as a value: an object is the arguments, anything else is INPUT."""
    if isinstance(given, dict):
        return make_call(tool, given)
    if not isinstance(given, str):
        return ToolCall(tool=tool, arguments={} if given is None else {INPUT: storable(given)})
    text = unfenced(given)
    if text.lower() in NOTHING:
        return ToolCall(tool=tool)
    if text.startswith("{"):
        return make_call(tool, text)
    return ToolCall(tool=tool, arguments={INPUT: _scalar(text)})


def is_nothing(text: str) -> bool:
    """Whether a text says that there is no action or input."""
    return text.strip().lower() in NOTHING


def unfenced(text: str) -> str:
    """`text`, or what stands in its first fence."""
    stripped = text.strip()
    before, fence, behind = stripped.partition("```")
    if not fence:
        return stripped.strip("`").strip()
    inside = re.sub(r"\A[ \t]{0,8}\w{0,20}", "", behind.partition("```")[0]).strip()
    return inside or before.strip()


def _scalar(text: str) -> JsonValue:
    """A list or a quoted text as its value; other text as it is, a number too: it may be an id."""
    if text[:1] in {'"', "["}:
        try:
            return loads(text)
        except NotJsonError:
            pass
    return text.strip("'“”") if text[:1] == text[-1:] == "'" else text


def _from_json(text: str) -> list[ToolCall]:
    try:
        value = loads(text)
    except NotJsonError:
        return _broken(text)
    listed = value if isinstance(value, list) else [value]
    return [call for item in listed if (call := blob_call(item)) is not None]


def blob_call(value: Any) -> ToolCall | None:
    """The call that an object is: {action, action_input}, {name, arguments} and the like; or {tool_name: {…}}."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("function"), dict):
        value = value["function"]
    name = next((value[key] for key in NAMES if isinstance(value.get(key), str) and value[key]), None)
    if name is not None:
        key = next((key for key in ARGUMENTS if key in value and value[key] is not name), None)
        rest = {key: below for key, below in value.items() if key not in {*NAMES, "thought", "id", "call_id"}}
        return with_input(clean_text(name)[:MAX_NAME], value[key] if key else rest)
    only = next(iter(value.items())) if len(value) == 1 else None
    return make_call(str(only[0])[:MAX_NAME], only[1]) if only and isinstance(only[1], dict) else None


def _broken(text: str) -> list[ToolCall]:
    """A blob that is no JSON: its name, the whole as raw arguments, and what a lenient reading makes of them."""
    named = _NAMED.search(text[:2000])
    whole = recover(text) or {}
    call = blob_call(whole)
    if named is None:
        return []
    recovered = call.arguments if call is not None and call.tool == named.group(1) else {}
    return [
        ToolCall(
            tool=named.group(1),
            arguments=recovered,
            raw_arguments=clean_text(text),
            arguments_recovered=bool(recovered),
        )
    ]


def _from_words(text: str) -> list[ToolCall]:
    first, _, behind = text.partition("\n")
    if behind and (
        _CALL.fullmatch(first.strip()) or _BRACKETS.fullmatch(first.strip()) or behind.strip() == PAUSE
    ):
        text = first.strip()
    if bracketed := _BRACKETS.fullmatch(text):
        return [with_input(_name(bracketed.group(1)), bracketed.group(2).strip())]
    if called := _CALL.fullmatch(text):
        return [_python_call(called.group(1), called.group(2).strip())]
    blob = text[text.find("{") : text.rfind("}") + 1] if "{" in text else ""
    if blob and (found := _from_json(blob)):
        return found
    if named := _COLON.fullmatch(text):
        return [with_input(named.group(1), named.group(2))]
    if command := _COMMAND.fullmatch(text):
        return [with_input(command.group(1), command.group(2) or "")]
    name = _name(text)
    return [ToolCall(tool=name)] if name and len(name) <= 40 and not re.search(r"[\s，。,;；]", name) else []


def _python_call(tool: str, inner: str) -> ToolCall:
    """`tool(key=value, …)`; one value without a key is INPUT, several are `args`. What is no Python literal stays as text."""
    if inner.startswith("{") or len(inner) > MAX_LITERAL:
        return make_call(tool, inner)
    try:
        parsed = ast.parse(f"f({inner})", mode="eval").body
        assert isinstance(parsed, ast.Call)
        given = [ast.literal_eval(value) for value in parsed.args]
        named = {str(word.arg): ast.literal_eval(word.value) for word in parsed.keywords}
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return _unquoted(tool, inner)
    if len(given) == 1 and isinstance(given[0], dict) and not named:
        return make_call(tool, given[0])
    placed: dict[str, Any] = {INPUT: given[0]} if len(given) == 1 else {"args": given} if given else {}
    return make_call(tool, {**placed, **named})


def _unquoted(tool: str, inner: str) -> ToolCall:
    """Arguments without quotes: one text is INPUT, `key=…` stays raw."""
    if re.match(r"\s*\w+\s*=", inner):
        return ToolCall(tool=tool, raw_arguments=inner)
    return with_input(tool, inner)


def _name(text: str) -> str:
    first = text.strip().partition("\n")[0][: 2 * MAX_NAME]
    found = _WRAPPED.fullmatch(first)
    return (found.group(1) if found else first)[:MAX_NAME].strip()
