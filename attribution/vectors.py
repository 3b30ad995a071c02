"""Vectors of texts: read from the store, encoded once where they are missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from attribution.encoders.port import Encoder, Vectors
from attribution.text import text_digest
from knowledge.errors import SettingsError
from knowledge.stage import Shift

BATCH = 256
"""Texts that are encoded and written at once."""
_TWO_SCRIPTS = "订单 in two scripts"
_STORED = np.dtype("<f4")


def readable(encoder: Encoder, texts: Iterable[str]) -> list[str]:
    """The distinct texts that the encoder reads, sorted: the same batches whatever order they came in."""
    return sorted(text for text in set(texts) if text and encoder.reads(text))


def fill(shift: Shift, encoder: Encoder, texts: Sequence[str]) -> Iterator[int]:
    """Encode and keep the vectors of the readable texts that the store lacks; yields how many, batch by batch."""
    missing = _missing(shift, encoder, readable(encoder, texts))
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        encoded = encoder.encode(batch).astype(_STORED)
        shift.guard()
        shift.store.vectors.put_many(
            encoder.id, {text_digest(text): row.tobytes() for text, row in zip(batch, encoded, strict=True)}
        )
        yield len(batch)


def load(shift: Shift, encoder: Encoder, texts: Iterable[str]) -> Mapping[str, Vectors]:
    """Vector by text, for the texts that the encoder reads; what the store lacks is encoded first.

    SettingsError where the store holds vectors of another length under the encoder's id.
    """
    wanted = readable(encoder, texts)
    for _ in fill(shift, encoder, wanted):
        pass
    found = shift.store.vectors.get_many(encoder.id, [text_digest(text) for text in wanted])
    return {text: _row(encoder, found[text_digest(text)]) for text in wanted}


def load_by_one(shift: Shift, encoders: Sequence[Encoder], texts: Sequence[str]) -> Mapping[str, Vectors]:
    """Vector by text, all of one encoder, so that they can be compared with each other. Nothing without an encoder."""
    encoder = one_for_all(encoders)
    return {} if encoder is None else load(shift, encoder, texts)


def one_for_all(encoders: Sequence[Encoder]) -> Encoder | None:
    """The encoder for texts in any script: the first that reads several, else the first; None where there is none."""
    several = (encoder for encoder in encoders if encoder.reads(_TWO_SCRIPTS))
    return next(several, encoders[0] if encoders else None)


def _missing(shift: Shift, encoder: Encoder, texts: Sequence[str]) -> list[str]:
    there = shift.store.vectors.get_many(encoder.id, [text_digest(text) for text in texts])
    return [text for text in texts if text_digest(text) not in there]


def _row(encoder: Encoder, stored: bytes) -> Vectors:
    row = np.frombuffer(stored, dtype=_STORED).astype(np.float32)
    if len(row) != encoder.dimension:
        raise SettingsError(
            f"the store holds vectors of {len(row)} numbers under {encoder.id}, which makes {encoder.dimension}: it is "
            "another model under one name. Give it a folder of another name"
        )
    return row
