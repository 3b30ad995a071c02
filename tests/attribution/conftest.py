from __future__ import annotations

import pytest

from attribution.encoders.hashing import HashingEncoder
from attribution.encoders.port import Encoder
from attribution.encoders.registry import make_encoder
from knowledge.stage import Shift
from knowledge.store import Store
from tests.attribution.making import a_shift


@pytest.fixture
def shift(store: Store) -> Shift:
    return a_shift(store)


@pytest.fixture
def fake() -> tuple[Encoder, ...]:
    return (HashingEncoder(),)


@pytest.fixture(scope="session")
def default_encoders() -> tuple[Encoder, ...]:
    """The two packaged models, loaded once for all tests."""
    return make_encoder("minilm"), make_encoder("use-multilingual")
