"""`errata problems`: what goes wrong, grouped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import orjson
import typer
from rich.console import Console
from rich.text import Text

from jobs.cli.attribution_view import explained, proposed
from jobs.cli.lookup import find_one
from jobs.cli.moments import parse_moment
from jobs.cli.output import count, plain, show
from jobs.cli.session import JsonOption, LimitOption, ProjectOption, Session, in_project
from jobs.cli.tables import facts, print_table
from knowledge.cases import FailureCase, Problem
from knowledge.causes import Attribution, CauseProposal, RootCause
from knowledge.kinds import ATTRIBUTIONS, CASES, CAUSE_PROPOSALS, PROBLEMS, ROOT_CAUSES
from knowledge.problem_search import ProblemSearch
from knowledge.store import MAX_PAGE, Exact, Query

app = typer.Typer(help="The problems: failure cases that share a fingerprint.", no_args_is_help=True)

SHORT = 10
STATE_STYLES = {"escalating": "bold red", "regressed": "bold red", "new": "yellow", "ongoing": "dim"}
CASES_SHOWN = 5
StatusOption = Annotated[
    Literal["unresolved", "resolved", "archived", "all"], typer.Option("--status", help="Which ones.")
]


@app.command("list")
def list_problems(
    project: ProjectOption = None,
    status: StatusOption = "unresolved",
    state: Annotated[
        Literal["new", "ongoing", "escalating", "regressed"] | None,
        typer.Option(
            "--state", help="Only what the last night found new, going on, escalating, or come back."
        ),
    ] = None,
    code: Annotated[str | None, typer.Option("--code", help="Only this error code.")] = None,
    tool: Annotated[str | None, typer.Option("--tool", help="Only this tool.")] = None,
    limit: LimitOption = 30,
    as_json: JsonOption = False,
) -> None:
    """List the problems, the most frequent first."""
    asked: dict[str, Exact | None] = {
        "status": None if status == "all" else status,
        "state": state,
        "error_code": code,
        "tool": tool,
    }
    where = {name: value for name, value in asked.items() if value is not None}
    with in_project(project) as session:
        _list(session, Query(where=where, sort="count", descending=True), limit, as_json=as_json)


@app.command("search")
def search(
    text: Annotated[
        str | None, typer.Argument(help="Words that must all occur, English or Chinese.", metavar="TEXT")
    ] = None,
    project: ProjectOption = None,
    code: Annotated[
        list[str] | None, typer.Option("--code", help="An error code; may come several times.")
    ] = None,
    tool: Annotated[list[str] | None, typer.Option("--tool", help="A tool; may come several times.")] = None,
    step: Annotated[
        list[str] | None, typer.Option("--step", help="A step's name; may come several times.")
    ] = None,
    agent: Annotated[
        list[str] | None, typer.Option("--agent", help="An agent's name; may come several times.")
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option("--model", help="A model's version; may come several times.")
    ] = None,
    status: StatusOption = "all",
    since: Annotated[
        str | None, typer.Option("--since", help="Last seen at or after this time or date, UTC.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", help="Last seen before this time or date, UTC.")
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Words of failure only as written, not any that mean the same.")
    ] = False,
    limit: LimitOption = 30,
    as_json: JsonOption = False,
) -> None:
    """Find problems by the words of their error or of what the person wanted, and by what they are.

    Words of failure find all that mean the same, in English and Chinese: 查不到 finds "not found".
    """
    asked = ProblemSearch(text, exact, parse_moment("--since", since), parse_moment("--until", until))
    filters = {
        "error_code": code or (),
        "tool": tool or (),
        "step_id": step or (),
        "agent": agent or (),
        "model_version": model or (),
        "status": () if status == "all" else (status,),
    }
    with in_project(project) as session:
        _list(session, asked.query(filters), limit, as_json=as_json)


@app.command("show")
def show_problem(
    fingerprint: Annotated[
        str, typer.Argument(help="Its fingerprint, or the start of it.", metavar="PROBLEM")
    ],
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a problem, what it was attributed to and why, and its latest cases."""
    with in_project(project) as session:
        problem = find_one(session, PROBLEMS, fingerprint, "problem", "errata problems list").item
        attribution = _attributions(session, [problem]).get(problem.fingerprint)
        cause, proposal = _cause(session, attribution), _proposal(session, attribution)
        query = Query(where={"fingerprint": problem.fingerprint}, sort="occurred_at", descending=True)
        page = session.errata.store.collection(session.project, CASES).find(query, CASES_SHOWN)
    cases = [stored.item for stored in page.items]
    document = {
        "problem": problem,
        "attribution": attribution,
        "model_proposal": proposal,
        "latest_cases": cases,
    }
    show(
        as_json,
        document,
        lambda console: _print(console, problem, [*_told(attribution, cause), *proposed(proposal)], cases),
    )


def _list(session: Session, query: Query, limit: int, *, as_json: bool) -> None:
    page = session.errata.store.collection(session.project, PROBLEMS).find(query, min(limit, MAX_PAGE))
    problems = [stored.item for stored in page.items]
    known = _attributions(session, problems)
    documents = [_document(problem, known.get(problem.fingerprint)) for problem in problems]
    rows = [_row(problem, known.get(problem.fingerprint)) for problem in problems]
    columns = ("problem", "state", "#cases", "last seen", "code", "tool", "cause", "~error")

    def human(console: Console) -> None:
        print_table(console, columns, rows, "No problem like that.")
        if page.cursor is not None:
            console.print("There are more: raise --limit", style="dim")

    show(as_json, documents, human)


def _attributions(session: Session, problems: Sequence[Problem]) -> dict[str, Attribution]:
    collection = session.errata.store.collection(session.project, ATTRIBUTIONS)
    found = collection.get_many([problem.fingerprint for problem in problems])
    return {key: stored.item for key, stored in found.items()}


def _cause(session: Session, attribution: Attribution | None) -> RootCause | None:
    if attribution is None or attribution.root_cause is None:
        return None
    found = session.errata.store.collection(session.project, ROOT_CAUSES).get(attribution.root_cause)
    return found.item if found else None


def _proposal(session: Session, attribution: Attribution | None) -> CauseProposal | None:
    if attribution is None or attribution.verdict != "abstained":
        return None
    found = session.errata.store.collection(session.project, CAUSE_PROPOSALS).get(attribution.fingerprint)
    return found.item if found else None


def _document(problem: Problem, attribution: Attribution | None) -> dict[str, object]:
    fields = plain(problem)
    assert isinstance(fields, dict)
    cause = attribution.root_cause if attribution else None
    return {**fields, "verdict": attribution.verdict if attribution else None, "root_cause": cause}


def _where(problem: Problem) -> str:
    """The tool, and the step where that is not called as the tool is."""
    if problem.tool is None:
        return f"at {problem.step_id}"
    return problem.tool if problem.tool == problem.step_id else f"{problem.tool} at {problem.step_id}"


def _row(problem: Problem, attribution: Attribution | None) -> tuple[object, ...]:
    cause = (attribution.root_cause or attribution.verdict) if attribution else None
    said = problem.error_pattern or problem.error_message
    return (
        problem.fingerprint[:SHORT],
        Text(problem.state, STATE_STYLES.get(problem.state, "")),
        f"{problem.count:,}",
        problem.last_seen,
        problem.error_code,
        _where(problem),
        cause,
        said[:160],
    )


def _print(
    console: Console,
    problem: Problem,
    told: Sequence[tuple[str, object]],
    cases: Sequence[FailureCase],
) -> None:
    console.print(
        facts(
            [
                ("problem", problem.fingerprint),
                ("status", f"{problem.status}, {problem.state}"),
                ("state", problem.state_reason or None),
                (
                    "seen",
                    f"{count(problem.count, 'time')}, {problem.first_seen:%Y-%m-%d} to {problem.last_seen:%Y-%m-%d}",
                ),
                ("code", f"{problem.error_code} ({problem.error_kind})"),
                ("tool", _where(problem)),
                ("models", ", ".join(problem.model_versions)),
                ("error", problem.error_message),
                ("pattern", problem.error_pattern),
                ("intent", problem.user_intent),
                *told,
            ]
        )
    )
    rows = [
        (case.case_id, case.run_id, case.occurred_at, orjson.dumps(case.trigger_step.arguments).decode())
        for case in cases
    ]
    console.print()
    print_table(console, ("latest case", "run", "at", "~arguments"), rows)


def _told(attribution: Attribution | None, cause: RootCause | None) -> list[tuple[str, object]]:
    if attribution is None:
        return [("attribution", "not yet: it waits for the night")]
    return [
        ("root cause", cause.name if cause else None),
        *explained(attribution),
        ("what to do", cause.playbook if cause else None),
    ]
