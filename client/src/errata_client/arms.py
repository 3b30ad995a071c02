"""Shares of runs: who gets a rule, decided by the run's id alone, so that every client and the service agree."""

from __future__ import annotations

import hashlib

from errata_client.decision import Arm


def in_share(run_id: str, salt: str, share: float) -> bool:
    """Whether the run is in a share (0 to 1) of all runs; `salt` makes the shares of two rules independent.

    The first eight bytes of SHA-256 over salt, a zero byte and run id, as a fraction of 2**64, lie under `share`.
    """
    digest = hashlib.sha256(f"{salt}\x00{run_id}".encode(errors="replace")).digest()
    return int.from_bytes(digest[:8], "big") < share * 2**64


def arm_of(run_id: str, project: str, holdout: float) -> Arm:
    """The arm of a run: "holdout" for a share `holdout` of the project's runs, which never get a rule."""
    return "holdout" if in_share(run_id, f"holdout:{project}", holdout) else "treated"
