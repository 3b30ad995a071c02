from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from knowledge.errors import BadInputError, NotFoundError, SettingsError, StoreUnavailableError
from knowledge.filesystem import FilesystemObjects

TEXT = "一个很长的回答 and more".encode()
DIGEST = hashlib.sha256(TEXT).hexdigest()


@pytest.fixture(params=["folder", "memory"])
def objects(request: pytest.FixtureRequest, tmp_path: Path) -> FilesystemObjects:
    """On a local folder, and on one of fsspec's other file systems."""
    return FilesystemObjects(
        str(tmp_path / "objects") if request.param == "folder" else f"memory://{tmp_path}"
    )


def test_what_was_put_comes_back_under_its_digest(objects: FilesystemObjects) -> None:
    assert objects.put("shop", TEXT) == DIGEST
    assert objects.get("shop", DIGEST) == TEXT


def test_putting_the_same_again_changes_nothing(tmp_path: Path) -> None:
    objects = FilesystemObjects(str(tmp_path))
    objects.put("shop", TEXT)
    before = [(path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*") if path.is_file()]
    objects.put("shop", TEXT)
    assert [(path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*") if path.is_file()] == before
    assert [path.name for path, _ in before] == [DIGEST]


def test_projects_do_not_see_each_others(objects: FilesystemObjects) -> None:
    objects.put("shop", TEXT)
    assert objects.missing("bank", [DIGEST]) == [DIGEST]
    assert objects.missing("shop", [DIGEST]) == []
    with pytest.raises(NotFoundError, match="no object"):
        objects.get("bank", DIGEST)


def test_a_damaged_object_is_not_given_out(tmp_path: Path) -> None:
    objects = FilesystemObjects(str(tmp_path))
    objects.put("shop", TEXT)
    (tmp_path / "shop" / DIGEST[:2] / DIGEST).write_bytes(b"something else")
    with pytest.raises(NotFoundError, match="damaged"):
        objects.get("shop", DIGEST)


@pytest.mark.parametrize(
    ("project", "digest"), [("..", DIGEST), ("shop", "../../secret.key"), ("shop", "AB")]
)
def test_nothing_outside_its_place_can_be_named(
    objects: FilesystemObjects, project: str, digest: str
) -> None:
    with pytest.raises(BadInputError, match="digest"):
        objects.get(project, digest)


def test_a_place_that_cannot_be_written_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "objects").write_text("a file where the folder should be")
    with pytest.raises(StoreUnavailableError, match="object store at"):
        FilesystemObjects(str(tmp_path / "objects")).put("shop", TEXT)


def test_an_unknown_kind_of_place_is_an_error_of_the_settings() -> None:
    with pytest.raises(SettingsError, match="ERRATA_OBJECTS_URL"):
        FilesystemObjects("nosuch://bucket")
