"""What people's labels taught attribution: parameters that were fitted to a project, version by version."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from errata_client.model import JsonValue, Model, UtcDatetime


class EncoderSpec(Model):
    """How an encoder is made: its name or folder, and the scripts that it was found to read (none named: its own)."""

    name: str
    scripts: tuple[str, ...] = ()


class Fit(Model):
    """Fitted parameters of attribution, accepted by a person. The newest accepted one is in force; a fit that was rolled
    back stays for the record.

    `fit_id` counts up from "0001". `encoders` are the ids that it was fitted for, `parameters` what it sets, `figures`
    what it reached on labels that it had not seen, `labels` how many there were. `specs` are how those encoders are made,
    where the project was given some of its own; none: those of the settings.
    """

    fit_id: str
    state: Literal["accepted", "rolled_back"] = "accepted"
    encoders: tuple[str, ...]
    specs: tuple[EncoderSpec, ...] = ()
    parameters: dict[str, JsonValue]
    figures: dict[str, JsonValue] = Field(default_factory=dict)
    labels: int
    actor: str
    reason: Annotated[str, Field(min_length=1, max_length=2000)]
    at: UtcDatetime
    rolled_back_by: str | None = None
    rolled_back_reason: str | None = None
