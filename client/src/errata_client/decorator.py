"""A decorator for plain functions: the rules look at each call before it is made and after it returned."""

from __future__ import annotations

import asyncio
import functools
import inspect
import math
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from errata_client.binding import BoundCall, Parameters
from errata_client.context import RunContext
from errata_client.current import current_run
from errata_client.decision import Decision
from errata_client.jsontext import as_text, plain
from errata_client.view import CallView

P = ParamSpec("P")
R = TypeVar("R")

STOPS = {"block", "require_call", "confirm", "replan"}


class Decides(Protocol):
    """Whatever answers what becomes of a call: a RuleClient, or a stand-in."""

    def decide(self, view: CallView) -> Decision:
        """What becomes of the call in `view`."""


class CallBlocked(Exception):  # noqa: N818 - it is no error of the program: the call must not be made
    """A rule stopped the call. `text` is for the model, `decision` says which rule and why."""

    def __init__(self, text: str, decision: Decision) -> None:
        super().__init__(text)
        self.text = text
        self.decision = decision


def error_in(result: object) -> str | None:
    """The error text of a result that looks like one: text that begins with "Error", an object with `error`."""
    if isinstance(result, str) and result.lstrip().casefold().startswith(("error:", "error ", "错误")):
        return result
    if isinstance(result, dict) and result.get("error"):
        return as_text(plain(result["error"]))
    return None


@dataclass(frozen=True)
class Guard:
    """How calls are guarded; `sleep` and `sleep_async` wait for the seconds between two attempts."""

    client: Decides
    context: Callable[[], RunContext | None]
    step_id: str | None
    tool: str | None
    error_in: Callable[[object], str | None]
    on_hint: Callable[[str, Decision], None] | None
    on_confirm: Callable[[str, Decision], bool] | None
    sleep: Callable[[float], None]
    sleep_async: Callable[[float], Awaitable[None]]


def guarded(
    client: Decides,
    *,
    context: Callable[[], RunContext | None] = current_run,
    step_id: str | None = None,
    tool: str | None = None,
    error_in: Callable[[object], str | None] = error_in,
    on_hint: Callable[[str, Decision], None] | None = None,
    on_confirm: Callable[[str, Decision], bool] | None = None,
    sleep: Callable[[float], None] = time.sleep,
    sleep_async: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Guard a function, plain or async, by the rules of `client`.

    Rewritten arguments are passed to it; a stop raises CallBlocked, a "confirm" only if `on_confirm` (given the text
    and the decision) does not say yes; hints go to `on_hint`. A call that raises, or whose result `error_in` reads as
    an error, is made again where a rule says so. `context` finds the run; without one, rules that look at the
    run so far never fire. The tool's name is the function's, the step's name the tool's, unless given.
    """
    guard = Guard(client, context, step_id, tool, error_in, on_hint, on_confirm, sleep, sleep_async)

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        wrap = _wrapped_async if inspect.iscoroutinefunction(function) else _wrapped
        return cast("Callable[P, R]", functools.wraps(function)(wrap(guard, function)))

    return decorate


def _wrapped(guard: Guard, function: Callable[..., Any]) -> Callable[..., Any]:
    parameters = Parameters(function)

    def call(*args: Any, **kwargs: Any) -> Any:
        going = GoingCall(guard, parameters.bound(args, kwargs), guard.tool or function.__name__)
        while True:
            given, named = going.goes_out()
            try:
                result = function(*given, **named)
            except BaseException as error:
                pause = going.raised(error)
                if pause is None:
                    raise
            else:
                pause = going.returned(result)
                if pause is None:
                    return result
            guard.sleep(pause)

    return call


def _wrapped_async(guard: Guard, function: Callable[..., Any]) -> Callable[..., Any]:
    parameters = Parameters(function)

    async def call(*args: Any, **kwargs: Any) -> Any:
        going = GoingCall(guard, parameters.bound(args, kwargs), guard.tool or function.__name__)
        while True:
            given, named = going.goes_out()
            try:
                result = await function(*given, **named)
            except BaseException as error:
                pause = going.raised(error)
                if pause is None:
                    raise
            else:
                pause = going.returned(result)
                if pause is None:
                    return result
            await guard.sleep_async(pause)

    return call


class GoingCall:
    """One guarded call on its way: decided on before, and again after each attempt."""

    def __init__(self, guard: Guard, bound: BoundCall, tool: str) -> None:
        self._guard, self._bound = guard, bound
        self._context, self._tool = guard.context(), tool
        view = self._first_view(tool)
        decision = guard.client.decide(view)
        self._speak(decision)
        self._view = view.model_copy(update={"arguments": decision.arguments})
        self._attempts = 0
        self._handle = 0

    def goes_out(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """An attempt begins; what to call the function with."""
        if self._context is not None:
            self._handle = self._context.start(self._view)
        return self._bound.with_arguments(self._view.arguments)

    def returned(self, result: object) -> float | None:
        """The attempt gave `result`: the seconds to wait before the next one, or None if there is none."""
        error = self._guard.error_in(result)
        if error is not None:
            return self._decided(self._failed(error))
        text = as_text(plain(result))
        if self._context is not None:
            return self._decided(self._context.finish(self._handle, text))
        return self._decided(self._view.model_copy(update={"phase": "after", "observation": text}))

    def raised(self, error: BaseException) -> float | None:
        """The attempt raised `error`; like `returned`. What is no Exception (a cancellation) is never retried."""
        view = self._failed(str(error) or type(error).__name__)
        return self._decided(view) if isinstance(error, Exception) else None

    def _failed(self, error: str) -> CallView:
        if self._context is not None:
            return self._context.fail(self._handle, error)
        return self._view.model_copy(update={"phase": "after", "error": error})

    def _decided(self, after: CallView) -> float | None:
        decision = self._guard.client.decide(after)
        self._speak(decision)
        if decision.outcome != "retry" or self._attempts >= decision.attempts:
            return None
        self._attempts += 1
        self._view = self._view.model_copy(update={"arguments": decision.arguments})
        return math.ldexp(decision.delay_ms / 1000, self._attempts - 1)

    def _speak(self, decision: Decision) -> None:
        """Raise a stop, hand on a hint."""
        text = decision.text or ""
        if decision.outcome in STOPS:
            confirmed = decision.outcome == "confirm" and self._guard.on_confirm
            if not (confirmed and confirmed(text, decision)):
                if self._context is not None:
                    self._context.stop(self._tool)
                raise CallBlocked(text, decision)
        elif text and self._guard.on_hint:
            self._guard.on_hint(text, decision)

    def _first_view(self, tool: str) -> CallView:
        if self._context is not None:
            return self._context.view(tool, self._bound.arguments, step_id=self._guard.step_id)
        return CallView.model_construct(
            run_id=f"call-{uuid.uuid4().hex}",
            step_id=self._guard.step_id or tool,
            tool=tool,
            arguments=self._bound.arguments,
            has_context=False,
        )
