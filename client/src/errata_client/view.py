"""The call view: all that a rule may look at, the same at night and in the live agent."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from errata_client.model import JsonValue, Model

Provenance = Literal["person", "tool", "pending", "prompt", "nowhere"]
"""Where an argument's value was seen before the call: said by a person; returned by a tool; perhaps about to
be returned by a call that is still out; only in prompt or schema text; or nowhere."""

Phase = Literal["before", "after"]


class PriorCall(Model):
    """An earlier call of the run: its tool, and how it ended."""

    tool: str
    ok: bool
    error: str | None = None


class Fact(Model):
    """A scalar of an earlier result about an id that this call names too.

    `path` is a JSON pointer into that result; `about` the shared id; of a tool and an id the latest result wins.
    """

    tool: str
    path: str
    value: str | int | float | bool | None
    about: str


class CallView(Model):
    """What the client knows at one call. `phase` is "before" (about to call) or "after" (it returned).

    `provenance` maps the JSON pointer of each scalar argument ("/order_id", "/items/0/id") to where its
    value was seen. `repeats` counts earlier calls of the run with the same tool and equal arguments, `repeated_error` is
    the error of the latest of them, where it failed and no tool that changes something (by its name) has succeeded since. A view
    with `has_context` false was made without a run context: its provenance, `calls_before`, `repeats` and
    `facts` are unknown, not empty. `stops` counts how often a rule has stopped a call of this tool in this run. `user_input` is the latest thing that a person said. `calls_before` holds the
    first success of each tool and the latest calls, the latest last; `last_observation` is the start of the
    latest earlier successful result. `observation` and `error` are this call's own, once it returned.
    """

    run_id: str
    step_id: str
    tool: str
    phase: Phase = "before"
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    user_input: str = ""
    thought: str = ""
    raw_output: str = ""
    observation: str | None = None
    error: str | None = None
    has_context: bool = True
    provenance: dict[str, Provenance] = Field(default_factory=dict)
    calls_before: tuple[PriorCall, ...] = ()
    last_observation: str | None = None
    repeats: int = 0
    repeated_error: str | None = None
    stops: int = 0
    facts: tuple[Fact, ...] = ()
