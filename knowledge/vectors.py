"""What may be kept as vectors, whichever store keeps them."""

from __future__ import annotations

from collections.abc import Mapping

from knowledge.errors import BadInputError


def vector_length(encoder: str, vectors: Mapping[str, bytes], known: int | None) -> int | None:
    """The length in bytes that all of them have, `known` where some are stored; None where there are none.

    BadInputError where one is no float32 vector or has another length.
    """
    for digest, vector in vectors.items():
        if not vector or len(vector) % 4:
            raise BadInputError(
                f"{encoder}: the vector of {digest} has {len(vector)} bytes; float32 needs 4 each"
            )
        known = known or len(vector)
        if len(vector) != known:
            raise BadInputError(
                f"{encoder}: the vector of {digest} has {len(vector) // 4} numbers, the others {known // 4}; "
                "an encoder that changed needs another id"
            )
    return known
