"""Gates: which causes may be asked about a problem at all."""

from __future__ import annotations

from collections.abc import Iterable

from knowledge.cases import Problem
from knowledge.causes import RootCause


def kind_tells(error_code: str) -> bool:
    """Whether the kind of error is the family of the cause: it is where a tool spoke. Elsewhere it is that of some error that the
    failure is about, such as the one that a repeated call gave, and says nothing of why."""
    return error_code.startswith("tool.")


def passes(problem: Problem, cause: RootCause) -> bool:
    """Whether the cause covers the problem's code, its kind where it names kinds, its tool where it names tools."""
    return (
        cause.enabled
        and problem.error_code in cause.error_codes
        and (not cause.error_kinds or problem.error_kind in cause.error_kinds)
        and (not cause.tools or problem.tool in cause.tools)
    )


def passing(problem: Problem, causes: Iterable[RootCause]) -> frozenset[str]:
    """Ids of the causes whose gates let the problem through."""
    return frozenset(cause.cause_id for cause in causes if passes(problem, cause))
