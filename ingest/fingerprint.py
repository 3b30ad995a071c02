"""The fingerprint groups cases into problems; the id of a case derives from where it happened."""

from __future__ import annotations

from knowledge.ids import digest


def fingerprint(project: str, tool: str | None, step_id: str, error_code: str, error_pattern: str) -> str:
    """One problem: the same tool at the same step fails with the same code and masked message."""
    return digest(project, tool, step_id, error_code, error_pattern)


def case_id(project: str, run_id: str, index: int, error_code: str, detail: str) -> str:
    """One case: `detail` tells apart what one detector finds more than once at one step (an argument's pointer)."""
    return digest("case", project, run_id, index, error_code, detail)
