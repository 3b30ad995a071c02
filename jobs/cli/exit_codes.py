"""The exit codes, listed in docs/operations.md."""

from __future__ import annotations

FAILED = 1
BAD_INPUT = 2
INTERRUPTED = 130
EXIT_CODES = {
    "error": 1,
    "bad_input": 2,
    "not_found": 3,
    "conflict": 4,
    "stale_version": 4,
    "lease_held": 5,
    "lease_lost": 5,
    "not_allowed": 6,
    "store_unavailable": 7,
    "settings": 8,
}
"""By the error's code; 0 is success, 1 any other failure, a failed stage of a night among them."""
