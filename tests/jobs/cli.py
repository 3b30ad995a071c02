"""The command line as a test uses it: arguments in; exit code, stdout and stderr out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from errata_client.run import Run
from jobs.cli.edge import run


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)


class CommandLine:
    """Runs commands in this process, with a data folder of its own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Answer:
        self._capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        captured = self._capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    def json(self, *arguments: str) -> Any:
        """The document of a command that succeeds."""
        answer = self(*arguments, "--json")
        assert answer.code == 0, answer.err
        return answer.document

    def file(self, name: str, runs: list[Run] | str) -> str:
        """A file of runs in the native format, or of this text."""
        text = (
            runs
            if isinstance(runs, str)
            else "".join(f"{r.model_dump_json(exclude_none=True)}\n" for r in runs)
        )
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)
