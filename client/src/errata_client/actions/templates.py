"""Text made of a template and captures, ready to be put into an argument: bound where it is SQL."""

from __future__ import annotations

from collections.abc import Sequence

from errata_client.actions.effect import Changed, Hit
from errata_client.actions.sql import Statement, UnboundError
from errata_client.actions.writing import is_sql, looks_like_sql, names_sql, written, written_text
from errata_client.matching import filled
from errata_client.pointer import pointer_of
from errata_client.rule import Derive, Rewrite, template_groups


class Template:
    """A rule's template and the place that it is written to; what is SQL is prepared once."""

    def __init__(self, field: str, template: str) -> None:
        self._pointer, self._template = pointer_of(field), template
        self._captured = bool(template_groups(template))
        self._statement = _statement(template) if self._captured and writes_sql(field, template) else None

    def written(self, hit: Hit, captures: Sequence[str | None]) -> Changed | None:
        """The call with the filled template; None where a capture is missing, or would be spliced into SQL."""
        text = filled(self._template, captures)
        if text is None:
            return None
        if self._captured and is_sql(hit, self._pointer, text):
            bound = self._statement.filled(captures) if self._statement else None
            return None if bound is None else written(hit, self._pointer, bound)
        return written_text(hit, self._pointer, text)


def writes_sql(field: str, template: str) -> bool:
    """Whether the argument is named like SQL, or the template reads like a statement."""
    return names_sql(pointer_of(field)) or looks_like_sql(template)


def why_unbound(action: object) -> str | None:
    """Why a rule that writes SQL with captures can never fire; None where it can, or writes none."""
    if not isinstance(action, Rewrite | Derive) or (isinstance(action, Derive) and action.arithmetic):
        return None
    if not template_groups(action.template) or not writes_sql(action.field, action.template):
        return None
    try:
        Statement(action.template)
    except UnboundError as error:
        return str(error)
    return None


def _statement(template: str) -> Statement | None:
    try:
        return Statement(template)
    except UnboundError:
        return None
