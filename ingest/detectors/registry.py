"""The one list of detectors."""

from __future__ import annotations

from ingest.detectors import (
    declared_outcome,
    executable_content,
    fabricated_argument,
    invalid_json,
    low_reward,
    max_steps,
    multiple_actions,
    no_action,
    no_information_gain,
    not_permitted,
    oscillation,
    plan_course,
    plan_form,
    premature_answer,
    reflection,
    repeated_call,
    replan_exhausted,
    schema_violation,
    shape_mismatch,
    stale_premise,
    thought_tree,
    tool_error,
    tool_timeout,
    unknown_tool,
    unresolved_reference,
    untagged_thought,
    unverified_assumption,
    user_complaint,
)
from ingest.detectors.port import Detector

DETECTORS: tuple[Detector, ...] = (
    tool_error.DETECTOR,
    tool_timeout.DETECTOR,
    unknown_tool.DETECTOR,
    not_permitted.DETECTOR,
    invalid_json.DETECTOR,
    multiple_actions.DETECTOR,
    no_action.DETECTOR,
    premature_answer.DETECTOR,
    schema_violation.DETECTOR,
    unresolved_reference.DETECTOR,
    fabricated_argument.DETECTOR,
    shape_mismatch.DETECTOR,
    repeated_call.DETECTOR,
    oscillation.DETECTOR,
    no_information_gain.DETECTOR,
    max_steps.DETECTOR,
    plan_form.DETECTOR,
    plan_course.DETECTOR,
    stale_premise.DETECTOR,
    replan_exhausted.DETECTOR,
    executable_content.DETECTOR,
    unverified_assumption.DETECTOR,
    untagged_thought.DETECTOR,
    reflection.DETECTOR,
    thought_tree.DETECTOR,
    user_complaint.DETECTOR,
    declared_outcome.DETECTOR,
)

LAST_RESORT: Detector = low_reward.DETECTOR
"""Asked about a run in which none of the others found anything, or nothing but what is harmless."""
