"""Checked arithmetic over numbers, captures and what stands there now: `{1} - {2} + {value}`. Nothing else can be said in it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, DecimalException, localcontext
from typing import TypeAlias

import re2

MAX_DEPTH = 20
MAX_LENGTH = 500
MAX_DIGITS = 40

VALUE = -1
"""Stands for {value} among the captures: the last of them."""

_TOKEN = re2.compile(r"\s*(\{(?:\d+|value)\}|\d+(?:\.\d+)?|[-+*/()])")

Node: TypeAlias = "Decimal | int | tuple[str, Node, Node]"
"""A number, the number of a capture, or an operation."""


class Formula:
    """A parsed formula; ValueError says where it cannot be read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._at = 0
        self._node = self._sum(0)
        if self._at < len(self._tokens):
            raise self._error()

    @property
    def uses_value(self) -> bool:
        """Whether it names {value}."""
        return "{value}" in self._tokens

    def value(self, captures: Sequence[Decimal | None]) -> Decimal | None:
        """The result, `captures[n]` standing for {n} and the last of them for {value}; None where a capture is no number
        or it has no result."""
        with localcontext() as context:
            context.prec = MAX_DIGITS
            try:
                return _computed(self._node, captures)
            except (DecimalException, LookupError):
                return None

    def _sum(self, depth: int) -> Node:
        return self._chain({"+", "-"}, depth)

    def _chain(self, operators: set[str], depth: int) -> Node:
        """A chain of one precedence, left to right; sums are chains of products, products of factors."""
        below = self._factor if "*" in operators else lambda deep: self._chain({"*", "/"}, deep)
        left = below(depth)
        while self._peek() in operators:
            operator = self._next()
            left = (operator, left, below(depth))
        return left

    def _factor(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise ValueError(f"formula {self._text!r}: nested deeper than {MAX_DEPTH}")
        symbol = self._next()
        if symbol == "-":
            return ("-", Decimal(0), self._factor(depth + 1))
        if symbol == "(":
            inner = self._sum(depth + 1)
            if self._next() != ")":
                raise self._error()
            return inner
        if symbol.startswith("{"):
            return VALUE if symbol == "{value}" else int(symbol[1:-1])
        if symbol[:1].isdigit():
            return Decimal(symbol)
        raise self._error()

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._at += 1
        return token

    def _error(self) -> ValueError:
        return ValueError(
            f"formula {self._text!r}: write numbers and captures such as {{1}} with + - * / ( )"
        )


def _tokens(text: str) -> list[str]:
    if len(text) > MAX_LENGTH:
        raise ValueError(f"a formula may have {MAX_LENGTH} characters, this one has {len(text)}")
    tokens, at, text = [], 0, text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"formula {text!r}: cannot read {text[at : at + 10]!r}")
        tokens.append(match.group(1))
        at = match.end()
    return tokens


def _computed(node: Node, captures: Sequence[Decimal | None]) -> Decimal | None:
    if isinstance(node, int):
        return captures[node]
    if isinstance(node, Decimal):
        return node
    operator, left, right = node[0], _computed(node[1], captures), _computed(node[2], captures)
    if left is None or right is None:
        return None
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    return left * right if operator == "*" else left / right
