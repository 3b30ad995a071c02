from __future__ import annotations

import os
import socket
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from jobs.lease import Holder, LeaseGuard, is_alive, parse_holder, take, this_process
from knowledge.errors import LeaseHeldError, LeaseLostError
from knowledge.store import Store
from tests.jobs.clock import Clock

NOW = datetime(2026, 3, 1, 2, 0, tzinfo=UTC)
NAME = "nightly:shop"


@pytest.fixture
def ended_process() -> int:
    """The id of a process that has ended and was waited for."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_second_taker_is_told_who_has_it_and_until_when(store: Store) -> None:
    take(store.leases, NAME, 120, NOW)
    with pytest.raises(
        LeaseHeldError, match=rf"process {os.getpid()} on .* until 2026-03-01 02:02:00 UTC \(120 s"
    ):
        take(store.leases, NAME, 120, NOW)


def test_an_expired_lease_is_taken_with_a_greater_token(store: Store) -> None:
    first = take(store.leases, NAME, 120, NOW)
    second = take(store.leases, NAME, 120, NOW + timedelta(seconds=121))
    assert second.token > first.token


def test_the_lease_of_a_dead_process_on_this_host_is_taken_at_once(store: Store, ended_process: int) -> None:
    dead = str(replace(this_process(), pid=ended_process))
    first = store.leases.acquire(NAME, dead, 120, NOW)
    second = take(store.leases, NAME, 120, NOW + timedelta(seconds=1))
    assert second.token > first.token
    assert second.holder != dead


def test_the_lease_of_a_process_elsewhere_is_waited_out(store: Store, ended_process: int) -> None:
    away = str(replace(this_process(), pid=ended_process, host="another"))
    store.leases.acquire(NAME, away, 120, NOW)
    with pytest.raises(LeaseHeldError, match="on another until"):
        take(store.leases, NAME, 120, NOW + timedelta(seconds=1))


def test_a_holder_that_nobody_here_wrote_is_waited_out(store: Store) -> None:
    store.leases.acquire(NAME, "somebody", 120, NOW)
    with pytest.raises(LeaseHeldError, match="held by somebody"):
        take(store.leases, NAME, 120, NOW)


def test_of_two_that_find_a_dead_holder_one_gets_the_lease(store: Store, ended_process: int) -> None:
    store.leases.acquire(NAME, str(replace(this_process(), pid=ended_process)), 120, NOW)
    taken_by_another: list[str] = []

    def another_is_quicker(holder: Holder) -> bool | None:
        if not taken_by_another:
            taken_by_another.append(take(store.leases, NAME, 120, NOW).holder)
        return is_alive(holder)

    with pytest.raises(LeaseHeldError):
        take(store.leases, NAME, 120, NOW, another_is_quicker)
    held = store.leases.holder(NAME)
    assert held is not None
    assert [held.holder] == taken_by_another


def test_a_holder_is_read_back_as_it_was_written() -> None:
    me = this_process()
    assert parse_holder(str(me)) == me
    odd = replace(me, host="fe80::1:2")
    assert parse_holder(str(odd)) == odd
    assert parse_holder("somebody") is None
    assert parse_holder("host:12x:a.b.c") is None
    assert parse_holder("host:12:a.b") is None


def test_this_process_is_alive_and_one_with_its_id_and_another_start_is_not() -> None:
    me = this_process()
    assert is_alive(me) is True
    if me.started:
        assert is_alive(replace(me, started="1")) is False


def test_a_process_that_ended_but_was_not_waited_for_is_dead() -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    holder = replace(this_process(), pid=process.pid, started="")
    assert is_alive(holder) is True
    assert process.stdin is not None
    process.stdin.close()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert is_alive(holder) is False
    process.wait()


def test_whether_a_process_of_another_boot_or_container_lives_cannot_be_told(ended_process: int) -> None:
    holder = replace(this_process(), pid=ended_process, host=socket.gethostname(), place="another")
    assert is_alive(holder) is None


def test_the_guard_renews_once_a_third_has_passed(store: Store) -> None:
    clock = Clock()
    guard = LeaseGuard(store.leases, take(store.leases, NAME, 120, NOW), 120, clock)
    clock.forward(39)
    guard()
    assert guard.lease.expires_at == NOW + timedelta(seconds=120)
    clock.forward(1)
    guard()
    assert guard.lease.expires_at == NOW + timedelta(seconds=160)


def test_the_guard_stops_whoever_slept_while_another_took_the_lease(store: Store) -> None:
    clock = Clock()
    guard = LeaseGuard(store.leases, take(store.leases, NAME, 120, NOW), 120, clock)
    clock.forward(200)
    take(store.leases, NAME, 120, clock())
    with pytest.raises(LeaseLostError, match="no longer held"):
        guard()


def test_an_expired_lease_that_nobody_took_goes_on(store: Store) -> None:
    clock = Clock()
    guard = LeaseGuard(store.leases, take(store.leases, NAME, 120, NOW), 120, clock)
    clock.forward(200)
    guard()
    with pytest.raises(LeaseHeldError):
        take(store.leases, NAME, 120, clock())


def test_the_guard_stops_where_the_service_is_stopping(store: Store) -> None:
    stopping: list[bool] = []
    lease = take(store.leases, NAME, 120, NOW)
    guard = LeaseGuard(store.leases, lease, 120, Clock(), lambda: bool(stopping))
    guard()
    stopping.append(True)
    with pytest.raises(LeaseLostError, match="stopping"):
        guard()
