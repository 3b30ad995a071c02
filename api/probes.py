"""What probes saw of the tools, reported by clients; and how the tools are."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field
from starlette.responses import Response

from api import examples
from api.bodies import body_of
from api.openapi import BODY_ERRORS, described
from api.replies import reply
from api.service import Visit, visiting
from errata_client.model import Model, UtcDatetime
from ingest.health.intervals import record_results, states
from knowledge.health import ProbeResult

router = APIRouter()
MAX_RESULTS = 1_000


class ProbeReport(Model):
    """One result; `at` is now if not given."""

    probe: str = Field(min_length=1, max_length=200)
    tools: tuple[str, ...] = Field(min_length=1, max_length=200)
    up: bool
    at: UtcDatetime | None = None
    detail: str = Field("", max_length=5_000)


class ProbeReports(Model):
    """Results of probes, in any order."""

    results: tuple[ProbeReport, ...] = Field(min_length=1, max_length=MAX_RESULTS)


class ProbesTaken(Model):
    """How many of the results told something new, counted for each tool, and of each tool whether it is up now."""

    taken: int
    tools: dict[str, bool]


@router.post(
    "/v1/projects/{project}/probes",
    **described(
        "Report what probes saw",
        answer=ProbesTaken,
        example=examples.PROBES_TAKEN,
        status=202,
        scope="ingest",
        errors=(*BODY_ERRORS, 401, 403, 404, 412, 503),
        body=ProbeReports,
        body_example=examples.PROBES,
    ),
)
def probes(
    visit: Annotated[Visit, Depends(visiting("ingest"))],
    given: Annotated[ProbeReports, Depends(body_of(ProbeReports))],
) -> Response:
    """Errors of a tool in a minute in which it was down are tool.unavailable: those that come, and in the next night those
    that are stored. Reporting a result twice changes nothing."""
    shift, masker = visit.shift, visit.service.errata.masker(visit.project)
    results = [
        masker.model(ProbeResult(**{**dict(report), "at": report.at or shift.now}))
        for report in given.results
    ]
    taken = record_results(shift, results)
    return reply(ProbesTaken(taken=taken, tools=states(shift)), 202)
