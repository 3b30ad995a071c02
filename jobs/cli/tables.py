"""Tables that stay readable: where the room for long text is small, it gets a line of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from jobs.cli.output import clean

ROOM = 28
"""The least width in which long text is still read with ease."""
GAP = 3


def cell(value: object, style: str = "") -> Text:
    """A value as text of one line, never as markup; None is a dash, a time is shown to the minute."""
    if isinstance(value, Text):
        return value
    if value is None or value == "":
        return Text("–", style="dim")
    if isinstance(value, datetime):
        return Text(f"{value:%Y-%m-%d %H:%M}", style=style)
    return Text(clean(value), style=style)


def print_table(
    console: Console, columns: Sequence[str], rows: Iterable[Sequence[object]], empty: str = ""
) -> None:
    """A column named `#…` is numbers, to the right; one named `~…` is long text, and takes what room is left.

    Where there are no rows, `empty` is said instead, if anything.
    """
    cells = [[cell(value) for value in row] for row in rows]
    if empty and not cells:
        console.print(empty)
        return
    fixed = [place for place, name in enumerate(columns) if not name.startswith("~")]
    widths = {place: _width(columns[place], [row[place] for row in cells]) for place in fixed}
    widths = _fitting(widths, console.width)
    left = console.width - sum(width + GAP for width in widths.values())
    long = sum(name.startswith("~") for name in columns)
    if len(widths) == len(fixed) and left >= long * (ROOM + GAP) - GAP:
        console.print(_table(columns, cells))
    else:
        _print_stacked(console, columns, cells, widths)


def facts(rows: Iterable[tuple[str, object]]) -> Table:
    """Names and values, one under the other; rows without a value are left out."""
    made = Table.grid(padding=(0, 2))
    made.add_column(style="dim", no_wrap=True)
    made.add_column(ratio=1, overflow="fold")
    for name, value in rows:
        if value not in (None, "", (), [], {}):
            made.add_row(name, cell(value))
    return made


def _fitting(widths: dict[int, int], room: int) -> dict[int, int]:
    """Those of the columns that fit beside each other; the widest behind the first give way, and get lines of their own."""
    kept = dict(widths)
    while len(kept) > 1 and sum(kept.values()) + GAP * (len(kept) - 1) > room:
        first = next(iter(kept))
        del kept[max((place for place in kept if place != first), key=lambda place: kept[place])]
    return kept


def _width(name: str, cells: Sequence[Text]) -> int:
    return max([len(name.lstrip("#~")), *(text.cell_len for text in cells)])


def _table(columns: Sequence[str], cells: Sequence[Sequence[Text]]) -> Table:
    made = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in columns:
        numbers, flexible = name.startswith("#"), name.startswith("~")
        made.add_column(
            name.lstrip("#~"),
            justify="right" if numbers else "left",
            no_wrap=not flexible,
            ratio=1 if flexible else None,
            overflow="fold",
        )
    for row in cells:
        made.add_row(*row)
    return made


def _print_stacked(
    console: Console, columns: Sequence[str], cells: Sequence[Sequence[Text]], widths: dict[int, int]
) -> None:
    """The short columns in a line, the long ones below it, each in lines of its own."""
    header = [Text(name.lstrip("#~"), "bold") for name in columns]
    if widths:
        console.print(_line(columns, header, widths), soft_wrap=True)
    long = [place for place in range(len(columns)) if place not in widths]
    for row in cells:
        if widths:
            console.print(_line(columns, row, widths), soft_wrap=True)
        for place in long:
            name = f"{columns[place].lstrip('#~')}: " if len(long) > 1 else ""
            console.print(Padding(Text.assemble((name, "dim"), row[place]), (0, 0, 0, 4)))


def _line(columns: Sequence[str], row: Sequence[Text], widths: dict[int, int]) -> Text:
    padded = [_padded(row[place], width, columns[place].startswith("#")) for place, width in widths.items()]
    return Text(" " * GAP).join(padded)


def _padded(text: Text, width: int, right: bool) -> Text:
    room = " " * (width - text.cell_len)
    return Text.assemble(room, text) if right else Text.assemble(text, room)
