"""Which store a URL names, and that no error shows a secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge.elastic import ElasticStore
from knowledge.elastic.address import parse_address
from knowledge.errors import SettingsError, StoreUnavailableError
from knowledge.open import open_store
from knowledge.sqlite import SqliteStore


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", "{data}/errata.db"),
        ("sqlite://", "{data}/errata.db"),
        ("sqlite:///", "{data}/errata.db"),
        ("sqlite:///other.db", "{data}/other.db"),
        ("sqlite:///deep/er.db", "{data}/deep/er.db"),
        ("sqlite:///my%20库.db", "{data}/my 库.db"),
        ("sqlite:///{data}/absolute.db", "{data}/absolute.db"),
    ],
)
def test_an_sqlite_url_names_a_file(tmp_path: Path, url: str, expected: str) -> None:
    store = open_store(url.format(data=tmp_path), tmp_path)
    assert isinstance(store, SqliteStore)
    store.prepare()
    assert Path(expected.format(data=tmp_path)).is_file()
    store.close()


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:errata.db",
        "sqlite://host/x.db",
        "sqlite:///:memory:",
        "postgres://h/db",
        "errata.db",
        "ftp://x",
    ],
)
def test_any_other_url_is_refused_with_an_example(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingsError, match="sqlite:///name"):
        open_store(url, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_http_url_names_an_elasticsearch(tmp_path: Path) -> None:
    store = open_store("https://ann:secret@search.example:9243/es?prefix=errata-2&verify=false", tmp_path)
    assert isinstance(store, ElasticStore)
    store.close()


def test_all_parts_of_an_address_are_read() -> None:
    address = parse_address(
        "https://ann:p%40ss@Search.example/es/?api_key=abc%3D%3D&prefix=e2&ca=/etc/ca.pem"
    )
    assert (address.host, address.port, address.path) == ("search.example", 443, "/es")
    assert (address.basic_auth, address.api_key) == (("ann", "p@ss"), "abc==")
    assert (address.prefix, address.verify) == ("e2", Path("/etc/ca.pem"))
    assert parse_address("http://[::1]").shown == "http://[::1]:80"


@pytest.mark.parametrize(
    "url",
    [
        "http://ann:hush@127.0.0.1:hush",
        "http://ann:hush@127.0.0.1:9/?api_key=hush&unknown=hush",
        "http://ann:hush@",
        "http://ann:hush@[::1",
        "http://ann:hush@h/?prefix=HUSH",
        "http://ann:hush@h/?verify=hush",
        "http://ann:hush@h/?hush",
        "https://ann:hush@h/?ca=/no/such/file",
        "http://ann:hu/sh@h:9200",
        "ftp://ann:hush@h",
        "sqlite://ann:hush@h/x.db",
    ],
)
def test_an_address_that_cannot_be_used_shows_no_secret(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_store(url, tmp_path)
    error: BaseException | None = caught.value
    while error is not None:
        assert "hush" not in str(error)
        assert "hu/sh" not in str(error)
        error = error.__cause__


@pytest.mark.parametrize("secret", ["http://ann:hush@127.0.0.1:9", "http://127.0.0.1:9?api_key=hush"])
def test_a_store_that_does_not_answer_is_named_without_secrets(tmp_path: Path, secret: str) -> None:
    store = open_store(secret, tmp_path)
    with pytest.raises(StoreUnavailableError, match=r"http://127\.0\.0\.1:9 does not answer") as caught:
        store.ping()
    assert "hush" not in f"{caught.value} {caught.value.__cause__!r} {store!r}"
    store.close()
