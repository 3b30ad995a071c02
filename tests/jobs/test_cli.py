from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import typer

from jobs.cli.app import app
from jobs.cli.exit_codes import BAD_INPUT, EXIT_CODES, INTERRUPTED
from jobs.cli.nightly import parse_as_of
from knowledge import errors
from knowledge.errors import BadInputError, ErrataError
from tests.jobs.cli import CommandLine
from tests.jobs.small_shop import day
from wiring.settings import load_settings
from wiring.stores import open_prepared

ROOT = Path(__file__).resolve().parents[2]


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command without commands below it, with the words that call it."""
    below = getattr(command, "commands", None)
    if not below:
        yield path, command
    for name, inner in (below or {}).items():
        yield from leaves(inner, (*path, name))


COMMANDS = dict(leaves(typer.main.get_command(app)))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_prints_json_if_asked_and_explains_itself(words: tuple[str, ...]) -> None:
    options = {option for parameter in COMMANDS[words].params for option in parameter.opts}
    assert "--json" in options
    assert len(COMMANDS[words].help) > 15


def test_the_documentation_has_an_example_of_every_command_and_of_no_other() -> None:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    examples = re.findall(r"^ {4}errata (.+)$", text, re.MULTILINE)
    shown = {words for line in examples for words in COMMANDS if tuple(line.split()[: len(words)]) == words}
    assert shown == set(COMMANDS)
    for line in examples:
        assert any(tuple(line.split()[: len(words)]) == words for words in COMMANDS), line


def test_every_option_in_the_documentation_exists() -> None:
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for line in re.findall(r"^ {4}errata (.+)$", text, re.MULTILINE):
        words = next(words for words in COMMANDS if tuple(line.split()[: len(words)]) == words)
        options = {o for p in COMMANDS[words].params for o in (*p.opts, *p.secondary_opts)}
        assert set(re.findall(r"--[a-z-]+", line)) <= options, line


def test_every_error_of_the_tree_has_an_exit_code_of_its_own_kind() -> None:
    kinds = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ErrataError)
    ]
    assert {kind.code for kind in kinds} == set(EXIT_CODES)
    assert 0 not in EXIT_CODES.values()


def test_asking_for_help_or_ingesting_loads_no_model_and_no_web_framework() -> None:
    heavy = ["torch", "sentence_transformers", "transformers", "scipy", "fastapi", "uvicorn", "apscheduler"]
    code = f"import sys, jobs.cli; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["problems", "lst"], 2, "Did you mean 'list'"),
        (["ingest"], 2, "FILE"),
        (["problems", "list", "--limit", "many"], 2, "--limit"),
        (["problems", "list", "--project", "none"], 3, "no project 'none'"),
        (["nightly", "--project", "none"], 3, "no project 'none'"),
        (["nightly"], 3, "errata ingest FILE"),
        (["nightly", "--as-of", "yesterday"], 2, "2026-01-31"),
        (["strategies", "list", "--project", "none"], 3, "projects create none"),
        (["bundle", "--project", "none"], 3, "no project"),
        (["projects", "create", "My Shop"], 2, "no project id"),
        (["tokens", "create", "me", "--scope", "everything"], 2, "unknown scope"),
        (["tokens", "revoke", "none"], 3, "tokens list"),
        (["ingest", "none.jsonl"], 2, "none.jsonl"),
    ],
)
def test_a_mistake_is_one_line_and_one_json_object(
    cli: CommandLine, arguments: list[str], code: int, said: str
) -> None:
    plain, as_json = cli(*arguments), cli(*arguments, "--json")
    assert (plain.code, as_json.code) == (code, code)
    assert said in plain.err
    assert "Traceback" not in plain.err
    assert len(plain.err.strip().splitlines()) == 1
    assert said in as_json.document["error"]["message"]


def test_a_setting_that_cannot_be_used_is_exit_code_8(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERRATA_PORT", "a lot")
    answer = cli("projects", "list", "--json")
    assert answer.code == 8
    assert answer.document["error"]["code"] == "settings"
    assert "ERRATA_PORT" in answer.err


def test_an_unknown_encoder_names_its_setting(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_ENCODERS", "hush")
    assert cli("projects", "list").code == 8
    assert "ERRATA_ENCODERS" in cli("projects", "list").err


def test_a_store_that_does_not_answer_is_exit_code_7(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cli.folder / "no.db").write_text("this is no database, it is a text of some length" * 50)
    monkeypatch.setenv("ERRATA_STORE_URL", f"sqlite:///{cli.folder / 'no.db'}")
    answer = cli("projects", "list", "--json")
    assert answer.code == 7
    assert answer.document["error"]["code"] == "store_unavailable"


def test_ingesting_makes_the_project_and_counts_what_it_found(cli: CommandLine) -> None:
    path = cli.file("day.jsonl", day())
    first = cli.json("ingest", path, "--project", "shop")
    assert (first["runs"], first["calls"], first["cases"], first["new_cases"]) == (48, 57, 14, 14)
    assert first["by_error_code"] == {"tool.error": 14}
    assert first["not_analysed"] == []
    again = cli.json("ingest", path, "--project", "shop")
    assert (again["cases"], again["new_cases"]) == (14, 0)
    assert [item["project_id"] for item in cli.json("projects", "list")] == ["shop"]


def test_what_cannot_be_read_is_listed_with_its_place_and_the_rest_goes_on(cli: CommandLine) -> None:
    runs = [run.model_dump_json(exclude_none=True) for run in day()[:2]]
    path = cli.file("broken.jsonl", "\n".join([runs[0], '{"run_id": ', runs[1]]) + "\n")
    report = cli.json("ingest", path, "--project", "shop")
    assert report["runs"] == 2
    assert len(report["not_analysed"]) == 1
    assert set(report["not_analysed"][0]) == {"position", "reason"}


def test_of_several_files_the_sums_and_each_are_told_and_a_bad_one_stops_no_other(cli: CommandLine) -> None:
    good, empty = cli.file("good.jsonl", day()[:9]), cli.file("empty.jsonl", "")
    half = cli.file("half.jsonl", f'{day()[0].model_dump_json(exclude_none=True)}\n{{"run_id"\n')
    answer = cli("ingest", empty, good, half, str(cli.folder / "none.json"), "--project", "shop", "--json")
    assert answer.code == 2
    document = answer.document
    assert document["runs"] == 10
    assert [("error" in file, Path(file["file"]).name) for file in document["files"]] == [
        (True, "empty.jsonl"),
        (False, "good.jsonl"),
        (False, "half.jsonl"),
        (True, "none.json"),
    ]
    assert document["not_analysed"][0]["position"].startswith("half.jsonl:")
    assert document["error"]["code"] == "bad_input"


def test_the_secret_of_a_new_token_is_all_that_stands_on_stdout(cli: CommandLine) -> None:
    answer = cli("tokens", "create", "agents", "--scope", "ingest")
    assert re.fullmatch(r"errata_[\w-]{43}\n", answer.out)
    listed = cli.json("tokens", "list")
    assert [token["name"] for token in listed] == ["agents"]
    assert "secret_hash" not in listed[0]
    assert cli.json("tokens", "revoke", listed[0]["token_id"])["revoked_at"]


def test_while_another_holds_the_lease_a_night_ends_with_exit_code_5(cli: CommandLine) -> None:
    cli("projects", "create", "shop")
    store = open_prepared(load_settings())
    store.leases.acquire("nightly:shop", "somebody", 600, datetime.now(UTC))
    answer = cli("nightly", "--project", "shop", "--json")
    store.close()
    assert answer.code == 5
    assert "held by somebody until" in answer.document["error"]["message"]


def test_without_a_project_all_have_their_night_though_one_is_held(cli: CommandLine) -> None:
    cli("projects", "create", "desk")
    cli("projects", "create", "shop")
    store = open_prepared(load_settings())
    store.leases.acquire("nightly:desk", "somebody", 600, datetime.now(UTC))
    answer = cli("nightly", "--json")
    store.close()
    assert answer.code == 5
    assert [(night["project"], night.get("status")) for night in answer.document["nights"]] == [
        ("shop", "done"),
        ("desk", None),
    ]


def test_what_cannot_be_read_leaves_no_project_behind(cli: CommandLine) -> None:
    foreign = cli.file("notes.txt", "nothing that any agent ever wrote")
    empty = cli.file("empty.jsonl", "")
    missing = str(cli.folder / "none.jsonl")
    for path in (foreign, empty, missing):
        answer = cli("ingest", path, "--project", "shop", "--json")
        assert answer.code == BAD_INPUT
        assert answer.document["runs"] == 0
    assert cli.json("projects", "list") == []
    assert cli("ingest", empty, "--project", "NOT an id").code == BAD_INPUT
    good = cli.file("good.jsonl", day()[:1])
    assert cli("ingest", foreign, good, "--project", "shop").code == BAD_INPUT
    assert [project["project_id"] for project in cli.json("projects", "list")] == ["shop"]


def test_a_watched_folder_without_a_run_makes_no_project(cli: CommandLine) -> None:
    watched = cli.folder / "in"
    watched.mkdir()
    (watched / "notes.txt").write_text("nothing that any agent ever wrote")
    cli.json("watch", str(watched), "--once", "--project", "shop")
    assert cli.json("projects", "list") == []


def test_the_exit_codes_in_the_documentation_are_all_there_are() -> None:
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}
    assert codes == {0, INTERRUPTED, *EXIT_CODES.values()}


def test_doctor_tells_what_is_missing_and_what_to_do(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERRATA_PROT", "8000")
    document = cli.json("doctor")
    found = {finding["what"]: finding for finding in document["findings"]}
    assert document["ok"] is True
    assert "ERRATA_PROT" in found["settings"]["said"]
    assert found["store"]["said"].startswith("SQLite")
    assert found["tokens"]["status"] == "warning"
    assert any(what.startswith("encoder") for what in found)


def test_a_date_is_its_last_second_and_a_time_without_zone_is_utc() -> None:
    assert parse_as_of("2026-03-01") == datetime(2026, 3, 1, 23, 59, 59, tzinfo=UTC)
    assert parse_as_of("2026-03-01T02:00:00") == datetime(2026, 3, 1, 2, tzinfo=UTC)
    assert parse_as_of("2026-03-01T02:00:00+08:00") == datetime(2026, 2, 28, 18, tzinfo=UTC)
    with pytest.raises(BadInputError):
        parse_as_of("2026-02-30")


def test_an_interrupt_while_the_command_line_is_loaded_is_told_without_a_traceback() -> None:
    finder = "type('F', (), {'find_spec': lambda *a: (_ for _ in ()).throw(KeyboardInterrupt) if a[1] == 'jobs.cli.edge' else None})()"
    script = f"import sys; sys.meta_path.insert(0, {finder}); from jobs.cli import main; main()"
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert (ended.returncode, ended.stdout) == (INTERRUPTED, "")
    assert ended.stderr == "errata: interrupted before anything was done\n"
