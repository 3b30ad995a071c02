"""What a command prints: one JSON document, or something to read; notes and progress go to stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable

import orjson
from rich.console import Console

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


def shortened(text: str, room: int) -> str:
    """The text in at most `room` characters, cut between words, with an ellipsis where something is left out."""
    if len(text) <= room:
        return text
    head, space, rest = text[: room - 1].rpartition(" ")
    kept = head if space and len(rest) < room // 2 else text[: room - 1]
    return kept.rstrip(" ,;:") + "…"


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 case`, `2 cases`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
