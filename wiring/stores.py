"""The store that the settings name."""

from __future__ import annotations

from pathlib import Path

from knowledge.errors import SettingsError
from knowledge.store import Store
from wiring.settings import Settings

SQLITE = "sqlite:///"


def open_prepared(settings: Settings) -> Store:
    """The store, with its tables or indices in place; StoreUnavailableError where it does not answer."""
    store = _sqlite(settings) if settings.store_location.startswith(SQLITE) else _elastic(settings)
    store.prepare()
    return store


def _sqlite(settings: Settings) -> Store:
    from knowledge.sqlite import SqliteStore  # noqa: PLC0415 - only the store that is used is loaded

    path = Path(settings.store_location.removeprefix(SQLITE))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        told = f"cannot make the folder {path.parent}: {error.strerror or error}"
        raise SettingsError(f"ERRATA_STORE_URL or ERRATA_DATA_DIR: {told}") from error
    return SqliteStore(path)


def _elastic(settings: Settings) -> Store:
    from knowledge.elastic import ElasticStore  # noqa: PLC0415 - only the store that is used is loaded

    key = settings.store_api_key.get_secret_value() if settings.store_api_key else None
    return ElasticStore(settings.store_location, prefix=settings.store_prefix, api_key=key)
