"""What was turned down is known again by what it does, and a variant of it is said to be one."""

from __future__ import annotations

from typing import Any

import pytest

from client.tests.making import a_rule
from errata_client.rule import Rule
from knowledge.kinds import STRATEGIES
from knowledge.store import Store
from strategies import review
from strategies.draft_key import draft_key, effect_key
from strategies.likeness import LIKE_REJECTED, resemblances
from tests.strategies.shop import PROJECT, bare_orders, fine_orders, night, shift_of

SEEN: dict[str, Any] = {"kind": "unseen", "field": "args.order_id"}
NOT_CALLED: dict[str, Any] = {"kind": "not_called", "tool": "find_user"}
FORMULA = {"kind": "derive", "field": "args.amount", "source": "error", "pattern": r"is (\d+), not (\d+)"}


def rewriting(pattern: str, template: str, **changes: Any) -> Rule:
    action = {"kind": "rewrite", "field": "args.order_id", "template": template}
    return a_rule(action=action, pattern=pattern, **changes)


def computed(template: str) -> Rule:
    return a_rule(action=FORMULA | {"template": template, "arithmetic": True}, field="error", pattern="is")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (rewriting(r"^(\d{7})$", "#W{1}"), rewriting("^([0-9]{7})$", "#W{1}")),
        (rewriting(r"^(\d{7})$", "#W{1}"), rewriting(r"^\d{7}$", "#W{0}")),
        (rewriting(r"^(#)?(\d{7})$", "#W{2}"), rewriting(r"^#?(?P<digits>\d{7})$", "#W{1}")),
        (
            a_rule(conditions=[SEEN, NOT_CALLED]),
            a_rule(conditions=[NOT_CALLED, SEEN, SEEN]),
        ),
        (
            a_rule(conditions=[{"kind": "last_error", "pattern": r"\d+ left"}]),
            a_rule(conditions=[{"kind": "last_error", "pattern": "[0-9]{1,} left"}]),
        ),
        (
            a_rule(
                conditions=[{"kind": "arguments", "left": "args.a", "relation": "equal", "right": "args.b"}]
            ),
            a_rule(
                conditions=[{"kind": "arguments", "left": "args.b", "relation": "equal", "right": "args.a"}]
            ),
        ),
        (
            a_rule(action={"kind": "block", "text": "Ask for it."}),
            a_rule(action={"kind": "block", "text": "请先询问。"}, revision=7, share=0.5),
        ),
        (
            a_rule(action={"kind": "set", "field": "args.n", "value": 1}),
            a_rule(action={"kind": "set", "field": "args.n", "value": 1.0}),
        ),
        (computed("{1} - {2}"), computed("{1}-{2}")),
    ],
)
def test_the_same_idea_has_one_key_however_it_is_written(one: Rule, other: Rule) -> None:
    assert draft_key(one) == draft_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (rewriting(r"^(\d{7})$", "#W{1}"), rewriting(r"^(\d{8})$", "#W{1}")),
        (rewriting(r"^(\d{7})$", "#W{1}"), rewriting(r"^(\d{7})$", "#{1}")),
        (rewriting(r"^(\d)(\d)$", "{1}{2}"), rewriting(r"^(\d)(\d)$", "{2}{1}")),
        (computed("{1} - {2}"), computed("{2} - {1}")),
        (a_rule(conditions=[SEEN]), a_rule()),
        (
            a_rule(conditions=[{"kind": "repeated", "times": 1}]),
            a_rule(conditions=[{"kind": "repeated", "times": 2}]),
        ),
    ],
)
def test_another_idea_has_another_key(one: Rule, other: Rule) -> None:
    assert effect_key(one) != effect_key(other)


def test_a_variant_of_a_rejected_idea_is_filed_with_the_reason_it_was_rejected_for(store: Store) -> None:
    night(store, [*fine_orders(), *bare_orders(12, ("{}",))])
    review.reject(shift_of(store), "ST-0001", "mei", "the tool will take both forms in May")

    found = night(store, list(bare_orders(40))[12:], number=2)

    variant = next(
        item for item in found if item.strategy_id != "ST-0001" and item.rule.action.kind == "rewrite"
    )
    (alike,) = variant.evidence.resembles
    assert alike.in_words() == "like ST-0001, rejected: the tool will take both forms in May"
    assert LIKE_REJECTED in variant.evidence.flags


def test_the_same_calls_with_another_remedy_are_a_variant_and_another_scope_is_none(store: Store) -> None:
    night(store, [*fine_orders(), *bare_orders(12)])
    review.reject(shift_of(store), "ST-0001", "mei", "no")
    stored = store.collection(PROJECT, STRATEGIES).get("ST-0001")
    assert stored is not None
    rejected = stored.item
    block = rejected.rule.model_copy(
        update={"action": a_rule(action={"kind": "block", "text": "No."}).action}
    )
    elsewhere = rejected.rule.model_copy(update={"scope": a_rule().scope})

    assert [one.strategy_id for one in resemblances(block, (), [rejected])] == ["ST-0001"]
    assert resemblances(elsewhere, rejected.evidence.cases, [rejected]) == ()
