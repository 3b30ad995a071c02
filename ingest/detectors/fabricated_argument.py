"""args.fabricated: an identifier that nobody gave and no tool returned."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from errata_client import pointer as pointers
from errata_client.context import Moment
from errata_client.jsontext import canonical
from errata_client.model import JsonValue
from errata_client.pointer import Scalar
from errata_client.provenance import Sources
from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.detectors.port import Detector, Finding
from ingest.from_email import derived_places
from ingest.repair import succeeded

MAX_LENGTH = 100
LONG_DIGITS = 6
LONG_NUMBER = 10_000_000
"""A JSON number from here on is an id rather than an amount or a count."""

SAID_DIGITS = 5
SOURCES = 20
"""Arguments of a call whose sources a finding keeps."""

_WHERE = {
    "nowhere": "was given by nobody",
    "schema": "stands only in the tools' schemas",
    "prompt": "stands only in the prompt",
}

_RUNS_OF_DIGITS = re.compile(r"\d+")
_EMAIL = re.compile(r"[^\s@]{1,64}@[^\s@]{1,200}\.[A-Za-z]{2,24}")
_CODE = re.compile(r"[#@]?(?=[^\W_]*?[\w-]*\d)(?=[\w-]*[A-Za-z])\w+(?:[-_]\w+)*")
_DIGITS = re.compile(rf"\d{{{LONG_DIGITS},}}")
_TIME = re.compile(
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([T_ ]?\d{1,2}([:h-]?\d{2}){0,2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})?)?"
    r"|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|(19|20)\d{6}(T?\d{4,6}Z?)?|\d{1,2}[ap]m|q[1-4][-_]?\d{4}|\d{4}[-_]?q[1-4]"
    r"|\d{1,2}[-_]?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-_]?\d{2,4}"
    r"|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[-_]?\d{1,4}([-_]\d{2,4})?|\d{4}-?w\d{2}|p(\d+[ymwdths])+",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"\d+(st|nd|rd|th|[a-z%]{1,5}|[-_][a-z]{1,12})|[a-z]{1,3}\d{1,2}|v\d+([._-]\d+)*", re.IGNORECASE
)
_FREE_KEYS = re.compile(
    r"amount|price|total|cost|balance|quantity|count|limit|offset|page|size|width|height|lat|lon|time|date|year|duration|seed"
    r"|idempotenc|nonce|request_?id|correlation|trace_?id|uuid|color|colour|query|expression|code_?block|script|sql|content|text|summary"
    r"|message|thought|reason|note|comment|description|title|subject|body|name|address|street|city|suite|apartment",
    re.IGNORECASE,
)


def detect(run: Run, calls: Sequence[StepView]) -> Iterator[Finding]:
    """One finding for each argument of an agent's call that is like an identifier (an email, a code with digits, a
    long number) and stands in nothing that a person said or a tool returned before. List items count as one argument.

    Left alone are dates, amounts, measures, words, free text, values under keys that the agent is free to fill; a value
    derived from what a person said (the local part of an address, their number with a prefix); and one with which
    an earlier call succeeded, since that call confirmed it.

    Message and evidence tell apart what stands only in the prompt, what stands only in the tools' schemas (an example,
    say), and what stands nowhere; `sources` says of each argument of the call who gave it: person, tool, prompt, schema,
    nowhere.
    """
    confirmed = _Confirmed()
    schemas = _Schemas(run)
    for call in calls:
        if call.step.requestor != "agent" or not call.step.paired:
            continue
        found: dict[str, list[str]] = {}
        for place, value in _invented(call):
            if not confirmed.holds(value) and not _number_was_said(run, call.step, value):
                found.setdefault(_argument(place), []).append(place)
        for argument, places in found.items():
            yield _finding(call.step, call.moment, argument, places, schemas)
        if succeeded(call.step):
            confirmed.add(call)


def is_identifier(value: JsonValue) -> bool:
    """Whether a value is like an identifier: it names one particular thing and cannot be guessed."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int):
        return value >= LONG_NUMBER and not _TIME.fullmatch(str(value))
    if not isinstance(value, str) or not 4 <= len(value) <= MAX_LENGTH:
        return False
    if _EMAIL.fullmatch(value):
        return True
    if not value.isascii() or _TIME.fullmatch(value) or _MEASURE.fullmatch(value):
        return False
    return bool(_DIGITS.fullmatch(value) or _CODE.fullmatch(value))


def _invented(call: StepView) -> Iterator[tuple[str, Scalar]]:
    """The places and values that look like identifiers and that nobody gave."""
    view, derived = call.moment, derived_places(call.step)
    for place, value in view.leaves:
        ungiven = view.provenance.get(place) in {"nowhere", "prompt"} and place not in derived
        if ungiven and is_identifier(value) and not _is_free(place):
            yield place, value


def _number_was_said(run: Run, step: Step, value: Scalar) -> bool:
    """Whether the person said the digits of a code by themselves ("it's 9502127" for "#W9502127")."""
    digits = max(_RUNS_OF_DIGITS.findall(str(value)), key=len, default="")
    if len(digits) < SAID_DIGITS:
        return False
    said = (before.user_input for before in run.steps[: step.index + 1] if before.user_input)
    whole = re.compile(rf"(?<!\d){digits}(?!\d)")
    return any(digits in text and whole.search(text) for text in said)


def _is_free(place: str) -> bool:
    named = [part for part in pointers.parts_of(place) if not part.isdigit()]
    return bool(named) and bool(_FREE_KEYS.search(named[-1]))


def _argument(place: str) -> str:
    """The place with the positions in lists left out: "/items/0/id" -> "/items/*/id"."""
    return "".join("/*" if part.isdigit() else f"/{part}" for part in place.removeprefix("/").split("/"))


class _Confirmed:
    """The values of calls that succeeded, told apart by their type; looked into when a value was given by nobody."""

    def __init__(self) -> None:
        self._calls: list[StepView] = []
        self._values: set[str] = set()

    def add(self, call: StepView) -> None:
        """One more call."""
        self._calls.append(call)

    def holds(self, value: Scalar) -> bool:
        """Whether an argument of one of them was this value."""
        self._values.update(canonical(given) for call in self._calls for _, given in call.moment.leaves)
        self._calls.clear()
        return canonical(value) in self._values


class _Schemas:
    """What the schemas of the tools say, read when it is first asked for."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._sources: Sources | None = None

    def origin(self, view: Moment, place: str) -> str:
        """Who gave the value at `place`."""
        given = view.provenance.get(place, "nowhere")
        if given != "nowhere" or not self._run.tools:
            return given
        if self._sources is None:
            self._sources = Sources()
            self._sources.prompt(
                "\n".join(canonical(tool.model_dump(mode="json")) for tool in self._run.tools)
            )
        value = _value(view, place)
        known = not isinstance(value, dict | list) and self._sources.holds(value, "prompt")
        return "schema" if known else "nowhere"


def _finding(step: Step, view: Moment, argument: str, places: list[str], schemas: _Schemas) -> Finding:
    origins = {schemas.origin(view, place) for place in places}
    origin = next(one for one in ("nowhere", "schema", "prompt") if one in origins)
    where = _WHERE[origin]
    values: list[JsonValue] = [_value(view, place) for place in places[:10]]
    return Finding(
        index=step.index,
        code="args.fabricated",
        message=f"the value of {argument.strip('/').replace('/', '.')} {where}",
        kind="invalid_argument",
        detail=argument,
        evidence={
            "argument": argument,
            "pointers": [*places[:10]],
            "values": values,
            "provenance": origin,
            "sources": {place: schemas.origin(view, place) for place in [*view.provenance][:SOURCES]},
            "tool_failed": step.error is not None,
        },
    )


def _value(view: Moment, place: str) -> JsonValue:
    found = pointers.get(view.arguments, place)
    return None if found is pointers.MISSING else found


DETECTOR = Detector("fabricated_argument", ("args.fabricated",), detect)
