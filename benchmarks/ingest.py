"""Ingest of generated runs, against reading the same bytes with orjson, in one run; and where the time goes."""

from __future__ import annotations

import gzip
import random
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import orjson

from errata_client.run import Run
from ingest.adapters.records import open_source
from ingest.adapters.registry import recognise
from ingest.analysis import analyse
from ingest.masking import Masker
from ingest.service import ingest_file
from knowledge.sqlite import SqliteStore
from knowledge.stage import Shift

RUNS = 2_000
CALLS = 10
KEY = b"a key for benchmarks, 32 bytes.."
NOW = datetime(2026, 1, 1, tzinfo=UTC)
ERRORS = ("Error: book {} not found", "Error: card of {} is expired", "Error: only 3 of {} can be lent")
WORDS = (
    "the",
    "reader",
    "asks",
    "whether",
    "a",
    "book",
    "of",
    "the",
    "second",
    "shelf",
    "can",
    "be",
    "lent",
    "for",
    "two",
    "weeks",
)


def main() -> None:
    """Print runs per second, and each part's time as a multiple of orjson's on the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.json.gz"
        content = orjson.dumps(records())
        path.write_bytes(gzip.compress(content, compresslevel=1))
        base = seconds(lambda: orjson.loads(gzip.decompress(path.read_bytes())))
        print(f"{RUNS} runs of {CALLS} calls, {len(content) / 1e6:.1f} MB; orjson with gzip: {base:.3f} s")
        runs = [item for item in read(path) if isinstance(item, Run)]
        masker = Masker(KEY)
        masked = [masker.run(run) for run in runs]
        told("read into runs", seconds(lambda: read(path)), base)
        told("mask", seconds(lambda: [Masker(KEY).run(run) for run in runs]), base)
        told("replay and detect", seconds(lambda: [analyse(run, "bench", NOW) for run in masked]), base)
        told("ingest into SQLite", seconds(lambda: ingest(path, Path(folder) / "errata.db"), times=1), base)


def told(part: str, taken: float, base: float) -> None:
    """One line of the result."""
    print(f"{part:20s} {taken:7.2f} s  {RUNS / taken:8.0f} runs/s  {taken / base:6.1f} x orjson")


def seconds(work: Any, times: int = 3) -> float:
    """The shortest of several times."""
    taken = []
    for _ in range(times):
        begin = perf_counter()
        work()
        taken.append(perf_counter() - begin)
    return min(taken)


def read(path: Path) -> list[Any]:
    """All that the adapter gives."""
    opening = open_source(path)
    return list(recognise(opening).adapter.read(opening))


def ingest(path: Path, database: Path) -> None:
    """Everything, into a new store."""
    store = SqliteStore(database)
    store.prepare()
    ingest_file(path, "auto", Shift(store, "bench", "", NOW), Masker(KEY))
    store.close()


def records() -> list[dict[str, Any]]:
    """Runs of a library's desk: a long prompt, short talk, ten calls, one in eight of which fails."""
    chance = random.Random(7)
    prompt = " ".join(chance.choices(WORDS, k=1_000))
    return [record(number, prompt, chance) for number in range(RUNS)]


def record(number: int, prompt: str, chance: random.Random) -> dict[str, Any]:
    """One run."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": prompt}]
    for turn in range(CALLS):
        book = f"B-{chance.randrange(10**6):06d}"
        said = f"{' '.join(chance.choices(WORDS, k=25))} {book}, mia_{number}@example.org"
        messages += [{"role": "user", "content": said}, *call(f"c{turn}", book, chance)]
    return {
        "task_id": number % 50,
        "trial": number,
        "reward": float(number % 2),
        "info": {},
        "traj": messages,
    }


def call(call_id: str, book: str, chance: random.Random) -> list[dict[str, Any]]:
    """A call and its reply."""
    arguments = orjson.dumps({"book_id": book, "days": chance.randrange(1, 30)}).decode()
    function = {"name": chance.choice(("find_book", "lend_book", "renew_loan")), "arguments": arguments}
    details = {
        "book_id": book,
        "shelves": [{"id": f"S-{n}", "title": " ".join(WORDS[:6])} for n in range(12)],
    }
    fails = chance.random() < 0.125
    answer = chance.choice(ERRORS).format(book) if fails else orjson.dumps(details).decode()
    return [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": call_id, "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": call_id, "name": function["name"], "content": answer},
    ]


if __name__ == "__main__":
    main()
