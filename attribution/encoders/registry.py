"""Encoders by name: the one list that settings choose from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from attribution.encoders.hashing import HashingEncoder
from attribution.encoders.minilm import SentenceTransformerEncoder, packaged_minilm
from attribution.encoders.multilingual import MultilingualEncoder
from attribution.encoders.port import Encoder
from knowledge.errors import SettingsError
from knowledge.ids import digest

ENCODERS: dict[str, Callable[[], Encoder]] = {
    "minilm": packaged_minilm,
    "use-multilingual": MultilingualEncoder,
    "hash": HashingEncoder,
}


def make_encoder(name: str) -> Encoder:
    """The encoder called `name`; or a sentence-transformers model, by its folder or by its `owner/name` in the local
    cache of models. Nothing loads before the first use. SettingsError for a name that is none of these."""
    if name in ENCODERS:
        return ENCODERS[name]()
    folder = Path(name)
    if (folder / "config.json").is_file():
        return SentenceTransformerEncoder(_identity(folder), lambda: name)
    if not folder.is_absolute() and name.count("/") == 1:
        return SentenceTransformerEncoder(name, lambda: name)
    raise SettingsError(
        f"no encoder {name!r}: use {', '.join(ENCODERS)}, or a folder with a sentence-transformers model"
    )


def _identity(folder: Path) -> str:
    """The folder's name with a digest of its configuration and the sizes of its files: other weights, another id."""
    sizes = sorted((path.name, path.stat().st_size) for path in folder.iterdir() if path.is_file())
    return f"{folder.name}@{digest((folder / 'config.json').read_text(encoding='utf-8'), sizes)[:8]}"
