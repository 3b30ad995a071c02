"""Errors that name the sum of a list: a call that was mended by sharing it out otherwise speaks against no formula."""

from __future__ import annotations

from collections.abc import Iterator

from errata_client.run import Run
from knowledge.store import Store
from knowledge.strategies import Strategy
from tests.strategies.shop import failed, night, run, worked


def bill(*parts: tuple[str, int]) -> dict[str, object]:
    return {"parts": [{"by": by, "amount": amount} for by, amount in parts]}


def paying(count: int, *, shared_out: int, told: int = 0) -> Iterator[Run]:
    """Bills that do not add up: some mended in the last part, `shared_out` of them in the first. `told` is added to the sum
    that the error names, so that it is not the list's."""
    for number in range(count):
        first, last, missing = 40 + number, 30 + 3 * number, 11 + 7 * number
        paid = first + last
        error = f"Error: the bill is {paid + missing}, but {paid + told} was paid"
        mended = (("card_1", first), ("card_2", last + missing - told))
        if number < shared_out:
            mended = (("card_1", first + missing), ("card_2", last))
        calls = (
            failed("settle", bill(("card_1", first), ("card_2", last)), error),
            worked("settle", bill(*mended)),
        )
        yield run(f"bill-{told}-{number}", f"pay for {number}", *calls)


def fine(count: int = 40) -> Iterator[Run]:
    for number in range(count):
        yield run(
            f"fine-{number}", "pay", worked("settle", bill(("card_1", 5 + number), ("card_2", 9 + number)))
        )


def amounts(found: list[Strategy]) -> list[Strategy]:
    return [item for item in found if item.synthesiser == "derived_amount"]


def test_bills_that_were_shared_out_otherwise_do_not_speak_against_the_formula(store: Store) -> None:
    (found,) = amounts(night(store, [*paying(9, shared_out=4), *fine()]))

    assert found.rule.action.kind == "derive"
    assert found.rule.action.template == "{1} - {2} + {value}"
    assert found.evidence.wrong == 0


def test_where_the_error_names_no_sum_of_the_call_they_do(store: Store) -> None:
    assert amounts(night(store, [*paying(9, shared_out=4, told=1), *fine()])) == []
