"""What the starter set does with the labelled error texts of many domains, with the packaged models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from attribution.answers import read_answers
from attribution.attributor import Attributor
from attribution.encoders.port import Encoder, Vectors
from attribution.encoders.registry import make_encoder
from attribution.parameters import default_parameters
from attribution.starter import starter_causes
from ingest.text import error_pattern
from knowledge.cases import Problem
from knowledge.causes import Attribution

TEXTS = Path(__file__).parent / "data" / "attribution_texts.yaml"
WHEN = datetime(2026, 1, 1, tzinfo=UTC)


def labelled() -> dict[str, list[dict[str, Any]]]:
    """The texts by group; each has a text, a kind, and in the known groups the cause that a person would give."""
    loaded: dict[str, list[dict[str, Any]]] = yaml.safe_load(TEXTS.read_text(encoding="utf-8"))
    return loaded


def decide(entries: Sequence[Mapping[str, Any]], encoders: Sequence[Encoder]) -> dict[str, Attribution]:
    """The attribution of each entry, by its text."""
    by_id = {encoder.id: encoder for encoder in encoders}

    def find(encoder: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
        read = sorted({text for text in texts if text and by_id[encoder].reads(text)})
        return dict(zip(read, by_id[encoder].encode(read), strict=True)) if read else {}

    parameters, answers = default_parameters(), read_answers([])
    attributor = Attributor(starter_causes(), answers, parameters, tuple(by_id), find, WHEN)
    return {one.fingerprint: one for one in attributor.attribute([_problem(entry) for entry in entries])}


def outcomes(entries: Sequence[Mapping[str, Any]], decided: Mapping[str, Attribution]) -> Counter[str]:
    """How many are right, wrong, abstained and unmatched; of a text that belongs nowhere, a match is wrong."""
    return Counter(_outcome(entry.get("cause"), decided[entry["text"]]) for entry in entries)


def main() -> None:
    """Print the outcomes by group of texts."""
    encoders = [make_encoder("minilm"), make_encoder("use-multilingual")]
    for group, entries in labelled().items():
        counts = outcomes(entries, decide(entries, encoders))
        told = ", ".join(f"{name} {counts[name]}" for name in ("right", "wrong", "abstained", "unmatched"))
        print(f"{group}: {len(entries)} texts: {told}")


def _outcome(cause: str | None, found: Attribution) -> str:
    if found.verdict != "matched":
        return found.verdict
    return "right" if found.root_cause == cause else "wrong"


def _problem(entry: Mapping[str, Any]) -> Problem:
    return Problem(
        fingerprint=entry["text"],
        error_code=entry.get("code", "tool.error"),
        error_kind=entry["kind"],
        step_id="tool",
        tool="tool",
        error_pattern=error_pattern(entry["text"]),
        error_message=entry["text"],
        user_intent="",
        context_text="",
        exemplar="case",
        count=1,
        first_seen=WHEN,
        last_seen=WHEN,
    )


if __name__ == "__main__":
    main()
