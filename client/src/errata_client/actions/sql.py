"""SQL out of a template: each capture becomes one value of the statement, never a part of its text.

The template is parsed once, with a name in the place of each capture. Where every such name stands for a whole value, or within a
quoted text, the statement can be filled; anywhere else (a table, a column, a keyword, half of a number) it cannot, and the rule
is refused. Needs sqlglot (`pip install errata-client[sql]`), which is not imported before a rule writes SQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from errata_client.actions.writing import as_number
from errata_client.matching import filled
from errata_client.rule import template_groups

MARK = "erratacapture{}end"
UNSAFE = frozenset("\\\0")
"""Some dialects read a backslash within quotes; a value with one is refused."""


class UnboundError(ValueError):
    """A capture would land outside a value, or it cannot be told."""


class Statement:
    """A template of SQL whose captures are all values."""

    def __init__(self, template: str) -> None:
        """UnboundError where a capture is no value, the text is not one statement, or sqlglot is not installed."""
        self._groups = sorted(set(template_groups(template)))
        self._glot = _sqlglot()
        self._tree = self._parsed(_marked(template, self._groups))
        for group in self._groups:
            uses = template_groups(template).count(group)
            if sum(self._places(node, group) for node in self._tree.walk()) != uses:
                raise UnboundError(
                    f"capture {{{group}}} is no value of the statement: it would change what it says"
                )

    def filled(self, captures: Sequence[str | None]) -> str | None:
        """The statement with these values; None where one is missing or holds what a dialect might read as more than text."""
        values = {group: captures[group] for group in self._groups}
        if any(value is None or not UNSAFE.isdisjoint(value) for value in values.values()):
            return None
        tree = self._tree.copy()
        for node in list(tree.walk()):
            for group, value in values.items():
                if self._places(node, group):
                    self._replace(node, group, value or "")
        made: str = tree.sql()
        return made

    def _parsed(self, text: str) -> Any:
        try:
            found = [tree for tree in self._glot.parse(text) if tree is not None]
        except (self._glot.errors.SqlglotError, RecursionError) as error:
            raise UnboundError("it cannot be read as SQL") from error
        if len(found) != 1 or not isinstance(found[0], (self._glot.exp.Query, self._glot.exp.DML)):
            raise UnboundError("it is not one statement that reads or changes rows")
        return found[0]

    def _places(self, node: Any, group: int) -> int:
        """How often the capture stands in this node as a value."""
        exp, mark = self._glot.exp, MARK.format(group)
        if isinstance(node, exp.Literal):
            return str(node.this).count(mark) if node.is_string else 0
        whole = isinstance(node, exp.Column) and len(node.parts) == 1 and not node.this.args.get("quoted")
        return int(whole and node.name == mark)

    def _replace(self, node: Any, group: int, value: str) -> None:
        exp, mark = self._glot.exp, MARK.format(group)
        if isinstance(node, exp.Literal):
            node.set("this", str(node.this).replace(mark, value))
            return
        number = as_number(value)
        made = exp.Literal.string(value) if number is None else exp.Literal.number(value.lstrip("-"))
        if number is not None and value.startswith("-"):
            made = exp.Paren(this=exp.Neg(this=made))
        node.replace(made)


def _marked(template: str, groups: Sequence[int]) -> str:
    names = [MARK.format(number) for number in range(max(groups, default=0) + 1)]
    return filled(template, names) or ""


def _sqlglot() -> Any:
    try:
        import sqlglot  # noqa: PLC0415 - an optional extra, needed only where a rule writes SQL
    except ImportError as error:
        raise UnboundError("sqlglot is not installed: pip install errata-client[sql]") from error
    return sqlglot
