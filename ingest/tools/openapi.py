"""The operations of an OpenAPI document (2.0, 3.0, 3.1) as tools: one JSON Schema of all that an operation takes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from errata_client.model import JsonValue
from errata_client.pointer import MISSING
from errata_client.pointer import get as at_pointer
from errata_client.run import ToolDeclaration
from knowledge.errors import BadInputError

METHODS = {
    "get": False,
    "head": False,
    "options": False,
    "post": True,
    "put": True,
    "patch": True,
    "delete": True,
}
MAX_DEPTH = 24
MAX_NODES = 200_000
"""Parts of all schemas together once their references are written out."""

_OURS = frozenset({"path", "query"})
_Object = dict[str, JsonValue]


@dataclass(frozen=True)
class Operation:
    """An operation as a tool. By its method it changes something or does not."""

    declaration: ToolDeclaration
    changes_state: bool


def is_openapi(document: _Object) -> bool:
    """By its version and its paths."""
    return isinstance(document.get("paths"), dict) and ("openapi" in document or "swagger" in document)


def operations(document: _Object) -> list[Operation]:
    """All operations, in the order of the document, by `operationId`, or by method and path without one. References within
    the document are written out; one that goes round in a circle, or elsewhere, ends in a schema that allows anything.

    BadInputError where the schemas, written out, are too large to be kept.
    """
    return list(_Reader(document).operations())


class _Reader:
    def __init__(self, document: _Object) -> None:
        self._document = document
        self._nodes = 0

    def operations(self) -> Iterator[Operation]:
        for path, item in _object(self._document.get("paths")).items():
            found = self._resolved(item)
            shared = _list(found.get("parameters"))
            for method, operation in found.items():
                if method in METHODS and isinstance(operation, dict):
                    yield Operation(self._declaration(path, method, operation, shared), METHODS[method])

    def _declaration(
        self, path: str, method: str, operation: _Object, shared: list[JsonValue]
    ) -> ToolDeclaration:
        named = operation.get("operationId")
        told = operation.get("summary") or operation.get("description")
        return ToolDeclaration(
            name=named if isinstance(named, str) and named else _name_of(method, path),
            description=told if isinstance(told, str) else None,
            parameters=self._arguments(operation, [*shared, *_list(operation.get("parameters"))]),
            output_schema=self._result(operation),
        )

    def _arguments(self, operation: _Object, parameters: list[JsonValue]) -> _Object:
        properties: _Object = {}
        required: dict[str, bool] = {}
        body: JsonValue = None
        for parameter in map(self._resolved, parameters):
            name, place = parameter.get("name"), parameter.get("in")
            if place == "body":
                body = parameter.get("schema")
            elif isinstance(name, str) and place in _OURS:
                properties[name] = self._written_out(_schema_of(parameter))
                required[name] = parameter.get("required") is True or place == "path"
        self._add_body(operation, body, properties, required)
        needed: list[JsonValue] = [name for name, needs in required.items() if needs]
        return {"type": "object", "properties": properties, **({"required": needed} if needed else {})}

    def _add_body(
        self, operation: _Object, body: JsonValue, properties: _Object, required: dict[str, bool]
    ) -> None:
        """The fields of the body beside the parameters; a body that is no object is the argument `body`."""
        request = self._resolved(operation.get("requestBody"))
        schema = self._written_out(body if body is not None else _json_schema(request))
        if not schema:
            return
        fields = _object(schema.get("properties"))
        if not fields:
            properties["body"] = schema
            return
        properties.update(fields)
        if body is not None or request.get("required") is True:
            required.update({name: True for name in _list(schema.get("required")) if isinstance(name, str)})

    def _result(self, operation: _Object) -> _Object | None:
        responses = _object(operation.get("responses"))
        good = next((responses[code] for code in ("200", "201", "2XX", "default") if code in responses), None)
        response = self._resolved(good)
        schema = self._written_out(_json_schema(response) or response.get("schema"))
        return schema or None

    def _resolved(self, value: JsonValue) -> _Object:
        """An object, its own reference followed."""
        found = _object(value)
        reference = found.get("$ref")
        return self._target(reference) if isinstance(reference, str) else found

    def _target(self, reference: str) -> _Object:
        if not reference.startswith("#"):
            return {}
        found = at_pointer(self._document, reference.removeprefix("#"))
        return {} if found is MISSING else _object(found)

    def _written_out(self, schema: JsonValue) -> _Object:
        return _object(self._expand(_object(schema), ()))

    def _expand(self, value: JsonValue, within: tuple[str, ...]) -> JsonValue:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise BadInputError(
                "the document's schemas are too large to be kept once their references are written out"
            )
        if isinstance(value, list):
            return [self._expand(one, within) for one in value]
        if not isinstance(value, dict):
            return value
        reference = value.get("$ref")
        if isinstance(reference, str):
            if reference in within or len(within) > MAX_DEPTH:
                return {}
            return self._expand(self._target(reference), (*within, reference))
        return _as_json_schema({key: self._expand(below, within) for key, below in value.items()})


def _as_json_schema(schema: _Object) -> _Object:
    """What OpenAPI 3.0 writes otherwise: `nullable`, and exclusive bounds as booleans."""
    made = dict(schema)
    if made.pop("nullable", None) is True and isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
        if isinstance(choices := made.get("enum"), list) and None not in choices:
            made["enum"] = [*choices, None]
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(made.get(exclusive), bool) and made.pop(exclusive) and bound in made:
            made[exclusive] = made.pop(bound)
    return made


def _schema_of(parameter: _Object) -> JsonValue:
    """A parameter's schema; in 2.0 it is the parameter itself."""
    if "schema" in parameter:
        return parameter["schema"]
    kept = ("type", "enum", "format", "pattern", "items", "minimum", "maximum", "minLength", "maxLength")
    return {key: parameter[key] for key in kept if key in parameter}


def _json_schema(holder: _Object) -> JsonValue:
    content = _object(holder.get("content"))
    kind = next((kind for kind in content if "json" in kind), None)
    return _object(content.get(kind)).get("schema") if kind else None


def _name_of(method: str, path: str) -> str:
    words = "_".join(re.findall(r"\w+", path))
    return f"{method}_{words}" if words else method


def _object(value: JsonValue) -> _Object:
    return value if isinstance(value, dict) else {}


def _list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []
