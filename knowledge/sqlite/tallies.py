"""Counting a kind's rows by the values of a field."""

from __future__ import annotations

import sqlite3

from knowledge.sqlite.selection import Condition
from knowledge.sqlite.table import Table, column, joined
from knowledge.store import Tally
from knowledge.tallies import in_order


def tally(connection: sqlite3.Connection, table: Table, condition: Condition, by: str) -> list[Tally]:
    """All counts, in the order of the port."""
    name = column(by)
    if by not in table.plural:
        counted = connection.execute(
            table.select(f"{name}, count(*)", condition.sql, "GROUP BY", name), condition.parameters
        )
        return in_order(Tally(value, count) for value, count in counted)
    rows = table.select("id", condition.sql)
    statement = joined(
        "SELECT value, count(*) FROM",
        table.values_name,
        f"WHERE field = ? AND id IN ({rows})",
        "GROUP BY value",
    )
    found = [Tally(*row) for row in connection.execute(statement, [by, *condition.parameters])]
    bare = condition.with_part(f"{name} IS NULL")
    (without,) = connection.execute(table.select("count(*)", bare.sql), bare.parameters).fetchone()
    return in_order([*found, Tally(None, without)] if without else found)
