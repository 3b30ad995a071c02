"""Detectors of how a run ends, and of which run nothing else tells."""

from __future__ import annotations

import pytest

from errata_client.model import JsonValue
from errata_client.run import Outcome, Step
from ingest.adapters.arguments import make_call
from ingest.analysis import analyse
from ingest.detectors import declared_outcome, user_complaint
from ingest.detectors.user_complaint import complaint_in
from tests.ingest.making import NOW, a_run, failing, found, step

FAILED = Outcome(status="failure", reward=0.0)


# outcome.user_complaint


@pytest.mark.parametrize(
    "text",
    [
        "You cancelled the wrong order!",
        "That’s not what I asked for.",
        "I never asked you to renew it.",
        "I already told you my number.",
        "You keep asking me the same thing.",
        "You misunderstood me: I want the blue one.",
        "I think there might be a misunderstanding. I wanted the blue one.",
        "好像有误会，我要的是蓝色的。",
        "What is wrong with you?",
        "you're not listening",
        "你搞错了，我要的是另一本。",
        "这不是我要的书",
        "我没让你取消",
        "我刚才已经说过了，卡号是 12",
        "你怎么一直问同样的问题",
        "答非所问！",
    ],
)
def test_words_that_complain_of_the_agent_are_found(text: str) -> None:
    acted = step(0, "cancel_loan")
    run = a_run(acted, Step(index=1, user_input=text))
    (finding,) = found(user_complaint.DETECTOR, run)
    assert (finding.index, finding.evidence["said_at"]) == (0, 1)


@pytest.mark.parametrize(
    "text",
    [
        "The book that I got is damaged, I am very disappointed.",
        "This is frustrating, my flight was delayed!",
        "I made a mistake when I booked.",
        "Please transfer me to a human.",
        "If you made a mistake, please tell me.",
        "I didn't bring the card with me.",
        "You can cancel the wrong one and keep the other.",
        "I said thanks to your colleague.",
        "like I said, the code is 32169",
        "I apologize for the confusion.",
        "Your colleague said so. I think there might be a misunderstanding.",
        "What is wrong with this system? Refunds should go to any card!",
        "这本书质量太差了",
        "我搞错了，应该是另一本。",
        "请帮我转人工",
        "是不是我要的那本？",
    ],
)
def test_displeasure_with_other_things_is_no_complaint_of_the_agent(text: str) -> None:
    assert complaint_in(text) is None


def test_the_first_words_complain_of_nothing_that_the_agent_did() -> None:
    run = a_run(step(0, "find", user_input="You cancelled the wrong order!"))
    assert not found(user_complaint.DETECTOR, run)


# outcome.abandoned and outcome.policy_violation


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        ({"status": "failure", "reason": "ended by too_many_errors"}, "outcome.abandoned"),
        ({"status": "failure", "reason": "the agent gave up"}, "outcome.abandoned"),
        ({"status": "failure", "reason": "用户中途离开"}, "outcome.abandoned"),
        ({"status": "failure", "reason": "refund policy was violated"}, "outcome.policy_violation"),
        ({"status": "failure", "reason": "违反了退款规定"}, "outcome.policy_violation"),
        ({"status": "unknown", "policy_violations": ["lent to a child"]}, "outcome.policy_violation"),
        ({"status": "failure", "reason": "ended by max_steps"}, None),
        ({"status": "failure", "reason": "no policy was violated"}, None),
        ({"status": "failure", "reason": "没有违反规定"}, None),
        ({"status": "aborted", "reason": "the person gave up"}, None),
        ({"status": "success", "policy_violations": []}, None),
        ({"status": "failure"}, None),
    ],
)
def test_what_the_outcome_declares(outcome: dict[str, JsonValue], code: str | None) -> None:
    run = a_run(step(0, "find"), outcome=Outcome.model_validate(outcome))
    assert [finding.code for finding in found(declared_outcome.DETECTOR, run)] == ([code] if code else [])


def test_last_words_that_give_up() -> None:
    for text in ("I'm giving up on this.", "很抱歉，我只能放弃。"):
        run = a_run(step(0, "find"), Step(index=1, raw_output=text))
        assert [finding.code for finding in found(declared_outcome.DETECTOR, run)] == ["outcome.abandoned"]
    kept = a_run(step(0, "find"), Step(index=1, raw_output="Do not give up, it is on the shelf."))
    assert not found(declared_outcome.DETECTOR, kept)


# outcome.low_reward


def codes_of(*steps: Step, outcome: Outcome) -> list[str]:
    return [case.error_code for case in analyse(a_run(*steps, outcome=outcome), "library", NOW).cases]


def test_a_failed_run_without_another_failure_has_one_bare_case() -> None:
    assert codes_of(step(0, "find"), step(1, "lend"), outcome=FAILED) == ["outcome.low_reward"]


def test_a_failed_run_with_another_failure_has_no_bare_case() -> None:
    assert codes_of(failing(0, "find", "Error: 未找到"), outcome=FAILED) == ["tool.error"]


def test_arguments_that_were_no_json_but_ran_explain_no_failed_run() -> None:
    ran = step(0, "think", tool_call=make_call("think", "{'thought': '嗯'}"))
    broke = failing(0, "think", "Error: no", tool_call=make_call("think", "{'thought': '嗯'}"))
    assert codes_of(ran, outcome=FAILED) == ["output.invalid_json", "outcome.low_reward"]
    assert codes_of(broke, outcome=FAILED) == ["tool.error", "output.invalid_json"]


def test_a_failure_of_the_whole_run_is_not_laid_at_the_door_of_its_last_call() -> None:
    (case,) = analyse(a_run(step(0, "find"), outcome=FAILED), "library", NOW).cases
    assert (case.trigger_step.tool, case.trigger_step.step_id) == ("final_answer", "final_answer")
    assert case.trigger_step.arguments == {}
    assert case.view is None
    assert case.repair is None


@pytest.mark.parametrize("status", ["success", "aborted", "unknown"])
def test_runs_that_did_not_fail_or_that_a_person_broke_off_have_none(status: str) -> None:
    outcome = Outcome.model_validate({"status": status, "reward": 0.4})
    assert codes_of(step(0, "find"), outcome=outcome) == []
