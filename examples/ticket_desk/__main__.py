"""`python -m examples.ticket_desk`: the whole loop, with SQLite, offline, in about a minute."""

from __future__ import annotations

import argparse
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from examples.ticket_desk.calendar import Calendar
from examples.ticket_desk.report import WIDTH, tell
from examples.ticket_desk.story import Plan, play
from examples.ticket_desk.tasks import RUNS_A_WEEK
from knowledge.errors import ErrataError


def main() -> int:
    """Play the story that the options ask for, and print it; the exit code."""
    options = _options()
    console = Console(highlight=False, emoji=False, width=None if sys.stdout.isatty() else WIDTH)
    calendar = Calendar.until(datetime.now(UTC))
    plan = Plan(options.seed, options.folder, calendar, options.runs, options.encoders)
    began = time.monotonic()
    try:
        story = play(plan, lambda doing: console.print(f"… {doing}", style="dim"))
    except ErrataError as error:
        Console(stderr=True).print(f"ticket desk: {error}", style="red", markup=False)
        return 1
    tell(console, story, time.monotonic() - began)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m examples.ticket_desk", description=__doc__)
    parser.add_argument("--seed", type=int, default=7, help="another seed, other people and other mistakes")
    parser.add_argument("--runs", type=int, default=RUNS_A_WEEK, help="how many runs a week has")
    parser.add_argument("--folder", type=Path, default=Path(".errata/demo"), help="where everything is kept")
    parser.add_argument("--encoders", default="minilm,use-multilingual", help="as in ERRATA_ENCODERS")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
