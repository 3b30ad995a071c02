"""The night's own records: stages, checkpoints, leases; and who may do what."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from errata_client.model import JsonValue, Model, UtcDatetime

Scope = Literal["ingest", "rules:read", "review", "admin"]


class StageRecord(Model):
    """One stage of one night. `counts` is what it did; `skipped` what it did not look at, and why."""

    night_id: str
    position: int
    stage: str
    status: Literal["running", "done", "failed", "skipped"]
    started_at: UtcDatetime
    ended_at: UtcDatetime | None = None
    fencing_token: int
    counts: dict[str, int] = Field(default_factory=dict)
    skipped: tuple[dict[str, JsonValue], ...] = ()
    error: str | None = None


class Night(Model):
    """One nightly run of one project. `night_id` derives from project and `as_of`; a resumed night keeps it."""

    night_id: str
    as_of: UtcDatetime
    started_at: UtcDatetime
    ended_at: UtcDatetime | None = None
    status: Literal["running", "done", "failed"]
    fencing_token: int


class Lease(Model):
    """Who may work, until when. `token` grows with every new holder (fencing)."""

    name: str
    holder: str
    token: int
    acquired_at: UtcDatetime
    expires_at: UtcDatetime


class Project(Model):
    """A project: the border of everything."""

    project_id: str
    created_at: UtcDatetime
    holdout: float = 0.0


class ApiToken(Model):
    """A bearer token, stored as the SHA-256 of its secret. `projects` empty: all of them."""

    token_id: str
    name: str
    secret_hash: str
    scopes: tuple[Scope, ...]
    projects: tuple[str, ...] = ()
    created_at: UtcDatetime
    revoked_at: UtcDatetime | None = None


class AuditEntry(Model):
    """Who did what to which thing, when and why. Only ever added."""

    entry_id: str
    at: UtcDatetime
    actor: str
    action: str
    target: str
    reason: str = ""
    details: dict[str, JsonValue] = Field(default_factory=dict)
