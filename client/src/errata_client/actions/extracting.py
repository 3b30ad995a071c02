"""The action `extract_json`: the arguments read out of the model's raw output."""

from __future__ import annotations

from collections.abc import Iterator

import re2
from json_repair import repair_json

from errata_client.actions.effect import Apply, Changed, Hit
from errata_client.jsontext import canonical, read
from errata_client.model import JsonValue
from errata_client.pointer import leaves
from errata_client.rule import ExtractJson

MAX_OUTPUT = 16_384
ARGUMENT_KEYS = ("arguments", "args", "parameters", "action_input", "tool_input", "input")
NAME_KEYS = ("name", "tool", "action", "tool_name", "function")


def extract_json(_: ExtractJson) -> Apply:
    """Put the arguments that the raw output holds in place of the call's."""

    def apply(hit: Hit) -> Changed | None:
        found = extracted(hit.view.raw_output, hit.view.tool)
        if not found or canonical(found) == canonical(hit.arguments):
            return None
        return Changed(found)

    return apply


def extracted(raw: str, tool: str) -> dict[str, JsonValue] | None:
    """The arguments for `tool` in `raw`: its one whole JSON object, or a truncated one whose values are whole.

    None where there is none, several that differ, one that names another tool, or a value that the repair
    had to guess: a text without its closing quote, a number at the very end, a bare word.
    """
    if len(raw) > MAX_OUTPUT:
        return None
    whole = [arguments for value in _objects(raw) if (arguments := _arguments(value, tool))]
    if whole:
        return whole[0] if len({canonical(found) for found in whole}) == 1 else None
    repaired = _repaired(raw)
    if repaired is None or not all(_is_whole(raw, value) for _, value in leaves(repaired)):
        return None
    return _arguments(repaired, tool)


def _repaired(raw: str) -> dict[str, JsonValue] | None:
    """The object that begins at the first brace, mended; None where it is none or nested beyond reading."""
    start = raw.find("{")
    if start < 0:
        return None
    try:
        found: object = repair_json(raw[start:], return_objects=True, skip_json_loads=True)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _objects(raw: str) -> Iterator[dict[str, JsonValue]]:
    """Each balanced {…} of the text that is strict JSON, outermost only."""
    start, depth, quoted, escaped = 0, 0, False, False
    for at, character in enumerate(raw):
        if quoted:
            quoted, escaped = escaped or character != '"', character == "\\" and not escaped
        elif character == '"' and depth:
            quoted = True
        elif character == "{":
            start, depth = (at if depth == 0 else start), depth + 1
        elif character == "}" and depth:
            depth -= 1
            value = read(raw[start : at + 1]) if depth == 0 else None
            if isinstance(value, dict):
                yield value


def _arguments(value: dict[str, JsonValue], tool: str) -> dict[str, JsonValue] | None:
    """What the object means for `tool`: itself, or its `arguments` where it names the tool."""
    name = next((value[key] for key in NAME_KEYS if isinstance(value.get(key), str | dict)), None)
    key = next((key for key in ARGUMENT_KEYS if key in value), None)
    if isinstance(name, dict):
        return _arguments(name, tool)
    if name is None or key is None:
        return value
    if name != tool:
        return None
    inner = value[key]
    inner = read(inner) if isinstance(inner, str) else inner
    return inner if isinstance(inner, dict) else None


def _is_whole(raw: str, value: JsonValue) -> bool:
    """Whether a repaired scalar stands in `raw` completely: quoted on both sides, or ended by a mark."""
    text = canonical(value)
    if isinstance(value, str):
        quoted = [text, f"'{value}'"]
        return any(form in raw for form in quoted)
    return re2.search(rf"(?i)[\s:\[,]{re2.escape(text)}\s*[,}}\]]", raw) is not None
