"""What a command prints: one JSON document, or something to read; notes and progress go to stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

import orjson
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from errata_client.model import Model

PIPED_WIDTH = 140
Human = Callable[[Console], None]


def show(as_json: bool, document: object, human: Human) -> None:
    """Print `document` as JSON on stdout, or let `human` print it for reading."""
    if as_json:
        print_json(document)
    else:
        human(console())


def print_json(document: object) -> None:
    """One indented JSON document on stdout; models and dates are written as their JSON forms."""
    sys.stdout.write(orjson.dumps(plain(document), option=orjson.OPT_INDENT_2).decode() + "\n")
    sys.stdout.flush()


def plain(value: object) -> object:
    """The value in JSON's own types."""
    if isinstance(value, Model):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def say(message: str) -> None:
    """One line on stderr, without control characters."""
    sys.stderr.write(clean(message) + "\n")
    sys.stderr.flush()


def console() -> Console:
    """The console of stdout; wide where nobody looks, so that a pipe gets whole lines."""
    return Console(width=None if sys.stdout.isatty() else PIPED_WIDTH, highlight=False, emoji=False)


def error_console() -> Console:
    """The console of stderr; wide where nobody looks."""
    width = None if sys.stderr.isatty() else PIPED_WIDTH
    return Console(stderr=True, width=width, highlight=False, emoji=False)


def clean(text: object) -> str:
    """Text that came from outside, made safe for a terminal: one line, no control characters."""
    joined = " ".join(str(text).split())
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in joined)


def cell(value: object, style: str = "") -> Text:
    """A value as text of one line, never as markup; None is a dash, a time is shown to the minute."""
    if isinstance(value, Text):
        return value
    if value is None or value == "":
        return Text("–", style="dim")
    if isinstance(value, datetime):
        return Text(f"{value:%Y-%m-%d %H:%M}", style=style)
    return Text(clean(value), style=style)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, title: str | None = None) -> Table:
    """A table. A column named `#…` is numbers, to the right; one named `~…` takes what room is left."""
    made = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in columns:
        numbers, flexible = name.startswith("#"), name.startswith("~")
        made.add_column(
            name.lstrip("#~"),
            justify="right" if numbers else "left",
            no_wrap=not flexible,
            ratio=1 if flexible else None,
            overflow="fold",
        )
    for row in rows:
        made.add_row(*(cell(value) for value in row))
    return made


def facts(rows: Iterable[tuple[str, object]]) -> Table:
    """Names and values, one under the other; rows without a value are left out."""
    made = Table.grid(padding=(0, 2))
    made.add_column(style="dim", no_wrap=True)
    made.add_column(ratio=1, overflow="fold")
    for name, value in rows:
        if value not in (None, "", (), [], {}):
            made.add_row(name, cell(value))
    return made


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 case`, `2 cases`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
