"""ReAct transcripts, English and Chinese: a text of thoughts, actions and observations, or records that hold one.

A text file may hold several, parted by lines of dashes or by `Question:`; examples in a prompt before them are no runs.
A record's text is one run: {"transcript" | "text" | "log" | "scratchpad" | …: "…"}; LangChain's `intermediate_steps` are
read as they stand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from errata_client.model import JsonValue
from errata_client.run import Agent, Run
from ingest.adapters import langchain_steps
from ingest.adapters.jsonvalue import json_kind
from ingest.adapters.plain_text import Line, TextLines, head_lines, lines_of
from ingest.adapters.port import NotAnalysed, RecordError
from ingest.adapters.react_run import react_run
from ingest.adapters.reading import read_records
from ingest.adapters.record_fields import about_run, text_at
from ingest.adapters.records import LOOKED_AT, Opening, Record, records
from ingest.adapters.transcript_blocks import Block, blocks
from ingest.adapters.transcripts import Transcript, transcripts
from ingest.adapters.written_call import written_calls

TEXTS = (
    "transcript",
    "scratchpad",
    "agent_scratchpad",
    "log",
    "text",
    "trace",
    "output_text",
    "记录",
    "轨迹",
)
LOOKED_INTO = 200_000
"""Characters of a record's text by which it is recognised."""

QUESTIONS = ("question", "input", "task", "query", "问题")


class ReactTranscript:
    """The adapter. The judgement of replies is that of chats: text that begins as errors do."""

    name = "react_transcript"
    looks_for = (
        "text with lines Thought: … Action: … Observation: … (思考：行动：观察：), or records that hold one"
    )

    def recognises(self, opening: Opening) -> str | None:
        """By an action that names a tool, with a thought before it or an observation behind it."""
        if opening.head and _holds_one(head_lines(opening)):
            return "it is text with thoughts, actions and observations"
        if any(langchain_steps.steps_in(sample) for sample in opening.samples):
            return "its records have intermediate_steps"
        if any(isinstance(sample, dict) and _key_in(sample) for sample in opening.samples):
            return _held_in(opening)
        return None

    def read(self, opening: Opening) -> Iterator[Run | NotAnalysed]:
        """One run a transcript."""
        if opening.head and not _records_hold_one(opening):
            yield from _read_text(opening)
        else:
            yield from read_records(opening, transcript_record)


def transcript_record(record: JsonValue, position: str) -> tuple[Run, list[NotAnalysed]]:
    """The run of one record. RecordError where it holds no transcript."""
    if not isinstance(record, dict):
        raise RecordError(f"a record is an object with a transcript, this is {json_kind(record)}")
    if (listed := langchain_steps.steps_in(record)) is not None:
        return langchain_steps.run_of(record, listed, position)
    key = _key_in(record)
    if key is None:
        raise RecordError(f"no text of thoughts and actions in any of {', '.join(TEXTS)}")
    found = [each for each in transcripts(blocks(lines_of(str(record[key]))), one=True) if each.blocks]
    if not found or not _is_transcript(found[-1].blocks):
        raise RecordError(f"{key} holds no thoughts and actions with a tool")
    last = found[-1]
    asked = text_at(record, *QUESTIONS)
    if last.question is None and asked:
        last.question = asked
    run, troubles = react_run(last, **{"agent": Agent(kind="react"), **about_run(record)})
    return run, [
        trouble.model_copy(update={"position": f"{position}, {trouble.position}"}) for trouble in troubles
    ]


def _read_text(opening: Opening) -> Iterator[Run | NotAnalysed]:
    source = TextLines(opening)
    for found in transcripts(blocks(source)):
        yield from _of_text(found)
    yield from source.troubles


def _of_text(found: Transcript) -> Iterator[Run | NotAnalysed]:
    if not any(block.kind in {"action", "observation", "answer"} for block in found.blocks):
        yield NotAnalysed(
            position=f"line {found.line}", reason="a question or a thought without any action or answer"
        )
        return
    run, troubles = react_run(found)
    yield run
    yield from troubles
    if found.examples:
        reason = f"{found.examples} questions before this one were taken for the examples of its prompt"
        yield NotAnalysed(position=f"line {found.line}", reason=reason)


def _holds_one(lines: Iterable[Line]) -> bool:
    return any(_is_transcript(found.blocks) for found in transcripts(blocks(lines)))


def _is_transcript(found: list[Block]) -> bool:
    """Whether an action that names a tool stands beside a thought or an observation: a heading alone may be prose."""
    kinds = [block.kind for block in found]
    for at, block in enumerate(found):
        if block.kind != "action":
            continue
        follows = kinds[at + 1 :]
        given = found[at + 1].text if follows[:1] == ["input"] else None
        seen = "observation" in follows[:2]
        thought = at > 0 and kinds[at - 1] in {"thought", "think", "text"}
        if (seen or (thought and (block.finishes or given is not None))) and (
            block.finishes or written_calls(block.text, given)
        ):
            return True
    return False


def _key_in(record: dict[str, Any]) -> str | None:
    return next((key for key in TEXTS if isinstance(record.get(key), str) and record[key].strip()), None)


def _records_hold_one(opening: Opening) -> bool:
    return any(isinstance(sample, dict) and _key_in(sample) for sample in opening.samples)


def _held_in(opening: Opening) -> str | None:
    """Which key of the first records holds a transcript; samples are cut short, so the records are read again."""
    for item in islice(records(opening), LOOKED_AT):
        if not isinstance(item, Record) or not isinstance(item.value, dict):
            continue
        key = _key_in(item.value)
        if key and _holds_one(lines_of(str(item.value[key])[:LOOKED_INTO])):
            return f"its records have a {key} with thoughts, actions and observations"
    return None
