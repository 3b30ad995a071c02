"""What a detector is: a run and its replayed calls in, findings with evidence out. No model, no clock, no store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from errata_client.model import JsonValue
from errata_client.replay import StepView
from errata_client.run import Run
from knowledge.cases import ErrorCode, ErrorKind


@dataclass(frozen=True)
class Finding:
    """One failure at one step. `detail` tells apart several of one code at one step; `evidence` is what was seen.

    `ends_run` marks a failure of the run as a whole, which shows at its end (FINAL_ANSWER): whatever call the last step
    holds has no part in it. `harmless` marks one that held nobody up: it is a case, and explains nothing.
    """

    index: int
    code: ErrorCode
    message: str
    kind: ErrorKind = "unknown"
    detail: str = ""
    evidence: dict[str, JsonValue] = field(default_factory=dict)
    ends_run: bool = False
    harmless: bool = False


Detect = Callable[[Run, Sequence[StepView]], Iterator[Finding]]
"""The masked run and its calls in order, as `errata_client.replay` sees them."""


@dataclass(frozen=True)
class Detector:
    """A detector's name, the codes that it can find, and its function."""

    name: str
    codes: tuple[ErrorCode, ...]
    detect: Detect
