"""Rules for an agent that calls tools. Each takes the course and answers a step with a reason, or None."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from errata_client.pointer import leaves
from ingest.contrast.effects import hands_over
from ingest.decisive.turns import Course, Turn
from ingest.decisive.wording import agrees, counts, refuses, requests

Found = tuple[int, str]
MIN_ID = 4


def locked_by_own_change(course: Course) -> Found | None:
    """A change was refused for good, and the agent's own change of the same thing stands right before it."""
    changes = [turn for turn in course.turns if turn.changes]
    for before, refused in pairwise(changes):
        if not before.changed or not _final(course, refused):
            continue
        if set(_ids(before)) & set(_ids(refused)):
            why = f"it changed the state that {refused.call} (step {refused.index}) then needed, which was refused for good"
            return before.index, f"{before.call}: {why}"
    return None


def refused_change(course: Course) -> Found | None:
    """The first change that was refused and never worked later in the run."""
    for turn in course.turns:
        if turn.changes and _final(course, turn):
            return turn.index, f"{turn.call} was refused and never worked afterwards"
    return None


def unfounded_count(course: Course) -> Found | None:
    """The agent tells a number of things that stands nowhere in what it was told or has read."""
    for turn in course.turns:
        if turn.text and not turn.call and (new := course.unfounded(counts(turn.text), turn)):
            return (
                turn.index,
                f"it counts {new[0]} of something, a number that stands nowhere in what it has read",
            )
    return None


def unanswered(course: Course) -> Found | None:
    """The run ends on a person's request that nobody answered."""
    last = course.turns[-1] if course.turns else None
    if last is None or last.text or last.call or not requests(last.heard):
        return None
    return last.index, "the run ends on a request that was not answered"


def unasked_change(course: Course) -> Found | None:
    """The first change that the person had not agreed to in their last words."""
    heard = ""
    for turn in course.turns:
        heard = turn.heard or heard
        if turn.changed and heard and not agrees(heard):
            return turn.index, f"{turn.call} was done without the person's agreement to it"
    return None


def gave_up(course: Course) -> Found | None:
    """Nothing was changed, and the agent handed the case over, or else said that it cannot be done."""
    if any(turn.changed for turn in course.turns):
        return None
    for turn in course.turns:
        if turn.call and hands_over(turn.call):
            return turn.index, "the case was handed over before anything was done"
    for turn in course.turns:
        if turn.text and not turn.call and refuses(turn.text):
            return turn.index, "the agent said that it cannot be done, and nothing was"
    return None


def failed_call(course: Course) -> Found | None:
    """The first call whose error was never made good: no later call of the tool worked."""
    for turn in course.turns:
        if turn.call and _final(course, turn):
            return turn.index, f"{turn.call} failed and never worked afterwards"
    return None


def last_change(course: Course) -> Found | None:
    """All was done and agreed to, and the outcome is a failure: the last thing that was changed settled it."""
    changed = [turn for turn in course.turns if turn.changed]
    return (changed[-1].index, f"{changed[-1].call} settled the outcome") if changed else None


def last_words(course: Course) -> Found | None:
    """Where nothing was changed and nothing refused: the answer itself."""
    spoken = [turn for turn in course.turns if turn.text or turn.call]
    return (
        (spoken[-1].index, "nothing was changed: the last answer stands for the outcome") if spoken else None
    )


def _final(course: Course, turn: Turn) -> bool:
    """Whether a call failed and no later call of the same tool worked."""
    later = (other for other in course.turns if other.index > turn.index and other.call == turn.call)
    return turn.failed and not any(other.answered and other.step.error is None for other in later)


def _ids(turn: Turn) -> Iterator[str]:
    """Values that can name a thing: texts with a digit in them."""
    call = turn.step.tool_call
    for _, value in leaves(call.arguments) if call else ():
        if isinstance(value, str) and len(value) >= MIN_ID and any(letter.isdigit() for letter in value):
            yield value
