"""The command: what to replay, and how it is printed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.nights.curve import HEADER, not_matched, pure, purity, said_by
from benchmarks.nights.dealing import deal, read_runs
from benchmarks.nights.replay import FIRST, Replay, play
from benchmarks.nights.reviewer import RULES
from errata_client.run import Run
from wiring.logs import configure_logs
from wiring.settings import load_settings

DATA = Path(__file__).resolve().parents[2] / "../shared/data"
FOLDERS = (DATA / "tau-bench", DATA / "tau2-bench")
WANTED = 0.89


def main(asked: Sequence[str] = ()) -> int:
    """Replay the nights and print them; the exit code, 2 where there is nothing to replay."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nights", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, default=FOLDERS, help="where the files of runs are")
    parser.add_argument("--nights", type=int, default=30)
    parser.add_argument(
        "--reviewed",
        nargs="+",
        type=int,
        default=[10, 30],
        help="on how many of the first mornings there is a reviewer; a replay for each",
    )
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--encoders", default="minilm,use-multilingual")
    parser.add_argument("--starters", choices=("with", "without", "both"), default="both")
    options = parser.parse_args(asked)
    configure_logs(load_settings(log_level="error"))
    runs = read_runs(options.folders)
    if not runs:
        named = ", ".join(map(str, options.folders))
        print(f"no runs in {named}: name a folder that holds files of them", file=sys.stderr)
        return 2
    print(
        f"{len(runs)} runs over {options.nights} nights, a reviewer on the first {options.reviewed} mornings\n"
    )
    print(RULES)
    wanted = {"with": (True,), "without": (False,), "both": (True, False)}[options.starters]
    for starters, reviewed in product(wanted, options.reviewed):
        title = f"{'With' if starters else 'Without'} the starter causes, a reviewer on the first {reviewed} mornings"
        print(f"\n== {title}\nrepeated problems by verdict, and what the reviewer did:\n{HEADER}")
        _tell(_replay(runs, options, reviewed, starters=starters))
    return 0


def _replay(runs: Sequence[Run], options: argparse.Namespace, reviewed: int, *, starters: bool) -> Replay:
    days = deal(runs, options.nights, options.seed, FIRST)
    encoders = [name.strip() for name in options.encoders.split(",")]
    with TemporaryDirectory() as folder:
        return play(
            days,
            Path(folder),
            encoders,
            reviewed=reviewed,
            starters=starters,
            say=lambda line: print(line, flush=True),
        )


def _tell(replay: Replay) -> None:
    print(f"\nrepeated problems matched: {replay.evenings[-1].share:.1%} (wanted: {WANTED:.0%})")
    for words, (matched, of) in said_by(replay.problems, replay.attributions).items():
        print(f"  in the words of {words}: {matched} of {of}")
    left = not_matched(replay.problems, replay.attributions)
    print("\n".join(["not matched:", *left]) if left else "all are matched")
    alike, causes = pure(replay.problems, replay.attributions)
    print(f"\n{alike} of {causes} causes hold one wording, as the reviewer reads; what each holds:")
    print("\n".join(purity(replay.problems, replay.attributions, replay.causes)))
