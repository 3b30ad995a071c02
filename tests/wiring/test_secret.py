from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from knowledge.errors import SettingsError
from wiring.secret import KEY_FILE, installation_key, project_key
from wiring.settings import Settings


def test_a_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    key = installation_key(settings)
    assert installation_key(settings) == key
    assert len(key) == 32
    assert stat.S_IMODE((tmp_path / "data" / KEY_FILE).stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "data").iterdir()] == [KEY_FILE]


def test_processes_that_start_together_agree_on_one_key(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: installation_key(settings), range(32)))
    assert len(keys) == 1


def test_each_project_has_a_key_of_its_own(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    assert project_key(settings, "shop") == project_key(settings, "shop")
    assert project_key(settings, "shop") != project_key(settings, "desk")


def test_the_setting_wins_and_needs_no_file(tmp_path: Path) -> None:
    settings = Settings.model_validate(
        {"data_dir": tmp_path / "data", "secret": "one and the same everywhere"}
    )
    assert project_key(settings, "shop")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("text", ["", "abc", "z" * 64])
def test_a_damaged_key_is_told_and_never_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / KEY_FILE).write_text(text)
    with pytest.raises(SettingsError, match=r"secret\.key is damaged"):
        installation_key(Settings(data_dir=tmp_path))
    assert (tmp_path / KEY_FILE).read_text() == text


def test_a_data_folder_that_cannot_be_made_names_its_setting(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="ERRATA_DATA_DIR"):
        installation_key(Settings(data_dir=tmp_path / "file" / "data"))
