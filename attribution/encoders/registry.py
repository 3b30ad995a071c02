"""Encoders by name: the one list that settings choose from, and models by folder or by their name in the local cache."""

from __future__ import annotations

from collections.abc import Callable, Collection
from hashlib import sha256
from pathlib import Path

from attribution.encoders.hashing import HashingEncoder
from attribution.encoders.minilm import CPU, SentenceTransformerEncoder, packaged_minilm
from attribution.encoders.multilingual import MultilingualEncoder
from attribution.encoders.port import Encoder
from knowledge.errors import SettingsError

ENCODERS: dict[str, Callable[[str], Encoder]] = {
    "minilm": packaged_minilm,
    "use-multilingual": lambda _: MultilingualEncoder(),
    "hash": lambda _: HashingEncoder(),
}
MODEL_FILES = ("config.json", "modules.json", "config_sentence_transformers.json")
"""A folder with one of these holds a model."""
PIECE = 64 * 1024
"""Bytes of each end and of the middle of a file that go into an id."""


def make_encoder(name: str, *, scripts: Collection[str] = ("LATIN",), device: str = CPU) -> Encoder:
    """The encoder called `name`; or a sentence-transformers model, by its folder or by its `owner/name` in the local
    cache of models, which reads `scripts`. Nothing loads before the first use. SettingsError for a name that is none of these."""
    if name in ENCODERS:
        return ENCODERS[name](device)
    folder = Path(name)
    if any((folder / one).is_file() for one in MODEL_FILES):
        identity = f"{folder.resolve().name}@{_content(folder)}"
    elif not folder.is_absolute() and name.count("/") == 1 and not folder.exists():
        folder = _cached(name)
        identity = f"{name}@{_content(folder)}"
    else:
        raise SettingsError(
            f"no encoder {name!r}: use {', '.join(ENCODERS)}, or a folder with a sentence-transformers model"
        )
    return SentenceTransformerEncoder(identity, lambda: str(folder), scripts=scripts, device=device)


def _cached(name: str) -> Path:
    """Where the local cache of models has it. The network is never asked."""
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - only where a model is named so
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError  # noqa: PLC0415

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError) as error:
        raise SettingsError(
            f"no sentence-transformers model {name!r} in the local cache: download it there first (`hf download "
            f"{name}`), or name a folder that holds it. Errata itself never goes to the network for a model"
        ) from error


def _content(folder: Path) -> str:
    """A digest of the names and sizes of its files, and of the ends and the middle of each: other weights, another id."""
    hashed = sha256()
    for path in sorted(one for one in folder.rglob("*") if one.is_file() and not one.name.startswith(".")):
        size = path.stat().st_size
        hashed.update(f"{path.relative_to(folder).as_posix()} {size}\n".encode())
        with path.open("rb") as file:
            for start in sorted({0, max(0, size // 2 - PIECE // 2), max(0, size - PIECE)}):
                file.seek(start)
                hashed.update(file.read(PIECE))
    return hashed.hexdigest()[:12]
