from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from jobs.probing import Probe, load_probes, run_probes
from knowledge.errors import BadInputError
from tests.jobs.cli import CommandLine

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def answer(request: httpx.Request) -> httpx.Response:
    if request.url.path == "/gone":
        raise httpx.ConnectError("refused")
    return httpx.Response(
        503 if request.url.path == "/down" else 204 if request.url.path == "/empty" else 200
    )


@pytest.mark.parametrize(
    ("path", "expect", "up"),
    [
        ("/", (), True),
        ("/down", (), False),
        ("/gone", (), False),
        ("/empty", (200, 204), True),
        ("/empty", (), False),
    ],
)
def test_a_url_is_up_if_it_answers_as_expected(path: str, expect: tuple[int, ...], up: bool) -> None:
    probe = Probe(name="api", tools=("lend",), url=f"http://api.example.org{path}", expect=expect)
    with httpx.Client(transport=httpx.MockTransport(answer)) as client:
        (seen,) = run_probes([probe], client, NOW)
    assert (seen.up, seen.at, seen.tools) == (up, NOW, ("lend",))
    assert seen.detail


@pytest.mark.parametrize(
    ("command", "up"),
    [
        ((sys.executable, "-c", "pass"), True),
        ((sys.executable, "-c", "exit(3)"), False),
        (("/no/such/program",), False),
    ],
)
def test_a_command_is_up_if_it_ends_as_expected(command: tuple[str, ...], up: bool) -> None:
    with httpx.Client(transport=httpx.MockTransport(answer)) as client:
        (seen,) = run_probes([Probe(name="api", tools=("lend",), command=command, timeout=60)], client, NOW)
    assert seen.up is up


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("probes: []", "at least 1"),
        ("probes:\n- {name: a, tools: [x]}", "either a url or a command"),
        ("probes:\n- {name: a, tools: [x], url: http://x, comand: [y]}", "comand"),
        ("probes: [", "no YAML"),
        ("just text", "should be an object"),
    ],
)
def test_what_is_wrong_with_a_file_of_probes_is_told(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "probes.yaml"
    path.write_text(text)
    with pytest.raises(BadInputError, match=told):
        load_probes(path)


def test_the_command_keeps_what_it_saw(cli: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "probes.yaml"
    path.write_text(
        f"probes:\n- name: good\n  tools: [find]\n  command: [{sys.executable}, -c, pass]\n  timeout: 60\n"
        f"- name: bad\n  tools: [lend, find]\n  command: [/no/such/program]\n"
    )
    document = cli.json("probe", str(path), "--project", "shop")
    assert document["tools"] == {"find": False, "lend": False}
    assert document["taken"] == 3
