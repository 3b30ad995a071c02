"""A service in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECRET = "a secret of sixteen or more"
COMMAND = ["-c", "from jobs.cli import main; main()", "serve", "--port", "0", "--no-schedule", "--json"]


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`errata serve` on the data in `folder`; its address. Killed afterwards."""
    environment = {
        "ERRATA_DATA_DIR": str(folder),
        "ERRATA_ENCODERS": "hash",
        "ERRATA_SECRET": SECRET,
        "PYTHONPATH": str(ROOT),
    }
    with subprocess.Popen(
        [sys.executable, *COMMAND],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        said = ""
        while '"url"' not in said or "}" not in said:
            line = process.stdout.readline()
            assert line, "the service ended before it listened"
            said += line
        yield json.loads(said)["url"], process
        process.kill()
