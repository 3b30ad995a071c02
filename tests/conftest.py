"""What all tests share: a prepared, empty store, on each engine there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from elasticsearch import Elasticsearch
from pydantic_settings import BaseSettings, SettingsConfigDict

from knowledge.elastic import ElasticStore
from knowledge.sqlite import SqliteStore
from knowledge.store import Store


class Engines(BaseSettings):
    """ERRATA_TEST_ELASTICSEARCH_URL: a node to test on, where there is one."""

    model_config = SettingsConfigDict(env_prefix="ERRATA_TEST_")

    elasticsearch_url: str | None = None


class Node:
    """A node to test on: hands out prefixes of index names, and takes away what was made under them."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._client = Elasticsearch(url)
        self._prefixes: list[str] = []

    def prefix(self) -> str:
        """A new prefix."""
        self._prefixes.append(f"test-{uuid4().hex[:12]}")
        return self._prefixes[-1]

    def empty(self, prefix: str) -> None:
        """Remove every document, keep the indices: making those takes seconds."""
        self._client.indices.refresh(index=f"{prefix}-*")
        hits = self._client.search(index=f"{prefix}-*", size=10_000, source=False)["hits"]["hits"]
        while hits:
            actions = [{"delete": {"_index": hit["_index"], "_id": hit["_id"]}} for hit in hits]
            self._client.bulk(operations=actions, refresh=True)
            hits = self._client.search(index=f"{prefix}-*", size=10_000, source=False)["hits"]["hits"]

    def close(self) -> None:
        """Remove all indices made for these tests."""
        for prefix in self._prefixes:
            names = list(self._client.indices.get(index=f"{prefix}-*"))
            if names:
                self._client.indices.delete(index=",".join(names))
        self._client.close()


@pytest.fixture(scope="session")
def node() -> Iterator[Node]:
    """The Elasticsearch of ERRATA_TEST_ELASTICSEARCH_URL; the test is skipped where that is not set."""
    url = Engines().elasticsearch_url
    if url is None:
        pytest.skip("ERRATA_TEST_ELASTICSEARCH_URL is not set")
    made = Node(url)
    yield made
    made.close()


@pytest.fixture(scope="session")
def elastic_prefix(node: Node) -> str:
    """A prefix under which all indices are there."""
    prefix = node.prefix()
    store = ElasticStore(node.url, prefix=prefix)
    store.prepare()
    store.close()
    return prefix


@pytest.fixture
def open_sqlite(tmp_path: Path) -> Callable[[], Store]:
    """Opens the same database each time, as another process would."""
    return lambda: SqliteStore(tmp_path / "errata.db")


@pytest.fixture
def open_elastic(node: Node, elastic_prefix: str) -> Iterator[Callable[[], Store]]:
    """Opens the same indices each time, as another process would."""
    yield lambda: ElasticStore(node.url, prefix=elastic_prefix)
    node.empty(elastic_prefix)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for a store runs once on each engine there is."""
    if "engine" in metafunc.fixturenames:
        engines = ["sqlite", "elastic"] if Engines().elasticsearch_url else ["sqlite"]
        metafunc.parametrize("engine", engines, indirect=True)


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> str:
    """The name of the engine that the test runs on."""
    return str(request.param)


@pytest.fixture
def open_again(request: pytest.FixtureRequest, engine: str) -> Iterator[Callable[[], Store]]:
    """Opens this test's store once more, as another process would; all are closed at the end."""
    opener: Callable[[], Store] = request.getfixturevalue(f"open_{engine}")
    opened: list[Store] = []

    def open_one() -> Store:
        opened.append(opener())
        return opened[-1]

    yield open_one
    for made in opened:
        made.close()


@pytest.fixture
def url(request: pytest.FixtureRequest, engine: str, tmp_path: Path) -> str:
    """The URL of this test's store, for another process to open."""
    if engine == "sqlite":
        return f"sqlite:///{tmp_path / 'errata.db'}"
    prefix: str = request.getfixturevalue("elastic_prefix")
    return f"{request.getfixturevalue('node').url}?prefix={prefix}"


@pytest.fixture
def store(open_again: Callable[[], Store]) -> Store:
    """A prepared, empty store: each test runs on SQLite, and on Elasticsearch where there is a node."""
    made = open_again()
    made.prepare()
    return made
