"""Ingest of generated runs against parsing the same bytes with orjson and writing the same rows to a bare store, in one
run: the ratio and the time per run of files of several lengths, and the parts that take longest."""

from __future__ import annotations

import argparse
import cProfile
import gzip
import pstats
import random
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, Protocol

import orjson

from errata_client.run import Run
from ingest.adapters.records import open_source
from ingest.adapters.registry import recognise
from ingest.analysis import analyse
from ingest.masking import Masker
from ingest.service import ingest_file
from knowledge.elastic.address import parse_address
from knowledge.elastic.client import make_client
from knowledge.kinds import CASES, PROBLEMS, REFERENCE_CALLS, RUN_RECORDS, key_of
from knowledge.open import open_store
from knowledge.stage import Shift
from knowledge.store import Query, Store

RUNS = 1_000
GROWING = (1_000, 10_000)
PROFILED = 500
CALLS = 10
PARTS = {
    ("ingest/adapters/reading.py", "converted"): "reading",
    ("ingest/masking/masker.py", "run"): "masking",
    ("ingest/bounds.py", "bounded"): "cutting long texts",
    ("client/src/errata_client/replay.py", "replay"): "replay (provenance)",
    ("ingest/analysis.py", "findings"): "detectors",
    ("ingest/analysis.py", "__call__"): "cases",
    ("ingest/decisive/step.py", "decisive_step"): "decisive step",
    ("ingest/run_records.py", "run_record"): "run records",
    ("ingest/references.py", "reference_calls"): "reference calls",
    ("ingest/service.py", "_write"): "writing",
    ("ingest/problems.py", "refresh_problems"): "problems",
}
"""The parts of an ingest by the function that does each; none is called within another."""
BARE = "errata-bench-bare"
BATCH = 500
Row = tuple[str, str, str]
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


def main(arguments: Sequence[str] = ()) -> None:
    """Print each part as a multiple of orjson's time, the largest parts of a profile, and of each length of file the whole as
    a multiple of orjson's and the bare store's."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory() as folder:
        if not options.whole_only:
            parts(Path(folder))
            profile(Path(folder))
        for name, url in (("SQLite", ""), ("Elasticsearch", options.elasticsearch)):
            if url or (name == "SQLite" and not options.elasticsearch):
                grow(Path(folder), name, url, options.runs)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.ingest", description=__doc__)
    parser.add_argument("--runs", type=int, nargs="+", default=GROWING, help="lengths of the files that grow")
    parser.add_argument("--whole-only", action="store_true", help="neither parts nor profile")
    parser.add_argument(
        "--elasticsearch",
        default="",
        help="URL of a node to measure growth on instead; …?prefix=… names its indices, which stay",
    )
    return parser.parse_args(arguments)


def parts(folder: Path) -> None:
    """The parts of one file, against parsing it."""
    path = folder / "runs.json.gz"
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


def profile(folder: Path) -> None:
    """The parts that take longest, as shares of the whole."""
    path, store, profiler = folder / "profiled.jsonl", opened("", folder / "profiled"), cProfile.Profile()
    write_lines(path, PROFILED)
    profiler.runcall(ingest, path, store)
    store.close()
    stats = pstats.Stats(profiler)
    times = {
        name: cumulative
        for (file, _, function), (_, _, _, cumulative, _) in stats.stats.items()  # type: ignore[attr-defined]
        for (end, wanted), name in PARTS.items()
        if function == wanted and file.endswith(end)
    }
    largest = sorted(times.items(), key=lambda item: -item[1])[:3]
    shares = ", ".join(f"{name} {taken / stats.total_tt:.0%}" for name, taken in largest)  # type: ignore[attr-defined]
    print(f"the three largest parts, profiled: {shares}")


def grow(folder: Path, name: str, url: str, lengths: Sequence[int]) -> None:
    """Files of several lengths, each into a new project: the time per run, against the first one's, and the whole against
    parsing the same lines with orjson and writing the same rows to the bare store, each done once, one after the other. By
    the clock, and by the processor time of this process, which other work on the machine disturbs less; the time of a node
    counts by the clock alone."""
    first = Spent()
    for length in lengths:
        path = folder / f"{length}.jsonl"
        write_lines(path, length)
        store, project = opened(url, folder / f"grown-{length}"), f"bench-{length}"
        taken = spent(partial(ingest, path, store, project))
        parsed = spent(partial(parse_lines, path))
        bare: Bare = BareElasticsearch(url) if url else BareSqlite(folder / f"bare-{length}.db")
        rows, written = write_bare(bare, stored_rows(store, project))
        store.close()
        path.unlink()
        each, base = taken.divided(length), parsed.with_more(written)
        first = first if first.clock else each
        print(
            f"{name}: {length} runs in {taken.clock:.1f} s ({taken.processor:.1f} s of processor), "
            f"{1000 * each.processor:.2f} ms of processor each, {each.processor / first.processor:.2f} x the first\n"
            f"    orjson {parsed.clock:.2f} s, {rows} bare rows {written.clock:.2f} s; ingest is "
            f"{taken.clock / base.clock:.1f} x both by the clock, {taken.processor / base.processor:.1f} x by processor time",
            flush=True,
        )


@dataclass(frozen=True)
class Spent:
    """Seconds by the clock, and seconds that this process was given of a processor."""

    clock: float = 0.0
    processor: float = 0.0

    def with_more(self, other: Spent) -> Spent:
        """The sum."""
        return Spent(self.clock + other.clock, self.processor + other.processor)

    def divided(self, by: int) -> Spent:
        """The share."""
        return Spent(self.clock / by, self.processor / by)


def spent(work: Callable[[], object]) -> Spent:
    """What doing it once takes."""
    clock, processor = perf_counter(), process_time()
    work()
    return Spent(perf_counter() - clock, process_time() - processor)


def opened(url: str, folder: Path) -> Store:
    """A store, ready; without a URL a new SQLite in the folder."""
    store = open_store(url, folder)
    store.prepare()
    return store


def parse_lines(path: Path) -> None:
    """The lines with orjson alone."""
    with path.open("rb") as file:
        for line in file:
            orjson.loads(line)


def stored_rows(store: Store, project: str) -> Iterator[Row]:
    """Kind, key and body of all that an ingest wrote."""
    for kind in (CASES, RUN_RECORDS, REFERENCE_CALLS, PROBLEMS):
        for stored in store.collection(project, kind).scan(Query()):
            yield kind.name, key_of(kind, stored.item), stored.item.model_dump_json()


class Bare(Protocol):
    """A store without anything around it."""

    def write(self, rows: Sequence[Row]) -> None:
        """Write them."""

    def finish(self) -> None:
        """What was written is there for good."""


class BareSqlite:
    """One plain table, one transaction for all."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute(
            "CREATE TABLE bare (kind TEXT, key TEXT, body TEXT, PRIMARY KEY (kind, key))"
        )

    def write(self, rows: Sequence[Row]) -> None:
        """One statement for all of them."""
        self._connection.executemany("INSERT INTO bare VALUES (?, ?, ?)", rows)

    def finish(self) -> None:
        """The commit."""
        self._connection.commit()
        self._connection.close()


class BareElasticsearch:
    """One index that keeps what is written and indexes but the kind; it is removed again."""

    def __init__(self, url: str) -> None:
        self._client = make_client(parse_address(url), None)
        self._client.options(ignore_status=404).indices.delete(index=BARE)
        kept = {"type": "keyword", "index": False, "doc_values": False}
        fields = {"kind": {"type": "keyword"}, "body": kept}
        self._client.indices.create(index=BARE, mappings={"dynamic": "strict", "properties": fields})

    def write(self, rows: Sequence[Row]) -> None:
        """One bulk request."""
        lines: list[dict[str, object]] = []
        for kind, key, body in rows:
            lines += [{"create": {"_index": BARE, "_id": f"{kind}/{key}"}}, {"kind": kind, "body": body}]
        self._client.bulk(operations=lines)

    def finish(self) -> None:
        """A refresh, after which all can be found."""
        self._client.indices.refresh(index=BARE)
        self._client.indices.delete(index=BARE)
        self._client.close()


def write_bare(bare: Bare, rows: Iterator[Row]) -> tuple[int, Spent]:
    """How many rows there are, and what writing them takes; reading them takes no part in it."""
    count, taken = 0, Spent()
    while batch := list(islice(rows, BATCH)):
        taken = taken.with_more(spent(partial(bare.write, batch)))
        count += len(batch)
    return count, taken.with_more(spent(bare.finish))


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


def ingest(path: Path, store: Store, project: str = "bench") -> None:
    """Everything, into a store."""
    ingest_file(path, "auto", Shift(store, project, "", NOW), Masker(KEY))


def write_lines(path: Path, runs: int) -> None:
    """A file of so many runs, one a line."""
    chance = random.Random(7)
    prompt = " ".join(chance.choices(WORDS, k=1_000))
    with path.open("wb") as file:
        file.writelines(orjson.dumps(record(number, prompt, chance)) + b"\n" for number in range(runs))


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
    main(sys.argv[1:])
