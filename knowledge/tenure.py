"""Who gets a lease: pure decisions over what is stored of it. Both stores write what these say."""

from __future__ import annotations

from datetime import datetime, timedelta

from errata_client.model import Model
from knowledge.errors import LeaseHeldError, LeaseLostError
from knowledge.nights import Lease


class Tenure(Model):
    """What is stored of a lease: the last one given, and whether it was given back. Its token is never reused."""

    lease: Lease
    released: bool = False

    def held_at(self, now: datetime) -> bool:
        """Whether somebody has it now."""
        return not self.released and now < self.lease.expires_at


def taken(current: Tenure | None, name: str, holder: str, seconds: float, now: datetime) -> Tenure:
    """The tenure that `holder` gets; LeaseHeldError where another has it."""
    if current is not None and current.held_at(now) and current.lease.holder != holder:
        held = current.lease
        raise LeaseHeldError(
            f"{name} is held by {held.holder} until {held.expires_at.isoformat()}; wait until then, or stop that one"
        )
    token = 1 if current is None else current.lease.token + 1
    until = now + timedelta(seconds=seconds)
    return Tenure(lease=Lease(name=name, holder=holder, token=token, acquired_at=now, expires_at=until))


def renewed(current: Tenure | None, lease: Lease, seconds: float, now: datetime) -> Tenure:
    """The same lease, longer; LeaseLostError where it is no longer this one."""
    if current is None or current.released or not same(current.lease, lease):
        who = "nobody" if current is None or current.released else current.lease.holder
        raise LeaseLostError(f"{lease.name} is no longer held by {lease.holder} ({who} has it); stop writing")
    return Tenure(lease=current.lease.model_copy(update={"expires_at": now + timedelta(seconds=seconds)}))


def given_back(current: Tenure | None, lease: Lease) -> Tenure | None:
    """The tenure as released; None where it is no longer this lease and nothing is to be written."""
    if current is None or current.released or not same(current.lease, lease):
        return None
    return current.model_copy(update={"released": True})


def same(one: Lease, other: Lease) -> bool:
    """Whether both are the same taking of the same lease."""
    return (one.name, one.holder, one.token) == (other.name, other.holder, other.token)
