"""Files that people name: read with a clear word where that fails, written whole or not at all."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from knowledge.errors import BadInputError


def read_text(path: Path) -> str:
    """The file's UTF-8 text; `-` is stdin. BadInputError where it cannot be read."""
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: is not UTF-8 text") from error


def made_folder(path: Path) -> Path:
    """The folder, made where it is missing; BadInputError where that cannot be done."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInputError(f"{path}: cannot be made a folder: {error.strerror or error}") from error
    return path


def write_whole(path: Path, text: str) -> None:
    """Write UTF-8 text beside the file, then put it in its place; BadInputError where that cannot be done."""
    draft = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=".", delete=False
        ) as file:
            draft = Path(file.name)
            file.write(text)
        draft.chmod(0o644)
        draft.replace(path)
    except OSError as error:
        if draft is not None:
            draft.unlink(missing_ok=True)
        raise BadInputError(f"{path}: cannot be written: {error.strerror or error}") from error
