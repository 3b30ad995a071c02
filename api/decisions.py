"""Decision reports: what rules did in the agents, sent back in batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from pydantic import Field, ValidationError
from starlette.responses import Response

from api import examples
from api.bodies import body_of
from api.errors import faults
from api.openapi import BODY_ERRORS, described
from api.replies import reply
from api.service import Visit, visiting
from errata_client.decision import DecisionReport
from errata_client.model import JsonValue, Model
from ingest.masking import Masker
from knowledge.store import ItemResult
from strategies.decisions import take_reports

router = APIRouter()
MAX_REPORTS = 5_000
STATUSES: dict[str, Literal["accepted", "known", "refused"]] = {
    "created": "accepted",
    "replaced": "accepted",
    "exists": "known",
    "refused": "refused",
}


class Reports(Model):
    """A batch of reports; each is read on its own. `active_revision` is what the agent applies now."""

    reports: tuple[JsonValue, ...] = Field(max_length=MAX_REPORTS)
    active_revision: int | None = Field(None, ge=0)
    agent: str | None = Field(None, max_length=200)


class ReportResult(Model):
    """What became of the report at `position` of the batch; `reason` is set where it was refused."""

    position: int
    report_id: str | None
    status: Literal["accepted", "known", "refused"]
    reason: str | None = None


class ReportsTaken(Model):
    """How many were new, known already, or refused, and one result per report."""

    accepted: int
    known: int
    refused: int
    results: tuple[ReportResult, ...]


@router.post(
    "/v1/projects/{project}/decisions",
    **described(
        "Report what rules did",
        answer=ReportsTaken,
        example=examples.REPORTS_TAKEN,
        status=202,
        scope="rules:read",
        errors=(*BODY_ERRORS, 401, 403, 404, 503),
        body=Reports,
        body_example=examples.REPORTS,
    ),
)
def decisions(
    visit: Annotated[Visit, Depends(visiting("rules:read"))],
    given: Annotated[Reports, Depends(body_of(Reports))],
) -> Response:
    """Sending a report twice changes nothing; a damaged one is refused without the others. Arguments are masked before
    they are kept."""
    masker = visit.service.errata.masker(visit.project)
    read = [_read(position, report, masker) for position, report in enumerate(given.reports)]
    good = [report for report in read if isinstance(report, DecisionReport)]
    stored = iter(take_reports(visit.shift, good).results)
    results = [
        item if isinstance(item, ReportResult) else _result(position, item, next(stored))
        for position, item in enumerate(read)
    ]
    agent = masker.text(given.agent or "unnamed")
    return reply(_counted(visit, agent, given.active_revision, results), 202)


def _read(position: int, report: JsonValue, masker: Masker) -> DecisionReport | ReportResult:
    try:
        return masker.model(DecisionReport.model_validate(report))
    except ValidationError as error:
        found = faults(error.errors(include_url=False, include_context=False), f"reports/{position}")
        told = "; ".join(f"{fault.where}: {fault.detail}" for fault in found[:3])
        given = report.get("report_id") if isinstance(report, dict) else None
        report_id = given if isinstance(given, str) else None
        return ReportResult(
            position=position, report_id=report_id, status="refused", reason=masker.text(told)
        )


def _result(position: int, report: DecisionReport, stored: ItemResult) -> ReportResult:
    status = STATUSES[stored.status]
    return ReportResult(position=position, report_id=report.report_id, status=status, reason=stored.reason)


def _counted(
    visit: Visit, agent: str, active_revision: int | None, results: Sequence[ReportResult]
) -> ReportsTaken:
    metrics = visit.service.metrics
    if active_revision is not None:
        metrics.agent_has(visit.project, agent, active_revision)
    counts = {"accepted": 0, "known": 0, "refused": 0}
    for result in results:
        counts[result.status] += 1
        metrics.decisions.labels(visit.project, result.status).inc()
    return ReportsTaken(**counts, results=tuple(results))
