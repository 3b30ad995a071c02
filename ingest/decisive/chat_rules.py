"""Rules for agents that talk, and at most run code. Each takes the course and answers a step with a reason, or None."""

from __future__ import annotations

from ingest.decisive.turns import Course, Turn
from ingest.decisive.wording import asks, made_up, numbers, shared_words, without_code

Found = tuple[int, str]
MIN_SHARED = 0.2
"""The share of a question's words under which a briefing is about something else."""
MIN_WORDS = 5
SHOWN = 3


def other_question(course: Course) -> Found | None:
    """The briefing sets another task than the person's question: hardly a word of it comes back."""
    first, question = course.briefing, course.run.user_intent or ""
    if first is None or (len(question.split()) < MIN_WORDS and len(question) < 3 * MIN_WORDS):
        return None
    place = first.text.rfind(question)
    rest = first.text[place + len(question) :] if place >= 0 else first.text
    share = shared_words(question, without_code(rest))
    if share >= MIN_SHARED:
        return None
    return (
        first.index,
        f"the task is told anew with {share:.0%} of the question's words: another question is worked on",
    )


def handed_code(course: Course) -> Found | None:
    """The briefing hands over code that is run as it is, and works: what follows builds on its result."""
    first = course.briefing
    if first is None or not first.ran_code or first.step.error is not None:
        return None
    return first.index, "the run starts from code that it was handed; it ran, and its result was built upon"


def made_up_data(course: Course) -> Found | None:
    """The first agent that works with something it says is not real."""
    for turn in _agents(course):
        if words := made_up(turn.text):
            return turn.index, f'it goes on with what is not known ("{words.lower()}")'
    return None


def claim_without_evidence(course: Course) -> Found | None:
    """Where nothing was ever run, whatever is answered was not found out: the first that states figures which stand
    nowhere before, if possible without asking for anything; else the first that asks for nothing."""
    agents = _agents(course)
    if any(turn.answered for turn in course.turns) or not agents:
        return None
    stating = [turn for turn in agents if _new_figures(course, turn)]
    if stating:
        turn = next((turn for turn in stating if not asks(turn.text)), stating[0])
        new = ", ".join(_new_figures(course, turn)[:SHOWN])
        return turn.index, f"nothing was looked up, and it states {new}, which stands nowhere before"
    first = next((turn for turn in agents if not asks(turn.text)), agents[-1])
    return first.index, "nothing was looked up: the first that answers does so from memory"


def first_code(course: Course) -> Found | None:
    """The first code after the briefing: all later steps repair it or build on it."""
    for turn in _agents(course):
        if turn.has_code or turn.ran_code:
            how = "failed" if turn.step.error is not None else "is what the others build on"
            return turn.index, f"the first attempt: its code {how}"
    return None


def first_words(course: Course) -> Found | None:
    """Where nothing else tells: the first agent after the briefing, who chose the way."""
    agents = _agents(course)
    return (agents[0].index, "the first to answer the briefing: it chose the way") if agents else None


def _new_figures(course: Course, turn: Turn) -> list[str]:
    return [number for number in course.unfounded(numbers(turn.prose), turn) if len(number) > 1]


def _agents(course: Course) -> list[Turn]:
    """Turns with words, after the briefing."""
    first = course.briefing
    return [turn for turn in course.speaking if turn is not first]
