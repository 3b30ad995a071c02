"""Files of labelled cases, one JSON object a line, as problems: what a line leaves out is derived as ingest derives it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast, get_args

import orjson
import yaml

from attribution.evaluation import Labelled
from ingest.adapters.bytestream import CutOffError, read_bytes
from ingest.error_kind import error_kind
from ingest.step_context import context_text
from ingest.text import MAX_MESSAGE, error_pattern
from knowledge.cases import ERROR_CODES, ErrorCode, ErrorKind, FailureCase, Problem, StepContext, TriggerStep
from knowledge.causes import Exemplar, RootCause
from knowledge.errors import BadInputError
from knowledge.ids import digest

NEVER = datetime(2000, 1, 1, tzinfo=UTC)
KINDS = frozenset(get_args(ErrorKind))


@dataclass
class LabelFile:
    """What a file held: its labels, and the lines that are none, each with its number and why."""

    labels: list[Labelled] = field(default_factory=list)
    not_read: list[dict[str, str]] = field(default_factory=list)


def read_labels(path: Path) -> LabelFile:
    """The labels of a file (plain or .gz). A broken line is said and the rest goes on; BadInputError where the file cannot
    be read or holds no label at all."""
    found = LabelFile()
    for number, line in _lines(path):
        if not line.strip():
            continue
        try:
            found.labels.append(_label(orjson.loads(line), f"{path}:{number}"))
        except (orjson.JSONDecodeError, BadInputError) as error:
            found.not_read.append({"position": f"line {number}", "reason": str(error)})
    if not found.labels:
        why = f": {found.not_read[0]['position']}: {found.not_read[0]['reason']}" if found.not_read else ""
        raise BadInputError(
            f'{path}: no label in it{why}. A line is {{"id": …, "case": {{…}}, "root_cause": "RC-…" or null}}'
        )
    return found


def read_evaluated_causes(text: str, source: str) -> list[RootCause]:
    """Causes of a YAML list, read leniently: an id and exemplars are enough. A cause without codes covers all of them."""
    try:
        loaded = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BadInputError(f"{source} is not YAML: {error}") from error
    entries = loaded.get("causes", loaded.get("root_causes")) if isinstance(loaded, dict) else loaded
    if isinstance(entries, dict):
        entries = [{"cause_id": key, **(value or {})} for key, value in entries.items()]
    if not isinstance(entries, list) or not entries:
        raise BadInputError(f"{source} must hold a list of causes, each with a cause_id and exemplars")
    return [_cause(entry, number, source) for number, entry in enumerate(entries, start=1)]


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    rest, number = b"", 0
    try:
        for piece in read_bytes(path):
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                number += 1
                yield number, line
    except (OSError, CutOffError) as error:
        raise BadInputError(f"{path}: cannot be read: {error}") from error
    yield number + 1, rest


def _label(record: Any, position: str) -> Labelled:
    if not isinstance(record, dict):
        raise BadInputError(f"a label is an object, this is {type(record).__name__}")
    case = record.get("case")
    if not isinstance(case, dict):
        raise BadInputError("no `case` in it: an object with the fields of a case")
    cause = record.get("root_cause")
    if cause is not None and not isinstance(cause, str):
        raise BadInputError("`root_cause` is a text or null")
    name = str(record.get("id") or position)
    return Labelled(name, problem_of(case, name, position), cause or None, str(record.get("group") or ""))


def problem_of(case: dict[str, Any], name: str, position: str) -> Problem:
    """The problem that a case of its own would make. Its fingerprint is its place in its file: each label is decided by
    itself, though ids may come again in another file."""
    message = _text(case, "error_message")
    pattern = _text(case, "error_pattern") or error_pattern(message)
    kind = _text(case, "error_kind")
    step = _step(case)
    return Problem(
        fingerprint=digest("label", position),
        error_code=_code(case.get("error_code")),
        error_kind=kind if kind in KINDS else error_kind(message or pattern),
        step_id=step.step_id,
        tool=step.tool,
        error_pattern=pattern,
        error_message=(message or pattern)[:MAX_MESSAGE],
        user_intent=_text(case, "user_intent"),
        context_text=_text(case, "context_text") or _context(case, step, message or pattern),
        exemplar=name,
        count=1,
        first_seen=NEVER,
        last_seen=NEVER,
    )


def _step(case: dict[str, Any]) -> TriggerStep:
    given = case.get("trigger_step")
    step = given if isinstance(given, dict) else {}
    tool = step.get("tool") or case.get("tool")
    name = step.get("step_id") or case.get("step_id") or tool or "unnamed"
    return TriggerStep(index=0, step_id=str(name), tool=str(tool) if tool else None)


def _context(case: dict[str, Any], step: TriggerStep, message: str) -> str:
    given = case.get("step_context")
    if isinstance(given, str):
        return given
    try:
        context = StepContext.model_validate(given) if isinstance(given, dict) else None
    except ValueError:
        context = None
    if context is None:
        return ""
    made = FailureCase(
        case_id="",
        run_id="",
        occurred_at=NEVER,
        error_code="tool.error",
        error_message=message,
        error_pattern="",
        user_intent="",
        trigger_step=step,
        step_context=context,
        fingerprint="",
    )
    return context_text(made)


def _code(given: object) -> ErrorCode:
    """The code, or tool.error for one that is none of ours: a foreign vocabulary gates nothing."""
    return cast(ErrorCode, given) if given in ERROR_CODES else "tool.error"


def _text(case: dict[str, Any], name: str) -> str:
    value = case.get(name)
    return value if isinstance(value, str) else ""


def _cause(entry: Any, number: int, source: str) -> RootCause:
    if not isinstance(entry, dict):
        raise BadInputError(f"{source}, cause {number}: write a mapping with cause_id and exemplars")
    identity = entry.get("cause_id") or entry.get("id") or entry.get("root_cause")
    if not isinstance(identity, str) or not identity.strip():
        raise BadInputError(f"{source}, cause {number}: it has no cause_id")
    known = {name: entry[name] for name in RootCause.model_fields if entry.get(name) is not None}
    filled = {
        "name": identity,
        "statement": str(entry.get("statement") or entry.get("name") or identity),
        **known,
        "error_codes": tuple({_code(one) for one in known.get("error_codes", ())}) or ERROR_CODES,
        "cause_id": identity,
        "exemplars": [_exemplar(one) for one in entry.get("exemplars") or ()],
    }
    try:
        return RootCause.model_validate(filled)
    except ValueError as error:
        raise BadInputError(f"{source}, cause {number} ({identity}): {error}") from error


def _exemplar(given: Any) -> Exemplar:
    if isinstance(given, str):
        return Exemplar(error_pattern=error_pattern(given))
    if not isinstance(given, dict):
        raise BadInputError("an exemplar is a text, or an object with error_pattern")
    pattern = _text(given, "error_pattern") or error_pattern(_text(given, "error_message"))
    context = given.get("step_context")
    return Exemplar(
        error_pattern=pattern,
        user_intent=_text(given, "user_intent"),
        step_context=context if isinstance(context, str) else "",
        origin=_text(given, "origin") or "template",
    )
