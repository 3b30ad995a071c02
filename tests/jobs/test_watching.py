from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest.masking import Masker
from ingest.service import ingest_file
from jobs.watching import Taken, Watch
from knowledge.errors import BadInputError, StoreUnavailableError
from knowledge.kinds import RUN_RECORDS
from knowledge.store import Query, Store
from tests.ingest.making import KEY, a_loan, a_run, a_shift, failing, tau, written
from tests.jobs.cli import CommandLine


class Folder:
    """A folder that is watched, by a watcher that may be started anew."""

    def __init__(self, path: Path, store: Store) -> None:
        self.path, self.store, self.memory = path / "runs", store, path / "memory.json"
        self.path.mkdir()
        self.watch = self.started()

    def started(self) -> Watch:
        self.watch = Watch(
            self.path,
            self.memory,
            lambda path, source: ingest_file(path, source, a_shift(self.store), Masker(KEY)),
        )
        return self.watch

    def poll(self) -> list[tuple[str, int | None]]:
        return [_short(taken) for taken in self.watch.poll()]

    def runs(self) -> list[str]:
        return [stored.item.run_id for stored in self.store.collection("library", RUN_RECORDS).scan(Query())]


def _short(taken: Taken) -> tuple[str, int | None]:
    return taken.name, taken.report.runs if taken.report else None


def line(number: int) -> str:
    return a_run(failing(0, "lend", "Error: no such book"), run_id=f"run-{number}").model_dump_json(
        exclude_none=True
    )


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


@pytest.fixture
def folder(tmp_path: Path, store: Store) -> Folder:
    return Folder(tmp_path, store)


def test_whole_lines_of_a_growing_file_are_read_as_they_come_each_once(folder: Folder) -> None:
    path = folder.path / "today.jsonl"
    append(path, f"{line(1)}\n{line(2)[:50]}")
    assert folder.poll() == [("today.jsonl", 1)]
    assert folder.poll() == []
    append(path, f"{line(2)[50:]}\n{line(3)}\n")
    assert folder.poll() == [("today.jsonl", 2)]
    assert folder.poll() == []
    assert folder.runs() == ["run-1", "run-2", "run-3"]


def test_a_last_line_without_its_line_break_is_read_once_the_file_stands_still(folder: Folder) -> None:
    append(folder.path / "today.jsonl", f"{line(1)}\n{line(2)}")
    assert folder.poll() == [("today.jsonl", 1)]
    assert folder.poll() == [("today.jsonl", 1)]
    assert folder.poll() == []
    assert folder.runs() == ["run-1", "run-2"]


def test_what_was_read_is_remembered_when_it_starts_anew(folder: Folder) -> None:
    append(folder.path / "today.jsonl", f"{line(1)}\n")
    folder.poll()
    folder.started()
    assert folder.poll() == []
    append(folder.path / "today.jsonl", f"{line(2)}\n")
    assert folder.poll() == [("today.jsonl", 1)]


def test_a_file_that_began_anew_is_read_from_its_start(folder: Folder) -> None:
    path = folder.path / "today.jsonl"
    append(path, f"{line(1)}\n{line(2)}\n")
    folder.poll()
    path.write_text(f"{line(7)}\n{line(8)}\n{line(9)}\n")
    assert folder.poll() == [("today.jsonl", 3)]


def test_any_other_file_is_read_when_it_has_stopped_growing_and_again_when_it_changed(folder: Folder) -> None:
    path = written(folder.path / "old.json", [tau(a_loan(), task=1)])
    assert folder.poll() == []
    path = written(path, [tau(a_loan(), task=1), tau(a_loan(), task=2)])
    assert folder.poll() == []
    assert folder.poll() == [("old.json", 2)]
    assert folder.poll() == []
    written(path, [tau(a_loan(), task=number) for number in range(3)])
    folder.poll()
    assert folder.poll() == [("old.json", 3)]


def test_lines_that_are_not_runs_of_their_own_are_read_whole(folder: Folder) -> None:
    append(folder.path / "tau.jsonl", json.dumps(tau(a_loan(), task=1)) + "\n")
    assert folder.poll() == []
    assert folder.poll() == [("tau.jsonl", 1)]
    assert folder.poll() == []


def test_what_cannot_be_used_is_told_once_and_the_others_go_on(folder: Folder) -> None:
    append(folder.path / "a.jsonl", "no runs at all\n")
    append(folder.path / "b.jsonl", f"{line(1)}\n")
    assert folder.poll() == [("b.jsonl", 1)]
    assert folder.poll() == [("a.jsonl", None)]
    assert folder.poll() == []


def test_hidden_and_unfinished_files_are_left_alone(folder: Folder) -> None:
    for name in (".hidden.jsonl", "x.jsonl.part", "y.jsonl~"):
        append(folder.path / name, f"{line(1)}\n")
    (folder.path / ".git").mkdir()
    append(folder.path / ".git" / "z.jsonl", f"{line(1)}\n")
    assert folder.poll() == folder.poll() == []


def test_a_reading_that_the_store_cut_short_is_done_again(folder: Folder) -> None:
    append(folder.path / "today.jsonl", f"{line(1)}\n")

    def away(path: Path, source: str) -> None:
        raise StoreUnavailableError("gone")

    with pytest.raises(StoreUnavailableError):
        list(Watch(folder.path, folder.memory, away).poll())  # type: ignore[arg-type]
    assert folder.poll() == [("today.jsonl", 1)]


def test_the_memory_holds_neither_names_nor_contents(folder: Folder) -> None:
    append(folder.path / "mia@example.org.jsonl", f"{line(1)}\n")
    folder.poll()
    assert "mia" not in folder.memory.read_text()
    assert "lend" not in folder.memory.read_text()


def test_what_is_no_folder_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no folder"):
        Watch(tmp_path / "none", tmp_path / "memory", lambda path, source: None)  # type: ignore[arg-type,return-value]


def test_the_command_takes_what_is_there_once(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    append(tmp_path / "in" / "today.jsonl", f"{line(1)}\n{line(2)}")
    written(tmp_path / "in" / "old.json", [tau(a_loan(), task=1)])
    first = cli.json("watch", str(tmp_path / "in"), "--once", "--project", "shop")
    again = cli.json("watch", str(tmp_path / "in"), "--once", "--project", "shop")
    assert (first["runs"], first["new_cases"], again["runs"]) == (3, 2, 0)
