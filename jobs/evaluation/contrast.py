"""How often contrast names a difference of a silent failure, and how often it is a true one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from errata_client.model import JsonValue
from errata_client.run import Run
from ingest.analysis import analyse
from ingest.bounds import bounded
from ingest.contrast.differences import Difference
from ingest.contrast.effects import Effects, learn
from ingest.contrast.intents import Check, Encode, Intents
from ingest.contrast.verdict import Contrast, contrast_of
from ingest.from_email import note_derived
from ingest.masking import Masker
from jobs.evaluation.right_answers import Answer, Answered, argument_values
from knowledge.runs import RunRecord

KEY = b"evaluation: masked as in a store"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
ERRORS = ("tool.",)


@dataclass(frozen=True)
class Judged:
    """One run as the product sees it (`record`, masked) and what only the judge knows."""

    file: str
    record: RunRecord
    run: Run
    answer: Answer
    silent: bool


def judged(file: str, runs: Iterable[Answered]) -> list[Judged]:
    """The runs taken apart as ingest does. Silent: failed, and no tool reported an error."""
    masker = Masker(KEY)
    made: list[Judged] = []
    for one in runs:
        short, _ = bounded(one.run)
        found = analyse(masker.run(note_derived(short)), "evaluation", NOW)
        errors = any(case.error_code.startswith(ERRORS) for case in found.cases)
        silent = one.run.outcome.status == "failure" and not errors
        made.append(Judged(file, found.record, one.run, one.answer, silent))
    return made


def evaluate(runs: Sequence[Judged], encode: Encode) -> dict[str, JsonValue]:
    """Both comparisons over all the runs as one project: with runs of the same task, and with other tasks' runs alone."""
    effects = learn(one.record for one in runs)
    silent = [one for one in runs if one.silent]
    peers: defaultdict[str | None, list[RunRecord]] = defaultdict(list)
    for one in runs:
        peers[one.record.task_id].append(one.record)
    same = {one.record.run_id: contrast_of(one.record, peers[one.record.task_id], effects) for one in silent}
    successes = [one.record for one in runs if one.record.outcome.status == "success"]
    other = _by_intent(silent, same, Intents(successes, effects, encode))
    return {
        "runs": len(runs),
        "failed": sum(one.record.outcome.status == "failure" for one in runs),
        "silent": len(silent),
        "same_task": _by_file(silent, same, effects, need_siblings=True),
        "other_tasks": _by_file(silent, other, effects, need_siblings=False),
    }


def _by_intent(
    silent: Sequence[Judged], same: Mapping[str, Contrast], intents: Intents
) -> dict[str, Contrast]:
    """What the night would name for each run if no run of its task were there: trusted by the other tasks alone."""
    said = {one.record.run_id: intents.missing(one.record) for one in silent}
    shown = {one.record.run_id: _shown(same[one.record.run_id], said[one.record.run_id][0]) for one in silent}
    told: dict[str, Contrast] = {}
    for one in silent:
        checks = [shown[peer.record.run_id] for peer in silent if peer.record.task_id != one.record.task_id]
        check = Check(sum(found.named for found in checks), sum(found.right for found in checks))
        found, near = said[one.record.run_id]
        told[one.record.run_id] = Contrast(one.record, near, found if check.trusted else ())
    return told


def _shown(told: Contrast, said: Sequence[Difference]) -> Check:
    truly = {one.tool for one in told.found if one.code == "outcome.missing_action"}
    named = {one.tool for one in said}
    return Check(len(named), len(named & truly)) if told.siblings else Check()


def _by_file(
    silent: Sequence[Judged], told: Mapping[str, Contrast], effects: Effects, *, need_siblings: bool
) -> dict[str, JsonValue]:
    sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in silent:
        found = told[one.record.run_id]
        if need_siblings and not found.siblings:
            continue
        truths = [(difference.code, is_true(difference, one, effects)) for difference in found.found]
        for name in (one.file, ""):
            sums[name].update(runs=1, named=bool(truths), differences=len(truths))
            sums[name].update(true=sum(true for _, true in truths))
            for code, true in truths:
                sums[name].update({f"{code}": 1, f"{code} true": int(true)})
    files: dict[str, JsonValue] = {name: _shares(found) for name, found in sorted(sums.items()) if name}
    return _shares(sums[""]) | {"files": files}


def _shares(counts: Counter[str]) -> dict[str, JsonValue]:
    codes = sorted(name for name in counts if name.startswith("outcome.") and not name.endswith(" true"))
    return {
        "runs": counts["runs"],
        "named": counts["named"],
        "named_share": _share(counts["named"], counts["runs"]),
        "differences": counts["differences"],
        "true": counts["true"],
        "true_share": _share(counts["true"], counts["differences"]),
        "by_code": {code: {"named": counts[code], "true": counts[f"{code} true"]} for code in codes},
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def is_true(difference: Difference, one: Judged, effects: Effects) -> bool:
    """Whether the right answer really calls the tool more often (missing), less often (extra), or with no such value at any
    of the places named (divergent). Equal calls count once, and only those that change something."""
    needed = _distinct(one.answer, difference.tool)
    done = _distinct(_done(one.run, effects), difference.tool)
    if difference.code == "outcome.missing_action":
        return len(done) < len(needed)
    if difference.code == "outcome.extra_action":
        return len(done) > len(needed)
    call = next((step.tool_call for step in one.run.steps if step.index == difference.index), None)
    values = argument_values(call.arguments) if call else {}
    return bool(needed) and all(
        values.get(place) not in [right.get(place) for right in needed] for place in difference.places
    )


def _done(run: Run, effects: Effects) -> Answer:
    return tuple(
        (step.tool_call.tool, step.tool_call.arguments)
        for step in run.steps
        if step.tool_call and step.requestor == "agent" and step.error is None and step.answered
        if effects.changes(step.tool_call.tool)
    )


def _distinct(calls: Answer, tool: str) -> list[dict[str, list[str]]]:
    found: list[dict[str, list[str]]] = []
    for name, arguments in calls:
        values = argument_values(arguments)
        if name == tool and values not in found:
            found.append(values)
    return found
