"""A strategy as a YAML file: the rule, which a person may change, above the evidence, which is for reading."""

from __future__ import annotations

from typing import Any

import yaml
from pydantic import ValidationError

from errata_client.faults import faults_told
from errata_client.rule import Rule
from knowledge.errors import BadInputError
from knowledge.strategies import BeforeAfter, Strategy
from strategies.rule_words import in_words

MAX_ROWS = 8
MAX_BYTES = 256 * 1024


def file_name(strategy_id: str) -> str:
    """`ST-0007.yaml`."""
    return f"{strategy_id}.yaml"


def rule_file(strategy: Strategy) -> str:
    """The file's text. The part under `rule` is read back, the rest is not."""
    evidence = strategy.evidence
    figures = evidence.model_dump(mode="json", exclude={"rows", "cases"}, exclude_none=True)
    document = {
        "strategy": strategy.strategy_id,
        "in_words": in_words(strategy.rule),
        "rule": strategy.rule.model_dump(mode="json", exclude={"mode"}),
        "evidence": figures,
        "rows": [_row(row) for row in evidence.rows[:MAX_ROWS]],
    }
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110)


def read_rule(text: str, where: str) -> Rule:
    """The rule in a file's text; BadInputError says what is wrong with it, and in which file."""
    if len(text.encode()) > MAX_BYTES:
        raise BadInputError(f"{where}: more than {MAX_BYTES // 1024} KiB: not a rule's file")
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BadInputError(f"{where}: not YAML: {error}") from error
    rule = document.get("rule") if isinstance(document, dict) else None
    if not isinstance(rule, dict):
        raise BadInputError(f"{where}: no rule in it: keep what stands under `rule:`")
    try:
        return Rule.model_validate(rule)
    except ValidationError as error:
        raise BadInputError(f"{where}: not a rule: {faults_told(error, most=1, whole='rule')}") from error


def _row(row: BeforeAfter) -> dict[str, Any]:
    told = {
        "judgement": row.judgement,
        "before": row.before,
        "error": row.error,
        "after": row.after if row.after is not None else row.outcome,
        "why": row.why,
    }
    return {key: value for key, value in told.items() if value is not None}
