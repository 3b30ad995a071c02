"""`errata encoders`: a model by its folder is tried, accepted for one project, used by its night, and taken back."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from attribution.starter import starter_causes
from tests.jobs.cli import CommandLine
from tests.jobs.small_shop import day

P = ("--project", "shop")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model of sentence-transformers: a bag of the words that errors are made of."""
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415
    from sentence_transformers.sentence_transformer.modules import BoW  # noqa: PLC0415

    texts = [one.error_pattern for cause in starter_causes() for one in cause.exemplars]
    vocabulary = sorted({word for text in texts for word in re.findall("[a-z]+", text.casefold())})
    folder = tmp_path_factory.mktemp("models") / "bag-of-words"
    SentenceTransformer(modules=[BoW(vocab=vocabulary)], device="cpu").save(str(folder))
    return folder


@pytest.fixture
def shop(cli: CommandLine) -> CommandLine:
    cli.json("ingest", cli.file("day.jsonl", day()), *P)
    cli.json("nightly", *P)
    return cli


def test_the_encoders_are_listed_with_what_they_read_and_which_of_them_run(shop: CommandLine) -> None:
    listed = {row["encoder"]: row for row in shop.json("encoders", "list", *P)}
    assert [name for name, row in listed.items() if row["runs"]] == ["hash"]
    assert (listed["minilm"]["reads"], listed["use-multilingual"]["reads"]) == ("English", "English, Chinese")
    assert {row["calibration"] for row in listed.values()} == {"packaged"}


def test_a_model_by_its_folder_is_tried_accepted_used_and_taken_back(shop: CommandLine, model: Path) -> None:
    tried = shop.json("encoders", "try", str(model), *P)
    (identity,) = tried["encoders"]
    assert identity.startswith("bag-of-words@")
    assert (tried["problems"], tried["obstacle"]) == (2, None)
    assert tried["parameters"]["calibrations"][identity]["error_pattern"]["pairs"][1] > 10_000
    assert shop.json("calibrate", "--list", *P) == []

    accepted = shop.json("encoders", "accept", str(model), "--reason", "ours knows our words", *P)
    assert accepted["fit"]["specs"][0]["name"] == str(model)
    assert "LATIN" in accepted["fit"]["specs"][0]["scripts"]
    assert shop.json("nightly", *P)["status"] == "done"
    problem = shop.json("problems", "list", *P)[0]["fingerprint"]
    assert shop.json("problems", "show", problem, *P)["attribution"]["encoders"] == [identity]
    running = [row for row in shop.json("encoders", "list", *P) if row["runs"]]
    assert [(row["encoder"], row["calibration"]) for row in running] == [(str(model), "the project's fit")]

    shop.json("calibrate", "--rollback", "--reason", "the old one did better", *P)
    assert shop.json("nightly", *P)["status"] == "done"
    assert shop.json("problems", "show", problem, *P)["attribution"]["encoders"] == ["hash-512"]


def test_a_model_that_is_gone_or_changed_stops_the_night_and_says_what_to_do(
    shop: CommandLine, model: Path
) -> None:
    mine = shop.folder / "mine"
    shutil.copytree(model, mine)
    shop.json("encoders", "accept", str(mine), "--reason", "ours", *P)
    (mine / "config_sentence_transformers.json").write_text("{}", encoding="utf-8")
    changed = shop("nightly", *P)
    assert changed.code == 1
    assert "put the model back" in " ".join((changed.out + changed.err).split())
    shutil.rmtree(mine)
    assert shop("nightly", *P).code == 1
    tried = shop.json("encoders", "try", "hash", *P)
    assert tried["obstacle"] is None


def test_what_was_tried_is_told_to_a_person_in_words(shop: CommandLine) -> None:
    told = " ".join(shop("encoders", "try", "hash", *P).out.split())
    assert "not fitted to answers: nobody has confirmed a problem for a cause yet" in told
    assert "0 of 2 problems would be decided otherwise" in told
    assert "they may be accepted" in told


@pytest.mark.parametrize("name", ["minilmm", "nobody/has-this-model", "/nowhere/at/all"])
def test_a_model_that_is_not_there_is_refused_with_what_to_do(shop: CommandLine, name: str) -> None:
    answer = shop("encoders", "try", name, *P)
    assert answer.code == 8
    assert re.search(r"use minilm|download it there first", " ".join(answer.err.split()))


def test_one_encoder_named_twice_is_refused(shop: CommandLine) -> None:
    assert "name each once" in shop("encoders", "try", "hash", "hash", *P).err


def test_a_model_without_a_calibration_is_no_setting_and_the_error_says_how_it_is_put_in_force(
    shop: CommandLine, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERRATA_ENCODERS", str(model))
    answer = shop("problems", "list", *P)
    assert answer.code == 8
    assert "errata encoders try" in " ".join(answer.err.split())
