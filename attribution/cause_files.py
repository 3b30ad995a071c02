"""Root causes as YAML: a list of causes, where an exemplar that is only an error text is written as that text."""

from __future__ import annotations

from collections.abc import Iterable

import yaml
from pydantic import ValidationError

from errata_client.faults import faults_told
from errata_client.model import JsonValue
from knowledge.causes import Exemplar, RootCause
from knowledge.errors import BadInputError

MAX_BYTES = 4 * 1024 * 1024
MAX_CAUSES = 2_000


def read_causes_text(text: str, source: str = "the file", created_by: str = "errata") -> list[RootCause]:
    """The causes of a YAML list. BadInputError says which one is wrong, and why; ids must not repeat."""
    if len(text.encode("utf-8", "replace")) > MAX_BYTES:
        raise BadInputError(f"{source} is larger than {MAX_BYTES // 1024 // 1024} MiB: split it")
    entries = _entries(text, source)
    causes = [_cause(entry, number, source, created_by) for number, entry in enumerate(entries, start=1)]
    repeated = _repeated(cause.cause_id for cause in causes)
    if repeated:
        raise BadInputError(f"{source} names {repeated} twice: give each cause an id of its own")
    return causes


def write_causes_text(causes: Iterable[RootCause]) -> str:
    """YAML that `read_causes_text` reads back to the same causes, sorted by id."""
    ordered = sorted(causes, key=lambda cause: cause.cause_id)
    entries = [_entry(cause) for cause in ordered]
    return yaml.dump(entries, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


class _Dumper(yaml.SafeDumper):
    """Quotes texts with the rarer line ends, which YAML would otherwise fold into spaces."""

    def represent_text(self, text: str) -> yaml.ScalarNode:
        """A text as a YAML scalar."""
        style = '"' if any(end in text for end in "\x85\u2028\u2029") else None
        return self.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _Dumper.represent_text)


def _entries(text: str, source: str) -> list[JsonValue]:
    try:
        loaded = yaml.safe_load(text)
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f" in line {where.line + 1}" if where else ""
        raise BadInputError(f"{source} is not YAML{line}: {getattr(error, 'problem', error)}") from error
    except RecursionError as error:
        raise BadInputError(f"{source} is nested too deeply: write a plain list of causes") from error
    if not isinstance(loaded, list) or len(loaded) > MAX_CAUSES:
        raise BadInputError(f"{source} must hold a list of at most {MAX_CAUSES} causes, each with a cause_id")
    return loaded


def _cause(entry: JsonValue, number: int, source: str, created_by: str) -> RootCause:
    if not isinstance(entry, dict):
        raise BadInputError(
            f"{source}, cause {number}: write a mapping with cause_id, name, statement, error_codes"
        )
    exemplars = entry.get("exemplars") or []
    if isinstance(exemplars, list):
        exemplars = [{"error_pattern": one} if isinstance(one, str) else one for one in exemplars]
    try:
        return RootCause.model_validate({"created_by": created_by, **entry, "exemplars": exemplars})
    except ValidationError as error:
        raise BadInputError(
            f"{source}, cause {number} ({entry.get('cause_id', 'no id')}): {faults_told(error, most=1, whole='cause')}"
        ) from error


def _entry(cause: RootCause) -> dict[str, JsonValue]:
    entry = cause.model_dump(mode="json", exclude_defaults=True)
    entry["exemplars"] = [_exemplar(exemplar) for exemplar in cause.exemplars]
    return entry


def _exemplar(exemplar: Exemplar) -> JsonValue:
    entry = exemplar.model_dump(mode="json", exclude_defaults=True)
    return exemplar.error_pattern if set(entry) == {"error_pattern"} else entry


def _repeated(ids: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            return one
        seen.add(one)
    return None
