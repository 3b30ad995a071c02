"""Peak memory of `errata ingest` over a generated file of JSON lines, many times larger than what it may hold."""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import orjson

from benchmarks.ingest import WORDS, record

MEGABYTES = 1_000
WANTED = 300


def main(arguments: Sequence[str] = ()) -> None:
    """Print the file's size, the time that ingest took and the most memory that it held."""
    parser = argparse.ArgumentParser("python -m benchmarks.memory", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=MEGABYTES, help="size of the file")
    size = parser.parse_args(arguments).megabytes * 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.jsonl"
        runs = write(path, size)
        begin = perf_counter()
        command = [sys.executable, "-c", "from jobs.cli import main; main()", "ingest", str(path), "--json"]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        taken = perf_counter() - begin
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"{path.stat().st_size / 1e6:.0f} MB of {runs} runs in {taken:.0f} s")
        print(f"peak of resident memory: {peak:.0f} MiB (wanted: under {WANTED})")


def write(path: Path, size: int) -> int:
    """A file of at least so many bytes, a run a line; how many runs they are."""
    chance = random.Random(7)
    prompt = " ".join(chance.choices(WORDS, k=1_000))
    written = runs = 0
    with path.open("wb") as file:
        while written < size:
            written += file.write(orjson.dumps(record(runs, prompt, chance)) + b"\n")
            runs += 1
    return runs


if __name__ == "__main__":
    main(sys.argv[1:])
