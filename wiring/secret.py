"""The key that placeholders are made with: from the settings, or random and kept in the data folder."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import string
from contextlib import suppress
from pathlib import Path

from knowledge.errors import SettingsError
from wiring.settings import Settings

KEY_FILE = "secret.key"
KEY_HEX = 64


def project_key(settings: Settings, project: str) -> bytes:
    """32 bytes that belong to one project; the same for the same key, unrelated between projects."""
    return hmac.digest(installation_key(settings), f"errata placeholders\0{project}".encode(), hashlib.sha256)


def installation_key(settings: Settings) -> bytes:
    """The setting ERRATA_SECRET, else the key file of the data folder, which is made where it is missing."""
    if settings.secret is not None:
        return settings.secret.get_secret_value().encode()
    path = settings.data_dir / KEY_FILE
    try:
        if not path.exists():
            _create(path)
        text = path.read_text().strip()
    except OSError as error:
        raise SettingsError(
            f"ERRATA_DATA_DIR: cannot keep a key in {path}: {error.strerror or error}"
        ) from error
    if len(text) != KEY_HEX or not set(text) <= set(string.hexdigits):
        raise SettingsError(f"{path} is damaged: restore it from a backup, or set ERRATA_SECRET")
    return bytes.fromhex(text)


def _create(path: Path) -> None:
    """Write beside it, then link: the file appears whole or not at all, and the first of two processes wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(KEY_HEX // 2) + "\n")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
