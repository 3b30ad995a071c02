"""The last known good bundle on disk: what a client works with while the service is down."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path


class BundleCache:
    """One file per project in `folder`, readable by its owner alone, replaced in one step.

    A crash at any moment leaves the old bundle or the new one, never a piece of either. What is read is not
    trusted: the caller verifies it like a download.
    """

    def __init__(self, folder: Path, project: str) -> None:
        self.path = folder / f"{_file_name(project)}.bundle.json"

    def load(self) -> bytes | None:
        """The cached bytes, or None where there are none or they cannot be read."""
        try:
            return self.path.read_bytes()
        except OSError:
            return None

    def save(self, data: bytes) -> None:
        """Put `data` in place of what is there; OSError where the folder cannot be written."""
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        try:
            self._write(fresh, data)
            fresh.replace(self.path)
        finally:
            fresh.unlink(missing_ok=True)
        _sync_folder(self.path.parent)

    def _write(self, path: Path, data: bytes) -> None:
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())


def _file_name(project: str) -> str:
    """The project's name where it is a plain one, else a name made of its digest."""
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", project):
        return project
    return "project-" + hashlib.sha256(project.encode(errors="replace")).hexdigest()[:32]


def _sync_folder(folder: Path) -> None:
    """Make the replacement itself durable, where folders can be synced."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
