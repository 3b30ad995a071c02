"""The SQL of one kind's tables, made from the kind alone. Nothing here touches a database.

A kind has its table (own columns, and one column per exact field), where it needs them a table of the values of
fields that hold several, and a full-text table of its text fields, already cut into tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from knowledge.documents import Document
from knowledge.fields import Scalar, is_plural
from knowledge.ids import digest
from knowledge.kinds import FieldType, Kind

_COLUMN_TYPES: dict[FieldType, str] = {
    "keyword": "TEXT",
    "date": "INTEGER",
    "integer": "INTEGER",
    "number": "REAL",
    "boolean": "INTEGER",
}
_LAYOUT = 1
"""Part of every shape: raise it when this file lays tables out in another way."""


def quoted(name: str) -> str:
    """An SQL identifier."""
    return f'"{name}"'


def column(field: str) -> str:
    """The column of an exact field; of a field of several values it keeps the least one, to sort by."""
    return quoted(f"f.{field}")


def joined(*parts: str) -> str:
    """One SQL statement from its parts."""
    return " ".join(parts)


def marks(count: int) -> str:
    """So many parameters, in parentheses."""
    return f"({', '.join('?' * count)})"


@dataclass(frozen=True)
class Table:
    """The names and statements of a kind's tables."""

    kind: Kind[Any]
    name: str
    values_name: str
    text_name: str
    exact: tuple[str, ...]
    plural: tuple[str, ...]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, kind: Kind[Any]) -> Table:
        """The tables of `kind`."""
        exact = tuple(field for field, form in kind.fields.items() if form != "text")
        return cls(
            kind=kind,
            name=quoted(kind.name),
            values_name=quoted(f"{kind.name}.values"),
            text_name=quoted(f"{kind.name}.text"),
            exact=exact,
            plural=tuple(field for field in exact if is_plural(kind, field)),
            texts=tuple(field for field, form in kind.fields.items() if form == "text"),
        )

    @property
    def shape(self) -> str:
        """The name of the migration that makes these tables; it changes with the kind's fields."""
        return f"{self.kind.name}@{digest(_LAYOUT, sorted(self.kind.fields.items()), self.plural)[:12]}"

    def create(self) -> list[str]:
        """The statements that make the tables and their indices."""
        columns = [f"{column(field)} {_COLUMN_TYPES[self.kind.fields[field]]}" for field in self.exact]
        own = ["id INTEGER PRIMARY KEY", *(f"{name} TEXT NOT NULL" for name in _OWN)]
        made = [
            joined("CREATE TABLE", self.name, f"({', '.join([*own, *columns, 'UNIQUE (project, key)'])})")
        ]
        made.extend(
            joined("CREATE INDEX", quoted(f"{self.kind.name}.by.{field}"), "ON", self.name, by)
            for field, by in ((field, f"(project, {column(field)}, key)") for field in self.exact)
        )
        return [*made, *self._create_values(), *self._create_text()]

    def drop(self) -> list[str]:
        """The statements that take the tables away."""
        return [
            joined("DROP TABLE IF EXISTS", name) for name in (self.name, self.values_name, self.text_name)
        ]

    def _create_values(self) -> list[str]:
        if not self.plural:
            return []
        layout = "(id INTEGER, field TEXT, value, PRIMARY KEY (field, value, id)) WITHOUT ROWID"
        by_id = joined(
            "CREATE INDEX", quoted(f"{self.kind.name}.values.by.id"), "ON", self.values_name, "(id)"
        )
        return [joined("CREATE TABLE", self.values_name, layout), by_id]

    def _create_text(self) -> list[str]:
        if not self.texts:
            return []
        columns = ", ".join([*self.text_columns, "tokenize = 'ascii'"])
        return [joined("CREATE VIRTUAL TABLE", self.text_name, f"USING fts5({columns})")]

    @property
    def text_columns(self) -> tuple[str, ...]:
        """The columns of the full-text table, in the order of `texts`."""
        return tuple(f"t{position}" for position in range(len(self.texts)))

    @cached_property
    def insert(self) -> str:
        """Insert a row where its key is new; parameters as `row` gives them."""
        columns = [*_OWN, *map(column, self.exact)]
        listed = f"({', '.join(columns)})"
        return joined(
            "INSERT INTO",
            self.name,
            listed,
            "VALUES",
            marks(len(columns)),
            "ON CONFLICT (project, key) DO NOTHING",
        )

    @cached_property
    def update(self) -> str:
        """Replace the row of an id: parameters as `row` gives them, then the id."""
        columns = [*_OWN, *map(column, self.exact)]
        return joined(
            "UPDATE", self.name, "SET", ", ".join(f"{name} = ?" for name in columns), "WHERE id = ?"
        )

    def row(self, project: str, version: str, document: Document) -> list[Scalar | None]:
        """The parameters of `insert` and `update`."""
        values = (document.values[field] for field in self.exact)
        return [
            project,
            document.key,
            version,
            document.body,
            *[found[0] if len(found) == 1 else min(found, default=None) for found in values],
        ]

    def select(self, columns: str, condition: str, *rest: str) -> str:
        """Read `columns` of the rows for which `condition` holds."""
        return joined("SELECT", columns, "FROM", self.name, "WHERE", condition, *rest)

    def plural_rows(self, row_id: int, document: Document) -> Iterable[tuple[int, str, Scalar]]:
        """The rows of the table of values."""
        return ((row_id, field, value) for field in self.plural for value in document.values[field])

    def text_row(self, row_id: int, document: Document) -> Sequence[int | str]:
        """The row of the full-text table."""
        return [row_id, *(document.texts[field] for field in self.texts)]


_OWN = ("project", "key", "version", "body")
