"""Which step of a failed run was the decisive one: the first rule that finds one, in this order."""

from __future__ import annotations

from collections.abc import Callable

from errata_client.run import Run
from ingest.decisive import call_rules, chat_rules
from ingest.decisive.turns import Course, course_of
from knowledge.runs import DecisiveStep

Rule = Callable[[Course], tuple[int, str] | None]
CHAT: tuple[Rule, ...] = (
    chat_rules.other_question,
    chat_rules.handed_code,
    chat_rules.made_up_data,
    chat_rules.claim_without_evidence,
    chat_rules.first_code,
    chat_rules.first_words,
)
CALLS: tuple[Rule, ...] = (
    call_rules.locked_by_own_change,
    call_rules.refused_change,
    call_rules.unfounded_count,
    call_rules.gave_up,
    call_rules.unanswered,
    call_rules.unasked_change,
    call_rules.failed_call,
    call_rules.last_change,
    call_rules.last_words,
)


def decisive_step(run: Run) -> DecisiveStep | None:
    """The earliest step whose repair would have changed the outcome, as far as the run itself tells; None where the run
    did not fail. It may be a step that holds no failure case."""
    if run.outcome.status != "failure" or not run.steps:
        return None
    course = course_of(run)
    for rule in CHAT if course.is_chat else CALLS:
        if found := rule(course):
            return DecisiveStep(index=found[0], rule=rule.__name__, reason=found[1])
    return None
