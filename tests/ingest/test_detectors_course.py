"""Detectors of how a run goes: loops, plans, thoughts, reflections and search trees."""

from __future__ import annotations

import pytest

from errata_client.deliberation import Episode, Plan, PlanStep, Thought
from errata_client.model import JsonValue
from errata_client.run import Outcome, Run, Step
from ingest.detectors import (
    executable_content,
    max_steps,
    no_information_gain,
    oscillation,
    plan_course,
    plan_form,
    reflection,
    replan_exhausted,
    stale_premise,
    thought_tree,
    untagged_thought,
    unverified_assumption,
)
from ingest.detectors.port import Detector
from tests.ingest.making import a_run, failing, found, step

FAILED = Outcome(status="failure")


def codes(detector: Detector, run: Run) -> list[tuple[int, str]]:
    return [(finding.index, finding.code) for finding in found(detector, run)]


# loop.oscillation


def test_to_and_fro_between_two_calls_is_told_once_for_each_stretch() -> None:
    run = a_run(*(step(n, "查找" if n % 2 else "列表", {"n": n % 2}) for n in range(7)))
    (finding,) = found(oscillation.DETECTOR, run)
    assert (finding.index, finding.evidence["steps"]) == (3, [0, 1, 2, 3])


def test_new_answers_new_arguments_words_of_a_person_and_outages_are_no_oscillation() -> None:
    names = ["find", "list"] * 3
    answers = a_run(*(step(n, name, observation=f"{n} left") for n, name in enumerate(names)))
    arguments = a_run(*(step(n, name, {"page": n}) for n, name in enumerate(names)))
    spoken = a_run(*(step(n, name, user_input="and now?") for n, name in enumerate(names)))
    down = a_run(*(failing(n, name, "Error: 503 Service Unavailable") for n, name in enumerate(names)))
    one = a_run(*(step(n, "find") for n in range(6)))
    for run in (answers, arguments, spoken, down, one):
        assert not found(oscillation.DETECTOR, run)


# loop.max_steps


@pytest.mark.parametrize("reason", ["ended by max_steps", "Recursion limit of 25 reached", "达到最大步数"])
def test_an_outcome_that_says_the_steps_ran_out(reason: str) -> None:
    run = a_run(step(0, "find"), outcome=Outcome(status="failure", reason=reason))
    assert codes(max_steps.DETECTOR, run) == [(0, "loop.max_steps")]


def test_a_bound_that_was_used_up_without_an_answer() -> None:
    steps = [step(n, "find") for n in range(3)]
    answer = Step(index=3, raw_output="It is there.")
    assert codes(max_steps.DETECTOR, a_run(*steps, max_steps=3)) == [(2, "loop.max_steps")]
    assert not found(max_steps.DETECTOR, a_run(*steps, answer, max_steps=4))
    assert not found(max_steps.DETECTOR, a_run(*steps, max_steps=4))
    assert not found(max_steps.DETECTOR, a_run(*steps, max_steps=3, outcome=Outcome(status="success")))
    together = [step(n, "find", batch=0) for n in range(3)]
    assert not found(max_steps.DETECTOR, a_run(*together, max_steps=3))


# loop.no_information_gain

SHELF: list[JsonValue] = [
    {"id": f"B-{n}", "title": f"book {n}", "shelf": f"S{n}", "馆": f"第{n}馆"} for n in range(10)
]


def test_two_calls_that_repeat_what_was_known_are_found() -> None:
    run = a_run(
        step(0, "list_books", {"shelf": "all"}, observation={"books": SHELF}),
        step(1, "get_books", {"ids": "0-4"}, observation={"books": SHELF[:5]}),
        step(2, "get_books", {"ids": "5-9"}, observation={"books": SHELF[5:]}),
        step(3, "get_books", {"ids": "3-6"}, observation={"books": SHELF[3:6]}),
    )
    (finding,) = found(no_information_gain.DETECTOR, run)
    assert (finding.index, finding.evidence["new_share"]) == (2, [0.0, 0.0])


def test_new_records_of_a_known_kind_changes_words_and_empty_answers_end_the_stretch() -> None:
    known = step(0, "list_books", observation={"books": SHELF})
    once = step(1, "get_books", {"ids": "0-4"}, observation={"books": SHELF[:5]})
    again = step(3, "get_books", {"ids": "5-9"}, observation={"books": SHELF[5:]})
    other: list[JsonValue] = [
        {"id": f"C-{n}", "title": f"film {n}", "shelf": f"T{n}", "馆": f"{n}楼"} for n in range(5)
    ]
    between = [
        step(2, "get_books", {"ids": "10"}, observation={"books": other}),
        step(2, "update_book", {"id": "B-1"}, observation={"books": SHELF[:5]}),
        step(2, "get_books", {"ids": "99"}, observation="[]"),
        Step(index=2, user_input="And the others?"),
    ]
    for middle in between:
        assert not found(no_information_gain.DETECTOR, a_run(known, once, middle, again))
    texts = [
        step(n, "read", {"n": n}, observation=f"chapter {n} tells of {n * 'the '} sea and {n} men")
        for n in range(3)
    ]
    assert not found(no_information_gain.DETECTOR, a_run(*texts))


# plan.invalid and plan.cycle


def planned(*steps: PlanStep, **fields: JsonValue) -> Plan:
    return Plan.model_validate({"steps": steps, **fields})


@pytest.mark.parametrize(
    ("plan", "why"),
    [
        (Plan(text="first this, then that"), "cannot be read as steps"),
        (Plan(), "has no steps"),
        (planned(PlanStep(step_id="a"), PlanStep(step_id="a")), "has two steps of one name"),
        (planned(PlanStep(step_id="查", depends_on=("借",))), "depends on a step that it does not have"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_says_why(plan: Plan, why: str) -> None:
    (finding,) = found(plan_form.DETECTOR, a_run(step(0, "find"), plans=(plan,)))
    assert (finding.code, finding.evidence["why"]) == ("plan.invalid", why)


def test_steps_that_wait_for_each_other_are_a_cycle() -> None:
    first = PlanStep(step_id="查", tool="find", arguments={"id": "${借.id}"})
    second = PlanStep(step_id="借", tool="lend", depends_on=("查",))
    (finding,) = found(plan_form.DETECTOR, a_run(step(0, "find"), plans=(planned(first, second),)))
    assert (finding.code, finding.evidence["steps"]) == ("plan.cycle", ["查", "借"])
    own = PlanStep(step_id="E1", tool="find", arguments={"q": "#E1"})
    assert codes(plan_form.DETECTOR, a_run(step(0, "find"), plans=(planned(own),))) == [(0, "plan.cycle")]


def test_a_diamond_is_no_cycle_and_text_beside_steps_is_fine() -> None:
    diamond = planned(
        PlanStep(step_id="d", depends_on=("b", "c")),
        PlanStep(step_id="b", depends_on=("a",)),
        PlanStep(step_id="c", depends_on=("a",)),
        PlanStep(step_id="a"),
        text="a note",
    )
    assert not found(plan_form.DETECTOR, a_run(step(0, "find"), plans=(diamond,)))
    assert not found(plan_form.DETECTOR, Run(run_id="empty", plans=(Plan(),)))


# plan.order, plan.missing_prerequisite, plan.contract_violation

FIND = PlanStep(step_id="find", tool="find", arguments={"title": "红楼梦"})
LEND = PlanStep(step_id="lend", tool="lend", arguments={"book_id": "{{find.id}}", "days": 14})


def test_a_step_before_the_one_it_needs_or_after_that_failed_is_out_of_order() -> None:
    early = a_run(
        step(0, "lend", step_id="lend"), step(1, "find", step_id="find"), plans=(planned(FIND, LEND),)
    )
    assert codes(plan_course.DETECTOR, early) == [(0, "plan.order")]
    failed = a_run(
        failing(0, "find", "Error: no", step_id="find"),
        step(1, "lend", step_id="lend"),
        plans=(planned(FIND, LEND),),
    )
    assert codes(plan_course.DETECTOR, failed) == [(1, "plan.order")]


def test_a_step_without_the_one_it_needs_misses_its_prerequisite() -> None:
    run = a_run(step(0, "lend", step_id="lend"), plans=(planned(FIND, LEND),))
    assert codes(plan_course.DETECTOR, run) == [(0, "plan.missing_prerequisite")]
    thinking = FIND.model_copy(update={"tool": None})
    assert not found(
        plan_course.DETECTOR, a_run(step(0, "lend", step_id="lend"), plans=(planned(thinking, LEND),))
    )


def test_a_plan_that_was_kept_to_and_a_repaired_step_are_fine() -> None:
    run = a_run(
        failing(0, "find", "Error: no", {"title": "红楼梦"}, step_id="find"),
        step(1, "find", {"title": "石头记"}, step_id="find"),
        step(2, "lend", {"book_id": "B-1", "days": "14"}, step_id="lend"),
        plans=(planned(LEND, FIND),),
    )
    assert not found(plan_course.DETECTOR, run)


def test_another_tool_or_argument_than_planned_breaks_the_contract() -> None:
    tool = a_run(step(0, "search", step_id="find"), plans=(planned(FIND),))
    argument = a_run(step(0, "find", {"title": "西游记"}, step_id="find"), plans=(planned(FIND),))
    for run in (tool, argument):
        assert codes(plan_course.DETECTOR, run) == [(0, "plan.contract_violation")]


# plan.stale_premise


@pytest.mark.parametrize(
    ("premise", "holds"),
    [
        ("book.status == free", False),
        ("status is 'lent'", True),
        ("status != free", True),
        ("copies > 2", False),
        ("copies >= 1", True),
        ("馆 为 东馆", False),
        ("馆 等于 西馆", True),
        ("the person is patient", True),
        ("colour == red", True),
    ],
)
def test_a_premise_that_a_result_contradicts_is_stale(premise: str, holds: bool) -> None:
    plan = planned(PlanStep(step_id="lend", tool="lend", premises=(premise,)))
    seen = step(0, "find", observation='{"status": "lent", "copies": 1, "馆": "西馆"}')
    run = a_run(seen, step(1, "lend", step_id="lend"), plans=(plan,))
    assert bool(found(stale_premise.DETECTOR, run)) is not holds


def test_a_premise_is_not_judged_by_its_own_step_by_several_values_or_after_a_new_plan() -> None:
    plan = planned(PlanStep(step_id="lend", tool="lend", premises=("status == free",)))
    many = step(0, "find", observation=[{"status": "lent"}, {"status": "free"}])
    own = step(1, "lend", step_id="lend", observation={"status": "lent"})
    assert not found(stale_premise.DETECTOR, a_run(many, own, plans=(plan,)))
    anew = planned(PlanStep(step_id="lend", tool="lend"), at=1)
    seen = step(0, "find", observation={"status": "lent"})
    assert not found(stale_premise.DETECTOR, a_run(seen, own, plans=(plan, anew)))


# plan.replan_exhausted


def test_the_last_plan_that_was_allowed_failed_too() -> None:
    plans = tuple(Plan(at=n, max_replans=2, steps=(PlanStep(step_id="find"),)) for n in range(3))
    assert codes(replan_exhausted.DETECTOR, a_run(step(0, "find"), plans=plans, outcome=FAILED)) == [
        (0, "plan.replan_exhausted")
    ]
    fine = a_run(step(0, "find"), plans=plans, outcome=Outcome(status="success"))
    left = a_run(step(0, "find"), plans=plans[:2], outcome=FAILED)
    never = a_run(step(0, "find"), plans=(Plan(max_replans=0),), outcome=FAILED)
    for run in (fine, left, never):
        assert not found(replan_exhausted.DETECTOR, run)


# thought.executable_content


@pytest.mark.parametrize(
    ("thought", "what"),
    [
        ('I call {"name": "lend", "arguments": {"id": 1}} now', "a call as JSON"),
        ("<tool_call>lend</tool_call>", "a call in a tag"),
        ("先运行\n```bash\nrm -r books\n```", "a block of code"),
        ("So:\nDELETE FROM loans WHERE id = 1", "an SQL statement"),
        ('I run lend(book_id="B-1") next', "a call as code"),
    ],
)
def test_a_thought_that_could_be_run_is_found(thought: str, what: str) -> None:
    (finding,) = found(executable_content.DETECTOR, a_run(step(0, "lend", thought=thought)))
    assert finding.evidence["is"] == what


@pytest.mark.parametrize(
    "thought",
    [
        "I will call lend (book B-1) and select one from the list.",
        'The result was {"id": 1, "status": "lent"}.',
        "```\njust a note\n```",
        "I update the reader and set a date.",
        "应该先查询再借出。",
        "max(3, 4) is 4",
    ],
)
def test_a_thought_in_words_is_fine(thought: str) -> None:
    assert not found(executable_content.DETECTOR, a_run(step(0, "lend", thought=thought)))


# thought.unverified_assumption


@pytest.mark.parametrize(
    "thought",
    [
        "I'll assume the book is B-7001.",
        "[assumption] the book is B-7001",
        "假设：书号是 B-7001",
        "书号应该是 B-7001。",
    ],
)
def test_a_call_that_rests_on_an_assumption_is_found(thought: str) -> None:
    run = a_run(step(0, "lend", {"book_id": "B-7001"}, thought=thought))
    (finding,) = found(unverified_assumption.DETECTOR, run)
    assert (finding.detail, finding.evidence["value"]) == ("/book_id", "B-7001")


def test_what_was_verified_said_or_not_assumed_is_fine() -> None:
    assumes = step(0, "find", {"title": "x"}, thought="I assume it is B-7001.", observation='["B-7001"]')
    verified = a_run(assumes, step(1, "lend", {"book_id": "B-7001"}))
    said = a_run(
        step(0, "lend", {"book_id": "B-7001"}, thought="I assume B-7001.", user_input="B-7001 it is")
    )
    fact = a_run(step(0, "lend", {"book_id": "B-7001"}, thought="[fact] the book is B-7001"))
    other = a_run(step(0, "lend", {"book_id": "B-7001"}, thought="I assume it is B-70012."))
    for run in (verified, said, fact, other):
        assert not found(unverified_assumption.DETECTOR, run)


# thought.untagged


def test_a_thought_without_a_tag_among_tagged_ones_is_found() -> None:
    tagged = [
        "[fact] the book is lent out",
        "【推断】所以要等到星期五才能借到它们",
        "Assumption: the person can wait",
    ]
    thoughts = [*tagged, "the person can surely wait until Friday"]
    run = a_run(*(step(n, "find", thought=text) for n, text in enumerate(thoughts)))
    assert codes(untagged_thought.DETECTOR, run) == [(3, "thought.untagged")]


def test_agents_that_do_not_tag_and_short_thoughts_are_left_alone() -> None:
    plain = a_run(*(step(n, "find", thought="the facts are known to everyone here") for n in range(3)))
    short = a_run(
        *(step(n, "find", thought="[fact] the book is lent out") for n in range(3)),
        step(3, "find", thought="ok"),
    )
    assert not found(untagged_thought.DETECTOR, plain)
    assert not found(untagged_thought.DETECTOR, short)


# reflection.*


def attempts(first: Episode, second: Episode, *steps: Step) -> Run:
    return a_run(*steps, episodes=(first, second))


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ({"score": 0.6}, {"score": 0.4}, "reflection.regressed"),
        ({"success": True}, {"success": False}, "reflection.regressed"),
        ({"score": 0.5}, {"score": 0.5}, "reflection.no_improvement"),
        ({"success": False}, {"success": False}, "reflection.no_improvement"),
        ({"score": 0.4}, {"score": 0.6}, None),
        ({"success": False}, {"success": True}, None),
    ],
)
def test_an_attempt_is_compared_with_the_one_before(
    old: dict[str, JsonValue], new: dict[str, JsonValue], code: str | None
) -> None:
    first = Episode.model_validate({"first_step": 0, "reflection": "下次先查再借。", **old})
    second = Episode.model_validate({"first_step": 1, **new})
    run = attempts(first, second, step(0, "lend"), step(1, "lend"))
    assert codes(reflection.DETECTOR, run) == ([(1, code)] if code else [])
    silent = first.model_copy(update={"reflection": None})
    assert not found(reflection.DETECTOR, attempts(silent, second, step(0, "lend"), step(1, "lend")))


def test_other_calls_without_scores_are_an_improvement_perhaps() -> None:
    first = Episode(first_step=0, reflection="look first, then lend it", success=False)
    run = attempts(first, Episode(first_step=1, success=False), step(0, "lend"), step(1, "find"))
    assert not found(reflection.DETECTOR, run)


@pytest.mark.parametrize(
    ("text", "missed"),
    [
        ("I should be more polite and greet the customer.", True),
        ("我应该更有礼貌，先问候对方再说话。", True),
        ("The reader card had expired; renew it first.", False),
        ("I called lend with the wrong reader.", False),
        ("借书证过期了，应先续期 card。", False),
    ],
)
def test_a_reflection_that_does_not_speak_of_the_error_that_comes_again(text: str, missed: bool) -> None:
    first, second = Episode(first_step=0, reflection=text), Episode(first_step=1)
    error = "Error: card expired"
    run = attempts(
        first,
        second,
        failing(0, "lend", error, {"reader": "r1"}),
        failing(1, "lend", error, {"reader": "r2"}),
    )
    assert codes(reflection.DETECTOR, run) == ([(1, "reflection.off_target")] if missed else [])
    mended = attempts(first, second, failing(0, "lend", error, {"reader": "r1"}), step(1, "lend"))
    assert not found(reflection.DETECTOR, mended)


# tree.*


def test_a_search_that_made_too_many_thoughts_is_found() -> None:
    many = tuple(Thought(thought_id=f"t{n}", parent="t0" if n else None, text="想法") for n in range(101))
    (finding,) = found(thought_tree.DETECTOR, a_run(step(0, "find"), thoughts=many))
    assert (finding.code, finding.evidence["most_children"]) == ("tree.exploded", 100)
    chosen = (*many[:-1], many[-1].model_copy(update={"state": "chosen"}))
    assert not found(thought_tree.DETECTOR, a_run(step(0, "find"), thoughts=chosen))
    bounded = a_run(step(0, "find"), thoughts=chosen[-6:], max_thoughts=5)
    assert codes(thought_tree.DETECTOR, bounded) == [(0, "tree.exploded")]


def test_a_living_thought_below_a_dead_one_is_kept() -> None:
    root = Thought(thought_id="r", state="expanded")
    dead = Thought(thought_id="d", parent="r", state="pruned")
    below = Thought(thought_id="x", parent="d", state="dead", step=0)
    kept = Thought(thought_id="k", parent="x", state="chosen", step=1)
    run = a_run(step(0, "find"), step(1, "lend"), thoughts=(root, dead, below, kept))
    (finding,) = found(thought_tree.DETECTOR, run)
    assert (finding.index, finding.detail, finding.evidence["chosen"]) == (1, "d", True)
    expanded = kept.model_copy(update={"state": "expanded"})
    assert not found(thought_tree.DETECTOR, a_run(step(0, "find"), thoughts=(root, dead, below, expanded)))
