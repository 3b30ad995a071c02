"""The command line: `errata NOUN VERB`. One file per noun; `edge` is where errors become exit codes.

Nothing heavy is loaded with this package: an interrupt while the rest is loaded, which may take seconds, has to end like
any other, without a traceback.
"""

import sys


def main() -> None:
    """The entry point of `errata`."""
    try:
        from jobs.cli import edge  # noqa: PLC0415 - see above
    except KeyboardInterrupt:
        sys.stderr.write("errata: interrupted before anything was done\n")
        sys.exit(130)
    sys.exit(edge.run(sys.argv[1:]))


__all__ = ["main"]
