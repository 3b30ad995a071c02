"""An agent that is traced by OpenTelemetry and exports over OTLP: `python -m tests.api.traced_agent URL TOKEN HOW`.

HOW is "sdk" (spans of its own), "openinference" or "traceloop" (openai's client, instrumented by their packages, with a
model behind it that is none).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import httpx
import openai
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Tracer

LENT = "Error: book B-1001 is lent"
TOOLS = [
    {"type": "function", "function": {"name": "lend", "parameters": {"type": "object", "properties": {}}}}
]
ARGUMENTS = '{"book_id": "B-1001"}'


class LoanError(Exception):
    """A book cannot be lent."""


def lend() -> None:
    """Never works."""
    raise LoanError("book B-1001 is lent")


def by_itself(tracer: Tracer) -> None:
    """A tool that raises inside an agent that catches it: spans as the SDK makes them."""
    told = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"}
    with tracer.start_as_current_span("invoke_agent desk", attributes=told):
        call = {"gen_ai.tool.name": "lend", "gen_ai.tool.call.arguments": ARGUMENTS}
        try:
            with tracer.start_as_current_span("execute_tool lend", attributes=call):
                lend()
        except LoanError:
            return


def with_a_model(tracer: Tracer) -> None:
    """A conversation through openai's client: the model asks for a call, and is told its error."""
    client = openai.OpenAI(api_key="none", base_url="http://model.invalid/v1", http_client=_client())
    messages: list[Any] = [{"role": "user", "content": "Please lend me B-1001."}]
    with tracer.start_as_current_span("desk"):
        for _ in range(2):
            asked = client.chat.completions.create(model="some-model", messages=messages, tools=TOOLS)  # type: ignore[call-overload]
            messages.append(asked.choices[0].message.model_dump(exclude_none=True))
            messages.append({"role": "tool", "tool_call_id": "c1", "content": LENT})


def _client() -> httpx.Client:
    return httpx.Client(transport=httpx.MockTransport(_model))


def _model(request: httpx.Request) -> httpx.Response:
    """Asks for a call as long as it was told no error."""
    told = any(message["role"] == "tool" for message in json.loads(request.content)["messages"])
    call = {"id": "c1", "type": "function", "function": {"name": "lend", "arguments": ARGUMENTS}}
    message = {"content": "It is lent."} if told else {"content": None, "tool_calls": [call]}
    answer = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "some-model-0101",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
    }
    return httpx.Response(200, json=answer)


def prepared(how: str, provider: TracerProvider) -> Callable[[Tracer], None]:
    """What to run; instrumented by the packages of one family."""
    if how == "sdk":
        return by_itself
    if how == "openinference":
        from openinference.instrumentation.openai import OpenAIInstrumentor  # noqa: PLC0415
    else:
        from opentelemetry.instrumentation.openai import OpenAIInstrumentor  # noqa: PLC0415
    OpenAIInstrumentor().instrument(tracer_provider=provider)
    return with_a_model


def main() -> None:
    """Run once, and wait until everything is exported."""
    url, token, how = sys.argv[1:]
    provider = TracerProvider()
    exporter = OTLPSpanExporter(f"{url}/v1/traces", headers={"Authorization": f"Bearer {token}"})
    provider.add_span_processor(BatchSpanProcessor(exporter))
    prepared(how, provider)(provider.get_tracer("tests"))
    provider.force_flush()
    provider.shutdown()


if __name__ == "__main__":
    main()
