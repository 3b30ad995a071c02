"""Which sense a text speaks of: a linear map for each encoder's vectors and one for the words themselves, fitted to the
phrasebook and kept as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attribution.encoders.port import Vectors
from attribution.senses.lexicon import LEXICON, counted
from attribution.senses.phrasebook import Sense

Chances = NDArray[np.float64]
"""Texts x senses; a row sums to 1, or to 0 where nothing is known of its text."""


@dataclass(frozen=True)
class Probe:
    """`weights` is dimension x senses, `bias` has one number a sense."""

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]

    def log_chances(self, vectors: Vectors) -> NDArray[np.float64]:
        """The logarithm of each sense's chance, texts x senses: softmax of vectors @ weights + bias."""
        raised = (vectors @ self.weights + self.bias).astype(np.float64)
        raised -= raised.max(axis=1, keepdims=True)
        logs: NDArray[np.float64] = raised - np.log(np.exp(raised).sum(axis=1, keepdims=True))
        return logs


@dataclass(frozen=True)
class Probes:
    """The probes of one edition of the phrasebook, by encoder id, and the one for words; `senses` are the phrasebook's without
    their wordings, in the order of their columns. `sharpness` is what logarithms are multiplied by where one probe reads a text, where two do, and so on (the
    last for more): what makes a chance of 0.8 come true in eight of ten held-out wordings."""

    edition: str
    senses: tuple[Sense, ...]
    by_encoder: Mapping[str, Probe]
    sharpness: tuple[float, ...] = (1.0,)

    def chances(self, texts: Sequence[str], vectors: Mapping[str, Mapping[str, Vectors]]) -> Chances:
        """What each text speaks of, as all probes that read it see it: the product of their chances. `vectors` are by encoder id,
        then by text. A text that no encoder with a probe reads speaks of nothing: words alone do not settle it."""
        logs = np.zeros((len(texts), len(self.senses)))
        readers = np.zeros(len(texts), dtype=np.int64)
        for name in sorted(set(vectors) & set(self.by_encoder)):
            self._add(name, [vectors[name].get(text) for text in texts], logs, readers)
        unread = readers == 0
        if LEXICON in self.by_encoder:
            self._add(LEXICON, [counted(text) for text in texts], logs, readers)
        found: Chances = shared(logs, readers, self.sharpness) * ~unread[:, None]
        return found

    def _add(
        self,
        name: str,
        vectors: Sequence[Vectors | None],
        logs: NDArray[np.float64],
        readers: NDArray[np.int64],
    ) -> None:
        rows = [row for row, vector in enumerate(vectors) if vector is not None]
        if rows:
            logs[rows] += self.by_encoder[name].log_chances(np.stack([v for v in vectors if v is not None]))
            readers[rows] += 1


def shared(logs: NDArray[np.float64], readers: NDArray[np.int64], sharpness: Sequence[float]) -> Chances:
    """The chances that several probes' summed logarithms come to, texts x senses, for how many read each text."""
    sharp = np.array((0.0, *sharpness))[np.minimum(readers, len(sharpness))]
    raised = np.exp(sharp[:, None] * (logs - logs.max(axis=1, keepdims=True)))
    found: Chances = raised / raised.sum(axis=1, keepdims=True)
    return found


def write_probes(probes: Probes) -> bytes:
    """The probes as a file: numpy's, without pickles. Half precision is enough to tell senses apart."""
    arrays: dict[str, Any] = {
        "edition": np.array(probes.edition),
        "names": np.array([sense.name for sense in probes.senses]),
        "says": np.array([sense.says for sense in probes.senses]),
        "whole": np.array([sense.whole for sense in probes.senses], dtype=bool),
    }
    arrays["sharpness"] = np.array(probes.sharpness)
    for encoder, probe in probes.by_encoder.items():
        arrays[f"{encoder}/weights"] = probe.weights.astype(np.float16)
        arrays[f"{encoder}/bias"] = probe.bias.astype(np.float16)
    written = BytesIO()
    np.savez_compressed(written, **arrays)
    return written.getvalue()


def read_probes(content: bytes) -> Probes:
    """What `write_probes` wrote."""
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        encoders = sorted(name.removesuffix("/weights") for name in arrays.files if name.endswith("/weights"))
        probes = {
            encoder: Probe(
                arrays[f"{encoder}/weights"].astype(np.float32), arrays[f"{encoder}/bias"].astype(np.float32)
            )
            for encoder in encoders
        }
        told = zip(arrays["names"], arrays["says"], arrays["whole"], strict=True)
        senses = tuple(Sense(name=str(name), says=str(says), whole=bool(whole)) for name, says, whole in told)
        return Probes(str(arrays["edition"]), senses, probes, tuple(map(float, arrays["sharpness"])))


@lru_cache(maxsize=1)
def packaged_probes() -> Probes:
    """The probes of the packaged encoders, made by `python -m benchmarks.senses --write`."""
    return read_probes(resources.files("attribution.senses").joinpath("probes.npz").read_bytes())
