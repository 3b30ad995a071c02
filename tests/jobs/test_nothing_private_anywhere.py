"""A day whose every text holds secrets, through a night and a morning: they are nowhere, whatever is looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from errata_client.run import Run
from tests.ingest.specimens import found_in, planted
from tests.jobs.cli import CommandLine
from tests.jobs.small_shop import day

P = ("--project", "shop")


def private_day() -> list[Run]:
    """The shop's day with all secrets in what was said, thought, answered and told with an error, and in a text of over a
    megabyte."""
    runs = [_private(run) if index % 3 == 0 else run for index, run in enumerate(day())]
    long = "word " * 250_000 + planted()
    first = runs[0].steps[0].model_copy(update={"observation": long})
    return [runs[0].model_copy(update={"steps": (first, *runs[0].steps[1:])}), *runs[1:]]


def _private(run: Run) -> Run:
    steps = []
    for step in run.steps:
        changed: dict[str, object] = {"thought": planted(), "note": {"said": [planted()], planted(): 1}}
        if step.error is not None:
            changed["error"] = step.error.model_copy(update={"details": [planted()]})
        else:
            changed["observation"] = f"{step.observation} {planted()}"
        steps.append(step.model_copy(update=changed))
    said = f"{run.user_intent} {planted()}"
    return run.model_copy(update={"steps": tuple(steps), "prompt": planted(), "user_intent": said})


def in_files(folder: Path) -> str:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files)


def test_secrets_are_in_no_file_no_log_no_draft_and_no_bundle(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ERRATA_LOG_LEVEL", "debug")
    monkeypatch.setenv("ERRATA_LOG_FORMAT", "json")
    folder = tmp_path / "in"
    folder.mkdir()
    path = Path(cli.file("day.jsonl", private_day())).rename(folder / "day.jsonl")
    (folder / "broken.jsonl").write_text(f'{{"run_id": "{planted()[:40]}"\n{planted()}\n')
    told = [
        cli("ingest", str(path), *P, "--json"),
        cli("watch", str(folder), "--once", *P),
        cli("nightly", *P, "--json"),
        cli("nightly", *P),
        cli("problems", "list", *P, "--json"),
        cli("problems", "search", "not found", *P),
    ]
    assert all(answer.code == 0 for answer in told), [answer.err[-500:] for answer in told if answer.code]
    drafts = cli.json("strategies", "list", *P)
    assert drafts, "no rule was drafted: nothing was shown of drafts"
    told += [cli("strategies", "show", draft["id"], *P, "--json") for draft in drafts]
    told += [
        cli("strategies", "approve", drafts[0]["id"], *P, "--reason", planted()),
        cli("strategies", "show", drafts[0]["id"], *P),
        cli("bundle", "--out", str(tmp_path / "data" / "bundle.json"), *P),
        cli("doctor", "--no-encoders", "--json"),
    ]
    assert (tmp_path / "data" / "bundle.json").exists()
    assert list((tmp_path / "data" / "objects").rglob("*")), "no text was long enough for the object store"
    assert not found_in("\n".join(answer.out + answer.err for answer in told))
    assert not found_in(in_files(tmp_path / "data"))
    looked = {finding["what"]: finding for finding in told[-1].document["findings"]}
    assert looked["privacy of shop"]["status"] == "ok", looked["privacy of shop"]["said"]
