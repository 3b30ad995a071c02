"""A service on SQLite in a temporary folder, with a clock that the tests move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from knowledge.nights import Scope
from tests.api.parties import OTHER, PROJECT, Bearer, HandClock, MakeBearer
from wiring.build import Errata, build
from wiring.settings import Settings
from wiring.tokens import create_token


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def errata(tmp_path: Path, clock: HandClock) -> Iterator[Errata]:
    settings = Settings(data_dir=tmp_path / "data", encoders=("hash",), secret="a secret of sixteen or more")
    built = build(settings, clock)
    built.ensure_project(PROJECT)
    built.ensure_project(OTHER)
    yield built
    built.close()


@pytest.fixture
def client(errata: Errata) -> Iterator[TestClient]:
    with TestClient(create_app(errata)) as made:
        yield made


@pytest.fixture
def bearer(errata: Errata, client: TestClient) -> MakeBearer:
    """Make a client with a new token of these scopes, for these projects (none named: all)."""

    def make(*scopes: Scope, projects: Sequence[str] = (), name: str = "mei") -> Bearer:
        secret, _ = create_token(errata, name, scopes, projects)
        return Bearer(client, secret)

    return make


@pytest.fixture
def small(errata: Errata) -> Iterator[TestClient]:
    """The same service, which reads bodies of 2,048 bytes at most."""
    settings = errata.settings.model_copy(update={"max_body_bytes": 2048})
    with TestClient(create_app(replace(errata, settings=settings))) as made:
        yield made
