"""The decisive step of a failed run, by written rules; English and Chinese."""

from __future__ import annotations

from errata_client.run import Outcome, Run, Step, StepError, ToolCall
from ingest.analysis import analyse
from ingest.contrast.stage import contrast
from ingest.decisive.step import decisive_step
from ingest.masking import Masker
from ingest.service import ingest_runs
from knowledge.kinds import CASES
from knowledge.store import Query, Store
from tests.ingest.making import KEY, NOW, a_run, a_shift, failing, step

FAILED = Outcome(status="failure", reward=0.0)
QUESTION = "How many loans of the northern library were renewed twice during the winter of 2019?"
BRIEF = "Task: find how many loans of the northern library were renewed twice in winter 2019. Plan: count the renewed loans."


def found(run: Run) -> tuple[int, str]:
    decisive = decisive_step(run)
    assert decisive is not None
    assert decisive.reason
    return decisive.index, decisive.rule


def says(index: int, text: str, who: str = "Counter", heard: str | None = None) -> Step:
    return Step(index=index, step_id=who, raw_output=text, observation=text, user_input=heard)


def codes(
    index: int, text: str, answer: str = "exitcode: 0 (execution succeeded)", *, failed: bool = False
) -> Step:
    error = StepError(message="NameError: loans", type="NameError") if failed else None
    call = ToolCall(tool="terminal", arguments={"code": "print(1)"})
    return says(index, f"{text}\n```python\nprint(1)\n```").model_copy(
        update={"tool_call": call, "observation": answer, "error": error}
    )


def chat(*steps: Step, question: str = QUESTION, brief: str = BRIEF) -> Run:
    opening = says(0, brief, "Manager", heard=question)
    return a_run(opening, *steps, user_intent=question, outcome=FAILED)


def desk(*steps: Step, outcome: Outcome = FAILED) -> Run:
    return a_run(*steps, user_intent="Renew my loan of B-1001.", outcome=outcome)


def talks(index: int, text: str, heard: str | None = None) -> Step:
    return Step(index=index, raw_output=text, user_input=heard)


def test_a_briefing_that_sets_another_task_is_decisive() -> None:
    brief = "Debug the attached script: it fails with exit code 1 and should print squares of even values."
    assert found(chat(codes(1, "Corrected."), says(2, "It works."), brief=brief)) == (0, "other_question")


def test_a_chinese_briefing_is_compared_by_pairs_of_characters() -> None:
    question = "二〇一九年冬天北方图书馆有多少次借阅被续借了两次?"
    off = chat(
        codes(1, "已修复。"), question=question, brief="请调试附件中的脚本,它报错退出,应输出偶数的平方。"
    )
    on = chat(
        codes(1, "开始。"), question=question, brief="任务:统计二〇一九年冬天北方图书馆续借了两次的借阅次数。"
    )
    assert (found(off)[1], found(on)[1]) == ("other_question", "first_code")


def test_code_that_was_handed_over_and_ran_is_decisive_and_code_that_failed_is_not() -> None:
    handed = codes(0, BRIEF).model_copy(update={"user_input": QUESTION, "step_id": "Manager"})
    run = a_run(handed, says(1, "The count is 4."), user_intent=QUESTION, outcome=FAILED)
    assert found(run) == (0, "handed_code")
    broken = handed.model_copy(update={"error": StepError(message="NameError: x")})
    mended = codes(1, "Mended.")
    assert found(a_run(broken, mended, user_intent=QUESTION, outcome=FAILED)) == (1, "first_code")


def test_data_that_somebody_made_up_is_decisive_before_the_first_code() -> None:
    run = chat(
        codes(1, "Looking it up.", failed=True),
        codes(2, "Let's use a mock dataset instead."),
        says(3, "It is 4."),
    )
    assert found(run) == (2, "made_up_data")
    assert found(chat(codes(1, "查询。", failed=True), codes(2, "我们用模拟数据代替。")))[0] == 2


def test_where_nothing_was_run_the_first_figure_from_nowhere_is_decisive() -> None:
    run = chat(
        says(1, "Could you look the 2019 figures up?"),
        says(2, "There were 482 of them."),
        says(3, "482 it is."),
    )
    assert found(run) == (2, "claim_without_evidence")


def test_where_nothing_was_run_and_no_figure_told_the_first_answer_is_decisive() -> None:
    run = chat(says(1, "Please provide the list."), says(2, "The answer is none."), says(3, "Agreed."))
    assert found(run) == (2, "claim_without_evidence")


def test_the_word_that_ends_a_chat_and_what_a_machine_says_are_nobodys_claim() -> None:
    machine = says(1, "There is no code from the last 1 message for me to execute.", "terminal")
    run = chat(machine, says(2, "There were 482."), says(3, "TERMINATE"))
    assert found(run)[0] == 2


def test_a_change_that_locked_what_came_next_is_decisive() -> None:
    run = desk(
        step(0, "find_loan", {"loan_id": "L-77"}),
        step(1, "renew_loan", {"loan_id": "L-77"}),
        failing(2, "update_loan_address", "Error: a renewed loan cannot be changed", {"loan_id": "L-77"}),
    )
    assert found(run) == (1, "locked_by_own_change")


def test_a_change_that_was_refused_for_good_is_decisive_and_one_made_good_later_is_not() -> None:
    refused = failing(1, "renew_loan", "Error: fees are due", {"loan_id": "L-77"})
    assert found(desk(step(0, "find_loan", {}), refused)) == (1, "refused_change")
    mended = desk(refused, step(2, "renew_loan", {"loan_id": "L-78"}), talks(3, "Done."))
    assert found(mended)[1] != "refused_change"


def test_a_tool_that_was_away_is_nobodys_mistake() -> None:
    away = failing(0, "renew_loan", "Error 503: service unavailable", {"loan_id": "L-77"})
    assert found(desk(away, talks(1, "Unfortunately, I cannot do it now.")))[1] == "gave_up"


def test_a_count_that_stands_nowhere_is_decisive() -> None:
    shelf = step(0, "list_books", {}, observation='{"ids": ["B-1", "B-2"]}')
    assert found(desk(shelf, talks(1, "We have 14 other items available."), talks(2, "Bye."))) == (
        1,
        "unfounded_count",
    )
    assert found(desk(shelf, talks(1, "共有14本书,另有15种可选。"), talks(2, "再见。"))) == (
        1,
        "unfounded_count",
    )


def test_counts_from_results_and_small_ones_are_founded() -> None:
    shelf = step(0, "list_books", {}, observation='{"total": 14}')
    run = desk(shelf, talks(1, "We have 14 items available, 2 options for you."), step(2, "renew_loan", {}))
    assert found(run)[1] != "unfounded_count"


def test_a_change_without_agreement_is_decisive_and_an_agreed_one_is_the_last_resort() -> None:
    asked = talks(0, "Which loan?", heard="Renew my loan of B-1001.")
    sudden = step(1, "renew_loan", {"loan_id": "L-77"}, user_input="The one of the atlas.")
    agreed = step(1, "renew_loan", {"loan_id": "L-77"}, user_input="Yes, go ahead.")
    assert found(desk(asked, sudden, talks(2, "Done."))) == (1, "unasked_change")
    assert found(desk(asked, agreed, talks(2, "Done."))) == (1, "last_change")
    chinese = step(1, "续借", {"借阅号": "L-77"}, user_input="好的,请继续。")
    assert found(desk(asked, chinese, talks(2, "已办理。"))) == (1, "last_change")


def test_handing_over_or_refusing_where_nothing_was_done_is_decisive() -> None:
    over = desk(step(0, "find_loan", {}), step(1, "transfer_to_human_agents", {"summary": "x"}))
    assert found(over) == (1, "gave_up")
    assert found(desk(step(0, "查询借阅", {}), talks(1, "很抱歉,无法为您续借。"), talks(2, "再见。"))) == (
        1,
        "gave_up",
    )


def test_a_request_at_the_end_that_nobody_answered_is_decisive() -> None:
    last = Step(index=2, user_input="Great, go ahead and renew it too. All good?")
    run = desk(step(0, "renew_loan", {}, user_input="yes"), talks(1, "Done."), last)
    assert found(run) == (2, "unanswered")
    leave = last.model_copy(update={"user_input": "Thanks, that's all. Please have a nice day?"})
    assert (
        found(desk(step(0, "renew_loan", {}, user_input="yes"), talks(1, "Done."), leave))[1] != "unanswered"
    )


def test_runs_that_did_not_fail_have_no_decisive_step() -> None:
    for status in ("success", "unknown", "aborted"):
        run = desk(failing(0, "renew_loan", "Error: fees"), outcome=Outcome(status=status))
        assert decisive_step(run) is None
        assert not any(case.decisive for case in analyse(run, "library", NOW).cases)
    assert decisive_step(desk()) is None


def test_one_case_of_a_failed_run_is_decisive_and_the_record_keeps_the_step() -> None:
    run = desk(
        failing(0, "find_loan", "Error: no such loan"), failing(1, "renew_loan", "Error: fees are due")
    )
    analysis = analyse(run, "library", NOW)
    assert [(case.trigger_step.index, case.decisive) for case in analysis.cases] == [(0, False), (1, True)]
    assert analysis.record.decisive is not None
    assert (analysis.record.decisive.index, analysis.record.decisive.rule) == (1, "refused_change")
    assert analysis.cases[1].decisive_reason == "renew_loan was refused and never worked afterwards"


def test_a_decisive_step_without_a_case_is_told_by_the_case_that_followed() -> None:
    locked = failing(1, "update_loan_address", "Error: renewed", {"loan_id": "L-77"})
    renewed = step(0, "renew_loan", {"loan_id": "L-77"}, user_input="My loan is L-77.")
    (case,) = analyse(desk(renewed, locked), "library", NOW).cases
    assert case.decisive
    assert str(case.decisive_reason).startswith("step 0 decided it: renew_loan")


def test_what_contrast_names_is_decisive_from_then_on(store: Store) -> None:
    looked = step(0, "find_loan", {"loan_id": "X-4711"})
    failed = desk(looked).model_copy(update={"run_id": "bad", "task_id": "t"})
    good = desk(step(0, "renew_loan", {"loan_id": "X-4711"}), outcome=Outcome(status="success"))
    ingest_runs(
        [failed, good.model_copy(update={"run_id": "good", "task_id": "t"})], a_shift(store), Masker(KEY)
    )
    contrast(a_shift(store), lambda _: {})
    cases = [
        stored.item for stored in store.collection("library", CASES).scan(Query(where={"run_id": "bad"}))
    ]
    assert [case.error_code for case in cases if case.decisive] == ["outcome.missing_action"]
