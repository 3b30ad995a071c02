"""Projects: the borders that everything lives within."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.auth import authenticate, demand_all_projects, demand_scope
from api.openapi import described
from api.replies import reply
from api.service import ProjectId, Service, service_of
from errata_client.model import Model
from knowledge.nights import ApiToken, Project

router = APIRouter()


class Projects(Model):
    """The projects that the token is for."""

    items: tuple[Project, ...]


@router.get(
    "/v1/projects",
    **described(
        "List the token's projects",
        answer=Projects,
        example={"items": [examples.PROJECT]},
        scope="any",
        errors=(401, 503),
    ),
)
async def projects(request: Request) -> Response:
    """Those of the token, or all for a token without a list of its own."""
    service = service_of(request)
    token = await authenticate(service.gate, request, service.errata.clock())
    return reply(Projects(items=await run_in_threadpool(_seen_by, service, token)))


@router.put(
    "/v1/projects/{project}",
    **described(
        "Make a project",
        answer=Project,
        example=examples.PROJECT,
        scope="admin, all projects",
        errors=(400, 401, 403, 503),
    ),
)
async def make(request: Request, project: ProjectId) -> Response:
    """Makes it where it is missing, and answers it; making it again changes nothing."""
    service = service_of(request)
    token = await authenticate(service.gate, request, service.errata.clock())
    demand_scope(token, ("admin",))
    demand_all_projects(token)
    return reply(await run_in_threadpool(service.errata.ensure_project, project))


def _seen_by(service: Service, token: ApiToken) -> tuple[Project, ...]:
    every = service.errata.projects()
    return tuple(project for project in every if not token.projects or project.project_id in token.projects)
