"""The declared tools of a project: what they take and return, and which of them change something."""

from __future__ import annotations

from typing import Annotated

import orjson
from fastapi import APIRouter, Depends, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.bodies import body_of
from api.openapi import BODY_ERRORS, described
from api.paging import Listed, Paging, reply_page
from api.replies import reply
from api.service import Visit, service_of, visiting
from errata_client.model import JsonValue, Model
from ingest.tools.declared import import_tools
from ingest.tools.reading import read_tools
from knowledge import store
from knowledge.kinds import TOOLS
from knowledge.tools import DeclaredTool

router = APIRouter()
Reviewer = Annotated[Visit, Depends(visiting("review"))]


class ToolsGiven(Model):
    """A document that declares tools (OpenAI functions or tools, MCP's answer to tools/list, OpenAPI), as JSON.
    `changes_state`, where given, holds for all of them."""

    document: JsonValue
    changes_state: bool | None = None
    actor: str | None = Field(None, min_length=1, max_length=200)


class ToolsDeclared(Model):
    """What was declared, and how many of the tools are new."""

    tools: tuple[str, ...]
    created: int


@router.get(
    "/v1/projects/{project}/tools",
    **described(
        "List declared tools",
        answer=Listed[DeclaredTool],
        example=examples.page(examples.DECLARED_TOOL),
        scope="review",
        errors=(400, 401, 403, 404, 422, 503),
    ),
)
def tools(request: Request, visit: Reviewer, asked: Annotated[Paging, Query()]) -> Response:
    """By name, each with the schemas of what it takes and returns."""
    page = visit.collection(TOOLS).find(store.Query(), asked.limit, asked.cursor)
    return reply_page(request, [stored.item for stored in page.items], page.cursor)


@router.post(
    "/v1/projects/{project}/tools",
    **described(
        "Declare tools",
        answer=ToolsDeclared,
        example=examples.TOOLS_DECLARED,
        status=201,
        scope="review",
        errors=(*BODY_ERRORS, 401, 403, 404, 503),
        body=ToolsGiven,
        body_example=examples.TOOLS_GIVEN,
    ),
)
def declare(
    request: Request,
    project: str,
    visit: Reviewer,
    given: Annotated[ToolsGiven, Depends(body_of(ToolsGiven))],
) -> Response:
    """Runs that declare no tools themselves are checked against them from now on; tools that are there are replaced."""
    read = read_tools(orjson.dumps(given.document).decode(), "the document")
    report = import_tools(
        visit.shift,
        read,
        visit.actor(given.actor),
        service_of(request).errata.masker(project),
        source="the API",
        changes_state=given.changes_state,
    )
    names = tuple(one.declaration.name for one in read)
    return reply(ToolsDeclared(tools=names, created=len(report.created)), 201)
