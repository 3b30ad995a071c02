"""Run it; see `command.py`."""

import sys

from benchmarks.nights.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
