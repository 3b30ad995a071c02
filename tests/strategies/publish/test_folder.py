"""A folder of files to move, for those without GitLab."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from knowledge.stage import Shift
from knowledge.store import Store
from strategies.publish.folder import Folder
from strategies.publish.port import PublishError
from strategies.publish.stages import announce, settle
from tests.strategies.publish.drafts import FIRST, morning, states, strategy, with_live
from tests.strategies.shop import PROJECT


@pytest.fixture
def shift(store: Store) -> Shift:
    return morning(store)


def moved(folder: Path, state: str, strategy_id: str = FIRST) -> None:
    shutil.move(
        folder / PROJECT / "proposed" / f"{strategy_id}.yaml",
        folder / PROJECT / state / f"{strategy_id}.yaml",
    )


def test_a_file_moved_to_approved_is_an_approval(shift: Shift, tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    announce(shift, [folder])
    assert settle(shift, [folder]).counts == {"approved": 0, "rejected": 0}
    moved(tmp_path, "approved")
    assert settle(shift, [folder]).counts["approved"] == 1
    assert strategy(shift).state == "active"


def test_a_file_moved_to_rejected_is_a_rejection_and_one_that_is_gone_is_no_answer(
    shift: Shift, tmp_path: Path
) -> None:
    folder = Folder(tmp_path)
    announce(shift, [folder])
    for path in (tmp_path / PROJECT / "proposed").iterdir():
        if path.stem != FIRST:
            path.unlink()
    moved(tmp_path, "rejected")
    settle(shift, [folder])
    assert strategy(shift).state == "rejected"
    assert states(shift) <= {"rejected", "in_review"}


def test_in_a_git_repository_each_change_is_a_commit_and_other_changes_stay_out_of_it(
    shift: Shift, tmp_path: Path
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    folder = tmp_path / "rules"
    folder.mkdir()
    (tmp_path / "mine.txt").write_text("not Errata's", encoding="utf-8")
    announce(shift, [Folder(folder)])
    log = subprocess.run(
        ["git", "-C", str(tmp_path), "log", "--name-only", "--format=%an %s"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert log.startswith(f"errata {PROJECT}: ")
    assert f"rules/{PROJECT}/proposed/{FIRST}.yaml" in log
    assert "mine.txt" not in log


def test_a_folder_that_cannot_be_written_is_told(shift: Shift, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file", encoding="utf-8")
    with pytest.raises(PublishError, match="taken"):
        Folder(taken).test()
    assert "taken" in str(announce(shift, [Folder(taken)]).skipped)


def test_what_was_not_acknowledged_is_approved_once_the_file_says_so(shift: Shift, tmp_path: Path) -> None:
    with_live(shift, {"kind": "hint", "text": "Seven digits."}, r"^[0-9]")
    folder = Folder(tmp_path)
    announce(shift, [folder])
    moved(tmp_path, "approved")
    assert "acknowledge hides:ST-0098" in str(settle(shift, [folder]).skipped)
    path = tmp_path / PROJECT / "approved" / f"{FIRST}.yaml"
    path.write_text(path.read_text().replace("acknowledge: []", "acknowledge: ['hides:ST-0098']"))
    assert settle(shift, [folder]).counts["approved"] == 1
    assert strategy(shift).state == "active"
