"""The lease of a night: who has it, how it is kept, and when a dead holder's may be taken over at once.

A lease is waited out, with one exception: a holder on this machine whose process is gone. A holder's name therefore
carries the host, the process id, and what makes both unambiguous: the boot and the process namespace (two containers
may share a host name, and each sees the other's processes as missing) and the process's start time (ids are used
again). Where any of it cannot be told, the lease is waited out.
"""

from __future__ import annotations

import os
import secrets
import socket
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from knowledge.errors import LeaseHeldError, LeaseLostError
from knowledge.nights import Lease
from knowledge.store import Leases

PROC = Path("/proc")
Alive = Callable[["Holder"], bool | None]


@dataclass(frozen=True)
class Holder:
    """Who holds a lease. `place` tells machines, boots and process namespaces apart; `started` may be "" (unknown)."""

    host: str
    pid: int
    place: str
    started: str
    nonce: str

    def __str__(self) -> str:
        return f"{self.host}:{self.pid}:{self.place}.{self.started}.{self.nonce}"


def this_process() -> Holder:
    """The holder that this process is; with a new nonce each time, so that two leases of one process are told apart."""
    return Holder(socket.gethostname(), os.getpid(), _place(), _started(os.getpid()), secrets.token_hex(4))


def parse_holder(text: str) -> Holder | None:
    """The holder that wrote `text`, or None if it was not written by `Holder`."""
    parts = text.rsplit(":", 2)
    marks = parts[-1].split(".")
    if len(parts) != 3 or not parts[1].isascii() or not parts[1].isdecimal() or len(marks) != 3:
        return None
    return Holder(parts[0], int(parts[1]), *marks)


def is_alive(holder: Holder) -> bool | None:
    """Whether the holder's process still runs; None where that cannot be told from here."""
    if holder.host != socket.gethostname() or holder.place != _place():
        return None
    try:
        os.kill(holder.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return None
    started = _started(holder.pid)
    return not (_is_zombie(holder.pid) or (holder.started and started and started != holder.started))


def take(leases: Leases, name: str, seconds: float, now: datetime, alive: Alive = is_alive) -> Lease:
    """The lease, held by this process. LeaseHeldError says who has it and until when.

    Releasing names the dead holder's token, so of several processes that find the same dead holder, one gets it.
    """
    me = str(this_process())
    try:
        return leases.acquire(name, me, seconds, now)
    except LeaseHeldError:
        held = leases.holder(name)
        holder = parse_holder(held.holder) if held else None
        if held is None or holder is None or alive(holder) is not False:
            raise _told(held, holder, name, now) from None
        leases.release(held)
    return leases.acquire(name, me, seconds, now)


def never() -> bool:
    """The answer of whoever is never asked to stop."""
    return False


class LeaseGuard:
    """Called before every batch of writes: renews the lease once a third of it has passed.

    Raises LeaseLostError as soon as another has it, or once `stop` says so; from then on nothing may be written.
    """

    def __init__(
        self,
        leases: Leases,
        lease: Lease,
        seconds: float,
        clock: Callable[[], datetime],
        stop: Callable[[], bool] = never,
    ) -> None:
        self._leases = leases
        self._seconds = seconds
        self._clock = clock
        self._stop = stop
        self._renewed_at = clock()
        self.lease = lease

    def __call__(self) -> None:
        """Keep the lease, or say that it is gone."""
        if self._stop():
            raise LeaseLostError(f"{self.lease.name} was given up: the service is stopping, it goes on later")
        now = self._clock()
        if now - self._renewed_at >= timedelta(seconds=self._seconds / 3):
            self.lease = self._leases.renew(self.lease, self._seconds, now)
            self._renewed_at = now

    def release(self) -> None:
        """Give the lease back."""
        self._leases.release(self.lease)


def _told(held: Lease | None, holder: Holder | None, name: str, now: datetime) -> LeaseHeldError:
    if held is None:
        return LeaseHeldError(f"{name} was taken by another just now: try again")
    who = f"process {holder.pid} on {holder.host}" if holder else held.holder
    left = max(0, round((held.expires_at - now).total_seconds()))
    return LeaseHeldError(
        f"{name} is held by {who} until {held.expires_at:%Y-%m-%d %H:%M:%S} UTC ({left} s, renewed while it works): "
        "wait for it to end, or until then if it died"
    )


def _place() -> str:
    """What tells this machine, its boot and this process namespace from any other."""
    try:
        boot = (PROC / "sys/kernel/random/boot_id").read_text().strip().replace("-", "")
        return f"{boot[:12]}-{(PROC / 'self/ns/pid').stat().st_ino}"
    except OSError:
        return f"{uuid.getnode():x}"


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the command's name; empty where there are none."""
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _started(pid: int) -> str:
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else ""


def _is_zombie(pid: int) -> bool:
    return _stat(pid)[:1] in (["Z"], ["X"])
