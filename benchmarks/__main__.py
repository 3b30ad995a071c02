"""`python -m benchmarks [NAME…]`: run all benchmarks there are, or the ones named."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

NAMES = ("decide", "bundle", "scoring", "ingest", "synthesis", "month")


def main(asked: Sequence[str]) -> int:
    """Run them one after the other, so that none disturbs another; the exit code."""
    unknown = sorted(set(asked) - set(NAMES))
    if unknown:
        print(f"no benchmark is called {', '.join(unknown)}: there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    for name in asked or NAMES:
        if find_spec(f"benchmarks.{name}") is None:
            print(f"== {name}: not written yet\n")
            continue
        print(f"== {name}")
        import_module(f"benchmarks.{name}").main()
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
