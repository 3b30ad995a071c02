"""Whether tools were up: what probes saw, kept as intervals."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from errata_client.model import Model, UtcDatetime

MAX_DETAIL = 500


class ProbeResult(Model):
    """What one probe saw at one moment of the tools that it stands for."""

    probe: str = Field(min_length=1, max_length=200)
    tools: tuple[str, ...] = Field(min_length=1, max_length=200)
    up: bool
    at: UtcDatetime
    detail: str = Field("", max_length=5_000)


class HealthInterval(Model):
    """A stretch in which one probe found one tool up, or down. It lasts from `since`; `until` is when the probe first saw
    otherwise (`ended`), or when it last saw the same. `checks` counts the results; `detail` is that of the first."""

    interval_id: str
    probe: str
    tool: str
    state: Literal["up", "down"]
    since: UtcDatetime
    until: UtcDatetime
    ended: bool = False
    checks: int = 1
    detail: str = ""
