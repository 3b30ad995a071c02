"""A plan in the words of SQL. Pure: text and parameters out, nothing is run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from knowledge.alike import Alternatives, Phrase
from knowledge.fields import Scalar
from knowledge.plan import Between, Match, Plan, Position
from knowledge.sqlite.table import Table, column, joined, marks


@dataclass
class Condition:
    """Parts of a WHERE clause that must all hold, with their parameters."""

    parts: list[str] = field(default_factory=list)
    parameters: list[Scalar] = field(default_factory=list)

    def add(self, part: str, *parameters: Scalar) -> None:
        """One more part."""
        self.parts.append(part)
        self.parameters.extend(parameters)

    def with_part(self, part: str, *parameters: Scalar) -> Condition:
        """A copy with one more part."""
        return Condition([*self.parts, part], [*self.parameters, *parameters])

    @property
    def sql(self) -> str:
        """The clause."""
        return " AND ".join(self.parts)


@dataclass(frozen=True)
class Segment:
    """A stretch of the sorted whole: with the sort value, or (after it) without."""

    condition: Condition
    order: str


def condition_of(table: Table, project: str, plan: Plan) -> Condition:
    """The project's rows that the plan asks for."""
    condition = Condition(["project = ?"], [project])
    for match in plan.matches:
        _add_match(condition, table, match)
    for between in plan.ranges:
        _add_range(condition, between)
    if plan.phrases is not None:
        _add_text(condition, table, plan.phrases)
    return condition


def segments(condition: Condition, plan: Plan, after: Position | None) -> Iterator[Segment]:
    """What to read, one after the other, until a page is full; `after` is where the last one ended."""
    direction, beyond = ("DESC", "<") if plan.descending else ("ASC", ">")
    by_key = f"key {direction}"
    if not plan.sort:
        rest = condition if after is None else condition.with_part(f"key {beyond} ?", after[0])
        yield Segment(rest, by_key)
        return
    name = column(plan.sort)
    if after is None or after[0] is not None:
        present = condition.with_part(f"{name} IS NOT NULL")
        if after is not None:
            present = present.with_part(f"({name}, key) {beyond} (?, ?)", *after)
        yield Segment(present, f"{name} {direction}, {by_key}")
    absent = condition.with_part(f"{name} IS NULL")
    if after is not None and after[0] is None:
        absent = absent.with_part(f"key {beyond} ?", after[1])
    yield Segment(absent, by_key)


def _add_match(condition: Condition, table: Table, match: Match) -> None:
    name = column(match.field)
    any_of = joined("IN", marks(len(match.values)))
    if match.field in table.plural:
        having = joined("SELECT id FROM", table.values_name, "WHERE field = ? AND value", any_of)
        part, parameters = f"id IN ({having})", (match.field, *match.values)
    else:
        part, parameters = joined(name, any_of), match.values
    if match.absent:
        part = f"({part} OR {name} IS NULL)"
    condition.add(part, *parameters)


def _add_range(condition: Condition, between: Between) -> None:
    name = column(between.field)
    if between.since is not None:
        condition.add(f"{name} >= ?", between.since)
    if between.until is not None:
        condition.add(f"{name} < ?", between.until)


def _add_text(condition: Condition, table: Table, phrases: tuple[Alternatives, ...]) -> None:
    if not phrases or not table.texts:
        condition.add("0")
        return
    said = " AND ".join(f"({' OR '.join(map(_quoted, any_of))})" for any_of in phrases)
    found = joined("SELECT rowid FROM", table.text_name, "WHERE", table.text_name, "MATCH ?")
    condition.add(f"id IN ({found})", said)


def _quoted(phrase: Phrase) -> str:
    """The phrase in FTS5's words; a token holds no quotes."""
    return f'"{" ".join(phrase)}"'
