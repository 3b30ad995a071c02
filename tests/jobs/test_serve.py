from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from jobs.cli.serve import bind
from knowledge.errors import BadInputError

ROOT = Path(__file__).resolve().parents[2]
SERVE = "from jobs.cli.edge import run; import sys; sys.exit(run(['serve', '--port', '0', '--json']))"


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    environment = {
        "PYTHONPATH": str(ROOT),
        "ERRATA_DATA_DIR": str(tmp_path),
        "ERRATA_ENCODERS": "hash",
        "ERRATA_TOKEN": "a token of the settings, long enough",
    }
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    yield process
    process.kill()
    process.communicate()


def announced(process: subprocess.Popen[str]) -> dict[str, str]:
    """The document that the service prints once it listens."""
    assert process.stdout is not None
    lines = [process.stdout.readline()]
    while lines[-1] not in {"}\n", ""}:
        lines.append(process.stdout.readline())
    document: dict[str, str] = json.loads("".join(lines))
    return document


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_service_answers_where_it_says_and_a_signal_ends_it_in_peace(
    serving: subprocess.Popen[str], number: signal.Signals
) -> None:
    url = announced(serving)["url"]
    assert httpx.get(f"{url}/readyz").status_code == 200
    bearer = {"Authorization": "Bearer a token of the settings, long enough"}
    assert httpx.get(f"{url}/v1/projects", headers=bearer).status_code == 200
    assert httpx.get(f"{url}/v1/projects").status_code == 401
    serving.send_signal(number)
    _, said = serving.communicate(timeout=20)
    assert serving.returncode == 0
    assert "Traceback" not in said


def test_a_port_that_is_taken_is_told_with_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(BadInputError, match="--port"):
        bind("127.0.0.1", taken.getsockname()[1])
