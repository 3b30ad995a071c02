from __future__ import annotations

from pathlib import Path

import pytest

from errata_client.run import Run
from knowledge.kinds import CASES
from knowledge.store import Query
from tests.ingest.making import a_run, failing, step
from tests.jobs.cli import CommandLine
from wiring.build import build
from wiring.settings import load_settings


@pytest.fixture
def a_failure() -> Run:
    long = "answer " * 200_000
    return a_run(
        step(0, "find", observation=long),
        failing(
            1, "lend", "Error: no reader mia.li@desk.example.org, phone 415-555-0134", {"first_name": "Mia"}
        ),
    )


def finding(cli: CommandLine, what: str) -> dict[str, str]:
    document = cli("doctor", "--no-encoders", "--json").document
    (found,) = [finding for finding in document["findings"] if finding["what"] == what]
    return dict(found)


def test_what_was_masked_is_not_private_and_what_is_apart_is_there(cli: CommandLine, a_failure: Run) -> None:
    cli.json("ingest", cli.file("runs.jsonl", [a_failure]), "--project", "shop")
    assert finding(cli, "privacy of shop") == {
        "what": "privacy of shop",
        "status": "ok",
        "said": "looked through 1 case: nothing that looks private",
    }
    assert finding(cli, "long texts of shop")["status"] == "ok"


def test_what_is_left_is_counted_by_kind_with_its_cases_and_never_shown(
    cli: CommandLine, a_failure: Run
) -> None:
    cli.json("ingest", cli.file("runs.jsonl", [a_failure]), "--project", "shop")
    errata = build(load_settings())
    cases = errata.store.collection("shop", CASES)
    (stored,) = cases.scan(Query())
    cases.put_many([stored.item.model_copy(update={"user_intent": "I am tom@example.org, tom2@example.org"})])
    errata.close()
    found = finding(cli, "privacy of shop")
    assert found["status"] == "failed"
    assert f"email: 2 in {stored.item.case_id}" in found["said"]
    assert "tom" not in found["said"]


def test_a_long_text_that_is_gone_is_told(cli: CommandLine, a_failure: Run, tmp_path: Path) -> None:
    cli.json("ingest", cli.file("runs.jsonl", [a_failure]), "--project", "shop")
    for path in (tmp_path / "data" / "objects").rglob("*"):
        if path.is_file():
            path.unlink()
    found = finding(cli, "long texts of shop")
    assert found["status"] == "failed"
    assert "1 of 1 are not in the object store" in found["said"]


def test_what_is_said_alike_of_many_projects_is_said_once_with_their_number(cli: CommandLine) -> None:
    for number in range(9):
        cli.json("projects", "create", f"p{number}")
    shown = cli("doctor", "--no-encoders").out
    assert shown.count("none yet: `errata nightly`") == 1
    assert "and 3 more" in " ".join(shown.split())
    warned = [found for found in cli.json("doctor", "--no-encoders")["findings"] if " of p" in found["what"]]
    assert len([found for found in warned if found["what"].startswith("nights")]) == 9
