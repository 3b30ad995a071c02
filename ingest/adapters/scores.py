"""How a run ended, by what people and evaluators scored: LangSmith's feedback, Langfuse's scores."""

from __future__ import annotations

import re
from collections.abc import Mapping

from errata_client.model import JsonValue
from errata_client.run import Outcome
from ingest.adapters.tau_bench import outcome_of

NAMES = (
    "outcome", "success", "task_success", "task_completion", "task_completed", "completed", "resolved", "reward", "passed", "pass",
    "correctness", "correct", "accuracy", "exact_match", "user_feedback", "user_score", "user_rating", "feedback", "thumbs",
)  # fmt: skip
"""Names of scores that say whether a run succeeded, the plainest first. Others ("hallucination", "cost") say something
else, and high may be bad there."""

_GOOD = frozenset(
    [
        "true",
        "yes",
        "y",
        "pass",
        "passed",
        "correct",
        "success",
        "good",
        "positive",
        "thumbs_up",
        "1",
        "resolved",
        "是",
        "成功",
    ]
)
_BAD = frozenset(
    [
        "false",
        "no",
        "n",
        "fail",
        "failed",
        "incorrect",
        "wrong",
        "failure",
        "bad",
        "negative",
        "thumbs_down",
        "0",
        "-1",
        "否",
        "失败",
    ]
)


def outcome_by(scores: Mapping[str, JsonValue]) -> Outcome:
    """The outcome by the first of NAMES among the scores; unknown where there is none of them.

    1, true, "correct" and the like are success; 0, -1, false, "incorrect" failure; anything between is kept.
    """
    named = {re.sub(r"[^a-z]+", "_", name.lower()).strip("_"): name for name in scores}
    for name in NAMES:
        if name in named:
            value = _number(scores[named[name]])
            if value is not None:
                return outcome_of(max(value, 0.0), f"{named[name]} is {value:g}")
    return Outcome()


def _number(value: JsonValue) -> float | None:
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str):
        said = value.strip().lower().replace(" ", "_")
        return 1.0 if said in _GOOD else 0.0 if said in _BAD else None
    return None
