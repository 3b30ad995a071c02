"""What one tool's failures tell of another that is named after the same state."""

from __future__ import annotations

from collections.abc import Iterator

from errata_client.engine import Engine
from errata_client.run import Run
from errata_client.view import CallView, Fact
from knowledge.store import Store
from knowledge.strategies import Strategy
from strategies.judgement import names_what_is_asked
from strategies.synthesis.loop_breaker import SEEN_ELSEWHERE
from tests.strategies.shop import NOW, Call, failed, night, run, worked

KNOWN = "swap_delivered_parcel"
KIN = "return_delivered_parcel"
OTHER = "weigh_parcel"


def parcels(tool: str, status: str, count: int, error: str | None = None) -> Iterator[Run]:
    """Runs that look a parcel up and then call the tool, each of a task of its own."""
    for number in range(count):
        name = f"{tool}-{status}-{number}"
        parcel = {"parcel_id": f"PX-{sum(map(ord, name)) * 1000 + number}"}
        looked = worked("get_parcel", parcel, {**parcel, "status": status})
        yield run(name, f"my parcel {parcel['parcel_id']}", looked, _ended(tool, parcel, error))


def _ended(tool: str, parcel: dict[str, str], error: str | None) -> Call:
    return worked(tool, parcel) if error is None else failed(tool, parcel, error)


def known() -> list[Run]:
    """A tool whose failures a fact tells from its successes."""
    refused = "Error: non-delivered parcel cannot be swapped"
    return [*parcels(KNOWN, "delivered", 30), *parcels(KNOWN, "on its way", 6, refused)]


def failing_otherwise(tool: str) -> Iterator[Run]:
    return parcels(tool, "delivered\t", 1, "Error: the desk is closed on holidays")


def drafts(found: list[Strategy]) -> dict[str, Strategy]:
    return {item.rule.scope.tool: item for item in found if item.synthesiser == "kindred_precondition"}


def asked(tool: str, status: str) -> CallView:
    fact = Fact(tool="get_parcel", path="/status", value=status, about="PX-1")
    return CallView(run_id="new", step_id=tool, tool=tool, arguments={"parcel_id": "PX-1"}, facts=(fact,))


def test_a_tool_that_never_failed_so_gets_the_rule_of_its_kin(store: Store) -> None:
    found = drafts(
        night(store, [*known(), *parcels(KIN, "delivered", 40), *failing_otherwise(KIN)]),
    )

    assert set(found) == {KIN}
    draft = found[KIN]
    assert SEEN_ELSEWHERE in draft.evidence.flags
    assert (draft.evidence.support, draft.evidence.harmed, draft.evidence.references) == (6, 0, 40)
    assert draft.evidence.held_out_right == draft.evidence.held_out_fired > 0
    assert KNOWN in getattr(draft.rule.action, "text", "")
    engine = Engine([draft.rule], treat_shadow_as_active=True)
    assert engine.decide(asked(KIN, "on its way"), NOW.date()).outcome == "block"
    assert engine.decide(asked(KIN, "delivered"), NOW.date()).outcome == "pass"


def test_a_tool_that_is_not_named_after_the_state_gets_none(store: Store) -> None:
    days = [*known(), *parcels(OTHER, "delivered", 40), *failing_otherwise(OTHER)]

    assert not drafts(night(store, days))


def test_a_value_that_holds_the_word_too_is_left_alone(store: Store) -> None:
    refused = "Error: non-delivered parcel cannot be swapped"
    nearly = parcels(KNOWN, "delivered (opened)", 6, refused)
    days = [*parcels(KIN, "delivered", 40), *failing_otherwise(KIN)]

    found = drafts(night(store, [*known(), *nearly, *days]))

    assert found[KIN].evidence.support == 6
    engine = Engine([found[KIN].rule], treat_shadow_as_active=True)
    assert engine.decide(asked(KIN, "delivered (opened)"), NOW.date()).outcome == "pass"


def test_where_only_such_values_failed_there_is_no_rule(store: Store) -> None:
    refused = "Error: non-delivered parcel cannot be swapped"
    elsewhere = [*parcels(KNOWN, "delivered", 30), *parcels(KNOWN, "delivered (opened)", 6, refused)]
    days = [*parcels(KIN, "delivered", 40), *failing_otherwise(KIN)]

    assert not drafts(night(store, [*elsewhere, *days]))


def test_one_success_without_it_and_there_is_no_rule(store: Store) -> None:
    days = [*parcels(KIN, "delivered", 40), *parcels(KIN, "on its way", 1), *failing_otherwise(KIN)]

    assert not drafts(night(store, [*known(), *days]))


def test_few_successes_of_its_own_tell_nothing(store: Store) -> None:
    days = [*parcels(KIN, "delivered", 20), *failing_otherwise(KIN)]

    assert not drafts(night(store, [*known(), *days]))


def test_a_tool_in_which_nothing_failed_needs_no_rule(store: Store) -> None:
    assert not drafts(night(store, [*known(), *parcels(KIN, "delivered", 40)]))


def test_a_tool_whose_own_failures_tell_it_has_one_rule_and_it_is_its_own(store: Store) -> None:
    refused = "Error: non-delivered parcel cannot be returned"
    days = [*parcels(KIN, "delivered", 40), *parcels(KIN, "on its way", 5, refused)]

    found = night(store, [*known(), *days])

    assert not drafts(found)
    tools = {item.rule.scope.tool for item in found if item.synthesiser == "precondition"}
    assert tools == {KNOWN, KIN}


def test_a_stop_is_right_where_the_error_names_the_value_that_the_fact_lacked(store: Store) -> None:
    days = [*known(), *parcels(KIN, "delivered", 40), *failing_otherwise(KIN)]
    rule = drafts(night(store, days))[KIN].rule

    assert names_what_is_asked(rule, "Error: Non-delivered parcel cannot be returned")
    assert not names_what_is_asked(rule, "Error: undeliverable")
    assert not names_what_is_asked(rule, "Error: the desk is closed on holidays")
