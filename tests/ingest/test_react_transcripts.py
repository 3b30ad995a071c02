"""ReAct transcripts as people have them: both languages, every way to write a call, examples, colours, thinking."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from errata_client.run import Run, Step
from ingest.adapters.port import NotAnalysed
from ingest.masking import Masker
from ingest.service import ingest_file
from knowledge.errors import BadInputError
from knowledge.store import Store
from tests.ingest.making import KEY, a_shift, read, written, written_lines


def read_text(tmp_path: Path, text: str, encoding: str = "utf-8") -> tuple[list[Run], list[NotAnalysed]]:
    path = tmp_path / "log.txt"
    path.write_bytes(text.encode(encoding))
    return read(path)


def one(tmp_path: Path, text: str) -> Run:
    (run,), left_out = read_text(tmp_path, text)
    assert not left_out
    return run


def called(run: Run) -> list[tuple[str, dict[str, Any]]]:
    return [(step.tool_call.tool, step.tool_call.arguments) for step in run.steps if step.tool_call]


def seen(run: Run) -> list[Any]:
    return [step.observation for step in run.steps if step.tool_call]


ENGLISH = """Question: Is B-1001 free?
Thought: I have to look.
It may be lent.
Action: look_up
Action Input: {"book_id": "B-1001"}
Observation: title: On Rivers
state: lent

due: 3 May
Thought: It is lent.
Final Answer: No, until 3 May.
"""

CHINESE = """问题：B-1001 能借吗？
思考1：我要先查一下。
动作1：查询[B-1001]
观察1：错误：系统繁忙
思考2：再查一次。
动作2：查询[B-1001]
观察2：已借出，5 月 3 日归还
思考3：知道了。
最终答案：不能，5 月 3 日才还。
"""


def test_an_english_transcript_is_a_run_with_its_thoughts_calls_and_answer(tmp_path: Path) -> None:
    run = one(tmp_path, ENGLISH)
    assert (run.agent.kind, run.user_intent, run.prompt) == ("react", "Is B-1001 free?", None)
    first, last = run.steps
    assert first.user_input == "Is B-1001 free?"
    assert first.thought == "I have to look.\nIt may be lent."
    assert called(run) == [("look_up", {"book_id": "B-1001"})]
    assert first.observation == "title: On Rivers\nstate: lent\n\ndue: 3 May"
    assert (last.tool_call, last.thought, last.raw_output) == (None, "It is lent.", "No, until 3 May.")
    assert first.raw_output is not None
    assert first.raw_output.startswith("Thought: I have to look.")


def test_a_chinese_transcript_with_numbers_and_full_width_colons_is_read_alike(tmp_path: Path) -> None:
    run = one(tmp_path, CHINESE)
    assert run.user_intent == "B-1001 能借吗？"
    assert called(run) == [("查询", {"input": "B-1001"})] * 2
    assert [bool(step.error) for step in run.steps] == [True, False, False]
    assert (run.steps[2].thought, run.steps[2].raw_output) == ("知道了。", "不能，5 月 3 日才还。")


@pytest.mark.parametrize(
    ("action", "tool", "arguments"),
    [
        ("Action: look_up[B-1]", "look_up", {"input": "B-1"}),
        ("Action: Look Up[On Rivers (1998)]", "Look Up", {"input": "On Rivers (1998)"}),
        ("Action: look_up(book_id='B-1', copies=2)", "look_up", {"book_id": "B-1", "copies": 2}),
        ('Action: look_up("B-1")', "look_up", {"input": "B-1"}),
        ("Action: look_up(B-1)", "look_up", {"input": "B-1"}),
        ("Action: look_up()", "look_up", {}),
        ('Action: look_up({"book_id": "B-1"})', "look_up", {"book_id": "B-1"}),
        ("动作：查询（B-1）", "查询", {"input": "B-1"}),
        ("行动：查询【B-1】", "查询", {"input": "B-1"}),
        ("Action: look_up\nAction Input: B-1", "look_up", {"input": "B-1"}),
        ("Action: look_up\nAction Input: 1001", "look_up", {"input": "1001"}),
        ('Action: `look_up`\nAction Input: "B-1"', "look_up", {"input": "B-1"}),
        ("Action: [look_up]\nAction Input: {'book_id': 'B-1'}", "look_up", {"book_id": "B-1"}),
        ("Action: look_up Action Input: B-1", "look_up", {"input": "B-1"}),
        ('行动：查询\n行动输入：{"编号": "B-1"}', "查询", {"编号": "B-1"}),
        ('Action: look_up\nAction Input:\n```json\n{"book_id": "B-1"}\n```', "look_up", {"book_id": "B-1"}),
        ("Action: look_up\nAction Input: None", "look_up", {}),
        ('Action: {"action": "look_up", "action_input": {"book_id": "B-1"}}', "look_up", {"book_id": "B-1"}),
        (
            'Action:\n```\n{\n  "action": "look_up",\n  "action_input": "B-1"\n}\n```',
            "look_up",
            {"input": "B-1"},
        ),
        (
            'Action:\n```json\n{"name": "look_up", "arguments": {"book_id": "B-1"}}\n```',
            "look_up",
            {"book_id": "B-1"},
        ),
        ('Action: {"tool": "look_up", "args": {}}', "look_up", {}),
        ('Action: [{"action": "look_up", "action_input": {}}]', "look_up", {}),
        ("**Action:** look_up\n**Action Input:** B-1", "look_up", {"input": "B-1"}),
        ("### Action\n", "", {}),
        ("ACTION: look_up\nACTION INPUT: B-1", "look_up", {"input": "B-1"}),
        ("Action: look_up: On Rivers\nPAUSE", "look_up", {"input": "On Rivers"}),
        ("Action: look_up(book_id='B-1')\nPAUSE", "look_up", {"book_id": "B-1"}),
        ("Action: look_up[B-1]\nI wait.", "look_up", {"input": "B-1"}),
        ("Action: go to shelf 3", "go", {"input": "to shelf 3"}),
    ],
)
def test_a_call_may_be_written_in_many_ways(
    tmp_path: Path, action: str, tool: str, arguments: dict[str, Any]
) -> None:
    text = f"Thought: so\n{action}\nObservation: fine\nThought: done\nFinal Answer: yes\n"
    runs, _ = read_text(tmp_path, text if tool else ENGLISH)
    assert called(runs[0]) == ([(tool, arguments)] if tool else [("look_up", {"book_id": "B-1001"})])


def test_a_blob_that_is_no_json_keeps_its_text_and_what_a_lenient_reading_makes_of_it(tmp_path: Path) -> None:
    text = (
        'Thought: so\nAction: {"action": "look_up", "action_input": {"book_id": "B-1",}\nObservation: fine\n'
    )
    call = one(tmp_path, text).steps[0].tool_call
    assert call is not None
    assert (call.tool, call.arguments, call.arguments_recovered) == ("look_up", {"book_id": "B-1"}, True)
    assert call.raw_arguments == '{"action": "look_up", "action_input": {"book_id": "B-1",}'


def test_arguments_that_are_no_literals_stay_raw(tmp_path: Path) -> None:
    text = "Thought: so\nAction: look_up(book_id=the first one)\nObservation: fine\n"
    call = one(tmp_path, text).steps[0].tool_call
    assert call is not None
    assert (call.arguments, call.raw_arguments) == ({}, "book_id=the first one")


def test_colour_codes_windows_line_ends_and_chain_marks_of_a_langchain_log_are_no_text(
    tmp_path: Path,
) -> None:
    log = (
        "\x1b[1m> Entering new AgentExecutor chain...\x1b[0m\r\n"
        "\x1b[32;1m\x1b[1;3mI need the book.\r\nAction: look_up\r\nAction Input: B-1\x1b[0m\r\n"
        "Observation: \x1b[36;1m\x1b[1;3mlent\x1b[0m\r\n"
        "Thought:\x1b[32;1m\x1b[1;3m I now know the final answer.\r\nFinal Answer: lent\x1b[0m\r\n\r\n"
        "\x1b[1m> Finished chain.\x1b[0m\r\nlent\r\n"
    )
    for text in (log, log.replace("\x1b", "")):
        run = one(tmp_path, text)
        assert run.steps[0].thought == "I need the book."
        assert called(run) == [("look_up", {"input": "B-1"})]
        assert seen(run) == ["lent"]
        assert (run.steps[1].thought, run.steps[1].raw_output) == ("I now know the final answer.", "lent")


def test_a_chain_within_a_tool_is_not_the_end_of_the_run(tmp_path: Path) -> None:
    log = (
        "> Entering new AgentExecutor chain...\nI calculate.\nAction: Calculator\nAction Input: 2*3\n"
        "> Entering new LLMMathChain chain...\n2*3\n> Finished chain.\nObservation: Answer: 6\n"
        "Thought: good\nFinal Answer: 6\n> Finished chain.\n"
        "> Entering new AgentExecutor chain...\nAgain.\nAction: Calculator\nAction Input: 1+1\nObservation: Answer: 2\n"
    )
    first, second = read_text(tmp_path, log)[0]
    assert called(first)[0][0] == "Calculator"
    assert first.steps[1].raw_output == "6"
    assert seen(second) == ["Answer: 2"]
    assert second.steps[0].thought == "Again."


TEMPLATE = """Answer the question. You have access to these tools: look_up: finds a book.
Use the following format:

Question: the input question you must answer
Thought: you should always think about what to do
Action: the action to take, should be one of [look_up, lend]
Action Input: the input to the action
Observation: the result of the action
... (this Thought/Action/Action Input/Observation can repeat N times)
Thought: I now know the final answer
Final Answer: the final answer to the original input question

Begin!

"""

EXAMPLES = """Solve a question with interleaving thoughts, actions and observations.
Here are some examples.
Question: Is B-0001 free?
Thought 1: I look.
Action 1: look_up[B-0001]
Observation 1: free
Thought 2: Yes.
Action 2: Finish[yes]

Question: Is B-0002 free?
Thought 1: I look.
Action 1: look_up[B-0002]
Observation 1: lent
Action 2: Finish[no]
"""


def test_the_form_that_a_prompt_shows_is_no_run_and_its_tools_are_declared(tmp_path: Path) -> None:
    run = one(tmp_path, TEMPLATE + ENGLISH)
    assert called(run) == [("look_up", {"book_id": "B-1001"})]
    assert [tool.name for tool in run.tools] == ["lend", "look_up"]
    assert run.prompt is not None
    assert "the action to take" in run.prompt


def test_a_file_with_nothing_but_the_form_is_no_transcript(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="not JSON"):
        read_text(tmp_path, TEMPLATE)


def test_examples_before_the_real_question_are_of_the_prompt_and_not_of_the_run(tmp_path: Path) -> None:
    runs, left_out = read_text(tmp_path, f"{EXAMPLES}\n{ENGLISH}")
    assert [run.user_intent for run in runs] == ["Is B-1001 free?"]
    assert "B-0001" in (runs[0].prompt or "")
    assert "B-0001" not in str(runs[0].steps)
    assert ["2 questions before this one" in item.reason for item in left_out] == [True]


def test_where_a_prompt_says_that_its_examples_end_all_behind_them_are_runs(tmp_path: Path) -> None:
    runs, left_out = read_text(tmp_path, f"{EXAMPLES}(END OF EXAMPLES)\n{ENGLISH}\n{CHINESE}")
    assert [run.user_intent for run in runs] == ["Is B-1001 free?", "B-1001 能借吗？"]
    assert not left_out


def test_a_record_is_one_run_so_the_questions_before_its_last_are_examples(tmp_path: Path) -> None:
    text = EXAMPLES.partition("examples.\n")[2] + "\n" + ENGLISH
    runs, _ = read(written_lines(tmp_path / "runs.jsonl", [{"transcript": text}, {"transcript": CHINESE}]))
    assert [run.user_intent for run in runs] == ["Is B-1001 free?", "B-1001 能借吗？"]
    assert "B-0001" not in str(runs[0].steps)


@pytest.mark.parametrize("between", ["\n", "-----\n", "\n========== run 2 ==========\n", "\n* * *\n\n"])
def test_a_file_may_hold_several_transcripts(tmp_path: Path, between: str) -> None:
    runs, _ = read_text(tmp_path, ENGLISH + between + CHINESE)
    assert [len(run.steps) for run in runs] == [2, 3]
    assert runs[0].steps[-1].raw_output is not None
    assert runs[0].steps[-1].raw_output.startswith("No, until 3 May.")


def test_without_questions_a_transcript_ends_at_its_answer_or_where_the_numbers_begin_again(
    tmp_path: Path,
) -> None:
    turn = (
        "Thought 1: a\nAction 1: x[1]\nObservation 1: one\nThought 2: b\nAction 2: x[2]\nObservation 2: two\n"
    )
    plain = "Thought: a\nAction: x[1]\nObservation: one\nFinal Answer: yes\n"
    assert [len(run.steps) for run in read_text(tmp_path, turn + turn)[0]] == [2, 2]
    assert [len(run.steps) for run in read_text(tmp_path, plain + plain.replace("1", "2"))[0]] == [2, 2]


def test_lines_of_a_reply_that_look_like_headings_are_its_text(tmp_path: Path) -> None:
    reply = (
        "From the handbook:\nAction: lend[B-9]\nAnswer: ask the desk\nQuestion: who lends?\n-----\nTask: none"
    )
    text = (
        f"Thought 1: a\nAction 1: look_up[B-1]\nObservation 1: {reply}\nThought 2: b\nAction 2: Finish[ok]\n"
    )
    run = one(tmp_path, text)
    assert called(run) == [("look_up", {"input": "B-1"})]
    assert seen(run) == [reply]


def test_what_a_model_thinks_between_its_steps_is_no_step(tmp_path: Path) -> None:
    text = """Question: Is B-1 free?
<think>
Action: lend[B-2]
Observation: perhaps
</think>
Action: look_up[B-1]
Observation: lent
<think>So no.</think>Thought: It is lent.
Final Answer: <think>short</think>No.
"""
    run = one(tmp_path, text.replace("Observation: perhaps\n", "They may say it is free.\n"))
    assert called(run) == [("look_up", {"input": "B-1"})]
    assert run.steps[0].thought == "Action: lend[B-2]\nThey may say it is free."
    assert run.steps[-1].raw_output is not None
    assert run.steps[-1].raw_output.endswith("No.")


def test_thinking_that_never_ends_does_not_swallow_the_replies(tmp_path: Path) -> None:
    text = (
        "Thought: a\nAction: look_up[B-1]\nObservation: lent\n<think>hm\nObservation: odd\nFinal Answer: no\n"
    )
    (run,), left_out = read_text(tmp_path, text)
    assert run.steps[-1].raw_output == "no"
    assert [step.observation for step in run.steps] == ["lent", "odd", None]
    assert not left_out


def test_tagged_steps_are_read_and_tags_of_fact_and_assumption_stay_in_the_thought(tmp_path: Path) -> None:
    text = """<question>B-1001 能借吗？</question>
<reasoning><事实>读者给了编号</事实>
<推断>要先查询</推断><假设>书在馆</假设></reasoning>
<action>查询[B-1001]</action>
<observation>错误：没有这本书
行动：查询[B-1002]</observation>
<answer>没有这本书</answer>
"""
    run = one(tmp_path, text)
    assert run.user_intent == "B-1001 能借吗？"
    assert run.steps[0].thought == "<事实>读者给了编号</事实>\n<推断>要先查询</推断><假设>书在馆</假设>"
    assert called(run) == [("查询", {"input": "B-1001"})]
    assert run.steps[0].error is not None
    assert run.steps[1].raw_output == "没有这本书"


def test_several_actions_of_one_turn_are_a_batch_and_the_reply_is_of_the_first(tmp_path: Path) -> None:
    text = "Thought: a\nAction: x[1]\nAction: y[2]\nObservation: one\nFinal Answer: z\n"
    first, second, _ = one(tmp_path, text).steps
    assert (first.observation, first.answered, second.answered) == ("one", True, False)
    assert first.batch == second.batch is not None
    assert "Action: y[2]" in (first.raw_output or "")


def test_a_turn_without_an_action_is_a_step_without_a_call(tmp_path: Path) -> None:
    text = (
        "Thought: a\nObservation: Invalid Format: Missing 'Action:' after 'Thought:'\nThought: b\nAction: x[1]\n"
        "Observation: fine\n"
    )
    first, second = one(tmp_path, text).steps
    assert first.tool_call is None
    assert first.raw_output == "Thought: a"
    assert first.observation == "Invalid Format: Missing 'Action:' after 'Thought:'"
    assert second.tool_call is not None


def test_an_action_that_nothing_answered_is_kept_unanswered(tmp_path: Path) -> None:
    run = one(tmp_path, "Thought: a\nAction: x[1]\nObservation: fine\nThought: b\nAction: y[2]\n")
    assert [step.answered for step in run.steps] == [True, False]


@pytest.mark.parametrize(
    ("reply", "wrong"),
    [
        ("No errors were found in the catalogue.", False),
        ("Error handling is chapter 4 of the book.", False),
        ("The error rate is 3 %.", False),
        ("Error: no such book", True),
        ("错误：没有这本书", True),
        ("错误率为 3%。", False),
        ("Traceback (most recent call last):\n  …\nKeyError: 'B-1'", True),
        ('{"error": null, "state": "lent"}', False),
        ('{"error": "no such book"}', True),
        ("look_upp is not a valid tool, try one of [look_up, lend].", True),
        ("Could not find [B-1]. Similar: ['B-2']", False),
    ],
)
def test_only_a_reply_that_begins_as_errors_do_is_one(tmp_path: Path, reply: str, wrong: bool) -> None:
    run = one(tmp_path, f"Thought: a\nAction: look_upp[B-1]\nObservation: {reply}\nFinal Answer: z\n")
    assert (run.steps[0].error is not None) is wrong


def test_an_answer_may_follow_an_observation_behind_an_empty_line(tmp_path: Path) -> None:
    run = one(
        tmp_path, "Question: q\nThought: a\nAction: x: 1\nPAUSE\n\nObservation: fine\n\nAnswer: It is fine.\n"
    )
    assert (seen(run), run.steps[-1].raw_output) == (["fine"], "It is fine.")


def test_a_tool_that_the_framework_does_not_know_is_one_case(tmp_path: Path, store: Store) -> None:
    path = tmp_path / "log.txt"
    path.write_text(
        "Thought: a\nAction: look_upp\nAction Input: B-1\nObservation: look_upp is not a valid tool, try one of [look_up, lend].\n"
    )
    report = ingest_file(path, "auto", a_shift(store), Masker(KEY))
    assert report.by_error_code == {"tool.unknown": 1}


@pytest.mark.parametrize(
    ("said", "status", "reward"),
    [
        ("Answer is CORRECT", "success", None),
        ("Answer is INCORRECT", "failure", None),
        ("Episode finished, reward = 1\n", "success", 1.0),
        ("Episode finished, reward = 0", "failure", 0.0),
        ("", "unknown", None),
    ],
)
def test_what_the_environment_says_of_the_answer_is_the_outcome_and_the_right_answer_is_not_read(
    tmp_path: Path, said: str, status: str, reward: float | None
) -> None:
    text = f"Question: q\nThought 1: a\nAction 1: Finish[x]\nObservation 1: {said}\nCorrect answer: SECRET-ANSWER\n"
    run = one(
        tmp_path,
        f"Question: first\nThought 1: a\nAction 1: s[x]\nObservation 1: y\n\n{text}".partition("\n\n")[2],
    )
    assert (run.outcome.status, run.outcome.reward) == (status, reward)
    assert "SECRET-ANSWER" not in run.model_dump_json()
    assert run.steps[-1].raw_output == "x"


@pytest.mark.parametrize("key", ["transcript", "text", "log", "scratchpad"])
def test_records_that_hold_a_transcript_are_read_with_what_they_say_of_the_run(
    tmp_path: Path, key: str
) -> None:
    record = {"run_id": "r-7", key: ENGLISH, "model": "some-model", "success": False, "task_id": 3}
    runs, left_out = read(written_lines(tmp_path / "runs.jsonl", [record, {"run_id": "r-8", key: "a poem"}]))
    (run,) = runs
    assert (run.run_id, run.task_id, run.model_version, run.outcome.status) == (
        "r-7",
        "3",
        "some-model",
        "failure",
    )
    assert called(run) == [("look_up", {"book_id": "B-1001"})]
    assert [item.position for item in left_out] == ["line 2"]


def test_the_question_may_stand_beside_the_scratchpad(tmp_path: Path) -> None:
    record = {"input": "Is B-1001 free?", "scratchpad": ENGLISH.partition("\n")[2]}
    (run,), _ = read(written(tmp_path / "run.json", [record]))
    assert run.steps[0].user_input == run.user_intent == "Is B-1001 free?"


def test_intermediate_steps_of_langchain_are_read_in_each_form_they_are_saved_in(tmp_path: Path) -> None:
    action = {
        "tool": "look_up",
        "tool_input": {"book_id": "B-1"},
        "log": "I look.\nAction: look_up",
        "type": "AgentAction",
    }
    text = "(AgentAction(tool='look_up', tool_input='B-1', log='I look.'), 'Error: lent')"
    failed = {"tool": "_Exception", "tool_input": "Invalid or incomplete response", "log": "well"}
    records = [
        {"input": "q", "intermediate_steps": [[action, "Error: lent"]], "output": "No."},
        {
            "input": {"input": "q"},
            "intermediate_steps": [{"action": action, "observation": "Error: lent"}],
            "output": "No.",
        },
        {"input": "q", "intermediate_steps": [text], "output": "No."},
        {
            "input": "q",
            "intermediate_steps": [[failed, "Invalid Format"], [action, "Error: lent"]],
            "output": "No.",
        },
    ]
    runs, left_out = read(written_lines(tmp_path / "runs.jsonl", records))
    assert not left_out
    assert [len(called(run)) for run in runs] == [1, 1, 1, 1]
    for run in runs:
        assert run.user_intent == "q"
        step = next(step for step in run.steps if step.tool_call)
        assert step.error is not None
        assert step.thought == "I look."
        assert run.steps[-1].raw_output == "No."


@pytest.mark.parametrize(
    "prose",
    [
        "A guide to agents.\n\nAction: what an agent does. Thought: what it thinks.\n",
        "Minutes\n\nAction: Jo writes to the printer.\nAction: Kim pays the bill.\n",
        "Lab notes\nObservation: the liquid turned green.\nObservation: and then red.\n",
        "Thought: it rained.\n\nThought: it rained again.\n",
        "问题：什么是智能体？\n答案：会行动的程序。\n",
    ],
)
def test_prose_that_mentions_an_action_is_no_transcript(tmp_path: Path, prose: str) -> None:
    with pytest.raises(BadInputError, match="text that is not JSON"):
        read_text(tmp_path, prose)


def test_records_of_prose_are_no_transcripts(tmp_path: Path) -> None:
    path = written_lines(
        tmp_path / "corpus.jsonl", [{"text": "Once upon a time."}, {"text": "Action: none."}]
    )
    with pytest.raises(BadInputError, match=r"records like \{text\}"):
        read(path)


def test_a_json_object_in_an_early_line_does_not_make_a_transcript_json(tmp_path: Path) -> None:
    text = 'Thought: so\nAction:\n{"action": "look_up", "action_input": "B-1"}\nObservation:\n{"run_id": "x", "steps": []}\n'
    run = one(tmp_path, text)
    assert called(run) == [("look_up", {"input": "B-1"})]
    assert json.loads(str(run.steps[0].observation)) == {"run_id": "x", "steps": []}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "gb18030"])
def test_a_chinese_transcript_may_be_encoded_as_it_likes(tmp_path: Path, encoding: str) -> None:
    (run,), left_out = read_text(tmp_path, CHINESE, encoding)
    assert run.user_intent == "B-1001 能借吗？"
    assert [item.position for item in left_out] == (["line 1"] if encoding == "gb18030" else [])


def test_a_transcript_without_its_question_does_not_hold_all_that_was_said(tmp_path: Path) -> None:
    assert one(tmp_path, ENGLISH).complete
    assert not one(tmp_path, ENGLISH.partition("\n")[2]).complete


def test_the_same_transcript_is_the_same_run_wherever_it_stands(tmp_path: Path) -> None:
    (alone,), _ = read_text(tmp_path, ENGLISH)
    (_, second), _ = read_text(tmp_path, CHINESE + "\n" + ENGLISH)
    assert alone.run_id == second.run_id


def test_steps_are_counted_through(tmp_path: Path) -> None:
    steps: list[Step] = [step for run in read_text(tmp_path, ENGLISH)[0] for step in run.steps]
    assert [step.index for step in steps] == list(range(len(steps)))
