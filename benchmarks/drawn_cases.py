"""Cases drawn at random from published runs, laid out so that a person can judge each by reading.

    python -m benchmarks.drawn_cases [FOLDER] [--cases 100] [--seed 7] [--code CODE]

Drawn evenly over the codes, and within a code over the files, so that rare codes are read as closely as frequent ones. What was
judged is kept in `tests/ingest/data/read_cases.csv`, and `docs/error-codes.md` has the precision of each code from it.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from errata_client.jsontext import as_text, canonical
from errata_client.run import Run, Step
from ingest.adapters.records import open_source
from ingest.adapters.registry import AUTO, recognise
from ingest.analysis import analyse
from ingest.bounds import bounded
from ingest.from_email import note_derived
from knowledge.cases import FailureCase
from knowledge.errors import BadInputError
from knowledge.ids import digest

FOLDER = Path(__file__).resolve().parents[1] / "../shared/data"
PROJECT = "reading"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
AROUND = 3
"""Steps before a case's own that are shown."""

WIDTH = 260


@dataclass(frozen=True)
class Found:
    """A case, the file and the run that it is of. The run is not masked: it is only looked at."""

    file: str
    run: Run
    case: FailureCase


def found_in(folder: Path) -> Iterator[Found]:
    """Every case that the detectors find in the files of the folder that are read as runs; a run that two files hold is
    of the first."""
    seen: set[str] = set()
    for path in sorted(folder.glob("*/*.gz")):
        for run in _runs(path):
            if run.run_id not in seen:
                seen.add(run.run_id)
                name = path.relative_to(folder).as_posix()
                yield from (Found(name, run, case) for case in analyse(run, PROJECT, NOW).cases)


def draw(found: Sequence[Found], cases: int, seed: int) -> list[Found]:
    """At most `cases` of them: one of each code in turn, and within a code one of each file in turn."""
    by_code: dict[str, dict[str, list[Found]]] = defaultdict(lambda: defaultdict(list))
    for one in sorted(found, key=lambda one: digest("draw", seed, one.case.case_id)):
        by_code[one.case.error_code][one.file].append(one)
    queues = [list(_in_turn(list(files.values()))) for _, files in sorted(by_code.items())]
    return sorted(list(_in_turn(queues))[:cases], key=lambda one: (one.case.error_code, one.file))


def _in_turn(queues: Sequence[Sequence[Found]]) -> Iterator[Found]:
    for place in range(max(map(len, queues), default=0)):
        yield from (queue[place] for queue in queues if place < len(queue))


def _runs(path: Path) -> Iterator[Run]:
    try:
        opening = open_source(path)
        items = recognise(opening, AUTO).adapter.read(opening)
    except BadInputError:
        return
    yield from (note_derived(bounded(item)[0]) for item in items if isinstance(item, Run))


def _laid_out(one: Found) -> str:
    case = one.case
    lines = [
        f"== {case.case_id}  {case.error_code}  {one.file}  {one.run.run_id}  {one.run.outcome.status}",
        f"   {_short(case.error_message)}",
        f"   {_short(canonical(case.evidence), 2 * WIDTH)}",
    ]
    first = case.trigger_step.index - AROUND
    shown = [step for step in one.run.steps if first <= step.index <= case.trigger_step.index + 1]
    return "\n".join([*lines, *map(_step, shown)])


def _step(step: Step) -> str:
    parts = [f"   {step.index:>3}"]
    if step.user_input:
        parts.append(f"person: {_short(step.user_input)}")
    if step.thought or step.raw_output:
        parts.append(f"agent: {_short(step.thought or step.raw_output or '')}")
    if step.tool_call:
        parts.append(f"{step.tool_call.tool} {_short(canonical(step.tool_call.arguments))}")
        answer = step.error.message if step.error else as_text(step.observation)
        parts.append(f"{'ERROR' if step.error else '->'} {_short(answer)}")
    return "\n       ".join(parts)


def _short(text: str, width: int = WIDTH) -> str:
    line = " ".join(text.split())
    return line if len(line) <= width else f"{line[: width // 2]} … {line[-width // 2 :]}"


def main(asked: Sequence[str] = ()) -> int:
    """Draw, and print what was drawn."""
    parser = argparse.ArgumentParser(prog="benchmarks.drawn_cases")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--code")
    given = parser.parse_args(asked)
    found = [one for one in found_in(given.folder) if given.code in {None, one.case.error_code}]
    for one in draw(found, given.cases, given.seed):
        print(_laid_out(one))
    print(f"\n{len(found)} cases in {given.folder}", file=sys.stderr)
    return 0 if found else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
