"""A rule: scope, trigger, action, valid_until. The only thing an agent ever applies."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

import re2
from pydantic import AfterValidator, Field, model_validator

from errata_client.arithmetic import Formula
from errata_client.model import JsonValue, Model

MAX_PATTERN = 2_000
MAX_TEXT = 2_000

Mode = Literal["shadow", "active"]
Relation = Literal["equal", "different", "same_length", "different_length"]


def compiled(pattern: str) -> re2._Regexp:
    """Compile with RE2 (linear time, always); ValueError names what is wrong."""
    try:
        options = re2.Options()
        options.log_errors = False
        return re2.compile(pattern, options)
    except re2.error as error:
        raise ValueError(f"not an RE2 pattern: {pattern!r}: {error}") from error


def _check_pattern(pattern: str) -> str:
    if len(pattern) > MAX_PATTERN:
        raise ValueError(f"a pattern may have {MAX_PATTERN} characters, this one has {len(pattern)}")
    compiled(pattern)
    return pattern


def _check_field(field: str) -> str:
    if field in {"user_input", "thought", "raw_output", "observation", "error"} or (
        field.startswith("args.") and len(field) > len("args.")
    ):
        return field
    raise ValueError(
        f"unknown field {field!r}: use user_input, thought, raw_output, observation, error or args.NAME"
    )


def _check_argument(field: str) -> str:
    if not field.startswith("args."):
        raise ValueError(f"{field!r} is not an argument: write args.NAME")
    return _check_field(field)


Pattern = Annotated[str, AfterValidator(_check_pattern)]
FieldPath = Annotated[str, AfterValidator(_check_field)]
ArgumentPath = Annotated[str, AfterValidator(_check_argument)]
Exact = Annotated[str, Field(min_length=1, max_length=256)]
Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]


class Scope(Model):
    """Exactly one step_id and one tool. `*` and the like are ordinary characters, so they match nothing."""

    step_id: Exact
    tool: Exact

    @model_validator(mode="after")
    def _no_wildcard(self) -> Scope:
        for value in (self.step_id, self.tool):
            if value.casefold() in {"*", "any", "all"} or value != value.strip() or "*" in value:
                raise ValueError(f"a scope names one step_id and one tool, both exact; {value!r} is neither")
        return self


class Unseen(Model):
    """The value at `field` stands only in prompt text, or nowhere; a pending sibling call may still bring it."""

    kind: Literal["unseen"] = "unseen"
    field: ArgumentPath


class NotCalled(Model):
    """`tool` has not succeeded yet in this run."""

    kind: Literal["not_called"] = "not_called"
    tool: Exact


class Called(Model):
    """`tool` has succeeded before in this run."""

    kind: Literal["called"] = "called"
    tool: Exact


class Repeated(Model):
    """The very same call was made `times` times already, or more; with `error`, and the latest time it failed with
    an error that matches, but with none that matches `unless`."""

    kind: Literal["repeated"] = "repeated"
    times: int = Field(ge=1, le=100)
    error: Pattern | None = None
    unless: Pattern | None = None


class LastError(Model):
    """The latest earlier call of this run failed, with an error that matches `pattern`."""

    kind: Literal["last_error"] = "last_error"
    pattern: Pattern


class FactIs(Model):
    """What the latest earlier result of `tool` (without one: of any tool), about an id that this call names too (with
    `about`: in that argument), says at `path` (a JSON pointer) matches `pattern`, or with `negate` does not. In `path`, `{id}` is a key that is an id which
    the call names; of several such ids, one is enough. Never holds where there is no such fact."""

    kind: Literal["fact"] = "fact"
    tool: Exact | None = None
    path: Exact
    pattern: Pattern
    negate: bool = False
    about: ArgumentPath | None = None


class Arguments(Model):
    """Two arguments stand in `relation`; never holds where either is absent, or has no length to compare."""

    kind: Literal["arguments"] = "arguments"
    left: ArgumentPath
    relation: Relation
    right: ArgumentPath


class ArgumentIs(Model):
    """The argument at `field` matches `pattern`, or with `negate` does not. Never holds where it is absent."""

    kind: Literal["argument"] = "argument"
    field: ArgumentPath
    pattern: Pattern
    negate: bool = False


class Said(Model):
    """The latest thing that a person said matches `pattern`, or with `negate` does not. Never holds where nobody said
    anything."""

    kind: Literal["said"] = "said"
    pattern: Pattern
    negate: bool = False


class Unstopped(Model):
    """No rule has stopped a call of this tool in this run yet: what the rule says is said once."""

    kind: Literal["unstopped"] = "unstopped"


class Absent(Model):
    """The call has no argument at `field`."""

    kind: Literal["absent"] = "absent"
    field: ArgumentPath


Condition = Annotated[
    Unseen
    | NotCalled
    | Called
    | Repeated
    | LastError
    | FactIs
    | Arguments
    | ArgumentIs
    | Absent
    | Said
    | Unstopped,
    Field(discriminator="kind"),
]


class Trigger(Model):
    """`pattern` is searched in `field` (anchor it with ^ and $), and every condition must hold.

    `args.NAME` is a JSON pointer into the arguments without its first slash: `args.order_id`,
    `args.items/0/id`, and `-` is the last item of a list: `args.items/-/id`. A rule on `observation` or `error` is asked after the call returned, any other before.
    """

    field: FieldPath
    pattern: Pattern
    conditions: Annotated[tuple[Condition, ...], Field(max_length=4)] = ()

    @property
    def phase(self) -> Literal["before", "after"]:
        """When a rule with this trigger is asked."""
        return "after" if self.field in {"observation", "error"} else "before"


class Rewrite(Model):
    """Replace the argument at `field` by `template`; {0} is the whole match, {1}… the captures of the trigger."""

    kind: Literal["rewrite"] = "rewrite"
    field: ArgumentPath
    template: Text


class Set(Model):
    """Put a constant, or cast what is there (`cast`), at `field`."""

    kind: Literal["set"] = "set"
    field: ArgumentPath
    value: JsonValue = None
    cast: Literal["string", "integer", "number", "boolean", "array", "object"] | None = None


class Rename(Model):
    """Move the value at `field` to `to`; refused at run time where `to` is taken."""

    kind: Literal["rename"] = "rename"
    field: ArgumentPath
    to: ArgumentPath


class Drop(Model):
    """Leave the argument at `field` out."""

    kind: Literal["drop"] = "drop"
    field: ArgumentPath


class Derive(Model):
    """Compute the argument at `field` from a capture of `pattern` in the last error, an earlier observation, or the error
    of this very call: then the trigger is on `error`, and the call is made again, once, with what was computed.

    `template` is text with {1}…; with `arithmetic` it is checked arithmetic over numbers and captures (+ - * /),
    `{value}` being the number that stands there now, and the result is a number."""

    kind: Literal["derive"] = "derive"
    field: ArgumentPath
    source: Literal["last_error", "last_observation", "error"]
    pattern: Pattern
    template: Text
    arithmetic: bool = False


class Hint(Model):
    """Text for the model at this step; the call passes."""

    kind: Literal["hint"] = "hint"
    text: Text


class RequireCall(Model):
    """Stop the call; `tool` has to be called first."""

    kind: Literal["require_call"] = "require_call"
    tool: Exact
    text: Text


class Retry(Model):
    """Make the same call again, at most `attempts` more times, `delay_ms` apart and doubling."""

    kind: Literal["retry"] = "retry"
    attempts: int = Field(ge=1, le=5)
    delay_ms: int = Field(ge=0, le=60_000)


class Block(Model):
    """Stop the call and tell the model what to do instead."""

    kind: Literal["block"] = "block"
    text: Text


class Confirm(Model):
    """Stop the call until a person has confirmed it."""

    kind: Literal["confirm"] = "confirm"
    text: Text


class Replan(Model):
    """Stop the call; the plan no longer holds."""

    kind: Literal["replan"] = "replan"
    text: Text


class ExtractJson(Model):
    """Read the arguments out of `raw_output` (fences, prose and truncation removed), validated again."""

    kind: Literal["extract_json"] = "extract_json"


Action = Annotated[
    Rewrite
    | Set
    | Rename
    | Drop
    | Derive
    | Hint
    | RequireCall
    | Retry
    | Block
    | Confirm
    | Replan
    | ExtractJson,
    Field(discriminator="kind"),
]


class Rule(Model):
    """What an agent applies. `valid_until` is the last day (UTC) on which it may be applied."""

    id: Exact
    revision: int = Field(ge=1)
    root_cause: Exact
    scope: Scope
    trigger: Trigger
    action: Action
    mode: Mode = "shadow"
    valid_until: date
    share: float = Field(default=1.0, ge=0.0, le=1.0, description="the share of runs that get it (canary)")

    @model_validator(mode="after")
    def _action_fits_phase(self) -> Rule:
        after = {"retry", "hint", "replan"}
        of_error = isinstance(self.action, Derive) and self.action.source == "error"
        if self.trigger.phase == "after" and self.action.kind not in after and not of_error:
            raise ValueError(
                f"a {self.action.kind} cannot follow a call that already returned: use {sorted(after)}"
            )
        if of_error and self.trigger.field != "error":
            raise ValueError("what is derived from the call's own error needs a trigger on error")
        if self.trigger.phase == "before" and self.action.kind == "retry":
            raise ValueError("a retry needs a trigger on observation or error")
        return self

    @model_validator(mode="after")
    def _template_fits_pattern(self) -> Rule:
        if self.action.kind in {"rewrite", "derive"}:
            pattern = self.action.pattern if isinstance(self.action, Derive) else self.trigger.pattern
            arithmetic = isinstance(self.action, Derive) and self.action.arithmetic
            template = self.action.template
            check_template(
                template.replace("{value}", "0") if arithmetic else template, compiled(pattern).groups
            )
            if arithmetic:
                Formula(template)
        return self


def check_template(template: str, groups: int) -> None:
    """ValueError unless each {N} of the template is a group of the pattern; `{{` and `}}` stand for braces."""
    for number in template_groups(template):
        if number > groups:
            raise ValueError(f"template {template!r} uses {{{number}}}, but the pattern has {groups} groups")


def template_groups(template: str) -> list[int]:
    """The group numbers that a template uses, in order; ValueError for any other use of braces."""
    parts, rest = [], template.replace("{{", "").replace("}}", "")
    while "{" in rest or "}" in rest:
        before, opened, after = rest.partition("{")
        number, closed, rest = after.partition("}")
        if "}" in before or not opened or not closed or not (number.isascii() and number.isdigit()):
            raise ValueError(f"template {template!r}: write captures as {{1}}, and braces doubled")
        parts.append(int(number))
    return parts
