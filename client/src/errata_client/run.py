"""A run in the native format: what an agent did on one task, step by step."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from errata_client.deliberation import Episode, Plan, Thought
from errata_client.model import JsonValue, OpenModel, UtcDatetime

AgentKind = Literal["react", "plan_execute", "hybrid", "reflexion", "tree_of_thoughts", "other"]
OutcomeStatus = Literal["success", "failure", "aborted", "unknown"]
Requestor = Literal["agent", "user"]


class Agent(OpenModel):
    """Who ran: `gen_ai.agent.name`, its version and the way it decides."""

    name: str = "agent"
    version: str | None = None
    kind: AgentKind = "other"


class ToolDeclaration(OpenModel):
    """A tool as the agent was told of it: name, description, JSON Schemas of its arguments and of what it returns."""

    name: str
    description: str | None = None
    parameters: dict[str, JsonValue] | None = None
    output_schema: dict[str, JsonValue] | None = None


class ToolCall(OpenModel):
    """One call of a tool. `raw_arguments` holds the text where it could not be read as a JSON object;
    `arguments` is then empty, or what a lenient reading recovered (`arguments_recovered`)."""

    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    raw_arguments: str | None = None
    arguments_recovered: bool = False
    call_id: str | None = None


class StepError(OpenModel):
    """What went wrong in a step, as the tool or the framework said it. `status` is an HTTP-like code."""

    message: str
    type: str | None = None
    status: int | None = None


class Step(OpenModel):
    """One turn of the agent: at most one tool call. `index` counts from 0 in the order of the run.

    `user_input` is what a person said since the step before. Calls that came in one message carry the
    same `batch`, since their results may have been known to each other. `error` set means that the call
    failed; `observation` is the tool's answer, verbatim, as text or as JSON. `answered` false: the record holds no
    answer to the call; `paired` false: it holds an answer whose call, and so its arguments, it does not hold.
    """

    index: int = Field(ge=0)
    step_id: str | None = None
    user_input: str | None = None
    thought: str | None = None
    raw_output: str | None = None
    tool_call: ToolCall | None = None
    batch: int | None = None
    requestor: Requestor = "agent"
    observation: JsonValue = None
    error: StepError | None = None
    answered: bool = True
    paired: bool = True
    started_at: UtcDatetime | None = None
    ended_at: UtcDatetime | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None

    @property
    def scope_step_id(self) -> str | None:
        """The step's name for a rule's scope: its own, else the tool's."""
        return self.step_id or (self.tool_call.tool if self.tool_call else None)


class Outcome(OpenModel):
    """How the run ended. `reward` is 0 to 1 where the source has one."""

    status: OutcomeStatus = "unknown"
    reward: float | None = None
    reason: str | None = None


class Run(OpenModel):
    """One execution of an agent on one task.

    `prompt` is text that the agent was given by its makers (system prompt, schemas, examples): a value
    that stands only there was given by nobody. `tools` is empty where the source declares none; `permitted_tools` is
    None where the agent may use all of them; `max_steps` is the bound that its loop was given. `plans`, `episodes` and
    `thoughts` are what it decided besides its calls, each in the order in which it came. `complete` False: the record does
    not hold all that was said and answered, so that a value which is found nowhere may have been given.
    """

    run_id: str
    agent: Agent = Agent()
    model_version: str | None = None
    task_id: str | None = None
    user_intent: str | None = None
    conversation_id: str | None = None
    prompt: str | None = None
    tools: tuple[ToolDeclaration, ...] = ()
    permitted_tools: tuple[str, ...] | None = None
    max_steps: int | None = Field(default=None, ge=1)
    steps: tuple[Step, ...] = ()
    plans: tuple[Plan, ...] = ()
    episodes: tuple[Episode, ...] = ()
    thoughts: tuple[Thought, ...] = ()
    outcome: Outcome = Outcome()
    complete: bool = True
    started_at: UtcDatetime | None = None
    ended_at: UtcDatetime | None = None
    active_revision: int | None = None
    arm: Literal["treated", "holdout"] | None = None
