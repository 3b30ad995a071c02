"""Opening the store that a URL names."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

from knowledge.elastic import ElasticStore
from knowledge.errors import SettingsError
from knowledge.sqlite import SqliteStore
from knowledge.store import Store

DATABASE_NAME = "errata.db"
_EXAMPLES = "give sqlite:///name.db (in the data folder), sqlite:////folder/name.db or https://host:9200"


def open_store(url: str, data_dir: Path) -> Store:
    """The store of `url`, not prepared yet.

    `sqlite:///name.db` lies in `data_dir`, `sqlite:////absolute/name.db` anywhere, an empty one is `errata.db` in
    `data_dir`; `http(s)://host:port` is an Elasticsearch, with user and password or an `api_key`, `prefix`, `ca` and
    `verify` as options. SettingsError, which shows no part of the URL that may be secret, for any other.
    """
    scheme = url.partition(":")[0].lower()
    if not url or scheme == "sqlite":
        return SqliteStore(_database_path(url, data_dir))
    if scheme in ("http", "https"):
        return ElasticStore(url)
    raise SettingsError(f"the store URL is neither of SQLite nor of Elasticsearch; {_EXAMPLES}")


def _database_path(url: str, data_dir: Path) -> Path:
    rest = unquote(url.partition(":")[2].removeprefix("//"))
    if rest and not rest.startswith("/"):
        raise SettingsError(f"the SQLite URL has a host or too few slashes; {_EXAMPLES}")
    name = rest.removeprefix("/") or DATABASE_NAME
    if name == ":memory:":
        raise SettingsError(f"a store in memory would be lost at once; {_EXAMPLES}")
    return data_dir / name
