"""Problems: the cases that share a fingerprint, and the root cause that they were bound to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from api import examples
from api.bodies import body_of
from api.openapi import BODY_ERRORS, described
from api.paging import Listed, Moment, Paging, reply_page
from api.replies import reply_versioned
from api.service import Visit, visiting
from errata_client.model import Model
from ingest.problem_states import change_status as set_status
from knowledge import store
from knowledge.cases import ErrorCode, ErrorKind, Problem, ProblemState, ProblemStatus
from knowledge.causes import Attribution, CauseProposal
from knowledge.kinds import ATTRIBUTIONS, CAUSE_PROPOSALS, PROBLEMS
from knowledge.problem_search import FILTERS, ProblemSearch
from knowledge.store import Stored

router = APIRouter()
SORTS = Literal["last_seen", "-last_seen", "first_seen", "-first_seen", "count", "-count"]


class ProblemView(Problem):
    """A problem with its version and its attribution; null where no night has looked at it yet. `model_proposal` is what a
    language model would answer where the attribution is abstained: no decision, a person makes it."""

    version: str
    attribution: Attribution | None = None
    model_proposal: CauseProposal | None = None


class ProblemFilter(Paging):
    """Which problems: each parameter may come several times and then means any of its values; all of them hold."""

    q: str | None = Field(None, max_length=500, description="words or phrases, English or Chinese")
    exact: bool = Field(False, description="words of failure only as written, not any that mean the same")
    error_code: tuple[ErrorCode, ...] = ()
    error_kind: tuple[ErrorKind, ...] = ()
    tool: tuple[str, ...] = ()
    step_id: tuple[str, ...] = ()
    agent: tuple[str, ...] = ()
    model_version: tuple[str, ...] = ()
    status: tuple[ProblemStatus, ...] = ()
    state: tuple[ProblemState, ...] = ()
    since: Moment | None = Field(None, description="last seen at or after")
    until: Moment | None = Field(None, description="last seen before")
    sort: SORTS = "-last_seen"

    def query(self) -> store.Query:
        """The store's query."""
        asked = ProblemSearch(
            text=self.q,
            exact=self.exact,
            since=self.since,
            until=self.until,
            sort=self.sort.lstrip("-"),
            descending=self.sort.startswith("-"),
        )
        return asked.query({name: getattr(self, name) for name in FILTERS})


@router.get(
    "/v1/projects/{project}/problems",
    **described(
        "List and search problems",
        answer=Listed[ProblemView],
        example=examples.page(examples.PROBLEM),
        scope="review",
        errors=(400, 401, 403, 404, 422, 503),
    ),
)
def problems(
    request: Request,
    visit: Annotated[Visit, Depends(visiting("review"))],
    asked: Annotated[ProblemFilter, Query()],
) -> Response:
    """`q` finds each of its words, and each Chinese sequence as a phrase, in messages, patterns and intents. Words of
    failure ("not found", "查不到") find any that mean the same, in English and Chinese, unless `exact`."""
    page = visit.collection(PROBLEMS).find(asked.query(), asked.limit, asked.cursor)
    return reply_page(request, viewed(visit, page.items), page.cursor)


class StatusChange(Model):
    """What a person makes of a problem, and why. Ingest leaves it; a night reopens what was resolved and came back, by a
    case of an agent whose version is not older than `version`, where one is named."""

    status: ProblemStatus
    version: str | None = Field(None, min_length=1, max_length=200)
    actor: str | None = Field(None, min_length=1, max_length=200)
    reason: str = Field(min_length=1, max_length=2000)


@router.post(
    "/v1/projects/{project}/problems/{fingerprint}/status",
    **described(
        "Resolve, archive or reopen a problem",
        answer=ProblemView,
        example=examples.PROBLEM,
        scope="review",
        errors=(*BODY_ERRORS, 401, 403, 404, 409, 412, 503),
        body=StatusChange,
        body_example=examples.STATUS_CHANGE,
    ),
)
def change_status(
    fingerprint: str,
    visit: Annotated[Visit, Depends(visiting("review"))],
    given: Annotated[StatusChange, Depends(body_of(StatusChange))],
) -> Response:
    """The change is in the audit log. What is archived stays so whatever new cases come."""
    known = visit.require(PROBLEMS, fingerprint, "problem").item.fingerprint
    actor, told = visit.actor(given.actor), {"token": visit.token.name}
    stored = set_status(visit.shift, known, given.status, actor, given.reason, given.version, told)
    return reply_versioned(viewed(visit, [stored])[0], stored.version)


@router.get(
    "/v1/projects/{project}/problems/{fingerprint}",
    **described(
        "Show a problem",
        answer=ProblemView,
        example=examples.PROBLEM,
        scope="review",
        errors=(401, 403, 404, 503),
    ),
)
def problem(fingerprint: str, visit: Annotated[Visit, Depends(visiting("review"))]) -> Response:
    """With its attribution: the verdict, the scores, and why; and with what a language model proposes where the night left it to a
    person, which is marked as the model's and decides nothing."""
    stored = visit.require(PROBLEMS, fingerprint, "problem")
    return reply_versioned(viewed(visit, [stored])[0], stored.version)


def viewed(visit: Visit, problems: Sequence[Stored[Problem]]) -> list[ProblemView]:
    """The problems with their attributions, read in one go."""
    found = visit.collection(ATTRIBUTIONS).get_many(stored.item.fingerprint for stored in problems)
    abstained = [key for key, stored in found.items() if stored.item.verdict == "abstained"]
    proposed = visit.collection(CAUSE_PROPOSALS).get_many(abstained)
    return [
        ProblemView(
            **dict(stored.item),
            version=stored.version,
            attribution=found[stored.item.fingerprint].item if stored.item.fingerprint in found else None,
            model_proposal=proposed[stored.item.fingerprint].item
            if stored.item.fingerprint in proposed
            else None,
        )
        for stored in problems
    ]
