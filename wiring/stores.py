"""The store that the settings name."""

from __future__ import annotations

from knowledge.open import open_store
from knowledge.store import Store
from wiring.settings import Settings


def open_prepared(settings: Settings) -> Store:
    """The store, with its tables or indices in place; StoreUnavailableError where it does not answer."""
    store = open_store(settings.store_location, settings.data_dir)
    store.prepare()
    return store
