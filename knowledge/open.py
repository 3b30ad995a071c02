"""Opening the store that a URL names."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from knowledge.elastic import ElasticStore
from knowledge.errors import SettingsError
from knowledge.sqlite import SqliteStore
from knowledge.store import Store

DATABASE_NAME = "errata.db"


def open_store(url: str, data_dir: Path) -> Store:
    """The store of `url`, not prepared yet.

    `sqlite:///name.db` lies in `data_dir`, `sqlite:////absolute/name.db` anywhere, an empty one is `errata.db` in
    `data_dir`; `http(s)://host:port` is an Elasticsearch, with user and password or an `api_key`, `prefix`, `ca` and
    `verify` as options. SettingsError, which shows no secret, for any other.
    """
    scheme = urlsplit(url).scheme
    if not url or scheme == "sqlite":
        return SqliteStore(_database_path(url, data_dir))
    if scheme in ("http", "https"):
        return ElasticStore(url)
    raise SettingsError(
        f"the store URL begins with {scheme or 'no scheme'}; give sqlite:///name.db or https://host:9200"
    )


def _database_path(url: str, data_dir: Path) -> Path:
    rest = unquote(url.removeprefix("sqlite:").removeprefix("//"))
    if rest and not rest.startswith("/"):
        raise SettingsError(
            f"{url}: write sqlite:///name.db (in the data folder) or sqlite:////folder/name.db"
        )
    name = rest.removeprefix("/") or DATABASE_NAME
    if name == ":memory:":
        raise SettingsError(f"{url}: a store in memory is lost at once; name a file")
    return data_dir / name
