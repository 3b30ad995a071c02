"""Failure cases: level 1, one failure in one run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.openapi import described
from api.paging import Listed, Moment, Paging, between, chosen, reply_page
from api.replies import reply
from api.service import Visit, visiting
from knowledge import store
from knowledge.cases import ErrorCode, ErrorKind, FailureCase
from knowledge.kinds import CASES
from knowledge.store import Exact

router = APIRouter()


class CaseFilter(Paging):
    """Which cases: each parameter may come several times and then means any of its values; all of them hold."""

    q: str | None = Field(None, max_length=500, description="words or phrases, English or Chinese")
    fingerprint: tuple[str, ...] = ()
    run_id: tuple[str, ...] = ()
    task_id: tuple[str, ...] = ()
    error_code: tuple[ErrorCode, ...] = ()
    error_kind: tuple[ErrorKind, ...] = ()
    tool: tuple[str, ...] = ()
    step_id: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    model_version: tuple[str, ...] = ()
    decisive: bool | None = None
    since: Moment | None = Field(None, description="occurred at or after")
    until: Moment | None = Field(None, description="occurred before")

    def query(self) -> store.Query:
        """The store's query, newest cases first."""
        where: dict[str, Exact | Sequence[Exact] | None] = dict(chosen(self._words()))
        if self.decisive is not None:
            where["decisive"] = self.decisive
        return store.Query(
            where,
            between("occurred_at", self.since, self.until),
            self.q,
            sort="occurred_at",
            descending=True,
        )

    def _words(self) -> dict[str, tuple[str, ...]]:
        return {
            "fingerprint": self.fingerprint,
            "run_id": self.run_id,
            "task_id": self.task_id,
            "error_code": self.error_code,
            "error_kind": self.error_kind,
            "trigger_step.tool": self.tool,
            "trigger_step.step_id": self.step_id,
            "agent.name": self.agent,
            "model_version": self.model_version,
        }


@router.get(
    "/v1/projects/{project}/cases",
    **described(
        "List failure cases",
        answer=Listed[FailureCase],
        example=examples.page(examples.CASE),
        scope="review",
        errors=(400, 401, 403, 404, 422, 503),
    ),
)
def cases(
    request: Request,
    visit: Annotated[Visit, Depends(visiting("review"))],
    asked: Annotated[CaseFilter, Query()],
) -> Response:
    """The newest first."""
    page = visit.collection(CASES).find(asked.query(), asked.limit, asked.cursor)
    return reply_page(request, [stored.item for stored in page.items], page.cursor)


@router.get(
    "/v1/projects/{project}/cases/{case_id}",
    **described(
        "Show a failure case",
        answer=FailureCase,
        example=examples.CASE,
        scope="review",
        errors=(401, 403, 404, 503),
    ),
)
def case(case_id: str, visit: Annotated[Visit, Depends(visiting("review"))]) -> Response:
    """With its evidence, its repair and the call view."""
    return reply(visit.require(CASES, case_id, "case").item)
