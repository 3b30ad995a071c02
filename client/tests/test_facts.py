"""The facts of a call view."""

from __future__ import annotations

import orjson

from errata_client.context import RunContext


def done(context: RunContext, tool: str, arguments: dict[str, object], result: object) -> None:
    context.finish(context.start(context.view(tool, arguments)), orjson.dumps(result).decode())


def facts(context: RunContext, arguments: dict[str, object]) -> dict[tuple[str, str], object]:
    return {(fact.tool, fact.path): fact.value for fact in context.view("next", arguments).facts}


def test_what_an_earlier_result_says_about_an_id_of_the_call_is_a_fact() -> None:
    context = RunContext("r1")
    done(
        context,
        "get_order",
        {"order_id": "#W1"},
        {"order_id": "#W1", "status": "pending", "items": [{"n": 2}]},
    )
    done(context, "list_tools", {}, {"status": "unrelated"})
    assert facts(context, {"order_id": "#W1"}) == {
        ("get_order", "/order_id"): "#W1",
        ("get_order", "/status"): "pending",
        ("get_order", "/items/0/n"): 2,
    }
    assert facts(context, {"order_id": "#W2"}) == {}


def test_the_shared_id_may_be_an_argument_of_the_earlier_call_or_a_key_of_its_result() -> None:
    context = RunContext("r1")
    done(context, "get_user", {"user_id": "mia"}, {"level": "gold", "cards": {"card_4421": {"left": 5}}})
    assert facts(context, {"user_id": "mia"})["get_user", "/level"] == "gold"
    assert facts(context, {"payment": "card_4421"})["get_user", "/cards/card_4421/left"] == 5


def test_the_latest_result_about_the_id_wins() -> None:
    context = RunContext("r1")
    done(context, "get_order", {"order_id": "#W1000"}, {"status": "pending"})
    done(context, "get_order", {"order_id": "#W1000"}, {"status": "delivered"})
    done(context, "get_order", {"order_id": "#W2000"}, {"status": "cancelled"})
    assert facts(context, {"order_id": "#W1000"}) == {("get_order", "/status"): "delivered"}


def test_a_result_that_was_asked_for_the_id_beats_a_later_one_that_merely_mentions_another() -> None:
    context = RunContext("r1")
    done(context, "get_order", {"order_id": "#W1000"}, {"status": "pending"})
    done(context, "get_order", {"order_id": "#W2000"}, {"status": "cancelled", "paid": "card_4421"})
    assert facts(context, {"order_id": "#W1000", "card": "card_4421"}) == {
        ("get_order", "/status"): "pending"
    }


def test_failed_calls_and_texts_give_no_facts() -> None:
    context = RunContext("r1")
    context.fail(context.start(context.view("get_order", {"order_id": "#W1"})), '{"status":"x"}')
    context.finish(context.start(context.view("get_order", {"order_id": "#W1"})), "order #W1 is pending")
    assert facts(context, {"order_id": "#W1"}) == {}


def test_facts_are_bounded_and_prefer_what_stands_near_the_top() -> None:
    context = RunContext("r1")
    result = {"items": [{"n": number} for number in range(100)], "text": "x" * 201, "status": "pending"}
    done(context, "get_order", {"order_id": "#W1"}, result)
    found = context.view("next", {"order_id": "#W1"}).facts
    assert len(found) == 64
    assert (found[0].path, found[0].about) == ("/status", "#W1")
    assert found[1].path == "/items/0/n"
    assert "/text" not in {fact.path for fact in found}


def test_what_stands_below_a_key_that_is_an_id_of_the_call_has_a_path_without_it() -> None:
    context = RunContext("r1")
    variants = {f"8800{number}": {"available": number % 2 == 0} for number in range(4)}
    done(context, "get_product", {"product_id": "P-1000"}, {"name": "lamp", "variants": variants})

    found = context.view("exchange", {"product_id": "P-1000", "new_ids": ["88000", "88001"]}).facts
    told = {(fact.path, fact.about): fact.value for fact in found}

    assert told["/variants/{id}/available", "88000"] is True
    assert told["/variants/{id}/available", "88001"] is False
    assert told["/variants/88002/available", "P-1000"] is True
    assert ("/variants/{id}/available", "88002") not in told


def test_they_are_not_crowded_out_by_the_rest_of_the_result() -> None:
    context = RunContext("r1")
    variants = {f"{880000 + number}": {"available": True} for number in range(200)}
    done(context, "get_product", {"product_id": "P-1000"}, {"variants": variants})

    found = context.view("exchange", {"product_id": "P-1000", "new_id": "880199"}).facts

    assert found[0].path == "/variants/{id}/available"
    assert len(found) == 64


def test_each_of_several_ids_is_told_of_by_the_latest_result_that_has_it_as_a_key() -> None:
    context = RunContext("r1")
    done(context, "get_product", {"product_id": "P-1000"}, {"variants": {"88000": {"available": False}}})
    done(context, "get_product", {"product_id": "P-2000"}, {"variants": {"99000": {"available": True}}})
    done(context, "get_product", {"product_id": "P-1000"}, {"variants": {"88000": {"available": True}}})

    found = context.view("exchange", {"new_ids": ["88000", "99000"]}).facts
    told = [(fact.about, fact.value) for fact in found if fact.path == "/variants/{id}/available"]

    assert sorted(told) == [("88000", True), ("99000", True)]


def test_what_a_tool_said_of_one_id_is_not_forgotten_when_it_was_asked_about_another_of_them() -> None:
    context = RunContext("r1")
    done(context, "exchange", {"order_id": "#W1000", "card": "card_4421"}, {"status": "exchange requested"})
    done(context, "exchange", {"order_id": "#W2000", "card": "card_4421"}, {"status": "refused"})

    found = context.view("send_back", {"order_id": "#W1000", "card": "card_4421"}).facts

    assert {(fact.about, fact.value) for fact in found} == {
        ("#W1000", "exchange requested"),
        ("card_4421", "refused"),
    }
