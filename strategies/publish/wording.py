"""What is said of a draft, in the same words for every target."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

import orjson

from errata_client.model import JsonValue
from knowledge.strategies import BeforeAfter, Strategy
from strategies.conflicts import Conflict
from strategies.likeness import LIKE_REJECTED
from strategies.reach import reach_in_words
from strategies.rule_words import in_words

SHOWN_ROWS = 3
CELL = 160
ASKED = {
    "refused": "{it.kind} {it.with_rule}, cannot be approved",
    "acknowledge": "has to acknowledge {it.acknowledge}",
    "note": "{it.kind} {it.with_rule}",
}
"""What a conflict asks of an approval."""

UNSEEN = {"Cf", "Cc", "Co", "Cs"}


def title(strategy: Strategy) -> str:
    """`ST-0007 rewrite get_order_details`."""
    rule = strategy.rule
    return f"{strategy.strategy_id} {rule.action.kind} {rule.scope.tool}"


def summary(strategy: Strategy) -> str:
    """The rule in words, in one line."""
    return _visible(in_words(strategy.rule))


def figures(strategy: Strategy) -> str:
    """The evidence in one line; flags last, since they are what to look at."""
    found = strategy.evidence
    told = [
        f"{found.right} right, {found.wrong} wrong",
        f"{found.harmed} of {found.references} successful calls harmed",
        f"support {found.support} from {found.tasks} tasks",
        *([f"would touch {reach_in_words(found.reach)}"] if found.reach else []),
        *(flag.replace("_", " ") for flag in found.flags if flag != LIKE_REJECTED),
        *(one.in_words() for one in found.resembles),
    ]
    return "; ".join(told)


def conflicts(found: Sequence[Conflict]) -> Iterator[str]:
    """In whose way the rule would get, and what an approval has to say of it; one line each."""
    for one in found:
        yield f"{ASKED[one.grade].format(it=one)}: {_visible(one.words)}"


def rows(strategy: Strategy) -> Iterator[tuple[str, str]]:
    """Before and after of the first rows that show something: what it repairs, then what speaks against it."""
    order = {"harmed": 0, "wrong": 1, "right": 2}
    telling = [row for row in strategy.evidence.rows if row.judgement in order]
    for row in sorted(telling, key=lambda one: order[one.judgement])[:SHOWN_ROWS]:
        yield _short(_before(row)), _short(_after(row))


def _before(row: BeforeAfter) -> str:
    told = _json(_different(row.before, row.after) or row.before)
    return f"{told} → {row.error}" if row.error else told


def _after(row: BeforeAfter) -> str:
    if row.after is None or row.after == row.before:
        return row.outcome if row.text is None else f"{row.outcome}: {row.text}"
    return _json(_different(row.after, row.before) or row.after)


def _different(one: dict[str, JsonValue], other: dict[str, JsonValue] | None) -> dict[str, JsonValue]:
    return {} if other is None else {key: value for key, value in one.items() if other.get(key) != value}


def _json(value: dict[str, JsonValue]) -> str:
    return orjson.dumps(value).decode()


def _visible(text: str) -> str:
    """What is not seen, or turns the direction of writing, is spelled out: no row may look like another."""
    return "".join(
        f"\\u{ord(character):04x}" if unicodedata.category(character) in UNSEEN else character
        for character in text
    )


def _short(text: str) -> str:
    line = _visible(" ".join(text.split()))
    return line if len(line) <= CELL else f"{line[: CELL - 1]}…"
