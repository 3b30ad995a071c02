"""Tool declarations out of a document, whichever of the usual shapes it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import yaml

from errata_client.model import JsonValue
from errata_client.run import ToolDeclaration
from ingest.adapters.chat_run import declared_tools
from ingest.adapters.jsonvalue import NotJsonError, loads, storable
from ingest.tools.openapi import is_openapi, operations
from knowledge.errors import BadInputError

MAX_DOCUMENT = 16 * 1024 * 1024
MAX_TOOLS = 2_000
Format = Literal["openai", "mcp", "openapi"]


@dataclass(frozen=True)
class ReadTool:
    """A declaration, the format that it came in, and whether the tool changes anything, where the format says so."""

    declaration: ToolDeclaration
    format: Format
    changes_state: bool | None = None


def read_tools(text: str, source: str) -> list[ReadTool]:
    """The tools of an OpenAI list (`[{type: function, function: …}]`, `{tools: …}`, `{functions: …}`), of MCP's answer to
    `tools/list`, or of an OpenAPI document; JSON or YAML.

    MCP's `readOnlyHint` and the methods of OpenAPI say whether a tool changes anything. BadInputError where the document
    is none of these, declares no tool, or declares too many.
    """
    if len(text) > MAX_DOCUMENT:
        raise BadInputError(f"{source}: {len(text):,} characters; at most {MAX_DOCUMENT:,} are read")
    document = _parsed(text, source)
    tools = _tools(document)
    if not tools:
        raise BadInputError(
            f"{source}: declares no tool. Looked for a list of OpenAI functions or tools, MCP's answer to tools/list, and "
            "an OpenAPI document with paths"
        )
    if len(tools) > MAX_TOOLS:
        raise BadInputError(f"{source}: declares {len(tools):,} tools; at most {MAX_TOOLS:,} are kept")
    return tools


def _parsed(text: str, source: str) -> JsonValue:
    try:
        return loads(text)
    except NotJsonError as not_json:
        if text.lstrip()[:1] in {"{", "["}:
            raise BadInputError(f"{source}: is no JSON: {not_json}") from not_json
    try:
        loaded: Any = yaml.safe_load(text)
        return storable(loaded)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        told = " ".join(str(error).split())[:200]
        raise BadInputError(f"{source}: is neither JSON nor YAML: {told}") from error


def _tools(document: JsonValue) -> list[ReadTool]:
    if isinstance(document, dict) and is_openapi(document):
        return [ReadTool(one.declaration, "openapi", one.changes_state) for one in operations(document)]
    listed = _listed(document)
    mcp = any(isinstance(item, dict) and "inputSchema" in item for item in listed)
    read = ((item, declared_tools([item])) for item in listed)
    return [ReadTool(found[0], "mcp" if mcp else "openai", _hinted(item)) for item, found in read if found]


def _listed(document: JsonValue) -> list[JsonValue]:
    if isinstance(document, list):
        return document
    if not isinstance(document, dict):
        return []
    result = document.get("result")
    inner = result if isinstance(result, dict) else document
    found = inner.get("tools") or inner.get("functions")
    if isinstance(found, list):
        return found
    return [document] if declared_tools([document]) else []


def _hinted(item: JsonValue) -> bool | None:
    """What MCP's annotations say of a tool; a tool that destroys something changes something."""
    annotations = item.get("annotations") if isinstance(item, dict) else None
    if not isinstance(annotations, dict):
        return None
    read_only, destructive = annotations.get("readOnlyHint"), annotations.get("destructiveHint")
    if isinstance(read_only, bool):
        return not read_only
    return True if destructive is True else None
