"""The store in SQLite."""

from knowledge.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
