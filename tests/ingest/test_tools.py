"""Declared tools: read out of the usual documents, kept for a project, given to runs that declare none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errata_client.model import JsonValue
from errata_client.run import ToolDeclaration
from ingest.masking import Masker
from ingest.service import ingest_runs
from ingest.tools.declared import (
    declarations,
    declared_effects,
    forget_tools,
    import_tools,
    mark_tools,
    with_declarations,
)
from ingest.tools.reading import read_tools
from knowledge.errors import BadInputError, NotFoundError
from knowledge.kinds import AUDIT, TOOLS
from knowledge.store import Query, Store
from tests.ingest.making import KEY, a_run, a_shift, failing, step

SCHEMA: JsonValue = {"type": "object", "properties": {"book_id": {"type": "string"}}, "required": ["book_id"]}
FUNCTION: JsonValue = {"name": "lend", "description": "借书", "parameters": SCHEMA}
MCP: JsonValue = {
    "jsonrpc": "2.0",
    "id": 1,
    "result": {
        "tools": [
            {"name": "find", "inputSchema": SCHEMA, "outputSchema": {"type": "array"}, "annotations": {"readOnlyHint": True}},
            {"name": "burn", "inputSchema": SCHEMA, "annotations": {"destructiveHint": True}},
        ]
    },
}  # fmt: skip
OPENAPI = """
openapi: 3.0.3
paths:
  /books/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
      - {name: X-Trace, in: header, schema: {type: string}}
    get:
      operationId: getBook
      summary: 查书
      responses:
        "200": {content: {application/json: {schema: {$ref: "#/components/schemas/Book"}}}}
    put:
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Book"}}}}
components:
  schemas:
    Book:
      type: object
      required: [title]
      properties:
        title: {type: string, nullable: true}
        days: {type: integer, minimum: 0, exclusiveMinimum: true}
        next: {$ref: "#/components/schemas/Book"}
        far: {$ref: "https://example.org/far.json"}
"""


@pytest.mark.parametrize(
    "document",
    [
        [{"type": "function", "function": FUNCTION}],
        {"tools": [{"type": "function", "function": FUNCTION}]},
        {"functions": [FUNCTION]},
        [FUNCTION],
        FUNCTION,
    ],
)
def test_openai_functions_and_tools_are_read_in_all_their_shapes(document: JsonValue) -> None:
    (tool,) = read_tools(json.dumps(document, ensure_ascii=False), "the file")
    assert (tool.format, tool.declaration.name, tool.changes_state) == ("openai", "lend", None)
    assert (tool.declaration.description, tool.declaration.parameters) == ("借书", SCHEMA)


def test_mcp_says_what_a_tool_takes_returns_and_whether_it_changes_anything() -> None:
    find, burn = read_tools(json.dumps(MCP), "the file")
    assert (find.format, find.changes_state, find.declaration.output_schema) == (
        "mcp",
        False,
        {"type": "array"},
    )
    assert (burn.changes_state, burn.declaration.parameters) == (True, SCHEMA)


def test_an_openapi_document_is_a_tool_for_each_operation_with_its_references_written_out() -> None:
    get, put = read_tools(OPENAPI, "the file")
    assert (get.declaration.name, get.declaration.description, get.changes_state) == (
        "getBook",
        "查书",
        False,
    )
    assert get.declaration.parameters == {
        "type": "object",
        "properties": {"id": {"type": "string"}},
        "required": ["id"],
    }
    assert (put.declaration.name, put.changes_state) == ("put_books_id", True)
    assert put.declaration.parameters is not None
    assert put.declaration.parameters["required"] == ["id", "title"]
    assert put.declaration.parameters["properties"] == {
        "id": {"type": "string"},
        "title": {"type": ["string", "null"]},
        "days": {"type": "integer", "exclusiveMinimum": 0},
        "next": {},
        "far": {},
    }


def test_references_that_multiply_are_refused_rather_than_written_out() -> None:
    schemas = {
        f"S{n}": {"properties": {f"p{k}": {"$ref": f"#/components/schemas/S{n + 1}"} for k in range(10)}}
        for n in range(8)
    }
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}}
    document = {
        "openapi": "3.1.0",
        "paths": {"/x": {"post": {"requestBody": body}}},
        "components": {"schemas": schemas},
    }
    with pytest.raises(BadInputError, match="too large"):
        read_tools(json.dumps(document), "the file")


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "just words", '{"tools": [', "a: [1", '{"openapi": "3.0.0", "paths": {}}']
)
def test_a_document_without_tools_is_refused_with_what_was_looked_for(text: str) -> None:
    with pytest.raises(BadInputError, match="the file"):
        read_tools(text, "the file")


def test_what_was_said_of_a_tool_stays_when_it_is_declared_anew(store: Store) -> None:
    shift, masker = a_shift(store), Masker(KEY)
    read = read_tools(json.dumps([FUNCTION]), "the file")
    import_tools(shift, read, "ada", masker, source="the file")
    assert declared_effects(shift) == {}
    mark_tools(shift, ["lend", "借"], "ada", changes_state=True)
    import_tools(shift, read, "ada", masker, source="the file")
    assert declared_effects(shift) == {"lend": True, "借": True}
    import_tools(shift, read, "ada", masker, source="the file", changes_state=False)
    assert declared_effects(shift) == {"lend": False, "借": True}
    assert [tool.name for tool in declarations(shift)] == ["lend"]
    actions = {stored.item.action for stored in store.collection(shift.project, AUDIT).scan(Query())}
    assert actions == {"tools.import", "tools.mark"}


def test_a_declaration_can_be_dropped_and_one_that_is_not_there_is_said(store: Store) -> None:
    shift = a_shift(store)
    mark_tools(shift, ["lend"], "ada", changes_state=True)
    assert forget_tools(shift, ["lend", "find"], "ada") == 1
    assert store.collection(shift.project, TOOLS).get("lend") is None
    with pytest.raises(NotFoundError):
        forget_tools(shift, ["lend"], "ada")
    with pytest.raises(BadInputError):
        mark_tools(shift, [], "ada", changes_state=True)


def test_a_run_without_declarations_gets_the_projects_and_one_with_its_own_keeps_them() -> None:
    ours = ToolDeclaration.model_validate({"name": "lend", "parameters": SCHEMA})
    run = a_run(step(0, "lend"), step(1, "find"))
    assert [tool.name for tool in with_declarations(run, [ours]).tools] == ["lend", "find"]
    assert with_declarations(a_run(step(0, "find")), [ours]).tools == ()
    own = a_run(step(0, "lend"), tools=(ToolDeclaration(name="lend"),))
    assert with_declarations(own, [ours]) is own


def test_ingest_checks_calls_by_the_projects_schemas_and_takes_no_other_tool_for_unknown(
    store: Store,
) -> None:
    shift, masker = a_shift(store), Masker(KEY)
    import_tools(shift, read_tools(json.dumps([FUNCTION]), "x"), "ada", masker, source="x")
    run = a_run(failing(0, "lend", "Error: no", {"book": "B-1"}), failing(1, "find", "Error: no"))
    report = ingest_runs([run], shift, masker)
    assert report.by_error_code == {"args.schema_violation": 1, "tool.error": 2}


def test_a_description_is_masked_before_it_is_kept(store: Store, tmp_path: Path) -> None:
    shift = a_shift(store)
    told: JsonValue = {
        "name": "lend",
        "description": "ask mia.li@example.com for access",
        "parameters": SCHEMA,
    }
    import_tools(shift, read_tools(json.dumps([told]), "x"), "ada", Masker(KEY), source="x")
    kept = store.collection(shift.project, TOOLS).get("lend")
    assert kept is not None
    assert "mia.li" not in str(kept.item.description)
