"""`python -m benchmarks.nights [FOLDER…]`: thirty nights over published runs, with a reviewer who follows written rules."""

from benchmarks.nights.command import main

__all__ = ["main"]
