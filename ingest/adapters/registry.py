"""The one list of adapters, and how a file finds its own."""

from __future__ import annotations

from errata_client.model import JsonValue
from ingest.adapters.agents_sdk import AgentsSdk
from ingest.adapters.dot_graph import DotGraph
from ingest.adapters.execution_contract import ExecutionContract
from ingest.adapters.langfuse import Langfuse
from ingest.adapters.langgraph import LangGraph
from ingest.adapters.langsmith import LangSmith
from ingest.adapters.multi_agent_chat import MultiAgentChat
from ingest.adapters.native_jsonl import NativeJsonl
from ingest.adapters.openai_chat import OpenAIChat
from ingest.adapters.openai_responses import OpenAIResponses
from ingest.adapters.otlp.adapter import OtlpTraces
from ingest.adapters.port import Adapter, Recognition
from ingest.adapters.react_transcript import ReactTranscript
from ingest.adapters.recorded_actions import RecordedActions
from ingest.adapters.records import Opening
from ingest.adapters.reflexion import Reflexion
from ingest.adapters.session_log import SessionLog
from ingest.adapters.tau2_bench import Tau2Bench
from ingest.adapters.tau_bench import TauBench
from ingest.adapters.thought_tree import ThoughtTree
from knowledge.errors import BadInputError

AUTO = "auto"
ADAPTERS: tuple[Adapter, ...] = (
    OtlpTraces(),
    Tau2Bench(),
    TauBench(),
    DotGraph(),
    ExecutionContract(),
    Reflexion(),
    ThoughtTree(),
    ReactTranscript(),
    NativeJsonl(),
    AgentsSdk(),
    LangSmith(),
    Langfuse(),
    RecordedActions(),
    SessionLog(),
    LangGraph(),
    OpenAIResponses(),
    MultiAgentChat(),
    OpenAIChat(),
)
"""In the order in which they are asked: the more particular shape first."""

LABELS = frozenset(
    {"failures", "root_cause", "mistake_step", "mistake_agent", "failure_category", "classification"}
)
"""Keys by which a record without a run in it is known as a judgement about one."""


def recognise(opening: Opening, source: str = AUTO) -> Recognition:
    """The adapter named `source`, or for "auto" the first that knows the file by its content. BadInputError says what
    was looked for and what the file holds instead."""
    if source != AUTO:
        return Recognition(adapter_named(source), "asked for by name")
    for adapter in ADAPTERS:
        why = adapter.recognises(opening)
        if why:
            return Recognition(adapter, why)
    if _is_labels(opening):
        raise BadInputError(
            f"{opening.path}: it holds {_held(opening)}: what people say about runs, not the runs. Ingest the file that "
            f"has the runs' messages or calls; labels are for `errata evaluate`."
        )
    raise BadInputError(
        f"{opening.path}: no known kind of source. It holds {_held(opening)}. Sources are {_names()}; docs/ingest.md "
        f"shows each. If it is one of them, name it as the source, and what is missing is told."
    )


def adapter_named(name: str) -> Adapter:
    """The adapter; BadInputError lists the names there are."""
    for adapter in ADAPTERS:
        if adapter.name == name:
            return adapter
    raise BadInputError(f"no source is called {name!r}; there are {AUTO}, {_names()}")


def _names() -> str:
    return ", ".join(adapter.name for adapter in ADAPTERS)


def _is_labels(opening: Opening) -> bool:
    """Whether the records judge runs and hold none."""
    return bool(opening.samples) and all(
        isinstance(sample, dict) and bool(LABELS & set(sample)) for sample in opening.samples
    )


def _held(opening: Opening) -> str:
    if opening.layout == "text":
        return "text that is not JSON"
    if opening.layout == "binary":
        return "protobuf"
    if not opening.samples:
        keys = ", ".join(opening.keys[:8])
        trouble = f" ({opening.trouble})" if opening.trouble else ""
        return f"an object with the keys {keys}{trouble}" if keys else f"no readable record{trouble}"
    return f"records like {_shape(opening.samples[0])}"


def _shape(value: JsonValue) -> str:
    if isinstance(value, dict):
        keys = ", ".join(str(key) for key in list(value)[:8])
        return f"{{{keys}{', …' if len(value) > 8 else ''}}}"
    return f"a list of {len(value)}" if isinstance(value, list) else type(value).__name__
