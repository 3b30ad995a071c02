"""The contract of leases, on every engine."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from knowledge.errors import LeaseHeldError, LeaseLostError
from knowledge.store import Store
from tests.knowledge.making import NOW


def test_a_lease_that_is_held_says_by_whom_and_until_when(store: Store) -> None:
    lease = store.leases.acquire("night:p", "ann", 60, NOW)
    assert (lease.name, lease.holder, lease.token) == ("night:p", "ann", 1)
    assert (lease.acquired_at, lease.expires_at) == (NOW, NOW + timedelta(seconds=60))
    with pytest.raises(LeaseHeldError, match=r"held by ann until 2026-03-01T12:01:00\+00:00"):
        store.leases.acquire("night:p", "bob", 60, NOW + timedelta(seconds=59))
    assert store.leases.holder("night:p") == lease


def test_an_expired_lease_is_taken_over_and_its_holder_finds_out(store: Store) -> None:
    ann = store.leases.acquire("n", "ann", 60, NOW)
    bob = store.leases.acquire("n", "bob", 60, NOW + timedelta(seconds=60))
    assert bob.token > ann.token
    with pytest.raises(LeaseLostError, match="no longer held by ann"):
        store.leases.renew(ann, 60, NOW + timedelta(seconds=61))
    store.leases.release(ann)
    assert store.leases.holder("n") == bob


def test_a_lease_is_renewed_while_nobody_took_it(store: Store) -> None:
    lease = store.leases.acquire("n", "ann", 60, NOW)
    later = NOW + timedelta(hours=1)
    renewed = store.leases.renew(lease, 60, later)
    assert (renewed.token, renewed.acquired_at) == (lease.token, NOW)
    assert renewed.expires_at == later + timedelta(seconds=60)
    with pytest.raises(LeaseHeldError):
        store.leases.acquire("n", "bob", 60, later + timedelta(seconds=1))
    assert store.leases.renew(lease, 5, later).expires_at == later + timedelta(seconds=5)


def test_the_same_holder_takes_it_again_with_a_new_token(store: Store) -> None:
    first = store.leases.acquire("n", "ann", 60, NOW)
    second = store.leases.acquire("n", "ann", 60, NOW)
    assert second.token > first.token
    with pytest.raises(LeaseLostError):
        store.leases.renew(first, 60, NOW)


def test_tokens_grow_across_release(store: Store) -> None:
    tokens = []
    for holder in ("ann", "bob", "ann"):
        lease = store.leases.acquire("n", holder, 60, NOW)
        tokens.append(lease.token)
        store.leases.release(lease)
        store.leases.release(lease)
        assert store.leases.holder("n") is None
        with pytest.raises(LeaseLostError, match="nobody"):
            store.leases.renew(lease, 60, NOW)
    assert tokens == [1, 2, 3]


def test_leases_of_other_names_are_free(store: Store) -> None:
    store.leases.acquire("a", "ann", 60, NOW)
    assert store.leases.acquire("中文/ " + "x" * 600, "bob", 60, NOW).token == 1
    assert store.leases.holder("never taken") is None


def test_another_process_sees_the_lease(open_again: Callable[[], Store], store: Store) -> None:
    lease = store.leases.acquire("n", "ann", 60, NOW)
    other = open_again()
    with pytest.raises(LeaseHeldError):
        other.leases.acquire("n", "bob", 60, NOW)
    other.leases.release(lease)
    assert store.leases.acquire("n", "bob", 60, NOW).token == 2


def test_of_many_that_want_it_at_once_one_gets_it(open_again: Callable[[], Store], store: Store) -> None:
    stores = [store, open_again(), open_again()]

    def attempt(number: int) -> int | None:
        try:
            return stores[number % 3].leases.acquire("n", f"holder-{number}", 60, NOW).token
        except LeaseHeldError:
            return None

    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(attempt, range(24)))
    assert [token for token in got if token is not None] == [1]
