"""Watching a folder: runs are taken as they come, each once, across restarts.

A poll looks at every file. One whose lines are runs of their own is read line by line as it grows, up to its last whole line;
any other is read whole once it has stopped growing from one poll to the next. Nothing here sleeps.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
from pydantic import Field

from errata_client.model import Model
from ingest.adapters.records import open_source
from ingest.adapters.registry import recognise
from ingest.report import IngestReport
from jobs.files import write_whole
from knowledge.errors import BadInputError

LINES = frozenset({".jsonl", ".ndjson"})
LINEWISE = frozenset({"native_jsonl", "openai_chat", "recorded_actions", "multi_agent_chat"})
"""Sources of which every line is a run of its own; others may tell one run in several lines, and are read whole."""

UNFINISHED = (".part", ".tmp", ".crdownload", ".swp", "~")
MAX_PIECE = 64 * 1024 * 1024
"""Bytes of new lines taken at once; a longer line waits until its file is read whole."""

HEAD = 1024
WHOLE = "whole"

Ingest = Callable[[Path, str], IngestReport]
"""Read a file as a source; BadInputError where nothing in it can be used."""


class Seen(Model):
    """What is remembered of a file: how it stood when it was last read, how far, as what, and by what it is known again."""

    size: int
    changed: int
    read: int = 0
    source: str = ""
    head: str = ""


class Memory(Model):
    """What is remembered of a folder, by a digest of each file's path within it."""

    files: dict[str, Seen] = Field(default_factory=dict)


@dataclass(frozen=True)
class Taken:
    """A file that was read, or part of one: the report, or why nothing in it could be used."""

    name: str
    report: IngestReport | None = None
    trouble: str | None = None


class Watch:
    """A folder, what was read of it (kept in `memory`, a file), and what reads. BadInputError where `folder` is none."""

    def __init__(self, folder: Path, memory: Path, ingest: Ingest, source: str = "auto") -> None:
        if not folder.is_dir():
            raise BadInputError(f"{folder}: is no folder to watch")
        self._folder, self._memory, self._ingest, self._source = folder, memory, ingest, source
        self._files = _remembered(memory)
        self._before: dict[str, tuple[int, int]] = {}

    def poll(self, *, settled: bool = False) -> Iterator[Taken]:
        """Look once and read what there is to read. `settled`: whatever is there has stopped growing."""
        standing = dict(self._standing())
        for name, (size, changed) in standing.items():
            still = settled or self._before.get(name) == (size, changed)
            taken = self._look(name, size, changed, still=still)
            if taken is not None:
                yield taken
        self._before = standing

    def _standing(self) -> Iterator[tuple[str, tuple[int, int]]]:
        for path in sorted(self._folder.rglob("*")):
            name = str(path.relative_to(self._folder))
            hidden = any(part.startswith(".") for part in Path(name).parts)
            if hidden or name.endswith(UNFINISHED):
                continue
            try:
                stat = path.stat()
            except OSError:
                continue
            if path.is_file() and stat.st_size:
                yield name, (stat.st_size, stat.st_mtime_ns)

    def _look(self, name: str, size: int, changed: int, *, still: bool) -> Taken | None:
        seen = self._files.get(_key(name))
        if (
            seen is not None
            and (seen.size, seen.changed) == (size, changed)
            and (seen.read == size or not still)
        ):
            return None
        path = self._folder / name
        try:
            if path.suffix in LINES and (seen is None or seen.source in LINEWISE):
                return self._lines(name, path, size, changed, still=still)
            return self._whole(name, path, size, changed) if still else None
        except OSError as error:
            return Taken(name, trouble=f"cannot be read: {error.strerror or error}")

    def _whole(self, name: str, path: Path, size: int, changed: int) -> Taken:
        report, trouble = self._tried(path, self._source)
        self._keep(name, Seen(size=size, changed=changed, read=size, source=WHOLE))
        return Taken(name, report, trouble)

    def _lines(self, name: str, path: Path, size: int, changed: int, *, still: bool) -> Taken | None:
        """The new whole lines; the last one without its line break once it has stopped growing and is JSON."""
        seen = self._files.get(_key(name))
        begun = (
            seen if seen is not None and seen.read <= size and _head(path, seen.read) == seen.head else None
        )
        start = begun.read if begun else 0
        piece = _new_lines(path, start, still=still)
        if not piece:
            stuck = start == 0 or size - start >= MAX_PIECE
            return self._whole(name, path, size, changed) if still and stuck else None
        with tempfile.TemporaryDirectory(prefix="errata-") as spool:
            part = Path(spool) / path.name
            part.write_bytes(piece)
            source = begun.source if begun else _source_of(part, self._source)
            if source not in LINEWISE:
                return self._whole(name, path, size, changed) if still else None
            report, trouble = self._tried(part, source)
        read = start + len(piece)
        self._keep(name, Seen(size=size, changed=changed, read=read, source=source, head=_head(path, read)))
        return Taken(name, report, trouble)

    def _tried(self, path: Path, source: str) -> tuple[IngestReport | None, str | None]:
        try:
            return self._ingest(path, source), None
        except BadInputError as error:
            return None, str(error)

    def _keep(self, name: str, seen: Seen) -> None:
        self._files[_key(name)] = seen
        write_whole(self._memory, Memory(files=self._files).model_dump_json())


def memory_path(data_dir: Path, folder: Path, project: str) -> Path:
    """Where what was read of a folder for a project is remembered."""
    known = hashlib.sha256(f"{project}\0{folder.resolve()}".encode()).hexdigest()[:24]
    return data_dir / "watch" / f"{known}.json"


def _remembered(memory: Path) -> dict[str, Seen]:
    """What is remembered; nothing where that is damaged: reading a file again changes nothing."""
    try:
        return dict(Memory.model_validate(orjson.loads(memory.read_bytes())).files)
    except (OSError, ValueError):
        return {}


def _head(path: Path, read: int) -> str:
    """A digest of how the part that was read begins: by it a file that grew is told from another of its name."""
    with path.open("rb") as file:
        return hashlib.sha256(file.read(min(HEAD, read))).hexdigest()


def _key(name: str) -> str:
    """Under what a file is remembered: not its name, which may tell of a person."""
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _source_of(path: Path, source: str) -> str:
    """What kind of source it is; nothing where it is not known."""
    try:
        return recognise(open_source(path), source).adapter.name
    except BadInputError:
        return ""


def _new_lines(path: Path, start: int, *, still: bool) -> bytes:
    with path.open("rb") as file:
        file.seek(start, os.SEEK_SET)
        data = file.read(MAX_PIECE)
    end = data.rfind(b"\n") + 1
    rest = data[end:]
    whole = still and len(data) < MAX_PIECE and rest.strip() and _is_json(rest)
    return data if whole else data[:end]


def _is_json(data: bytes) -> bool:
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    return True
