"""Runs nights that die, each in a process of its own: `python -m tests.jobs.killed_nights`.

One order per line on stdin: {"url", "data_dir", "as_of", "target", "moment"}; one answer per line on stdout: {"died", "writes"}.
The process that reads the orders opens no store and starts no thread, so its forks begin clean, and all that a
night imports is imported once.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from attribution.encoders.registry import make_encoder
from attribution.parameters import default_parameters
from jobs.nightly import run_night
from knowledge.open import open_store
from tests.jobs.killing import Executioner, KillingStore
from wiring.build import Errata
from wiring.logs import configure_logs
from wiring.settings import Settings

PROJECT = "shop"


def main() -> None:
    """Obey until stdin ends."""
    configure_logs(Settings(log_level="error"))
    for line in sys.stdin:
        print(json.dumps(in_a_fork(json.loads(line))), flush=True)  # noqa: T201 - this is its answer


def in_a_fork(order: dict[str, Any]) -> dict[str, Any]:
    """Run the night in a child; whether it died, and what it wrote if not."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, json.dumps(run(order)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    return {"died": os.WIFSIGNALED(status), "writes": json.loads(said) if said else None}


def run(order: dict[str, Any]) -> list[str]:
    """The night, with as many writes as the order lets it make."""
    executioner = Executioner(order["target"], order["moment"])
    folder = Path(order["data_dir"])
    store = KillingStore(open_store(order["url"], folder), executioner)
    settings = Settings(data_dir=folder)
    errata = Errata(settings, store, (make_encoder("hash"),), default_parameters())
    run_night(errata, PROJECT, datetime.fromisoformat(order["as_of"]) if order["as_of"] else None)
    store.close()
    return executioner.writes


if __name__ == "__main__":
    main()
