"""Records as LangSmith and Langfuse write them, all invented here."""

from __future__ import annotations

from typing import Any

Json = Any

TRACE = "01990000-0000-7000-8000-000000000001"


def run_id(number: int, trace: str = TRACE) -> str:
    return trace[:-3] + f"{number:03d}"


def ls_run(
    number: int, kind: str, name: str, parent: int | None = 1, trace: str = TRACE, **more: Json
) -> Json:
    """A LangSmith run; it begins `number` seconds after the trace does. Without a parent it is the root."""
    whole = {
        "id": run_id(number, trace) if number != 1 else trace,
        "trace_id": trace,
        "run_type": kind,
        "name": name,
        "start_time": f"2026-03-01T10:00:{number:02d}",
        "end_time": f"2026-03-01T10:00:{number + 1:02d}",
        "dotted_order": f"20260301T1000{number:02d}000000Z{run_id(number, trace)}",
        "parent_run_id": None,
        "inputs": {},
        "outputs": None,
        "error": None,
        "extra": {"metadata": {}},
    }
    if number != 1 and parent is not None:
        whole["parent_run_id"] = trace if parent == 1 else run_id(parent, trace)
    return {**whole, **more}


def lc(kind: str, **kwargs: Json) -> Json:
    """A message as LangChain serialises it."""
    return {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", kind], "kwargs": kwargs}


def asks(call_id: str, tool: str, arguments: Json, words: str = "") -> Json:
    """An AIMessage with one call."""
    call = {"name": tool, "args": arguments, "id": call_id, "type": "tool_call"}
    return lc("AIMessage", content=words, type="ai", tool_calls=[call], invalid_tool_calls=[])


def generation(message: Json) -> Json:
    """What a chat model's run has as its outputs."""
    return {
        "generations": [
            [{"text": message["kwargs"]["content"], "type": "ChatGeneration", "message": message}]
        ]
    }


def raised(name: str, words: str, depth: int = 1) -> str:
    """An exception as LangChain records it; the traceback differs by level."""
    frames = "".join(f'  File "level{number}.py", line {number}, in call\n' for number in range(depth))
    return f"{name}('{words}')Traceback (most recent call last):\n\n\n{frames}\n\n{name}: {words}"


def a_desk(trace: str = TRACE) -> list[Json]:
    """A graph's trace: a model asks for two calls one after the other, the second raises, and the graph goes on."""
    node, tools = {"langgraph_node": "agent"}, {"langgraph_node": "tools"}
    prompt = lc("SystemMessage", content="You are the desk of a library.", type="system")
    person = lc("HumanMessage", content="Lend me Emma.", type="human")
    first, second = (
        asks("c1", "find", {"title": "Emma"}),
        asks("c2", "lend", {"book_id": "B-77"}, "Found it."),
    )
    found = lc("ToolMessage", content='{"book_id": "B-77"}', type="tool", tool_call_id="c1", status="success")
    failed = lc("ToolMessage", content="Error: lent", type="tool", tool_call_id="c2", status="error")
    declared = [
        {"type": "function", "function": {"name": tool, "parameters": {}}} for tool in ("find", "lend")
    ]
    model = {"invocation_params": {"model": "some-model", "tools": declared}, "metadata": node}
    about = {"metadata": {"thread_id": "thread-1", "agent_version": "7", "recursion_limit": 12}}
    answer = lc("AIMessage", content="It is lent.", type="ai")
    return [
        ls_run(1, "chain", "desk", trace=trace, inputs={"messages": [{"type": "human", "content": "Lend me Emma."}]}, extra=about),
        ls_run(2, "llm", "ChatModel", trace=trace, inputs={"messages": [[prompt, person]]}, outputs=generation(first), extra=model),
        ls_run(
            3, "tool", "find", trace=trace, inputs={"input": "{'title': 'Emma'}"}, outputs={"output": found["kwargs"]},
            extra={"tool_call_id": "c1", "metadata": tools},
        ),
        ls_run(
            4, "llm", "ChatModel", trace=trace, inputs={"messages": [[prompt, person, first, found]]}, outputs=generation(second),
            extra=model, prompt_tokens=21, completion_tokens=4,
        ),
        ls_run(
            5, "tool", "lend", trace=trace, inputs={"input": "{'book_id': 'B-77'}"}, error=raised("ValueError", "book is lent"),
            extra={"tool_call_id": "c2", "metadata": tools},
        ),
        ls_run(
            6, "llm", "ChatModel", trace=trace, inputs={"messages": [[prompt, person, first, found, second, failed]]},
            outputs=generation(answer), extra=model,
        ),
    ]  # fmt: skip


def observation(
    number: int, kind: str, name: str, parent: str | None = "o1", trace: str = "trace-1", **more: Json
) -> Json:
    """A Langfuse observation; it begins `number` seconds after the trace does."""
    return {
        "id": f"o{number}",
        "traceId": trace,
        "parentObservationId": None if number == 1 else parent,
        "type": kind,
        "name": name,
        "startTime": f"2026-03-01T10:00:{number:02d}.000Z",
        "endTime": f"2026-03-01T10:00:{number + 1:02d}.000Z",
        "level": "DEFAULT",
        "statusMessage": None,
        "input": None,
        "output": None,
        **more,
    }


def lf_trace(*observations: Json, trace: str = "trace-1", **more: Json) -> Json:
    """A Langfuse trace with its observations."""
    made = {"id": trace, "timestamp": "2026-03-01T10:00:00.000Z", "name": "desk", "sessionId": "session-1"}
    return {**made, "input": None, "output": None, "observations": [*observations], "scores": [], **more}
