"""args.schema_violation: arguments that are not what the tool's declared JSON Schema says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errata_client.model import JsonValue
from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.detectors.port import Detector, Finding
from ingest.detectors.schemas import Violation, violations
from ingest.repair import succeeded

HARMLESS_IF_ACCEPTED = frozenset({"type", "enum", "const", "format", "pattern", "anyOf", "oneOf"})
"""Where the tool took the call, these say that the declaration is narrower than the tool."""


def detect(run: Run, calls: Sequence[StepView]) -> Iterator[Finding]:
    """One finding for each argument of an agent's call that its tool's declared schema plainly forbids: a required one
    is missing, one is not declared and no others are allowed, its type, its range or its length is another, it is none
    of the listed values, it does not fit the pattern.

    The schema is the run's own declaration, else the project's (`errata tools import`). Where the tool accepted the call,
    only a missing argument, an undeclared one and a wrong range or length count: the tool may have guessed, ignored or
    cut it. A wrong type, value or form that the tool took all the same says that the declaration is narrower than the tool,
    and is none. Not: arguments that are no JSON object (output.invalid_json); a null for an argument that is not
    required; schemas that cannot be used; references to schemas elsewhere. Evidence: `argument`, `keyword`, `what`,
    `tool_accepted`.
    """
    schemas = {tool.name: tool.parameters for tool in run.tools if tool.parameters}
    if not schemas:
        return
    for call in calls:
        step = call.step
        if step.requestor != "agent" or not step.paired or step.tool_call is None:
            continue
        schema = schemas.get(step.tool_call.tool)
        if schema is not None and step.tool_call.raw_arguments is None:
            yield from _findings(step, schema, step.tool_call.arguments)


def _findings(step: Step, schema: dict[str, JsonValue], arguments: dict[str, JsonValue]) -> Iterator[Finding]:
    accepted = succeeded(step)
    given = _without_nulls(schema, arguments)
    for found in _once(violations(schema, given)):
        if accepted and found.keyword in HARMLESS_IF_ACCEPTED:
            continue
        yield _finding(step, found, accepted=accepted)


def _without_nulls(schema: dict[str, JsonValue], arguments: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The arguments without those that are null and need not be there."""
    required = schema.get("required")
    needed = required if isinstance(required, list) else []
    return {name: value for name, value in arguments.items() if value is not None or name in needed}


def _once(found: list[Violation]) -> list[Violation]:
    """One violation for each place, list positions taken together."""
    by_place: dict[str, Violation] = {}
    for violation in found:
        by_place.setdefault(_general(violation.pointer), violation)
    return list(by_place.values())


def _general(pointer: str) -> str:
    return "/".join("*" if part.isdigit() else part for part in pointer.split("/"))


def _finding(step: Step, found: Violation, *, accepted: bool) -> Finding:
    place = _general(found.pointer)
    named = place.strip("/").replace("/", ".") or "the whole"
    return Finding(
        index=step.index,
        code="args.schema_violation",
        message=f"the argument {named} {found.what}",
        kind="invalid_argument",
        detail=place,
        evidence={
            "argument": place,
            "keyword": found.keyword,
            "what": found.what,
            "tool_accepted": accepted,
        },
    )


DETECTOR = Detector("schema_violation", ("args.schema_violation",), detect)
