"""The one list of adapters, and how a file finds its own."""

from __future__ import annotations

from errata_client.model import JsonValue
from ingest.adapters.native_jsonl import NativeJsonl
from ingest.adapters.openai_chat import OpenAIChat
from ingest.adapters.port import Adapter, Recognition
from ingest.adapters.records import Opening
from ingest.adapters.tau2_bench import Tau2Bench
from ingest.adapters.tau_bench import TauBench
from knowledge.errors import BadInputError

AUTO = "auto"
ADAPTERS: tuple[Adapter, ...] = (Tau2Bench(), TauBench(), NativeJsonl(), OpenAIChat())
"""In the order in which they are asked: the more particular shape first."""


def recognise(opening: Opening, source: str = AUTO) -> Recognition:
    """The adapter named `source`, or for "auto" the first that knows the file by its content. BadInputError says what
    was looked for and what the file holds instead."""
    if source != AUTO:
        return Recognition(adapter_named(source), "asked for by name")
    for adapter in ADAPTERS:
        why = adapter.recognises(opening)
        if why:
            return Recognition(adapter, why)
    looked_for = "; ".join(f"{adapter.name}: {adapter.looks_for}" for adapter in ADAPTERS)
    raise BadInputError(
        f"{opening.path}: no known kind of source. It holds {_held(opening)}. Looked for {looked_for}. "
        f"If it is one of them, name it with --source."
    )


def adapter_named(name: str) -> Adapter:
    """The adapter; BadInputError lists the names there are."""
    for adapter in ADAPTERS:
        if adapter.name == name:
            return adapter
    known = ", ".join([AUTO, *(adapter.name for adapter in ADAPTERS)])
    raise BadInputError(f"no source is called {name!r}; there are {known}")


def _held(opening: Opening) -> str:
    if not opening.samples:
        keys = ", ".join(opening.keys[:8])
        trouble = f" ({opening.trouble})" if opening.trouble else ""
        return f"an object with the keys {keys}" if keys else f"no readable record{trouble}"
    return f"records like {_shape(opening.samples[0])}"


def _shape(value: JsonValue) -> str:
    if isinstance(value, dict):
        keys = ", ".join(str(key)[:40] for key in list(value)[:8])
        return f"{{{keys}{', …' if len(value) > 8 else ''}}}"
    return f"a list of {len(value)}" if isinstance(value, list) else type(value).__name__
