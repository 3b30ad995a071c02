"""Runs of very many calls: the same answers as small ones, for work that grows with the run and not with its square."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType

import pytest

from errata_client.replay import replay
from errata_client.run import Run, ToolCall
from ingest.adapters.chat import Chat
from ingest.analysis import analyse
from ingest.detectors import repeated_call
from tests.ingest.making import NOW, a_run, calls, failing, found, read, reply, step, user, written


def calls_made(work: Callable[[], object]) -> int:
    """How many Python functions `work` calls, built-in ones included: time that no other process disturbs."""
    made = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal made
        made += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return made


def a_batch(size: int) -> Run:
    """A batch of calls; each but the first asks for what only its left neighbour returns."""
    return a_run(
        *(
            step(n, "get_order", {"id": f"W{n:07}"}, batch=1, observation=f"the next is W{n + 1:07}")
            for n in range(size)
        )
    )


def a_chat(size: int, **named: str | None) -> Chat:
    """`size` open calls, each of a message of its own and with an id of its own, answered from the first on."""
    chat = Chat("here", lambda _content, _message: None)
    for n in range(size):
        call = ToolCall(tool=named.get("tool") or f"t{n}", call_id=named.get("call_id", f"c{n}"))
        chat.act(None, [call], n)
    for n in range(size):
        chat.answer(size + n, n, None, call_id=named.get("call_id", f"c{n}"), name=named.get("tool"))
    return chat


def failures_and_one_success(size: int) -> Run:
    failed = (failing(n, "lend", f"Error: {n} is lent", {"id": n}) for n in range(size))
    return a_run(*failed, step(size, "lend", {"id": "free"}))


def successes_before_failures(size: int) -> Run:
    worked = (step(n, "lend", {"id": n}) for n in range(size))
    return a_run(*worked, *(failing(size + n, "lend", f"Error: {n}", {"id": -n}) for n in range(size)))


def changes(size: int) -> Run:
    return a_run(*(step(n, "update_book", {"id": n}) for n in range(size)))


WORK: dict[str, Callable[[int], object]] = {
    "a batch": lambda size: list(replay(a_batch(size))),
    "open calls": a_chat,
    "open calls of one id": lambda size: a_chat(size, call_id="c"),
    "open calls without ids": lambda size: a_chat(size, call_id=None),
    "open calls by tool": lambda size: a_chat(size, call_id=None, tool="lend"),
    "failures": lambda size: analyse(failures_and_one_success(size), "p", NOW),
    "successes": lambda size: analyse(successes_before_failures(size), "p", NOW),
    "changes": lambda size: found(repeated_call.DETECTOR, changes(size)),
}


@pytest.mark.parametrize("name", sorted(WORK))
def test_eight_times_the_calls_are_not_much_more_than_eight_times_the_work(name: str) -> None:
    small, large = (calls_made(partial(WORK[name], size)) for size in (30, 240))
    assert large < 14 * small, (small, large)


def test_in_a_batch_a_value_is_sought_in_each_sibling_and_not_in_its_own_answer() -> None:
    for size in (2, 3, 5, 8, 13):
        given = [view.before.provenance["/id"] for view in replay(a_batch(size))]
        assert given == ["nowhere", *["tool"] * (size - 1)]
    echoes = a_run(
        *(step(n, "get", {"id": f"W{n:07}"}, batch=1, observation=f"W{n:07} is lost") for n in range(9))
    )
    assert [view.before.provenance["/id"] for view in replay(echoes)] == ["nowhere"] * 9


def test_what_a_failing_sibling_repeats_of_its_own_arguments_was_not_given_to_another() -> None:
    steps = (
        *(failing(n, "get", "Error: W0000007 is unknown", {"id": "W0000007"}, batch=1) for n in range(3)),
        step(3, "get", {"id": "W0000007"}, batch=1, observation="found"),
    )
    assert [view.before.provenance["/id"] for view in replay(a_run(*steps))] == ["nowhere"] * 4


def test_replies_out_of_their_order_find_their_calls(tmp_path: Path) -> None:
    messages = [
        user("Lend me three."),
        calls(("a", "lend", {"n": 1}), ("b", "lend", {"n": 2}), ("c", "renew", {"n": 3})),
        reply("c", "third"),
        reply("a", "first"),
        reply("b", "second"),
    ]
    (run,), left_out = read(written(tmp_path / "chat.json", {"messages": messages}))
    assert [found.observation for found in run.steps] == ["first", "second", "third"]
    assert not left_out


def test_of_calls_with_one_id_the_latest_messages_first_is_answered_first(tmp_path: Path) -> None:
    messages = [
        user("Lend me some."),
        calls(("a", "lend", {"n": 1})),
        calls(("a", "lend", {"n": 2}), ("a", "renew", {"n": 3})),
        *(reply("a", answer) for answer in ("one", "two", "three", "four")),
    ]
    (run,), left_out = read(written(tmp_path / "chat.json", {"messages": messages}))
    assert [found.observation for found in run.steps] == ["three", "one", "two", "four"]
    assert len(left_out) == 1


def test_a_reply_without_an_id_answers_the_latest_call_of_its_tool() -> None:
    chat = Chat("here", lambda _content, _message: None)
    for number, tools in enumerate((["lend", "renew"], ["lend", "find"])):
        chat.act(None, [ToolCall(tool=tool) for tool in tools], number)
    for number, name in enumerate(("renew", "lend", None, "lend", "lend"), 2):
        chat.answer(number, number, None, name=name)
    assert [found.observation for found in chat.steps] == [5, 2, 3, 4, 6]
    assert [found.paired for found in chat.steps] == [True] * 4 + [False]


def test_a_repair_is_the_next_success_of_that_tool_however_many_calls_lie_between() -> None:
    between = (step(n, "find", {"n": n}) for n in range(1, 40))
    run = a_run(
        failing(0, "lend", "Error: lent", {"id": 1}),
        *between,
        step(40, "lend", {"id": 2}, requestor="user"),
        step(41, "lend", paired=False),
        step(42, "lend", {"id": 3}),
        step(43, "lend", {"id": 4}),
    )
    (case,) = analyse(run, "p", NOW).cases
    assert case.repair is not None
    assert case.repair.index == 42


def test_a_loop_goes_on_over_its_own_success_and_ends_at_that_of_another() -> None:
    own = a_run(*(step(n, "update_book", {"id": 1}, observation="busy") for n in range(3)))
    assert [finding.index for finding in found(repeated_call.DETECTOR, own)] == [2]
    other = a_run(
        *(step(n, "update_book", {"id": n % 2}, observation="busy") for n in range(8)),
    )
    assert not found(repeated_call.DETECTOR, other)
