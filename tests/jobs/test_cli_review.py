"""A morning at the command line: what the night made of the shop's day, and what an engineer does with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from errata_client.bundle import read_bundle
from errata_client.rule import Rule
from tests.jobs.cli import CommandLine
from tests.jobs.small_shop import day

P = ("--project", "shop")


@pytest.fixture
def morning(cli: CommandLine) -> CommandLine:
    cli.json("ingest", cli.file("day.jsonl", day()), *P)
    cli.json("nightly", *P)
    return cli


def first_draft(cli: CommandLine) -> dict[str, Any]:
    drafts: list[dict[str, Any]] = cli.json("strategies", "list", *P, "--state", "in_review")
    return next(draft for draft in drafts if draft["rule"]["action"]["kind"] == "rewrite")


def test_a_night_tells_of_its_stages_and_of_what_came_out(cli: CommandLine) -> None:
    cli.json("ingest", cli.file("day.jsonl", day()), *P)
    night = cli.json("nightly", *P, "--as-of", "2026-03-01")
    assert (night["status"], night["as_of"], night["resumed"]) == ("done", "2026-03-01T23:59:59Z", False)
    assert {stage["status"] for stage in night["stages"]} == {"done"}
    assert set(night["stages"][0]) == {"stage", "status", "counts", "skipped"}
    assert night["attributed"] == {"matched": 1, "abstained": 0, "unmatched": 1}
    assert night["drafted"] >= 1
    every = cli.json("nightly")
    assert [one["project"] for one in every["nights"]] == ["shop"]


def test_problems_are_listed_found_and_shown_with_their_cause(morning: CommandLine) -> None:
    listed = morning.json("problems", "list", *P)
    assert [(problem["count"], problem["verdict"]) for problem in listed] == [
        (9, "matched"),
        (5, "unmatched"),
    ]
    (found,) = morning.json("problems", "search", "flux capacitor", *P)
    shown = morning.json("problems", "show", found["fingerprint"][:8], *P)
    assert shown["problem"]["fingerprint"] == found["fingerprint"]
    assert shown["attribution"]["verdict"] == "unmatched"
    assert len(shown["latest_cases"]) == 5
    assert morning.json("problems", "search", "nothing like that", *P) == []


def test_a_work_order_becomes_a_cause_that_explains_its_problems(morning: CommandLine) -> None:
    (order,) = morning.json("orders", "list", *P)
    told = morning.json("orders", "preview", order["order_id"], *P)
    assert (told["own"], told["of"]) == (1, 1)
    assert morning.json("orders", "show", order["order_id"], *P)["preview"] == told
    decided = morning.json("orders", "approve", order["order_id"], *P, "--reason", "a new kind")
    assert decided["preview"]["own"] == 1
    cause = morning.json("causes", "show", decided["root_cause"], *P)
    assert cause["exemplars"]
    assert morning("orders", "approve", order["order_id"], *P, "--reason", "again").code == 4
    assert morning.json("nightly", *P)["attributed"]["matched"] == 2


def test_strategies_are_listed_with_rule_and_evidence_and_shown_with_rows(morning: CommandLine) -> None:
    draft = first_draft(morning)
    assert Rule.model_validate(draft["rule"]).id == draft["id"]
    evidence = draft["evidence"]
    assert evidence["support"] >= 3
    assert evidence["harmed"] == 0
    assert "rows" not in evidence
    shown = morning.json("strategies", "show", draft["id"], *P)
    assert shown["rows"][0]["before"] != shown["rows"][0]["after"]
    assert shown["history"][-1]["target"] == "in_review"
    assert shown["version"]


def test_an_approved_rule_is_in_the_bundle_and_a_retired_one_is_not(
    morning: CommandLine, tmp_path: Path
) -> None:
    draft = first_draft(morning)
    approved = morning.json(
        "strategies", "approve", draft["id"], *P, "--reason", "all right", "--actor", "林工"
    )
    assert approved["state"] == "active"
    assert approved["history"][-1]["actor"] == "林工"
    bundle = read_bundle(morning("bundle", *P).out.encode())
    assert [rule.id for rule in bundle.rules] == [draft["id"]]
    morning.json("strategies", "retire", draft["id"], *P, "--reason", "mended")
    morning.json("bundle", *P, "--out", str(tmp_path / "rules.json"))
    emptied = read_bundle((tmp_path / "rules.json").read_bytes())
    assert (emptied.rules, emptied.revision > bundle.revision) == ((), True)


def test_a_change_needs_a_reason_a_right_state_and_the_version_that_was_seen(morning: CommandLine) -> None:
    draft = first_draft(morning)
    version = morning.json("strategies", "show", draft["id"], *P)["version"]
    assert morning("strategies", "approve", draft["id"], *P).code == 2
    assert morning("strategies", "activate", draft["id"], *P, "--reason", "early").code == 4
    edited = morning.json(
        "strategies", "edit", draft["id"], *P, "--reason", "shorter", "--set", "valid_until=2027-01-01"
    )
    assert edited["rule"]["valid_until"] == "2027-01-01"
    assert morning("strategies", "reject", draft["id"], *P, "--reason", "no", "--version", version).code == 4
    assert morning.json("strategies", "reject", draft["id"], *P, "--reason", "no")["state"] == "rejected"
    assert morning("strategies", "show", "ST-9999", *P).code == 3


def test_a_canary_grows_is_extended_tested_and_rolled_back(morning: CommandLine, tmp_path: Path) -> None:
    known = first_draft(morning)["id"]
    approved = morning.json("strategies", "approve", known, *P, "--share", "0.1", "--reason", "one in ten")
    assert (approved["state"], approved["rule"]["share"]) == ("active", 0.1)
    assert morning("strategies", "effect", known, *P).code == 3

    shared = morning.json("strategies", "share", known, "1.0", *P, "--reason", "no alarm")
    assert (shared["rule"]["share"], shared["rule"]["revision"]) == (1.0, 2)
    assert morning("strategies", "extend", known, *P, "--reason", "why", "--until", "soon").code == 2
    assert morning("strategies", "extend", known, *P, "--reason", "why", "--until", "2020-01-01").code == 2
    assert morning.json("strategies", "extend", known, *P, "--reason", "still needed")["state"] == "active"

    morning.json("nightly", *P)
    effect = morning.json("strategies", "effect", known, *P)
    assert (effect["strategy_id"], effect["control"], effect["alarms"]) == (known, "none", [])
    shown = morning("strategies", "effect", known, *P)
    assert shown.code == 0
    assert "too few runs to compare" in shown.out

    out = str(tmp_path / "made" / "regressions")
    (exported,) = morning.json("strategies", "export-tests", *P, "--out", out)
    assert exported["id"] == known
    assert Path(exported["file"]).is_file()

    rolled = morning.json("strategies", "rollback", known, *P, "--reason", "more runs fail with it")
    assert rolled["state"] == "rolled_back"
    assert morning("strategies", "rollback", known, *P, "--reason", "again").code == 4
    assert morning.json("strategies", "export-tests", *P, "--out", out) == []
    assert morning("strategies", "export-tests", known, *P, "--out", out).code == 4


def test_causes_go_out_and_come_back(morning: CommandLine, tmp_path: Path) -> None:
    path = str(tmp_path / "causes.yaml")
    morning("causes", "export", *P, "--out", path)
    back = morning.json("causes", "import", path, *P, "--reason", "from the repository")
    assert back["created"] == 0
    assert back["exists"] == len(morning.json("causes", "list", *P))


def test_a_cause_is_checked_against_the_problems_before_it_is_added(morning: CommandLine) -> None:
    text = (
        "- {cause_id: RC-900, name: The machine drifts, statement: It drifts., error_codes: [tool.error],\n"
        "   exemplars: ['flux capacitor 1 drifts out of phase with the resonance chamber']}\n"
    )
    path = morning.file("cause.yaml", text)
    (checked,) = morning.json("causes", "check", path, *P)
    assert len(checked["would_take"]) == 1
    assert morning("causes", "show", "RC-900", *P).code == 3
    morning.json("causes", "add", path, *P, "--reason", "seen")
    assert morning("causes", "add", path, *P, "--reason", "seen").code == 4
    assert morning("causes", "check", morning.file("bad.yaml", "- {name: x}"), *P).code == 2


@pytest.mark.parametrize(
    "words",
    [
        "problems list",
        "problems search order",
        "causes list",
        "orders list",
        "strategies list",
        "projects list",
    ],
)
def test_what_is_for_reading_fits_its_lines_and_needs_no_terminal(morning: CommandLine, words: str) -> None:
    project = () if words.startswith("projects") else P
    answer = morning(*words.split(), *project)
    assert answer.code == 0
    assert answer.out.strip()
    assert max(len(line) for line in answer.out.splitlines()) <= 140
    assert "\x1b" not in answer.out


def test_a_text_a_case_and_a_problem_are_tried_by_hand(morning: CommandLine) -> None:
    problem = morning.json("problems", "list", *P)[0]
    by_problem = morning.json("causes", "check", problem["fingerprint"], *P)
    assert (by_problem["verdict"], by_problem["root_cause"]) == ("matched", problem["root_cause"])

    shown = morning.json("problems", "show", problem["fingerprint"], *P)
    by_case = morning.json("causes", "check", shown["latest_cases"][0]["case_id"], *P)
    assert by_case == {**by_problem, "decided_at": by_case["decided_at"]}

    by_text = morning.json("causes", "check", problem["error_message"], *P)
    assert by_text["root_cause"] == problem["root_cause"]
    told = morning("causes", "check", problem["error_message"], *P)
    assert told.code == 0
    assert "matched" in told.out
    assert morning("causes", "check", "anything", *P, "--code", "no.such").code == 2
    assert morning("causes", "check", "missing.yaml", *P).code == 2
    for text in ("order not found " * 300, "order\x00not found", "订单不存在" * 200):
        assert morning.json("causes", "check", text, *P)["verdict"] in {"matched", "abstained", "unmatched"}


def test_a_secret_in_a_reason_is_not_kept(morning: CommandLine) -> None:
    secret = "password=hunter2-of-the-test"
    problem = morning.json("problems", "list", *P)[0]["fingerprint"]
    morning.json("problems", "resolve", problem, *P, "--reason", f"fixed with {secret}")
    label = morning.json("problems", "confirm", problem, *P, "--reason", f"seen with {secret}")
    assert "hunter2" not in str(label)
    kept = [path.read_bytes() for path in morning.folder.rglob("errata.db*")]
    assert kept
    assert not any(b"hunter2" in content for content in kept)


def test_causes_are_merged_and_split_at_the_command_line(morning: CommandLine, tmp_path: Path) -> None:
    problem = morning.json("problems", "list", *P)[0]
    made = morning.json(
        "causes", "split", problem["root_cause"], "--problem", problem["fingerprint"][:8], "--name", "Another cause",
        "--reason", "not the same", *P,
    )  # fmt: skip
    assert made["name"] == "Another cause"
    morning.json("nightly", *P)
    assert (
        morning.json("problems", "show", problem["fingerprint"], *P)["attribution"]["root_cause"]
        == made["cause_id"]
    )

    took = morning.json(
        "causes", "merge", made["cause_id"], "--into", problem["root_cause"], *P, "--reason", "one after all"
    )
    assert took["cause_id"] == problem["root_cause"]
    morning.json("nightly", *P)
    again = morning.json("problems", "show", problem["fingerprint"], *P)["attribution"]
    assert again["root_cause"] == problem["root_cause"]
    assert morning("causes", "merge", made["cause_id"], "--into", "RC-999", *P, "--reason", "x").code == 3
