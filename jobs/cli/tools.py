"""`errata tools`: what the agents' tools take and return, and which of them change something."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from ingest.tools.declared import forget_tools, import_tools, mark_tools
from ingest.tools.reading import read_tools
from jobs.cli.lookup import find_one
from jobs.cli.output import count, plain, show
from jobs.cli.session import ActorOption, JsonOption, ProjectOption, actor_name, in_project
from jobs.cli.tables import facts, print_table
from jobs.files import read_text
from knowledge.errors import BadInputError
from knowledge.kinds import TOOLS
from knowledge.store import Query
from knowledge.tools import DeclaredTool

app = typer.Typer(
    help="The declared tools: their schemas, and whether they change anything.", no_args_is_help=True
)

EMPTY = "No tool is declared: `errata tools import FILE` declares what a file holds."
EffectOption = Annotated[
    bool | None,
    typer.Option(
        "--changes-state/--read-only", help="They change something, or they only read.", show_default=False
    ),
]
NamesArgument = Annotated[list[str], typer.Argument(help="Names of tools.", metavar="TOOL…")]


@app.command("import")
def import_(
    file: Annotated[
        Path,
        typer.Argument(
            help="OpenAI functions or tools, MCP's answer to tools/list, or OpenAPI; JSON or YAML; - reads stdin.",
            metavar="FILE",
        ),
    ],
    effect: EffectOption = None,
    project: ProjectOption = None,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Declare the tools of a file; runs that declare none themselves are checked against them from now on."""
    read = read_tools(read_text(file), str(file))
    with in_project(project) as session:
        masker = session.errata.masker(session.project)
        who = actor_name(actor)
        report = import_tools(session.shift(), read, who, masker, source=str(file), changes_state=effect)
    if report.refused:
        raise BadInputError("; ".join(f"{one.key}: {one.reason}" for one in report.refused))
    document = {
        "format": read[0].format,
        "tools": [one.declaration.name for one in read],
        "created": len(report.created),
        "replaced": len(report.results) - len(report.created),
    }
    told = f"{count(len(read), 'tool')} declared from {read[0].format}; {len(report.created)} of them new"
    show(as_json, document, lambda console: console.print(told))


@app.command("list")
def list_tools(project: ProjectOption = None, as_json: JsonOption = False) -> None:
    """List the declared tools."""
    with in_project(project) as session:
        found = session.errata.store.collection(session.project, TOOLS).scan(Query())
        tools = [stored.item for stored in found]
    rows = [(tool.tool, _effect(tool), _arguments(tool), tool.source, tool.description) for tool in tools]
    columns = ("tool", "effect", "arguments", "from", "~description")
    show(as_json, tools, lambda console: print_table(console, columns, rows, EMPTY))


@app.command("show")
def show_tool(
    tool: Annotated[str, typer.Argument(help="Its name.", metavar="TOOL")],
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a declared tool with its schemas."""
    with in_project(project) as session:
        found = find_one(session, TOOLS, tool, "tool", "errata tools list").item

    def human(console: Console) -> None:
        console.print(
            facts(
                [
                    ("tool", found.tool),
                    ("effect", _effect(found)),
                    ("says", found.description),
                    ("from", f"{found.source}, {found.actor}, {found.declared_at:%Y-%m-%d}"),
                ]
            )
        )
        for title, schema in (("takes", found.parameters), ("returns", found.output_schema)):
            if schema:
                console.print(f"\n{title}", style="bold")
                console.print_json(data=plain(schema))

    show(as_json, found, human)


@app.command("mark")
def mark(
    names: NamesArgument,
    effect: EffectOption = None,
    project: ProjectOption = None,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether tools change anything; contrast goes by it, and learns only what nobody says."""
    if effect is None:
        raise BadInputError("say which: --changes-state or --read-only")
    with in_project(project) as session:
        marked = mark_tools(session.shift(), names, actor_name(actor), changes_state=effect)
    told = f"{count(len(marked), 'tool')} marked: {'changes something' if effect else 'only reads'}"
    show(as_json, marked, lambda console: console.print(told))


@app.command("forget")
def forget(
    names: NamesArgument,
    project: ProjectOption = None,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Drop declarations."""
    with in_project(project) as session:
        gone = forget_tools(session.shift(), names, actor_name(actor))
    show(as_json, {"forgotten": gone}, lambda console: console.print(f"{count(gone, 'tool')} forgotten"))


def _effect(tool: DeclaredTool) -> str:
    return {None: "not said", True: "changes", False: "reads"}[tool.changes_state]


def _arguments(tool: DeclaredTool) -> str:
    schema = tool.parameters or {}
    properties, required = schema.get("properties"), schema.get("required")
    names = list(properties) if isinstance(properties, dict) else []
    needed = required if isinstance(required, list) else []
    return ", ".join(name if name in needed else f"[{name}]" for name in names)
