"""The messages that detectors compose are matched by the starter causes of their codes, with the packaged models."""

from __future__ import annotations

import pytest

from attribution.encoders.port import Encoder
from benchmarks.attribution import decide
from knowledge.cases import ERROR_CODES

# code, kind, message as the detector writes it, cause
MESSAGES = (
    ("output.invalid_json", "invalid_argument", "the arguments are the text of a Python dict, not a JSON object", "RC-071"),
    ("tool.unknown", "unimplemented", "there is no tool called find_books_2", "RC-072"),
    ("args.fabricated", "invalid_argument", "the value of order_id was given by nobody", "RC-073"),
    ("args.fabricated", "invalid_argument", "the value of items.*.id stands only in the tools' schemas", "RC-073"),
    ("loop.repeated_call", "unknown", "find_book was called again with the same arguments and gave the same error", "RC-074"),
    ("output.multiple_actions", "invalid_argument", "the output holds several actions, where one at a time is run", "RC-075"),
    ("output.no_action", "unknown", "the output announces an action and ends the turn without it", "RC-076"),
    ("output.no_action", "unknown", "the output holds nothing but thinking", "RC-076"),
    ("output.premature_answer", "failed_precondition", "the answer came before all steps of the plan were done", "RC-077"),
    ("tool.not_permitted", "permission_denied", "the agent is not permitted to call delete_reader", "RC-078"),
    ("args.schema_violation", "invalid_argument", "the argument book_id is required and missing", "RC-079"),
    ("args.schema_violation", "invalid_argument", "the argument items.*.price is not of type number or null", "RC-079"),
    ("args.unresolved_reference", "invalid_argument", "the argument book_id still holds a reference that was not resolved", "RC-080"),
    ("tool.timeout", "deadline_exceeded", "the call was not answered and the run timed out", "RC-053"),
    ("result.shape_mismatch", "internal", "in the result, copies.0.id is not of type integer", "RC-055"),
    ("result.shape_mismatch", "internal", "the result is not of type array", "RC-055"),
    ("loop.oscillation", "unknown", "the agent goes to and fro between find and list with the same arguments and answers", "RC-081"),
    ("loop.max_steps", "resource_exhausted", "the run used up its steps before it came to an end", "RC-082"),
    ("loop.no_information_gain", "unknown", "two calls in a row told next to nothing that was not known", "RC-083"),
    ("plan.invalid", "invalid_argument", "the plan depends on a step that it does not have", "RC-084"),
    ("plan.cycle", "invalid_argument", "the plan has steps that wait for each other", "RC-085"),
    ("plan.order", "failed_precondition", "a step uses the output of a step that had failed", "RC-086"),
    ("plan.missing_prerequisite", "failed_precondition", "a step was done without the step that it depends on", "RC-087"),
    ("plan.contract_violation", "failed_precondition", "a step gives other arguments than the plan says", "RC-088"),
    ("plan.stale_premise", "failed_precondition", "a step was carried out though an earlier result says that its premise does not hold", "RC-089"),
    ("plan.replan_exhausted", "resource_exhausted", "the plan was made anew as often as allowed and failed again", "RC-090"),
    ("thought.executable_content", "invalid_argument", "the thought holds an SQL statement", "RC-091"),
    ("thought.unverified_assumption", "failed_precondition", "the argument book_id rests on an assumption that nothing verified", "RC-092"),
    ("thought.untagged", "unknown", "the thought does not say what is fact, inference or assumption", "RC-093"),
    ("reflection.regressed", "unknown", "the attempt after the reflection went worse than the one before", "RC-094"),
    ("reflection.no_improvement", "unknown", "the attempt after the reflection went no better than the one before", "RC-095"),
    ("reflection.off_target", "unknown", "the reflection does not speak of the error, and the next attempt met it again", "RC-096"),
    ("tree.exploded", "resource_exhausted", "the search made more thoughts than it may", "RC-097"),
    ("tree.dead_branch_kept", "failed_precondition", "a thought of a dead branch was kept open", "RC-098"),
    ("outcome.user_complaint", "unknown", "the person complains of what the agent did", "RC-061"),
    ("outcome.low_reward", "unknown", "the run failed, and no step of it shows why", "RC-062"),
    ("outcome.abandoned", "aborted", "the run was given up before its end", "RC-063"),
    ("outcome.policy_violation", "failed_precondition", "the outcome says that a policy was violated", "RC-064"),
    ("outcome.missing_action", "unknown", "return_book was not called; all successful runs of this task called it", "RC-065"),
    ("outcome.extra_action", "unknown", "lend_book was called; no successful runs with the nearest intents did", "RC-066"),
    ("outcome.divergent_arguments", "unknown", "lend_book was called with another reader, days than in the successful runs of this task", "RC-067"),
)  # fmt: skip


def test_each_composed_message_is_matched_by_the_cause_of_its_code(
    default_encoders: tuple[Encoder, ...],
) -> None:
    entries = [{"code": code, "kind": kind, "text": text} for code, kind, text, _ in MESSAGES]
    decided = decide(entries, default_encoders)
    found = {text: (decided[text].root_cause, decided[text].reason) for *_, text, _ in MESSAGES}
    wrong = {text: found[text] for *_, text, cause in MESSAGES if found[text][0] != cause}
    assert wrong == {}


@pytest.mark.parametrize(
    "code", [code for code in ERROR_CODES if code not in {"tool.error", "tool.unavailable"}]
)
def test_every_code_that_a_detector_words_itself_has_a_message_here(code: str) -> None:
    assert code in {code for code, *_ in MESSAGES}
