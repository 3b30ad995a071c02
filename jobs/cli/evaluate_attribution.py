"""`errata evaluate attribution`: decisions held against labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console

from attribution import evaluation
from attribution.answers import read_answers
from attribution.attributor import Attributor
from attribution.encoders.port import Encoder, Vectors
from attribution.encoders.registry import make_encoder
from attribution.evaluation import Figures, Labelled
from attribution.exemplars import known_exemplars
from attribution.held_out import as_label
from attribution.parameters import Parameters, check_parameters, default_parameters
from attribution.starter import starter_causes
from jobs.cli.output import plain, show
from jobs.cli.session import JsonOption
from jobs.cli.tables import print_table
from jobs.files import read_text, write_whole
from knowledge.causes import Attribution, RootCause
from wiring.labelled import LabelFile, read_evaluated_causes, read_labels
from wiring.settings import load_settings

MISTAKES_SHOWN = 10
GROUPS_SHOWN = 40
NOW = datetime(2000, 1, 1, tzinfo=UTC)
"""Decisions of an evaluation carry no real time: the same files give the same output."""


def attribution(
    labels: Annotated[
        Path, typer.Argument(help='JSON lines: {"id", "case": {…}, "root_cause", "group"}.', metavar="LABELS")
    ],
    causes: Annotated[
        Path | None,
        typer.Option("--causes", help="YAML: the root causes; the starter set if not given.", metavar="FILE"),
    ] = None,
    confirmed: Annotated[
        Path | None,
        typer.Option("--confirmed", help="Labels that people gave before, to learn from.", metavar="FILE"),
    ] = None,
    decisions: Annotated[
        Path | None,
        typer.Option("--decisions", help="Write each decision there, one a line.", metavar="FILE"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Attribute labelled cases and say how many were matched rightly, wrongly, or not."""
    asked = read_labels(labels)
    known = _causes(causes)
    history = read_labels(confirmed) if confirmed else LabelFile()
    settings = load_settings()
    encoders = [make_encoder(name, device=settings.device) for name in settings.encoders]
    parameters = default_parameters()
    check_parameters(parameters, encoders)
    decide = _Deciding(known, history.labels, encoders, asked.labels, parameters)
    decided = decide(parameters)
    if decisions is not None:
        write_whole(decisions, _lines(asked.labels, decided))
    document = _document(asked, history, decide, decided, parameters)
    show(as_json, document, lambda console: _print(console, document))


class _Deciding:
    """Labelled problems, scored once by causes and a history, to be decided under any thresholds; the vectors of each
    distinct text are made once."""

    def __init__(
        self,
        causes: Sequence[RootCause],
        history: Sequence[Labelled],
        encoders: Sequence[Encoder],
        labels: Sequence[Labelled],
        parameters: Parameters,
    ) -> None:
        ids = {cause.cause_id for cause in causes}
        kept = [one for one in history if one.root_cause is None or one.root_cause in ids]
        self.causes, self.without_cause = causes, len(history) - len(kept)
        self.answers = read_answers(as_label(one, NOW) for one in kept)
        self.encoded = 0
        self._encoders = {encoder.id: encoder for encoder in encoders}
        self._vectors: dict[str, dict[str, Vectors]] = {encoder.id: {} for encoder in encoders}
        self._labels = labels
        self._attributor = Attributor(
            causes, self.answers, parameters, tuple(self._encoders), self._find, NOW
        )
        self._asked = list(self._attributor.questions([one.problem for one in labels]))

    def __call__(self, parameters: Parameters) -> list[Attribution]:
        """One decision per label, in the order of the labels."""
        found = {one.fingerprint: one for one in self._attributor.under(parameters, self._asked)}
        return [found[one.problem.fingerprint] for one in self._labels]

    def _find(self, encoder: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
        known, maker = self._vectors[encoder], self._encoders[encoder]
        new = sorted({text for text in texts if text and text not in known and maker.reads(text)})
        if new:
            known.update(zip(new, maker.encode(new), strict=True))
            self.encoded += len(new)
        return {text: known[text] for text in texts if text in known}


def _causes(path: Path | None) -> list[RootCause]:
    return list(starter_causes()) if path is None else read_evaluated_causes(read_text(path), str(path))


def _document(
    asked: LabelFile,
    history: LabelFile,
    decide: _Deciding,
    decided: Sequence[Attribution],
    parameters: Parameters,
) -> dict[str, Any]:
    labels = asked.labels
    known = known_exemplars(decide.causes, decide.answers)
    texts: dict[str, list[str]] = {}
    for one in known:
        texts.setdefault(one.cause_id, []).append(one.texts["error_pattern"])
    return {
        **_plain(evaluation.figures(labels, decided)),
        "threshold": parameters.threshold,
        "thresholds": _table(decide, labels, parameters),
        "causes": {name: _plain(one) for name, one in evaluation.by_cause(labels, decided).items()},
        "groups": {name: _plain(one) for name, one in evaluation.by_group(labels, decided).items()},
        "rungs": evaluation.by_rung(labels, decided),
        "reliability": evaluation.reliability(labels, decided),
        "twins": evaluation.twins(texts),
        "mistakes": [_plain(one) for one in evaluation.mistakes(labels, decided)],
        "texts_encoded": decide.encoded,
        "history": len(history.labels),
        "history_of_unknown_causes": decide.without_cause,
        "not_read": [*asked.not_read, *({**one, "file": "confirmed"} for one in history.not_read)],
    }


def _table(
    decide: _Deciding, labels: Sequence[Labelled], parameters: Parameters
) -> list[dict[str, float | None]]:
    """What other thresholds would have given. Thresholds of causes and of lone encoders move along."""
    rows = []
    for threshold in evaluation.THRESHOLDS:
        moved = threshold - parameters.threshold
        lone = min(1.0, max(0.5, parameters.lone_threshold + moved))
        other = parameters.model_copy(update={"threshold": threshold, "lone_threshold": lone})
        found = evaluation.figures(labels, decide(other))
        rows.append(_row(threshold, found))
    return rows


def _row(threshold: float, found: Figures) -> dict[str, float | None]:
    return {
        "threshold": threshold,
        "coverage": found.coverage,
        "precision": found.precision,
        "false_match_rate": found.false_match_rate,
        "false_match_upper": found.false_match_upper,
        "abstain_rate": found.abstain_rate,
    }


def _lines(labels: Iterable[Labelled], decided: Iterable[Attribution]) -> str:
    rows = (
        {
            "id": label.label_id,
            "verdict": one.verdict,
            "root_cause": one.root_cause,
            "score": one.score,
            "rung": one.rung,
            "runner_up": one.runner_up.cause_id if one.runner_up else None,
        }
        for label, one in zip(labels, decided, strict=True)
    )
    return "".join(orjson.dumps(row).decode() + "\n" for row in rows)


def _plain(model: Any) -> dict[str, Any]:
    fields = plain(model)
    assert isinstance(fields, dict)
    return fields


def _print(console: Console, document: Mapping[str, Any]) -> None:
    console.print(
        f"{document['cases']:,} cases, {document['with_template']:,} with a template: "
        f"{document['right']:,} matched rightly, {document['wrong']:,} wrongly, {document['abstained']:,} left to a person, "
        f"{document['unmatched']:,} unmatched"
    )
    console.print(
        f"coverage {_percent(document['coverage'])}, false matches {_percent(document['false_match_rate'])} "
        f"(at most {_percent(document['false_match_upper'])} at 95 %), abstained {_percent(document['abstain_rate'])}"
    )
    for name in ("thresholds", "groups"):
        rows = (
            document[name] if name == "thresholds" else [{"group": k, **v} for k, v in document[name].items()]
        )
        if rows and len(rows) <= GROUPS_SHOWN:
            console.print()
            first = "threshold" if name == "thresholds" else "group"
            columns = (first, "#coverage", "#false", "#at most", "#abstained")
            print_table(console, columns, [_figures_row(first, row) for row in rows])
    for one in document["twins"][:MISTAKES_SHOWN]:
        console.print(f"twins: {' and '.join(one['causes'])} share {one['text']!r}", markup=False)
    for one in document["mistakes"][:MISTAKES_SHOWN]:
        told = (
            f"wrong: {one['text'][:120]!r} is {one['right']}, was matched to {one['given']} ({one['rung']})"
        )
        console.print(told, markup=False, style="red")
    for one in document["not_read"][:MISTAKES_SHOWN]:
        console.print(f"not read: {one['position']}: {one['reason']}", markup=False, style="dim")


def _figures_row(first: str, row: Mapping[str, Any]) -> tuple[object, ...]:
    named = ("coverage", "false_match_rate", "false_match_upper", "abstain_rate")
    return (str(row[first]), *(_percent(row[name]) for name in named))


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"
