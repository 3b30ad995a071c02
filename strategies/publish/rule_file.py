"""A strategy as a YAML file: the rule, which a person may change, above the evidence, which is for reading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml
from pydantic import ValidationError

from errata_client.faults import faults_told
from errata_client.rule import Rule
from knowledge.errors import BadInputError
from knowledge.strategies import BeforeAfter, Strategy
from strategies.conflicts import Conflict
from strategies.publish.port import Answer
from strategies.rule_words import in_words

MAX_ROWS = 8
MAX_REASON = 2_000
MAX_BYTES = 256 * 1024


def file_name(strategy_id: str) -> str:
    """`ST-0007.yaml`."""
    return f"{strategy_id}.yaml"


def rule_file(strategy: Strategy, conflicts: Sequence[Conflict] = ()) -> str:
    """The file's text. The parts under `acknowledge` and `rule` are read back, the rest is not."""
    evidence = strategy.evidence
    figures = evidence.model_dump(mode="json", exclude={"rows", "cases"}, exclude_none=True)
    document = {
        "strategy": strategy.strategy_id,
        "in_words": in_words(strategy.rule),
        "acknowledge": list[str](),
        **({"conflicts": [_conflict(one) for one in conflicts]} if conflicts else {}),
        "rule": strategy.rule.model_dump(mode="json", exclude={"mode"}),
        "evidence": figures,
        "rows": [_row(row) for row in evidence.rows[:MAX_ROWS]],
    }
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110)


def approval(draft: Strategy, actor: str, reason: str, text: str, where: str) -> Answer:
    """The approval that a file means which is where approved ones are: of the rule as it stands there, with what is
    acknowledged in it."""
    rule, acknowledged = read_rule(text, where)
    unmoved = {"mode": draft.rule.mode, "revision": draft.rule.revision}
    same = rule.model_copy(update=unmoved) == draft.rule
    said = f"{reason}, acknowledging {', '.join(acknowledged)}" if acknowledged else reason
    return Answer(
        draft.strategy_id, "approved", actor, said[:MAX_REASON], None if same else rule, acknowledged
    )


def read_rule(text: str, where: str) -> tuple[Rule, tuple[str, ...]]:
    """The rule in a file's text, and what is acknowledged there; BadInputError says what is wrong with it, and in which file."""
    if len(text.encode()) > MAX_BYTES:
        raise BadInputError(f"{where}: more than {MAX_BYTES // 1024} KiB: not a rule's file")
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BadInputError(f"{where}: not YAML: {error}") from error
    rule = document.get("rule") if isinstance(document, dict) else None
    if not isinstance(rule, dict):
        raise BadInputError(f"{where}: no rule in it: keep what stands under `rule:`")
    acknowledged = document.get("acknowledge") or []
    if not isinstance(acknowledged, list) or not all(isinstance(name, str) for name in acknowledged):
        raise BadInputError(f"{where}: `acknowledge:` is a list of names, such as [hides:ST-0003]")
    try:
        return Rule.model_validate(rule), tuple(acknowledged)
    except ValidationError as error:
        raise BadInputError(f"{where}: not a rule: {faults_told(error, most=1, whole='rule')}") from error


def _conflict(one: Conflict) -> dict[str, Any]:
    """`acknowledge` where its name, put into the list above, is what an approval needs."""
    named = {"acknowledge": one.acknowledge} if one.grade == "acknowledge" else {"grade": one.grade}
    return {**named, "words": one.words, "call": one.call}


def _row(row: BeforeAfter) -> dict[str, Any]:
    told = {
        "judgement": row.judgement,
        "before": row.before,
        "error": row.error,
        "after": row.after if row.after is not None else row.outcome,
        "why": row.why,
    }
    return {key: value for key, value in told.items() if value is not None}
