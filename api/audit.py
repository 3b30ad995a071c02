"""The audit log: who changed what, when and why. Also the one function by which routes add to it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.openapi import described
from api.paging import Listed, Moment, Paging, between, chosen, reply_page
from api.service import Visit, visiting
from errata_client.model import JsonValue
from knowledge import store
from knowledge.ids import digest
from knowledge.kinds import AUDIT
from knowledge.nights import AuditEntry

router = APIRouter()


class AuditFilter(Paging):
    """Which entries: each parameter may come several times and then means any of its values; all of them hold."""

    actor: tuple[str, ...] = ()
    action: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    since: Moment | None = Field(None, description="at or after")
    until: Moment | None = Field(None, description="before")

    def query(self) -> store.Query:
        """The store's query, newest entries first."""
        where = {"actor": self.actor, "action": self.action, "target": self.target}
        at = between("at", self.since, self.until)
        return store.Query(chosen(where), at, sort="at", descending=True)


@router.get(
    "/v1/projects/{project}/audit",
    **described(
        "List who changed what",
        answer=Listed[AuditEntry],
        example=examples.page(examples.AUDIT_ENTRY),
        scope="review",
        errors=(400, 401, 403, 404, 422, 503),
    ),
)
def audit(
    request: Request,
    visit: Annotated[Visit, Depends(visiting("review"))],
    asked: Annotated[AuditFilter, Query()],
) -> Response:
    """The newest first."""
    page = visit.collection(AUDIT).find(asked.query(), asked.limit, asked.cursor)
    return reply_page(request, [stored.item for stored in page.items], page.cursor)


def note(
    visit: Visit,
    action: str,
    target: str,
    actor: str,
    reason: str = "",
    details: dict[str, JsonValue] | None = None,
) -> None:
    """Add an entry for a change that the service function did not note itself; the token is always named."""
    errata = visit.service.errata
    now, masker = errata.clock(), errata.masker(visit.project)
    told = {"token": visit.token.name, **(details or {})}
    entry = AuditEntry(
        entry_id=digest("audit", action, target, actor, now.isoformat(), told),
        at=now,
        actor=actor,
        action=action,
        target=target,
        reason=masker.authored(reason),
        details=told,
    )
    visit.collection(AUDIT).add_many([entry])
