"""A rule as a person changes it: whole, from a file, or field by field."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from errata_client.faults import faults_told
from errata_client.rule import Rule
from jobs.files import read_text
from knowledge.errors import BadInputError


def edited(rule: Rule, file: str | None, changes: Sequence[str]) -> Rule:
    """The rule as it should be; BadInputError says which field is wrong and how."""
    if not file and not changes:
        raise BadInputError("nothing to change: give --rule FILE, or --set PATH=VALUE")
    fields = _read(file) if file else rule.model_dump(mode="json")
    for change in changes:
        _set(fields, change)
    return _checked(fields)


def _read(file: str) -> dict[str, Any]:
    try:
        found = yaml.safe_load(read_text(Path(file)))
    except yaml.YAMLError as error:
        raise BadInputError(f"{file}: neither JSON nor YAML: {error}") from error
    if not isinstance(found, dict):
        raise BadInputError(f"{file}: a rule is an object with scope, trigger, action and valid_until")
    return found


def _set(fields: dict[str, Any], change: str) -> None:
    """Put the value, read as YAML where that gives a number, a list or the like, at the dotted path."""
    path, sign, text = change.partition("=")
    names = path.strip().split(".")
    if not sign or not all(names):
        raise BadInputError(f"--set {change!r}: write PATH=VALUE, such as trigger.pattern='^a$'")
    inner: Any = fields
    for name in names[:-1]:
        inner = inner.get(name) if isinstance(inner, dict) else None
    if not isinstance(inner, dict):
        raise BadInputError(f"--set {change!r}: a rule has no {path}")
    inner[names[-1]] = _value(inner.get(names[-1]), text)


def _value(current: object, text: str) -> object:
    """Text stays text where text stood: a pattern such as `[0-9]` is no list."""
    if isinstance(current, str):
        return text
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return text


def _checked(fields: dict[str, Any]) -> Rule:
    try:
        return Rule.model_validate(fields)
    except ValidationError as error:
        raise BadInputError(f"not a rule: {faults_told(error, most=1, whole='rule')}") from error
