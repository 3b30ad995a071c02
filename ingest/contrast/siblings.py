"""Successful runs that had the same to do as a failed one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from knowledge.runs import RunRecord

MAX_SIBLINGS = 8
"""Successful runs that one failed run is compared with."""
MARGIN = 1.5
"""How many times nearer in words one task has to be than the next for a run that names no id to be of it."""
_PLAIN = frozenset({"boolean", "number", "null"})
_WORD = re.compile(r"[\u2e80-\U0003ffff]|[^\W_]{3,}")


def same_task(record: RunRecord, peers: Iterable[RunRecord]) -> tuple[RunRecord, ...]:
    """The successful runs of the task of `record`, at most MAX_SIBLINGS, nearest in time first (then by id).

    `peers` are runs of any outcome. Those of the same agent and task id are meant; but task ids are often mere numbers,
    which two sets of tasks share, so runs of one task also name some id in common. A run that names none belongs to the
    only task there is under its id, else to the one whose intents are clearly nearest in words.
    """
    wanted = sorted((one for one in peers if _same_id(record, one)), key=lambda one: one.run_id)
    akin = _own_task(record, _tasks(wanted))
    successes = [one for one in akin if one.outcome.status == "success"]
    successes.sort(key=lambda one: (abs(one.occurred_at - record.occurred_at), one.run_id))
    return tuple(successes[:MAX_SIBLINGS])


def _same_id(record: RunRecord, other: RunRecord) -> bool:
    same = record.task_id is not None and record.task_id == other.task_id
    return same and record.agent.name == other.agent.name and record.run_id != other.run_id


_Task = tuple[frozenset[str], list[RunRecord]]


def _tasks(records: Sequence[RunRecord]) -> list[_Task]:
    """Runs that name an id in common are of one task, and so are runs that share one with a third. Those that name none
    are left out, unless all of them are such."""
    tasks: list[_Task] = []
    for record in records:
        names = frozenset(_named(record))
        if not names:
            continue
        members = [record]
        for task in [task for task in tasks if task[0] & names]:
            tasks.remove(task)
            names, members = names | task[0], [*task[1], *members]
        tasks.append((names, members))
    return tasks or [(frozenset(), list(records))]


def _own_task(record: RunRecord, tasks: Sequence[_Task]) -> list[RunRecord]:
    names = frozenset(_named(record))
    if names and any(task_names for task_names, _ in tasks):
        return [one for task_names, members in tasks if task_names & names for one in members]
    if len(tasks) == 1:
        return tasks[0][1]
    ranked = sorted(
        ((_nearness(record, members), place) for place, (_, members) in enumerate(tasks)), reverse=True
    )
    best, second = ranked[0], ranked[1]
    return tasks[best[1]][1] if best[0] > MARGIN * second[0] else []


def _nearness(record: RunRecord, members: Iterable[RunRecord]) -> float:
    """The largest share of words that the intent of the run has in common with one of theirs."""
    mine = _words(record.user_intent)
    shares = [
        len(mine & theirs) / len(mine | theirs)
        for one in members
        if (theirs := _words(one.user_intent)) or mine
    ]
    return max(shares, default=0.0)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.casefold() for word in _WORD.findall(text))


def _named(record: RunRecord) -> Iterator[str]:
    """Digests of the values that name something: those with a digit, a placeholder or an address among letters."""
    for call in record.calls:
        for pointer, digest in call.digests.items():
            shape = call.shapes.get(pointer, "")
            if shape not in _PLAIN and any(mark in shape for mark in "9_@"):
                yield digest
