"""The run context: what was said, called and returned in one run, and the call views made of it."""

from __future__ import annotations

import hashlib
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import RLock

from errata_client.answer import Answer
from errata_client.facts import Results, call_ids, ids_among
from errata_client.jsontext import canonical
from errata_client.lazily import lazily
from errata_client.model import JsonValue, unchecked
from errata_client.pointer import Scalar, leaves
from errata_client.provenance import Sources, traced
from errata_client.reading import is_read_only
from errata_client.view import CallView, PriorCall, Provenance

LATEST_CALLS = 32
MAX_TOOLS = 256
MAX_SIGNATURES = 10_000
MAX_SPOKEN = 16_384
MAX_ERROR = 1_000
MAX_OBSERVATION = 4_000


@dataclass(frozen=True)
class Moment:
    """What a view is made of, as it was when the call went out: all of it but the facts, which cost most to make."""

    run_id: str
    step_id: str
    tool: str
    arguments: dict[str, JsonValue]
    user_input: str
    thought: str
    raw_output: str
    provenance: dict[str, Provenance]
    calls_before: tuple[PriorCall, ...]
    last_observation: str | None
    repeats: int
    repeated_error: str | None
    results: Results
    leaves: tuple[tuple[str, Scalar], ...]
    """The pointer and value of each scalar argument."""

    signature: bytes
    stops: int = 0

    @lazily
    def ids(self) -> dict[str, str]:
        """The id-like values of the arguments, as `facts.ids_among` gives them."""
        return ids_among(self.leaves)

    def view(self) -> CallView:
        """The view, facts and all."""
        return unchecked(
            CallView,
            {
                "run_id": self.run_id,
                "step_id": self.step_id,
                "tool": self.tool,
                "phase": "before",
                "arguments": self.arguments,
                "user_input": self.user_input,
                "thought": self.thought,
                "raw_output": self.raw_output,
                "observation": None,
                "error": None,
                "has_context": True,
                "provenance": self.provenance,
                "calls_before": self.calls_before,
                "last_observation": self.last_observation,
                "repeats": self.repeats,
                "repeated_error": self.repeated_error,
                "stops": self.stops,
                "facts": self.results.facts(self.ids) if self.results else (),
            },
        )


class RunContext:
    """One per run; bounded; safe to use from several threads.

    Say what happens in its order: `hear` what a person says, `view` a call before it goes out, `start` it, and
    `finish` or `fail` it; `stop` where a rule stopped it. While a started call has not come back, a value that was found nowhere is "pending".
    The agent's own words are never given to it: a value is not given by being said by the agent.
    """

    def __init__(self, run_id: str, *, prompt: str = "") -> None:
        self.run_id = run_id
        self._sources = Sources()
        self._results = Results()
        self._calls = _Calls()
        self._stopped: Counter[str] = Counter()
        self._out: dict[int, tuple[CallView | Moment, bytes]] = {}
        self._handle = 0
        self._heard = ""
        self._last_observation: str | None = None
        self._lock = RLock()
        if prompt:
            self._sources.prompt(prompt)

    def hear(self, text: str) -> None:
        """A person said `text`."""
        with self._lock:
            self._heard = text[:MAX_SPOKEN]
            self._sources.hear(text)

    def learn(self, text: str) -> None:
        """The surroundings gave `text` without being called (a retrieved page, a tool's push): like a result."""
        with self._lock:
            self._sources.returned(text)

    def miss(self) -> None:
        """An answer was given and not recorded: a value that is found nowhere may have stood in it."""
        with self._lock:
            self._sources.forgotten = True

    def view(
        self,
        tool: str,
        arguments: dict[str, JsonValue],
        *,
        step_id: str | None = None,
        thought: str = "",
        raw_output: str = "",
        siblings: Sequence[Sources] | None = None,
    ) -> CallView:
        """The view of a call that is about to go out; `step_id` defaults to the tool.

        `siblings` are the recorded results of calls made at the same moment: with them nothing is pending.
        """
        with self._lock:
            return self._moment(tool, arguments, step_id, thought, raw_output, siblings, self._results).view()

    def moment(
        self,
        tool: str,
        arguments: dict[str, JsonValue],
        *,
        step_id: str | None = None,
        thought: str = "",
        raw_output: str = "",
        siblings: Sequence[Sources] | None = None,
    ) -> Moment:
        """What `view` is made of, for whoever needs few of the views."""
        with self._lock:
            present = self._results.at_present()
            return self._moment(tool, arguments, step_id, thought, raw_output, siblings, present)

    def _moment(
        self,
        tool: str,
        arguments: dict[str, JsonValue],
        step_id: str | None,
        thought: str,
        raw_output: str,
        siblings: Sequence[Sources] | None,
        results: Results,
    ) -> Moment:
        signature = _signature(tool, arguments)
        made, repeated_error = self._calls.made(signature)
        found = tuple(leaves(arguments))
        return Moment(
            run_id=self.run_id,
            step_id=step_id or tool,
            tool=tool,
            arguments=arguments,
            user_input=self._heard,
            thought=thought,
            raw_output=raw_output,
            provenance=traced(found, self._sources, siblings),
            calls_before=self._calls.before(),
            last_observation=self._last_observation,
            repeats=made,
            repeated_error=repeated_error,
            results=results,
            leaves=found,
            signature=signature,
            stops=self._stopped[tool],
        )

    def start(self, view: CallView | Moment) -> int:
        """The call goes out as `view` has it (after a rewrite: a copy with the new arguments); its handle."""
        with self._lock:
            self._handle += 1
            known = view.signature if isinstance(view, Moment) else _signature(view.tool, view.arguments)
            self._out[self._handle] = view, known
            self._calls.start(known)
            self._sources.out = len(self._out)
            return self._handle

    def stop(self, tool: str) -> None:
        """A rule stopped a call of the tool: it did not go out."""
        with self._lock:
            if len(self._stopped) < MAX_TOOLS or tool in self._stopped:
                self._stopped[tool] += 1

    def finish(self, handle: int, observation: str) -> CallView:
        """The call succeeded with `observation` as text; its view in phase "after"."""
        return _viewed(self.note_finished(handle, observation)).model_copy(
            update={"phase": "after", "observation": observation}
        )

    def fail(self, handle: int, error: str) -> CallView:
        """The call failed with `error`, the tool's or the framework's text; its view in phase "after"."""
        return _viewed(self.note_failed(handle, error)).model_copy(update={"phase": "after", "error": error})

    def note_finished(self, handle: int, observation: str) -> CallView | Moment:
        """As `finish`; what was started."""
        with self._lock:
            view, signature = self._returned(handle)
            answer = Answer(observation)
            self._sources.answered(answer)
            self._results.add(view.tool, lambda: _ids_of(view), answer)
            self._calls.finish(signature, _prior_call(view.tool, None))
            self._last_observation = observation[:MAX_OBSERVATION]
            return view

    def note_failed(self, handle: int, error: str) -> CallView | Moment:
        """As `fail`; what was started."""
        with self._lock:
            view, signature = self._returned(handle)
            self._sources.failed(error, view.arguments)
            self._calls.finish(signature, _prior_call(view.tool, error[:MAX_ERROR]))
            return view

    def _returned(self, handle: int) -> tuple[CallView | Moment, bytes]:
        if handle not in self._out:
            raise KeyError(
                f"call {handle} of run {self.run_id} is not out: finish or fail a call once, after start"
            )
        returned = self._out.pop(handle)
        self._sources.out = len(self._out)
        return returned


def _ids_of(view: CallView | Moment) -> Iterable[str]:
    return view.ids if isinstance(view, Moment) else call_ids(view.arguments)


def _viewed(started: CallView | Moment) -> CallView:
    return started.view() if isinstance(started, Moment) else started


def _prior_call(tool: str, error: str | None) -> PriorCall:
    return unchecked(PriorCall, {"tool": tool, "ok": error is None, "error": error})


class _Calls:
    """The calls of a run: the first success of each tool, the latest calls, and how often each was made."""

    def __init__(self) -> None:
        self._number = 0
        self._latest: deque[tuple[int, PriorCall]] = deque(maxlen=LATEST_CALLS)
        self._first: dict[str, tuple[int, PriorCall]] = {}
        self._made: Counter[bytes] = Counter()
        self._failed: dict[bytes, str] = {}

    def start(self, signature: bytes) -> None:
        """A call goes out."""
        if len(self._made) >= MAX_SIGNATURES:
            oldest = next(iter(self._made))
            del self._made[oldest]
            self._failed.pop(oldest, None)
        self._made[signature] += 1

    def finish(self, signature: bytes, call: PriorCall) -> None:
        if call.error is not None:
            self._failed[signature] = call.error
        elif is_read_only(call.tool):
            self._failed.pop(signature, None)
        else:
            self._failed.clear()  # what failed before may work now
        self._number += 1
        self._latest.append((self._number, call))
        if call.ok and call.tool not in self._first and len(self._first) < MAX_TOOLS:
            self._first[call.tool] = (self._number, call)

    def before(self) -> tuple[PriorCall, ...]:
        """In the order in which they came back. `called` and `not_called` are right however long the run."""
        oldest = self._latest[0][0] if self._latest else 0
        early = [item for item in self._first.values() if item[0] < oldest]
        return tuple(call for _, call in (*early, *self._latest))

    def made(self, signature: bytes) -> tuple[int, str | None]:
        """How often just this call was made, and the error of the latest time, where it failed and nothing but look-ups
        has succeeded since."""
        return self._made[signature], self._failed.get(signature)


def _signature(tool: str, arguments: dict[str, JsonValue]) -> bytes:
    return hashlib.blake2b(
        canonical([tool, arguments]).encode("utf-8", "surrogatepass"), digest_size=16
    ).digest()
