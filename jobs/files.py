"""Files that appear whole or not at all."""

from __future__ import annotations

import tempfile
from pathlib import Path

from knowledge.errors import BadInputError


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
