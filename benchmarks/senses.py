"""Fits the packaged probes to the phrasebook of senses (`--write`), and prints how well they tell its wordings apart, each judged by
probes that were fitted without it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from attribution import senses
from attribution.encoders.port import Encoder, Vectors
from attribution.encoders.registry import make_encoder
from attribution.languages import is_chinese
from attribution.senses.lexicon import LEXICON, counted
from attribution.senses.phrasebook import edition, phrasebook, texts_of
from attribution.senses.probe import Probe, Probes, shared, write_probes

ENCODERS = ("minilm", "use-multilingual")
FILE = Path(senses.__file__).parent / "probes.npz"
FOLDS = 10
SOFTNESS = 100.0
"""The inverse of the penalty on large weights."""
SURE = (0.5, 0.7, 0.8, 0.9)
SHARPNESS = tuple(step / 10 for step in range(3, 26))

Texts = Sequence[str]
Numbers = NDArray[np.int64]


def main(arguments: Sequence[str] = ()) -> None:
    """Print the figures; with `--write`, write the probes first."""
    parser = argparse.ArgumentParser("python -m benchmarks.senses", description=__doc__)
    parser.add_argument(
        "--write", action="store_true", help="fit the probes to the phrasebook and write them"
    )
    asked = parser.parse_args(arguments)
    texts, numbers = rows()
    vectors = {encoder.id: _vectors(encoder, texts) for encoder in map(make_encoder, ENCODERS)}
    vectors[LEXICON] = {text: row for text in texts if (row := counted(text)) is not None}
    logs, readers = _held_out(texts, numbers, vectors)
    sharpness = tuple(
        _sharpest(logs[readers == count], numbers[readers == count]) if (readers == count).any() else 1.0
        for count in range(1, len(vectors) + 1)
    )
    if asked.write:
        probes = fitted(texts, numbers, vectors, sharpness)
        FILE.write_bytes(write_probes(probes))
        print(f"wrote {FILE.name}, {FILE.stat().st_size:,} bytes, sharpness {sharpness}")
    _print(texts, numbers, shared(logs, readers, sharpness))


def rows() -> tuple[list[str], Numbers]:
    """The wordings of all senses, and the number of the sense of each."""
    pairs = [(text, number) for number, sense in enumerate(phrasebook()) for text in texts_of(sense)]
    return [text for text, _ in pairs], np.array([number for _, number in pairs])


def fitted(
    texts: Texts,
    numbers: Numbers,
    vectors: dict[str, dict[str, Vectors]],
    sharpness: tuple[float, ...] = (1.0,),
) -> Probes:
    """One probe per encoder, on the texts that it reads."""
    senses = tuple(sense.model_copy(update={"wordings": ()}) for sense in phrasebook())
    probes = {encoder: _probe(texts, numbers, some) for encoder, some in vectors.items()}
    return Probes(edition(), senses, probes, sharpness)


def _probe(texts: Texts, numbers: Numbers, vectors: dict[str, Vectors]) -> Probe:
    read = [row for row, text in enumerate(texts) if text in vectors]
    model = LogisticRegression(C=SOFTNESS, max_iter=2000)
    model.fit(np.stack([vectors[texts[row]] for row in read]), numbers[read])
    width = len(phrasebook())
    weights = np.zeros((model.coef_.shape[1], width), dtype=np.float32)
    bias = np.full(width, -30.0, dtype=np.float32)
    weights[:, model.classes_] = model.coef_.T
    bias[model.classes_] = model.intercept_
    return Probe(weights, bias)


def _held_out(
    texts: Texts, numbers: Numbers, vectors: dict[str, dict[str, Vectors]]
) -> tuple[NDArray[np.float64], Numbers]:
    """The sum of the logarithms of all readers' chances for each wording, by probes fitted without it, and how many read it."""
    logs = np.zeros((len(texts), len(phrasebook())))
    readers = np.zeros(len(texts), dtype=np.int64)
    fold = np.arange(len(texts)) % FOLDS
    for number in range(FOLDS):
        kept = np.flatnonzero(fold != number).tolist()
        probes = fitted([texts[row] for row in kept], numbers[kept], vectors)
        for encoder, some in vectors.items():
            asked = [row for row in np.flatnonzero(fold == number).tolist() if texts[row] in some]
            logs[asked] += probes.by_encoder[encoder].log_chances(
                np.stack([some[texts[row]] for row in asked])
            )
            readers[asked] += 1
    return logs, readers


def _sharpest(logs: NDArray[np.float64], numbers: Numbers) -> float:
    """The sharpness under which what is right was given the greatest chance, in the mean of logarithms."""
    every, one = np.arange(len(numbers)), np.ones(len(numbers), dtype=np.int64)

    def gain(sharpness: float) -> float:
        return float(np.log(shared(logs, one, (sharpness,))[every, numbers] + 1e-12).mean())

    return max(SHARPNESS, key=gain)


def _print(texts: Texts, numbers: Numbers, chances: NDArray[np.float64]) -> None:
    right = chances.argmax(axis=1) == numbers
    sure = chances.max(axis=1)
    chinese = np.array([is_chinese(text) for text in texts])
    print(
        f"{len(phrasebook())} senses, {len(texts)} wordings, each judged by probes fitted without it ({FOLDS} folds)"
    )
    for language, some in (("English", ~chinese), ("Chinese", chinese)):
        told = [f"{right[some].mean():.1%} right"]
        for least in SURE:
            taken = some & (sure >= least)
            told.append(
                f"at {least}: {taken.sum() / some.sum():.0%} of them, {right[taken].mean():.1%} right"
            )
        print(f"  {language}, {some.sum()} wordings: {'; '.join(told)}")


def _vectors(encoder: Encoder, texts: Texts) -> dict[str, Vectors]:
    read = [text for text in texts if encoder.reads(text)]
    return dict(zip(read, encoder.encode(read), strict=True))


if __name__ == "__main__":
    main(sys.argv[1:])
