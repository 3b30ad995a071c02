"""args.unresolved_reference: a placeholder that went out instead of the value that it stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from errata_client import pointer as pointers
from errata_client.context import Moment
from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.detectors.port import Detector, Finding

MAX_LENGTH = 2_000
_GATE = re.compile(r"[${<\[#]|\b(?:steps?|output|result)\b|YOUR_|步", re.IGNORECASE)
_NAME = r"[^\W\d][\w.\-]{0,60}"
_ANYWHERE = (
    ("template", re.compile(r"\$\{[^{}\n]{1,120}\}")),
    ("template", re.compile(r"\{\{[^{}\n]{1,120}\}\}")),
)
_WHOLE = (
    ("evidence variable", re.compile(r"#E\d{1,3}(?:\.[\w.]{1,60})?")),
    ("placeholder", re.compile(rf"<(?:{_NAME}|(?:[^\W\d]\w{{0,30}} ){{1,5}}\w{{1,30}})>")),
    ("placeholder", re.compile(rf"\{{{_NAME}\}}")),
    ("placeholder", re.compile(r"\[(?:[A-Z][A-Z_]{2,40}|[a-z]{2,20}(?:_[a-z]{1,20}){1,5})\]")),
    ("placeholder", re.compile(r"<?YOUR_[A-Z_]{2,40}>?")),
    (
        "path to a step",
        re.compile(
            r"\$?\.?(?:steps?|步骤)(?:\[\d{1,3}\]|[._ ]?\d{1,3}|\.[\w-]{1,40})\.(?:outputs?|results?|response|data|observation|输出|结果)[\w.\[\]]{0,80}",
            re.IGNORECASE,
        ),
    ),
    (
        "path to a step",
        re.compile(r"(?:outputs?|results?) (?:of|from) step \d{1,3}|第?\d{1,3}步的?(?:输出|结果)", re.IGNORECASE),
    ),
    ("path to a step", re.compile(r"\$[A-Za-z_]\w{0,40}(?:\.\w{1,40}){1,6}")),
)  # fmt: skip
_IN_PATH = re.compile(r"/\{[A-Za-z_]\w{0,40}\}(?=[/?#]|$)")
_FREE_KEYS = re.compile(
    r"template|prompt|query|sql|code|script|expression|regex|pattern|html|body|content|text|message|thought|format|command|markup",
    re.IGNORECASE,
)


def detect(_run: Run, calls: Sequence[StepView]) -> Iterator[Finding]:
    """One finding for each argument of an agent's call that still holds a reference to another step's output or an
    unfilled placeholder: `${find.id}`, `{{id}}` anywhere in it; `#E2`, `<order_id>`, `{id}`, `[ORDER_ID]`,
    `YOUR_API_KEY`, `steps[0].output`, `$find.id` as the whole of it; `/orders/{id}` in a path.

    Not: arguments of a plan that was not carried out; values under keys that hold templates, code, queries or text;
    values that a person gave or a tool returned. Evidence: the argument, the reference, what kind it is, and whether
    the tool failed on it.
    """
    for call in calls:
        if call.step.requestor == "agent" and call.step.paired:
            yield from _findings(call.step, call.moment)


def _findings(step: Step, view: Moment) -> Iterator[Finding]:
    for place, value in view.leaves:
        if not isinstance(value, str) or len(value) > MAX_LENGTH or not _GATE.search(value):
            continue
        found = reference_in(value)
        if found is None or view.provenance.get(place) in {"person", "tool"} or _is_free(place, found[0]):
            continue
        argument = place.strip("/").replace("/", ".")
        yield Finding(
            index=step.index,
            code="args.unresolved_reference",
            message=f"the argument {argument} still holds a reference that was not resolved",
            kind="invalid_argument",
            detail=place,
            evidence={
                "argument": place,
                "reference": found[1],
                "is": found[0],
                "tool_failed": step.error is not None,
            },
        )


def reference_in(value: str) -> tuple[str, str] | None:
    """What kind of reference an argument's text holds, and the reference; None without one."""
    text = value.strip()
    for kind, pattern in _WHOLE:
        if pattern.fullmatch(text):
            return kind, text[:120]
    for kind, pattern in _ANYWHERE:
        if match := pattern.search(text):
            return kind, match.group()
    match = _IN_PATH.search(text)
    return ("placeholder", match.group().strip("/")) if match else None


def _is_free(place: str, kind: str) -> bool:
    """Whether the argument is one that may hold such text for its own sake; a reference that is the whole of it is
    none of the ways to write a text."""
    named = [part for part in pointers.parts_of(place) if not part.isdigit()]
    return bool(named) and bool(_FREE_KEYS.search(named[-1])) and kind in {"template", "placeholder"}


DETECTOR = Detector("unresolved_reference", ("args.unresolved_reference",), detect)
