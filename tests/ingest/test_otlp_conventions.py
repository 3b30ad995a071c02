"""Spans as each convention and SDK writes them: calls, answers and errors are found in all of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from errata_client.run import Run
from tests.ingest.making import read
from tests.ingest.spans import (
    ANSWER,
    ASKED,
    CALL,
    LENT,
    SORRY,
    SYSTEM,
    agent,
    event,
    model,
    request,
    span,
    tool,
)

Json = Any
ARGUMENTS = '{"book_id": "B-1001"}'
SCHEMA = {"type": "object", "properties": {"book_id": {"type": "string"}}}
FUNCTION = {"type": "function", "function": {"name": "lend", "description": "Lend.", "parameters": SCHEMA}}
SAID = [("system", "You are the desk of a library."), ("user", "Please lend me B-1001.")]


def run_of(folder: Path, *spans: Json, **more: Json) -> Run:
    path = folder / "trace.json"
    path.write_text(json.dumps(request(*spans, **more), ensure_ascii=False))
    (run,), left_out = read(path)
    assert not left_out
    return run


def flat(prefix: str, value: Json) -> dict[str, Json]:
    """Attributes with the names that spell lists and objects."""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        return {prefix: value}
    return {name: held for key, below in items for name, held in flat(f"{prefix}.{key}", below).items()}


def openinference(number: int, sent: list[Json], came: list[Json], **values: Json) -> Json:
    tools = {"llm.tools.0.tool.json_schema": json.dumps(FUNCTION)}
    return span(
        number,
        "ChatCompletion",
        {
            "openinference.span.kind": "LLM",
            "llm.model_name": "some-model",
            "llm.token_count.prompt": 32,
            "llm.token_count.completion": 5,
            **tools,
            **flat("llm.input_messages", [{"message": message} for message in sent]),
            **flat("llm.output_messages", [{"message": message} for message in came]),
            **values,
        },
        1,
    )


def openinference_trace() -> list[Json]:
    said = [{"role": role, "content": text} for role, text in SAID]
    call = {"tool_call": {"id": "c1", "function": {"name": "lend", "arguments": ARGUMENTS}}}
    asked = {"role": "assistant", "content": "I lend it.", "tool_calls": [call]}
    answer = {"role": "tool", "content": LENT, "tool_call_id": "c1"}
    sorry = {"role": "assistant", "contents": [{"message_content": {"type": "text", "text": "It is lent."}}]}
    used = {
        "openinference.span.kind": "TOOL",
        "tool.name": "lend",
        "input.value": "{'book_id': 'B-1001'}",
        "output.value": LENT,
    }
    return [
        span(1, "desk", {"openinference.span.kind": "AGENT", "agent.name": "desk"}),
        openinference(2, said, [asked]),
        span(3, "lend", used, 1),
        openinference(4, [*said, asked, answer], [sorry]),
    ]


def traceloop(number: int, sent: list[Json], came: list[Json]) -> Json:
    return span(
        number,
        "openai.chat",
        {
            "llm.request.type": "chat",
            "gen_ai.system": "OpenAI",
            "gen_ai.request.model": "some-model",
            "gen_ai.usage.prompt_tokens": 32,
            "gen_ai.usage.completion_tokens": 5,
            **flat(
                "llm.request.functions",
                [{"name": "lend", "description": "Lend.", "parameters": json.dumps(SCHEMA)}],
            ),
            **flat("gen_ai.prompt", sent),
            **flat("gen_ai.completion", came),
        },
        1,
    )


def traceloop_trace() -> list[Json]:
    said = [{"role": role, "content": text} for role, text in SAID]
    asked = {
        "role": "assistant",
        "content": "I lend it.",
        "tool_calls": [{"id": "c1", "name": "lend", "arguments": ARGUMENTS}],
    }
    answer = {"role": "tool", "content": LENT, "tool_call_id": "c1"}
    used = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "lend",
        "traceloop.entity.input": '{"args": [], "kwargs": {"book_id": "B-1001"}}',
        "traceloop.entity.output": json.dumps(LENT),
    }
    root = {"traceloop.span.kind": "agent", "traceloop.entity.name": "desk"}
    return [
        span(1, "desk.agent", root),
        traceloop(2, said, [asked | {"finish_reason": "tool_calls"}]),
        span(3, "lend.tool", used, 1),
        traceloop(4, [*said, asked, answer], [{"role": "assistant", "content": "It is lent."}]),
    ]


def old_events(wrapped: bool) -> list[Json]:
    """The events of GenAI up to 1.36: their bodies as attributes, or as JSON text in one."""
    call = {"id": "c1", "type": "function", "function": {"name": "lend", "arguments": ARGUMENTS}}

    def told(name: str, body: Json, second: int) -> Json:
        if wrapped:
            return event(name, {"gen_ai.system": "openai", "gen_ai.event.content": json.dumps(body)}, second)
        values = {key: value if isinstance(value, str) else json.dumps(value) for key, value in body.items()}
        return event(name, values, second)

    said = [told(f"gen_ai.{role}.message", {"role": role, "content": text}, 2) for role, text in SAID]
    asked = {"role": "assistant", "content": "I lend it.", "tool_calls": [call]}
    answer = told("gen_ai.tool.message", {"role": "tool", "id": "c1", "content": LENT}, 4)
    values = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "some-model",
        "gen_ai.system": "openai",
    }
    chosen = told("gen_ai.choice", {"index": "0", "finish_reason": "tool_calls", "message": asked}, 3)
    sorry = told("gen_ai.choice", {"index": "0", "message": {"content": "It is lent."}}, 5)
    history = told("gen_ai.assistant.message", asked, 4)
    return [
        agent(),
        span(2, "chat", values, 1, events=[*said, chosen]),
        tool(3, LENT),
        span(4, "chat", values, 1, events=[*said, history, answer, sorry]),
    ]


def content_events() -> list[Json]:
    """The events of GenAI up to 1.27: prompt and completion as JSON text."""
    call = {"id": "c1", "type": "function", "function": {"name": "lend", "arguments": ARGUMENTS}}
    said = [{"role": role, "content": text} for role, text in SAID]
    asked = {"role": "assistant", "content": "I lend it.", "tool_calls": [call]}
    answer = {"role": "tool", "tool_call_id": "c1", "content": LENT}
    sorry = {"role": "assistant", "content": "It is lent."}

    def chat(number: int, sent: list[Json], came: Json) -> Json:
        prompt = event("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps(sent)}, number)
        completion = event("gen_ai.content.completion", {"gen_ai.completion": json.dumps([came])}, number)
        return span(number, "chat", {"gen_ai.request.model": "some-model"}, 1, events=[prompt, completion])

    return [agent(), chat(2, said, asked), tool(3, LENT), chat(4, [*said, asked, answer], sorry)]


def details_event() -> list[Json]:
    """The current messages, on an event of the span instead of on the span."""

    def chat(number: int, sent: list[Json], came: list[Json]) -> Json:
        one = model(number, sent, came)
        moved = [pair for pair in one["attributes"] if pair["key"].endswith("put.messages")]
        one["attributes"] = [pair for pair in one["attributes"] if pair not in moved]
        details = {"name": "gen_ai.client.inference.operation.details", "attributes": moved}
        return one | {"events": [details]}

    return [
        agent(),
        chat(2, [SYSTEM, ASKED], [CALL]),
        tool(3, LENT),
        chat(4, [SYSTEM, ASKED, CALL, ANSWER], [SORRY]),
    ]


def blocks() -> list[Json]:
    """Bedrock's blocks in events, as Strands writes them: a tool's input is its message, its result is its choice."""
    use = {"toolUse": {"toolUseId": "c1", "name": "lend", "input": {"book_id": "B-1001"}}}
    result = {"toolResult": {"toolUseId": "c1", "status": "error", "content": [{"text": LENT}]}}
    said = event("gen_ai.user.message", {"content": json.dumps([{"text": SAID[1][1]}])}, 2)
    asked = json.dumps([{"text": "I lend it."}, use])
    chosen = event("gen_ai.choice", {"finish_reason": "tool_use", "message": asked}, 3)
    history = event("gen_ai.assistant.message", {"content": asked}, 4)
    answer = event("gen_ai.tool.message", {"content": json.dumps([result])}, 4)
    sorry = event("gen_ai.choice", {"message": json.dumps([{"text": "It is lent."}])}, 5)
    chat = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "some-model"}
    used = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "lend",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.status": "error",
    }
    given = event("gen_ai.tool.message", {"role": "tool", "content": ARGUMENTS, "id": "c1"}, 3)
    came = event("gen_ai.choice", {"message": json.dumps([{"text": LENT}]), "id": "c1"}, 3)
    root = agent()
    root["attributes"].append({"key": "gen_ai.agent.system_prompt", "value": {"stringValue": SAID[0][1]}})
    return [
        root,
        span(2, "chat", chat, 1, events=[said, chosen]),
        span(3, "execute_tool lend", used, 1, events=[given, came]),
        span(4, "chat", chat, 1, events=[said, history, answer, sorry]),
    ]


CONVENTIONS = {
    "GenAI, messages": [
        agent(),
        model(2, [SYSTEM, ASKED], [CALL]),
        tool(3, LENT),
        model(4, [SYSTEM, ASKED, CALL, ANSWER], [SORRY]),
    ],
    "GenAI, messages on an event": details_event(),
    "GenAI, one event a message": old_events(wrapped=False),
    "GenAI, one event a message, wrapped": old_events(wrapped=True),
    "GenAI, prompt and completion events": content_events(),
    "OpenInference": openinference_trace(),
    "Traceloop": traceloop_trace(),
    "Bedrock's blocks": blocks(),
}


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_call_and_what_was_said_around_it_are_found(tmp_path: Path, convention: str) -> None:
    run = run_of(tmp_path, *CONVENTIONS[convention])
    first, last = run.steps
    assert (run.agent.name, run.model_version) == ("desk", "some-model")
    assert (run.prompt, run.user_intent) == (SAID[0][1], SAID[1][1])
    assert first.tool_call is not None
    assert (first.tool_call.tool, first.tool_call.arguments) == ("lend", {"book_id": "B-1001"})
    assert first.tool_call.raw_arguments is None
    assert (first.user_input, first.thought, first.observation) == (SAID[1][1], "I lend it.", LENT)
    assert first.error is not None
    assert first.error.message == LENT
    assert last.raw_output == "It is lent."


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_without_the_tool_s_span_the_next_request_to_the_model_tells_the_answer(
    tmp_path: Path, convention: str
) -> None:
    spans = [one for one in CONVENTIONS[convention] if not one["spanId"].endswith("3")]
    run = run_of(tmp_path, *spans)
    first, last = run.steps
    assert first.error is not None
    assert first.error.message == LENT
    assert first.answered
    assert last.raw_output == "It is lent."


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_without_any_model_s_span_the_tool_s_span_tells_the_call(tmp_path: Path, convention: str) -> None:
    spans = [one for one in CONVENTIONS[convention] if one["spanId"][-1] in "13"]
    (step,) = run_of(tmp_path, *spans).steps
    assert step.tool_call is not None
    assert (step.tool_call.tool, step.tool_call.arguments) == ("lend", {"book_id": "B-1001"})
    assert step.error is not None


@pytest.mark.parametrize("convention", ["OpenInference", "Traceloop"])
def test_the_tools_that_a_model_was_told_of_are_declared(tmp_path: Path, convention: str) -> None:
    (declared,) = run_of(tmp_path, *CONVENTIONS[convention]).tools
    assert (declared.name, declared.description, declared.parameters) == ("lend", "Lend.", SCHEMA)


def test_tool_definitions_of_genai_are_declared(tmp_path: Path) -> None:
    flat_one = {"type": "function", "name": "lend", "description": "Lend.", "parameters": SCHEMA}
    one = model(2, [ASKED], [CALL], **{"gen_ai.tool.definitions": json.dumps([flat_one])})
    (declared,) = run_of(tmp_path, agent(), one).tools
    assert (declared.name, declared.parameters) == ("lend", SCHEMA)


def test_instructions_apart_from_the_messages_are_the_prompt(tmp_path: Path) -> None:
    told = json.dumps([{"type": "text", "content": "You are the desk."}])
    run = run_of(tmp_path, agent(), model(2, [ASKED], [CALL], **{"gen_ai.system_instructions": told}))
    assert run.prompt == "You are the desk."


@pytest.mark.parametrize(
    "values",
    [
        {"gen_ai.tool.name": "lend", "tool_arguments": ARGUMENTS, "tool_response": LENT},
        {"gen_ai.tool.name": "lend", "input": ARGUMENTS, "output": LENT},
        {"ai.toolCall.name": "lend", "ai.toolCall.args": ARGUMENTS, "ai.toolCall.result": json.dumps(LENT)},
        {"tool.name": "lend", "tool.parameters": ARGUMENTS, "output.value": json.dumps({"output": LENT})},
        {"openinference.span.kind": "TOOL", "tool.name": "lend", "input.value": ARGUMENTS, "output.value": f"content='{LENT}' name='lend' tool_call_id='c1' status='error'"},
        {"openinference.span.kind": "TOOL", "tool.name": "lend", "input.value": ARGUMENTS, "output.value": json.dumps({"lc": 1, "type": "constructor", "id": ["langchain", "ToolMessage"], "kwargs": {"content": LENT, "tool_call_id": "c1", "status": "error"}})},
        {"traceloop.span.kind": "tool", "traceloop.entity.name": "lend", "traceloop.entity.input": json.dumps({"input_str": "{'book_id': 'B-1001'}", "tags": [], "metadata": {}, "kwargs": {}}), "traceloop.entity.output": json.dumps({"output": LENT, "kwargs": {}})},
        {"gen_ai.tool.name": "lend", "gen_ai.tool.call.arguments": ARGUMENTS, "gen_ai.tool.call.result": json.dumps({"content": [{"type": "text", "text": LENT}], "isError": True})},
    ],
)  # fmt: skip
def test_a_tool_s_span_of_any_sdk_tells_arguments_result_and_error(tmp_path: Path, values: Json) -> None:
    (step,) = run_of(tmp_path, agent(), span(2, "lend", values, 1)).steps
    assert step.tool_call is not None
    assert (step.tool_call.tool, step.tool_call.arguments) == ("lend", {"book_id": "B-1001"})
    assert step.tool_call.raw_arguments is None
    assert step.observation == LENT or json.loads(str(step.observation)) == LENT
    assert step.error is not None


def test_what_is_no_object_is_the_one_argument_that_the_tool_was_given(tmp_path: Path) -> None:
    values = {"gen_ai.tool.name": "find", "input.value": "red books", "output.value": "three"}
    (step,) = run_of(tmp_path, agent(), span(2, "find", values, 1)).steps
    assert step.tool_call is not None
    assert step.tool_call.arguments == {"input": "red books"}
    assert step.error is None


@pytest.mark.parametrize(
    "name", ["execute_tool lend", "running tool: lend", "tools/call lend", "tool.lend", "lend.tool"]
)
def test_a_plain_span_whose_name_says_a_tool_is_a_call(tmp_path: Path, name: str) -> None:
    (step,) = run_of(tmp_path, agent(), span(2, name, {}, 1)).steps
    assert step.tool_call is not None
    assert step.tool_call.tool == "lend"


@pytest.mark.parametrize(
    "name", ["GET retool.com", "tool registry was read", "toolbox.open", "my.tools", "lend"]
)
def test_a_plain_span_whose_name_only_has_the_word_is_none(tmp_path: Path, name: str) -> None:
    assert run_of(tmp_path, agent(), span(2, name, {}, 1)).steps == ()


def test_a_plain_span_named_like_a_tool_that_was_asked_for_carried_it_out(tmp_path: Path) -> None:
    plain = span(3, "lend", {}, 1, status={"code": 2, "message": "BookError: B-1001 is lent"})
    other = span(4, "SELECT books", {}, 3)
    (step,) = run_of(tmp_path, agent(), model(2, [ASKED], [CALL]), plain, other).steps
    assert step.tool_call is not None
    assert step.tool_call.arguments == {"book_id": "B-1001"}
    assert step.error is not None
    assert step.error.message == "BookError: B-1001 is lent"


@pytest.mark.parametrize(
    "values",
    [
        {"metadata": json.dumps({"langgraph_node": "lending", "thread_id": "t-1"})},
        {"graph.node.id": "lending", "session.id": "t-1"},
        {
            "traceloop.association.properties.langgraph_node": "lending",
            "traceloop.association.properties.thread_id": "t-1",
        },
    ],
)
def test_a_node_of_the_agent_s_graph_names_the_step(tmp_path: Path, values: Json) -> None:
    node = span(2, "lending", {"openinference.span.kind": "CHAIN", **values}, 1)
    run = run_of(tmp_path, agent(), node, tool(3, LENT, parent=2))
    assert run.steps[0].step_id == "lending"
    assert run.conversation_id == "t-1"


def test_calls_of_one_message_are_one_batch_and_keep_their_order(tmp_path: Path) -> None:
    parts = [
        {"type": "tool_call", "id": f"c{n}", "name": "lend", "arguments": {"book_id": f"B-{n}"}}
        for n in (1, 2)
    ]
    asked = {"role": "assistant", "parts": parts}
    late, early = tool(4, LENT, call="c1"), tool(3, "lent", call="c2")
    steps = run_of(tmp_path, agent(), model(2, [ASKED], [asked]), early, late).steps
    assert [step.tool_call.arguments["book_id"] for step in steps if step.tool_call] == ["B-1", "B-2"]
    assert steps[0].batch is not None
    assert steps[0].batch == steps[1].batch
    assert [step.error is not None for step in steps] == [True, False]


def test_calls_without_ids_find_their_spans_by_arguments(tmp_path: Path) -> None:
    parts = [{"type": "tool_call", "name": "lend", "arguments": {"book_id": f"B-100{n}"}} for n in (2, 1)]
    asked = {"role": "assistant", "parts": parts}
    used = tool(3, LENT)
    used["attributes"] = [pair for pair in used["attributes"] if pair["key"] != "gen_ai.tool.call.id"]
    steps = run_of(tmp_path, agent(), model(2, [ASKED], [asked]), used).steps
    assert [step.error is not None for step in steps] == [False, True]
    assert [step.answered for step in steps] == [False, True]


def test_invalid_arguments_that_a_model_wrote_stay_as_it_wrote_them(tmp_path: Path) -> None:
    call = {"type": "tool_call", "id": "c1", "name": "lend", "arguments": '{"book_id": "B-1001"'}
    (step,) = run_of(tmp_path, agent(), model(2, [ASKED], [{"role": "assistant", "parts": [call]}])).steps
    assert step.tool_call is not None
    assert step.tool_call.raw_arguments == '{"book_id": "B-1001"'
    assert not step.answered


def test_a_repeated_question_is_heard_each_time_and_the_history_never_again(tmp_path: Path) -> None:
    again = {"role": "user", "parts": [{"type": "text", "content": "And B-1002?"}]}
    spans = [
        model(2, [SYSTEM, ASKED], [SORRY]),
        model(3, [SYSTEM, ASKED, SORRY, again], [SORRY]),
        model(4, [SYSTEM, ASKED, SORRY, again, SORRY, again], [SORRY]),
    ]
    steps = run_of(tmp_path, agent(), *spans).steps
    assert [step.user_input for step in steps] == ["Please lend me B-1001.", "And B-1002?", "And B-1002?"]


def test_a_model_seen_by_two_instrumentations_is_read_once(tmp_path: Path) -> None:
    outer, inner = model(2, [ASKED], [SORRY]), model(3, [ASKED], [SORRY], parent=2)
    steps = run_of(tmp_path, agent(), outer, inner).steps
    assert [step.raw_output for step in steps] == ["It is lent."]


def test_chinese_is_read_like_english(tmp_path: Path) -> None:
    asked = {"role": "user", "parts": [{"type": "text", "content": "请借给我《红楼梦》"}]}
    run = run_of(tmp_path, agent(), model(2, [asked], [CALL]), tool(3, "查询失败，图书不存在"))
    assert run.user_intent == "请借给我《红楼梦》"
    assert run.steps[0].error is not None
    assert run.steps[0].error.message == "查询失败，图书不存在"


def test_the_service_names_an_agent_that_nothing_else_names(tmp_path: Path) -> None:
    alone = tool(1, LENT, parent=None)
    about = {"service.name": "library", "service.version": "2.0"}
    run = run_of(tmp_path, alone, resource=about)
    assert (run.agent.name, run.agent.version) == ("library", "2.0")
    assert run_of(tmp_path, alone, resource={"service.name": "unknown_service:python"}).agent.name == "agent"


def test_every_smallest_input_on_the_page_gives_its_one_error(tmp_path: Path) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "formats" / "otlp.md"
    blocks = re.findall(r"```json\n(.*?)\n```", page.read_text(), re.DOTALL)
    assert len(blocks) == 5
    for block in blocks:
        (tmp_path / "file").write_text(block)
        (run,), left_out = read(tmp_path / "file")
        assert [step.error is not None for step in run.steps] == [True]
        assert not left_out


def test_a_history_that_only_the_last_request_tells_is_read_in_its_order(tmp_path: Path) -> None:
    again = {"role": "user", "parts": [{"type": "text", "content": "And B-1002?"}]}
    call = {"type": "tool_call", "id": "c2", "name": "lend", "arguments": {"book_id": "B-1002"}}
    second = {"role": "assistant", "parts": [call]}
    last = model(2, [SYSTEM, ASKED, CALL, ANSWER, again, second], [])
    steps = run_of(tmp_path, agent(), last).steps
    assert [step.user_input for step in steps] == ["Please lend me B-1001.", "And B-1002?"]
    assert [step.answered for step in steps] == [True, False]
