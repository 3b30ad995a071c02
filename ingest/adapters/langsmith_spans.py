"""LangSmith's runs of one trace as spans: halves put together, ids, times, models and outcomes read."""

from __future__ import annotations

from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Outcome, ToolDeclaration
from ingest.adapters.chat import moment
from ingest.adapters.chat_run import declared_tools
from ingest.adapters.fields import count, first, text
from ingest.adapters.jsonvalue import clean_text
from ingest.adapters.scores import outcome_by
from ingest.adapters.spans import Span, SpanKind, Trace
from ingest.adapters.trace_messages import decoded

KINDS: dict[str, SpanKind] = {"llm": "llm", "tool": "tool", "retriever": "retriever"}
AS_JSON = ("inputs", "outputs", "extra", "events", "feedback_stats")
"""Fields that bulk exports hold as JSON inside of a string."""

Half = dict[str, Any]


def trace_of(trace_id: str, halves: list[Half]) -> Trace:
    """The trace of all its runs, whole or in halves."""
    runs = merged(halves)
    root = next((run for run in runs if not _parent(run)), runs[0] if runs else {})
    about = metadata(root)
    every = [about, *(metadata(run) for run in runs)]
    return Trace(
        trace_id=clean_text(trace_id),
        spans=tuple(_span(run, number) for number, run in enumerate(runs)),
        agent_name=first(every[:1], "agent_name", "lc_agent_name", "gen_ai.agent.name", "graph_id") or None,
        agent_version=first(every[:1], "agent_version", "version", "revision_id", "release") or None,
        conversation_id=first(every, "thread_id", "session_id", "conversation_id") or None,
        task_id=text(root.get("reference_example_id")) or first(every[:1], "task_id") or None,
        outcome=_outcome(runs),
        max_steps=_max_steps(runs),
        started_at=moment(root.get("start_time")),
        ended_at=moment(root.get("end_time")),
    )


def merged(halves: list[Half]) -> list[Half]:
    """Each run once: what a later half says is added to what an earlier one said; what is empty says nothing."""
    runs: dict[str, Half] = {}
    for number, half in enumerate(halves):
        known = runs.setdefault(text(half.get("id")) or f"unnamed {number}", {})
        for key, value in half.items():
            read = decoded(value) if key in AS_JSON else value
            if isinstance(read, dict) and isinstance(known.get(key), dict):
                known[key] = _joined(known[key], read)
            elif read not in (None, "", [], {}) or key not in known:
                known[key] = read
    return list(runs.values())


def metadata(run: Half) -> Half:
    """What the run's makers and frameworks noted about it."""
    found = _object(_object(run, "extra"), "metadata")
    return found or _object(run, "metadata")


def _span(run: Half, number: int) -> Span:
    about, extra = metadata(run), _object(run, "extra")
    usage = _usage(run)
    return Span(
        span_id=text(run.get("id")) or f"unnamed {number}",
        name=clean_text(text(run.get("name")) or "unnamed"),
        kind=KINDS.get(text(run.get("run_type")), "chain"),
        parent=_parent(run) or None,
        input=run.get("inputs"),
        output=run.get("outputs"),
        error=_error(run),
        started_at=moment(run.get("start_time")),
        ended_at=moment(run.get("end_time")),
        order=text(run.get("dotted_order")) or f"{number:09d}",
        step_id=first([about], "langgraph_node", "step_id", "node") or None,
        call_id=first([extra, about], "tool_call_id") or None,
        model=_model(run) or None,
        input_tokens=count(run.get("prompt_tokens"))
        or count(usage.get("input_tokens", usage.get("prompt_tokens"))),
        output_tokens=count(run.get("completion_tokens"))
        or count(usage.get("output_tokens", usage.get("completion_tokens"))),
        tools=_tools(run),
    )


def _joined(known: Half, more: Half) -> Half:
    """One level of two objects: metadata of both halves is kept."""
    both = {**known, **{key: value for key, value in more.items() if value is not None}}
    if isinstance(known.get("metadata"), dict) and isinstance(more.get("metadata"), dict):
        both["metadata"] = {**known["metadata"], **more["metadata"]}
    return both


def _parent(run: Half) -> str:
    parents = run.get("parent_run_ids")
    listed = text(parents[-1]) if isinstance(parents, list) and parents else ""
    found = text(run.get("parent_run_id")) or listed
    if found:
        return found
    path = text(run.get("dotted_order")).split(".")
    return path[-2].partition("Z")[2] if len(path) > 1 else ""


def _error(run: Half) -> str | None:
    """The exception's text; a run that is marked as failed without one says only that."""
    told = run.get("error")
    if isinstance(told, str) and told.strip():
        return told
    if isinstance(told, dict):
        return text(told.get("message")) or text(told.get("error")) or str(told)
    return "an error without a text" if run.get("status") == "error" else None


def _model(run: Half) -> str:
    if run.get("run_type") != "llm":
        return ""
    given, parameters = _object(run, "inputs"), _object(_object(run, "extra"), "invocation_params")
    return first([metadata(run)], "ls_model_name") or first(
        [parameters, given, _object(run, "outputs")], "model", "model_name"
    )


def _usage(run: Half) -> Half:
    """The tokens where they stand: with the run, with a model's answer, in a generation's message."""
    told = _object(run, "outputs")
    for holder in (metadata(run), told, _object(told, "llm_output"), _message(told)):
        for key in ("usage_metadata", "usage", "token_usage"):
            if found := _object(holder, key):
                return found
    return {}


def _message(told: Half) -> Half:
    found: Any = told.get("generations")
    for _ in range(2):
        found = found[0] if isinstance(found, list) and found else found
    message = _object(found, "message") if isinstance(found, dict) else {}
    return _object(message, "kwargs") or message


def _tools(run: Half) -> tuple[ToolDeclaration, ...]:
    if run.get("run_type") != "llm":
        return ()
    parameters, given = _object(_object(run, "extra"), "invocation_params"), _object(run, "inputs")
    listed = (
        parameters.get("tools") or given.get("tools") or parameters.get("functions") or given.get("functions")
    )
    return declared_tools(listed)


def _outcome(runs: list[Half]) -> Outcome:
    """By the feedback on the root, else on any run: {name: {n, avg}} or {name: number}."""
    scores: dict[str, JsonValue] = {}
    for run in sorted(runs, key=lambda run: bool(_parent(run))):
        for name, told in _object(run, "feedback_stats").items():
            scores.setdefault(name, told.get("avg") if isinstance(told, dict) else told)
    return outcome_by(scores)


def _max_steps(runs: list[Half]) -> int | None:
    """The graph's recursion limit: as configured, or from the steps that its first node says remain."""
    for run in runs:
        for holder in (metadata(run), _object(run, "extra"), _object(_object(run, "extra"), "config")):
            if limit := count(holder.get("recursion_limit")):
                return limit
    remaining = [
        left for run in runs if (left := count(_object(run, "inputs").get("remaining_steps"))) is not None
    ]
    return max(remaining) + 1 if remaining else None


def _object(value: Half, key: str) -> Half:
    found = value.get(key)
    return found if isinstance(found, dict) else {}
