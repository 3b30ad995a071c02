"""The command line: `errata NOUN VERB`. One file per noun; `edge` is where errors become exit codes."""

from jobs.cli.edge import main, run

__all__ = ["main", "run"]
