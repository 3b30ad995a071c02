"""`errata evaluate attribution`: labels in, figures and decisions out, in the words that its page promises."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.jobs.cli import CommandLine

TEXTS = {"RC-lost": "the parcel was lost on its way", "RC-late": "the van broke down before noon"}
CAUSES = [{"cause_id": cause, "exemplars": [text]} for cause, text in TEXTS.items()]


def line(name: str, text: str | None, cause: str | None, **more: Any) -> str:
    case = {} if text is None else {"error_message": text}
    return json.dumps({"id": name, "case": {**case, **more}, "root_cause": cause, "group": cause or "none"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "causes.yaml").write_text(yaml.safe_dump(CAUSES), encoding="utf-8")
    labels = [
        line("1", TEXTS["RC-lost"], "RC-lost"),
        line("2", TEXTS["RC-late"], "RC-lost"),
        line("3", TEXTS["RC-late"], None),
        line("4", "something that nobody ever said of a teapot", "RC-late"),
    ]
    (tmp_path / "labels.jsonl").write_text("\n".join(labels) + "\n", encoding="utf-8")
    return tmp_path


def evaluated(cli: CommandLine, folder: Path, *more: str) -> Any:
    causes = str(folder / "causes.yaml")
    return cli.json("evaluate", "attribution", str(folder / "labels.jsonl"), "--causes", causes, *more)


def test_figures_are_what_their_definitions_say(cli: CommandLine, folder: Path) -> None:
    found = evaluated(cli, folder)
    assert (found["cases"], found["with_template"], found["right"], found["wrong"]) == (4, 3, 1, 2)
    assert found["coverage"] == pytest.approx(1 / 3)
    assert found["false_match_rate"] == pytest.approx(2 / 3)
    assert found["precision"] == pytest.approx(1 / 3)
    assert found["abstain_rate"] == 0.0
    assert [row["threshold"] for row in found["thresholds"]] == [0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
    assert found["causes"]["RC-late"] == {
        "cases": 1, "right": 0, "taken_wrongly": 2, "abstained": 0, "unmatched": 1, "to_others": 0,
        "coverage": 0.0, "precision": 0.0,
    }  # fmt: skip
    assert {mistake["label_id"] for mistake in found["mistakes"]} == {"2", "3"}


def test_each_decision_is_written_in_the_order_of_the_labels(cli: CommandLine, folder: Path) -> None:
    out = folder / "out.jsonl"
    evaluated(cli, folder, "--decisions", str(out))
    rows = [json.loads(row) for row in out.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["1", "2", "3", "4"]
    assert set(rows[0]) == {"id", "verdict", "root_cause", "score", "rung", "runner_up"}
    assert (rows[0]["verdict"], rows[0]["root_cause"]) == ("matched", "RC-lost")
    assert (rows[3]["verdict"], rows[3]["root_cause"]) == ("unmatched", None)


def test_a_history_teaches_and_its_ids_may_be_those_of_the_labels(cli: CommandLine, folder: Path) -> None:
    history = folder / "history.jsonl.gz"
    told = [
        line("1", "a teapot sang", "RC-lost"),
        line("4", "something that nobody ever said of a teapot", "RC-late"),
    ]
    history.write_bytes(gzip.compress("\n".join([*told, line("9", "x", "RC-unknown")]).encode()))
    found = evaluated(cli, folder, "--confirmed", str(history))
    assert found["causes"]["RC-late"]["right"] == 1
    assert found["causes"]["RC-lost"]["right"] == 1
    assert (found["history"], found["history_of_unknown_causes"]) == (3, 1)


def test_broken_lines_are_told_and_the_rest_is_measured(cli: CommandLine, folder: Path) -> None:
    with (folder / "labels.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": \n[1, 2]\n{"id": "7", "case": "no"}\n{"id": "8", "case": {}, "root_cause": 5}\n')
    found = evaluated(cli, folder)
    assert found["cases"] == 4
    assert [one["position"] for one in found["not_read"]] == ["line 5", "line 6", "line 7", "line 8"]


def test_a_case_may_hold_any_of_its_fields_and_foreign_codes_gate_nothing(
    cli: CommandLine, folder: Path
) -> None:
    lines = [
        line("a", None, "RC-lost", error_pattern=TEXTS["RC-lost"]),
        line("b", TEXTS["RC-lost"], "RC-lost", error_code="their:own_code", trigger_step={"tool": "send"}),
        line(
            "c",
            TEXTS["RC-lost"],
            "RC-lost",
            error_code="tool.error",
            error_kind="nonsense",
            step_context={"x": 1},
        ),
    ]
    (folder / "labels.jsonl").write_text("\n".join(lines), encoding="utf-8")
    assert evaluated(cli, folder)["right"] == 3


@pytest.mark.parametrize(
    ("labels", "causes", "told"),
    [
        ("", "[]", "no label in it"),
        ('{"id": "1", "case": {}, "root_cause": null}', "[]", "a list of causes"),
        ('{"id": "1", "case": {}, "root_cause": null}', "- name: nobody", "no cause_id"),
        ('{"id": "1", "case": {}, "root_cause": null}', "- {cause_id: [", "not YAML"),
    ],
)
def test_files_that_cannot_be_used_are_told(
    cli: CommandLine, folder: Path, labels: str, causes: str, told: str
) -> None:
    (folder / "labels.jsonl").write_text(labels, encoding="utf-8")
    (folder / "causes.yaml").write_text(causes, encoding="utf-8")
    answer = cli(
        "evaluate", "attribution", str(folder / "labels.jsonl"), "--causes", str(folder / "causes.yaml")
    )
    assert answer.code == 2
    assert told in answer.err
    assert "Traceback" not in answer.err


def test_a_terminal_gets_the_figures_and_the_mistakes(cli: CommandLine, folder: Path) -> None:
    answer = cli(
        "evaluate", "attribution", str(folder / "labels.jsonl"), "--causes", str(folder / "causes.yaml")
    )
    assert answer.code == 0
    assert "4 cases, 3 with a template: 1 matched rightly, 2 wrongly" in answer.out
    assert "wrong: 'the van broke down before noon' is RC-lost, was matched to RC-late" in " ".join(
        answer.out.split()
    )
