"""`errata calibrate`: fits are judged on labels that they have not seen, and decide only once they are accepted."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from tests.jobs.cli import CommandLine

P = ("--project", "shop")
WORDINGS = {
    "RC-lamp": ("bulb", "socket", "shade", "cable", "switch", "fuse"),
    "RC-tram": ("driver", "ticket", "platform", "doors", "rail", "bell"),
    "RC-bees": ("hive", "queen", "honey", "swarm", "smoke", "wax"),
    "RC-boat": ("anchor", "mast", "rudder", "harbour", "tide", "sail"),
}
TEXTS = {
    cause: [f"the {word} of the {cause[3:]} gave way {word} again" for word in words]
    for cause, words in WORDINGS.items()
}
KNOWN = [(text, cause) for cause, texts in TEXTS.items() for text in texts]


def lines(*labels: tuple[str, str | None]) -> str:
    rows = (
        {"id": f"L{number}", "case": {"error_message": text}, "root_cause": cause}
        for number, (text, cause) in enumerate(labels)
    )
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def shop(cli: CommandLine) -> CommandLine:
    """A project with four causes."""
    causes = [
        {
            "cause_id": cause,
            "name": cause,
            "statement": cause,
            "error_codes": ["tool.error"],
            "exemplars": texts,
        }
        for cause, texts in TEXTS.items()
    ]
    cli.json("projects", "create", "shop")
    path = cli.folder / "causes.yaml"
    path.write_text(yaml.safe_dump(causes), encoding="utf-8")
    cli.json("causes", "import", str(path), "--reason", "ours", *P)
    return cli


def calibrate(cli: CommandLine, text: str, *options: str) -> Any:
    return cli.json("calibrate", cli.file("labels.jsonl", text), "--target", "0.2", *options, *P)


def test_a_fit_is_told_by_what_it_reaches_and_changes_nothing_by_itself(shop: CommandLine) -> None:
    found = calibrate(shop, lines(*KNOWN))
    assert (found["labels"], found["acceptable"], found["fit"]) == (24, True, None)
    assert (found["new"]["coverage"], found["new"]["wrong"]) == (1.0, 0)
    assert [row["threshold"] for row in found["thresholds"]] == [0.7, 0.75, 0.8, 0.85, 0.9, 0.95]
    assert set(found["causes"]["0.85"]) == set(TEXTS)
    assert found["reliability"] == [], "each is decided by its wording, none by its score"
    assert shop.json("calibrate", "--list", *P) == []


def test_an_accepted_fit_is_kept_by_version_and_can_be_rolled_back(shop: CommandLine) -> None:
    first = calibrate(shop, lines(*KNOWN), "--accept", "--reason", "spring")["fit"]
    second = calibrate(shop, lines(*KNOWN), "--accept", "--reason", "summer")["fit"]
    assert (first["fit_id"], second["fit_id"], second["encoders"]) == ("0001", "0002", ["hash-512"])
    gone = shop.json("calibrate", "--rollback", "--reason", "too eager", *P)
    assert (gone["fit_id"], gone["state"]) == ("0002", "rolled_back")
    listed = shop.json("calibrate", "--list", *P)
    assert [(fit["fit_id"], fit["state"]) for fit in listed] == [
        ("0001", "accepted"),
        ("0002", "rolled_back"),
    ]


def test_a_fit_whose_bound_does_not_hold_is_refused_with_its_worst_mistakes(shop: CommandLine) -> None:
    elsewhere = [(f"{text} and again", None) for text in TEXTS["RC-lamp"]]
    path = shop.file("labels.jsonl", lines(*KNOWN, *elsewhere))
    answer = shop("calibrate", path, "--target", "0.05", "--accept", "--reason", "hope", *P)
    assert answer.code == 4
    assert "the old one stays in force" in answer.err
    assert "it may not be accepted" in answer.out
    assert shop.json("calibrate", "--list", *P) == []


def test_texts_that_stand_for_two_causes_are_listed_as_twins(shop: CommandLine) -> None:
    twin = (TEXTS["RC-tram"][0], "RC-bees")
    found = calibrate(shop, lines(*KNOWN, twin))
    assert [one["causes"] for one in found["twins"]] == [["RC-bees", "RC-tram"]]


def test_a_fit_for_other_encoders_is_an_error_and_not_a_drift(
    shop: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    calibrate(shop, lines(*KNOWN), "--accept", "--reason", "spring")
    monkeypatch.setenv("ERRATA_ENCODERS", "minilm")
    night = shop("nightly", *P)
    assert night.code != 0
    assert "is for the encoders hash-512" in night.err + night.out


def test_the_night_decides_by_the_fit_in_force(shop: CommandLine) -> None:
    calibrate(shop, lines(*KNOWN), "--accept", "--reason", "spring")
    assert shop.json("nightly", *P)["status"] == "done"


def test_without_labels_or_answers_there_is_nothing_to_fit_to(shop: CommandLine) -> None:
    assert "confirm problems" in shop("calibrate", *P).err
    assert shop("calibrate", shop.file("labels.jsonl", lines(("x is y", "RC-else"))), *P).code == 2


def test_nothing_is_rolled_back_where_no_fit_is_in_force(shop: CommandLine) -> None:
    answer = shop("calibrate", "--rollback", "--reason", "none", *P)
    assert (answer.code, "no fit in force" in answer.err) == (3, True)
