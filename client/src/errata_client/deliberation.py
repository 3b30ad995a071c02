"""What an agent decided besides its calls: plans, episodes of a reflexion loop, the thoughts of a search tree."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from errata_client.model import JsonValue, OpenModel

PlanStepStatus = Literal["planned", "done", "failed", "skipped"]
ThoughtState = Literal["open", "expanded", "pruned", "dead", "chosen"]


class PlanStep(OpenModel):
    """A step that was planned. `step_id` is what the run's steps carry once it is done.

    `arguments` may refer to what another step gives (`${find.order_id}`, `{{steps.find.output}}`, `#E1`);
    `depends_on` names the steps whose output it uses. `premises` are what it takes for granted, in words or as
    conditions; `expects` is a JSON Schema of its result, where a contract gives one. `line` is the place in the source.
    """

    step_id: str
    tool: str | None = None
    purpose: str | None = None
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    depends_on: tuple[str, ...] = ()
    premises: tuple[str, ...] = ()
    expects: dict[str, JsonValue] | None = None
    status: PlanStepStatus = "planned"


class Plan(OpenModel):
    """A plan, or an execution contract. `at` is the index of the step before which it was made; a later plan of
    the run replaces it. `text` is what could not be read as steps; `allowed_tools` is None where any tool may be
    used; `max_replans` is how often it may be made anew."""

    at: int = Field(default=0, ge=0)
    steps: tuple[PlanStep, ...] = ()
    text: str | None = None
    allowed_tools: tuple[str, ...] | None = None
    max_replans: int | None = Field(default=None, ge=0)


class Episode(OpenModel):
    """One attempt of a reflexion loop: its steps are those from `first_step` up to the next episode's. `reflection`
    is what the agent wrote after it; `score` is higher for better, `success` what its evaluator said."""

    first_step: int = Field(ge=0)
    reflection: str | None = None
    score: float | None = None
    success: bool | None = None


class Thought(OpenModel):
    """A node of a search over thoughts. `parent` None is the root's; `value` is higher for better; `step` is the index
    of the step that it became, if it did."""

    thought_id: str
    parent: str | None = None
    text: str = ""
    value: float | None = None
    state: ThoughtState = "open"
    step: int | None = Field(default=None, ge=0)
