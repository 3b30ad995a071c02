"""A change that was made without the person's yes is asked about first."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from errata_client.engine import Engine
from errata_client.run import Run
from errata_client.view import CallView
from knowledge.store import Store
from knowledge.strategies import Strategy
from tests.strategies.shop import NOW, contrasted, failed, fine_orders, number, run, worked

YES = ("yes", "Sure, go ahead.", "好的，可以", "I confirm that.")
WANTED = "Error: the customer's confirmation is required first"


def cancelled(count: int = 12, yes: tuple[str, ...] = YES) -> Iterator[Run]:
    """Runs that went well: looked up, agreed, cancelled."""
    for index in range(count):
        order = {"order_id": f"#W{number(index)}"}
        yield run(
            f"well-{index}",
            f"my order {order['order_id']} takes too long",
            worked("get_order", order, {"status": "pending"}),
            worked("cancel_order", order, said=yes[index % len(yes)]),
            task=f"t{index}",
            status="success",
        )


def kept(count: int = 4) -> Iterator[Run]:
    """Runs that went well without a cancellation: the person only wanted to know."""
    for index in range(100, 100 + count):
        order = {"order_id": f"#W{number(index)}"}
        yield run(
            f"well-{index}",
            "it takes too long",
            worked("get_order", order),
            task=f"t{index}",
            status="success",
        )


def hasty(count: int = 4, said: str = "it takes too long") -> Iterator[Run]:
    """Runs of the same tasks that cancelled at once and failed."""
    for index in range(100, 100 + count):
        order = {"order_id": f"#W{number(index)}"}
        yield run(
            f"hasty-{index}",
            said,
            worked("get_order", order),
            worked("cancel_order", order),
            task=f"t{index}",
            status="failure",
        )


def asking(found: list[Strategy]) -> list[Strategy]:
    return [one for one in found if one.synthesiser == "confirm"]


def test_what_no_successful_run_did_is_asked_about_where_nobody_had_said_yes(store: Store) -> None:
    (drafted,) = asking(contrasted(store, [*cancelled(), *kept(), *hasty()]))

    assert drafted.rule.scope.tool == "cancel_order"
    assert drafted.evidence.right == drafted.evidence.support == 4
    assert (drafted.evidence.wrong, drafted.evidence.harmed, drafted.evidence.references) == (0, 0, 12)


@pytest.mark.parametrize(
    ("said", "outcome"),
    [("yes please", "pass"), ("可以", "pass"), ("it takes too long", "confirm"), ("", "pass")],
)
def test_the_rule_stops_until_the_person_has_said_yes(store: Store, said: str, outcome: str) -> None:
    (drafted,) = asking(contrasted(store, [*cancelled(), *kept(), *hasty()]))
    view = CallView(run_id="r", step_id="cancel_order", tool="cancel_order", user_input=said)
    engine = Engine([drafted.rule], treat_shadow_as_active=True)
    assert engine.decide(view, NOW.date()).outcome == outcome


def test_one_good_run_that_went_ahead_without_a_yes_speaks_against_it(store: Store) -> None:
    at_once = run(
        "at-once", "cancel #W1", worked("cancel_order", {"order_id": "#W1"}), task="once", status="success"
    )
    assert asking(contrasted(store, [*cancelled(), *kept(), *hasty(), at_once])) == []


def test_what_was_agreed_to_is_no_matter_of_asking(store: Store) -> None:
    assert asking(contrasted(store, [*cancelled(), *kept(), *hasty(said="yes, cancel it")])) == []


def test_a_tool_that_wants_a_confirmation_and_gets_it_speaks_for_asking_first(store: Store) -> None:
    def refused() -> Iterator[Run]:
        for index in range(200, 206):
            order = {"order_id": f"#W{number(index)}"}
            yield run(
                f"refused-{index}",
                "it takes too long",
                failed("cancel_order", order, WANTED),
                worked("cancel_order", order, said="ok"),
            )

    (drafted,) = asking(contrasted(store, [*cancelled(), *refused()]))
    assert drafted.evidence.right == 6
    assert {row.why for row in drafted.evidence.rows} == {
        "the very same call worked once the person had been asked"
    }


def test_looking_something_up_is_never_asked_about(store: Store) -> None:
    looks = [
        run(f"look-{index}", "where is it?", failed("get_order", {"order_id": number(index)}, WANTED))
        for index in range(8)
    ]
    assert asking(contrasted(store, [*fine_orders(), *looks])) == []
