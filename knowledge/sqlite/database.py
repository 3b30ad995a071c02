"""One SQLite file and its connections: many readers, one writer at a time, errors in the words of the store."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from knowledge.errors import StoreUnavailableError

BUSY_SECONDS = 30.0
_PAUSE = 0.05
_IDLE_CONNECTIONS = 8
_SETTINGS = (
    "PRAGMA synchronous = FULL",
    "PRAGMA cache_size = -16000",
    "PRAGMA wal_autocheckpoint = 4000",
    "PRAGMA analysis_limit = 1000",
)
"""What is committed survives a power cut; 16 MB of cache and rarer checkpoints write a third faster."""
_ANALYSE_AFTER = 5_000
_REASONS = {
    "SQLITE_FULL": "the disk is full; free some space and try again",
    "SQLITE_READONLY": "it cannot be written; give this user the right to write the file and its folder",
    "SQLITE_CANTOPEN": "it is not there or cannot be opened; prepare the store, and check that this user may write the folder",
    "SQLITE_NOTADB": "it is no SQLite database; point the store URL at another file",
    "SQLITE_CORRUPT": "it is damaged; restore a backup",
    "SQLITE_BUSY": "another process has been writing to it for too long; try again",
    "SQLITE_IOERR": "the disk answers with errors or is full; check it",
    "SQLITE_PERM": "this user may not use it; change its permissions",
}


class Database:
    """Connections to one file, safe to use from many threads. `busy_seconds` is how long to wait for another
    process that writes; `sleep` waits where SQLite itself does not."""

    def __init__(
        self, path: Path, *, busy_seconds: float = BUSY_SECONDS, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.path = path
        self._busy_seconds = busy_seconds
        self._sleep = sleep
        self._idle: deque[sqlite3.Connection] = deque()
        self._writer = threading.Lock()
        self._closed = False
        self._unanalysed = 0

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to read with; every statement sees what was committed before it."""
        with self._translated():
            connection = self._take()
            try:
                yield connection
            finally:
                self._give_back(connection)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection within one transaction: committed at the end, rolled back on any error."""
        with self._writer, self.reading() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def create(self) -> None:
        """Make the file and its folder, and switch it to write-ahead logging (which it keeps)."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch()
        except OSError as error:
            raise StoreUnavailableError(
                f"{self.path}: cannot be made or written: {error.strerror}"
            ) from error
        with self.reading() as connection:
            for _ in range(1 + int(self._busy_seconds / _PAUSE)):
                if self._switched(connection):
                    return
                self._sleep(_PAUSE)
        raise StoreUnavailableError(f"{self.path}: {_REASONS['SQLITE_BUSY']}")

    def analyse(self) -> None:
        """Let SQLite look at a sample of what there is, so that it picks the index that narrows most."""
        with self.writing() as connection:
            connection.execute("ANALYZE")
        self._unanalysed = 0
        self._close_idle()

    def written(self, count: int) -> None:
        """So many rows more were written; now and then that makes a new look worth it."""
        self._unanalysed += count
        if self._unanalysed >= _ANALYSE_AFTER:
            self.analyse()

    def close(self) -> None:
        """Close what is idle now and the rest when it comes back."""
        self._closed = True
        self._close_idle()

    def _close_idle(self) -> None:
        while True:
            try:
                self._idle.pop().close()
            except IndexError:
                return

    def _switched(self, connection: sqlite3.Connection) -> bool:
        """Whether the file is in WAL mode now. The switch needs the file alone and does not wait by itself."""
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if _name(error) not in ("SQLITE_BUSY", "SQLITE_LOCKED"):
                raise
            return False
        return True

    def _take(self) -> sqlite3.Connection:
        if self._closed:
            raise StoreUnavailableError(f"{self.path}: the store was closed")
        try:
            return self._idle.pop()
        except IndexError:
            return self._connect()

    def _connect(self) -> sqlite3.Connection:
        """A connection to a file that is there: a mistyped path makes no new database."""
        address = f"{self.path.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(
            address, uri=True, timeout=self._busy_seconds, isolation_level=None, check_same_thread=False
        )
        try:
            for setting in _SETTINGS:
                connection.execute(setting)
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if self._closed or connection.in_transaction or len(self._idle) >= _IDLE_CONNECTIONS:
            connection.close()
        else:
            self._idle.append(connection)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreUnavailableError(f"{self.path}: {_explained(error)}") from error


def _name(error: sqlite3.Error) -> str:
    """The primary result code, such as SQLITE_IOERR for SQLITE_IOERR_WRITE."""
    extended = getattr(error, "sqlite_errorname", "") or ""
    return "_".join(extended.split("_")[:2])


def _explained(error: sqlite3.Error) -> str:
    if "no such table" in str(error) or "no such column" in str(error):
        return f"it was not prepared for this version of Errata ({error}); prepare the store first"
    return _REASONS.get(_name(error), str(error))
