"""`errata tools`, as a person uses it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.jobs.cli import CommandLine


def test_tools_are_imported_listed_shown_marked_and_forgotten(cli: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text(json.dumps([{"name": "lend", "description": "借书", "parameters": {"type": "object"}}]))
    assert cli("projects", "create", "library").code == 0
    made = cli("tools", "import", file, "--changes-state", "--project", "library", "--json")
    assert made.document == {"format": "openai", "tools": ["lend"], "created": 1, "replaced": 0}
    listed = cli("tools", "list", "--project", "library")
    assert "借书" in listed.out
    assert "changes" in listed.out
    assert cli("tools", "mark", "lend", "--read-only", "--project", "library").code == 0
    shown = cli("tools", "show", "lend", "--project", "library", "--json").document
    assert (shown["tool"], shown["changes_state"], shown["parameters"]) == ("lend", False, {"type": "object"})
    assert "takes" in cli("tools", "show", "lend", "--project", "library").out
    assert cli("tools", "forget", "lend", "--project", "library", "--json").document == {"forgotten": 1}
    assert cli("tools", "show", "lend", "--project", "library").code == 3


def test_a_file_without_tools_and_a_mark_without_a_word_are_refused(cli: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text("{}")
    cli("projects", "create", "library")
    refused = cli("tools", "import", file, "--project", "library")
    assert refused.code == 2
    assert "declares no tool" in refused.err
    assert cli("tools", "mark", "lend", "--project", "library").code == 2
