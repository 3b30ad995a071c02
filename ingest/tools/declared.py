"""The declared tools of a project: kept, marked, and given to the runs that declare none themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from errata_client.run import Run, ToolDeclaration
from ingest.masking import Masker
from ingest.tools.reading import ReadTool
from knowledge.errors import BadInputError, NotFoundError
from knowledge.ids import digest
from knowledge.kinds import AUDIT, TOOLS
from knowledge.nights import AuditEntry
from knowledge.stage import Shift
from knowledge.store import BulkReport, Query
from knowledge.tools import DeclaredTool


def import_tools(
    shift: Shift,
    read: Sequence[ReadTool],
    actor: str,
    masker: Masker,
    *,
    source: str,
    changes_state: bool | None = None,
) -> BulkReport:
    """Keep the tools, replacing those that are there, and note who did it. `changes_state`, where given, holds for all of
    them; else what the document says does, else what was said before."""
    known = shift.store.collection(shift.project, TOOLS).get_many(one.declaration.name for one in read)
    before = {name: stored.item.changes_state for name, stored in known.items()}
    made = [
        _declared(
            shift,
            one,
            actor,
            masker,
            _first(changes_state, one.changes_state, before.get(one.declaration.name)),
        )
        for one in read
    ]
    shift.guard()
    report = shift.store.collection(shift.project, TOOLS).put_many(made)
    _audit(shift, actor, "tools.import", source, f"{len(made)} tools")
    return report


def mark_tools(shift: Shift, names: Sequence[str], actor: str, *, changes_state: bool) -> list[DeclaredTool]:
    """Say of tools whether they change anything; one that was not declared is kept by its name alone."""
    if not names or any(not name.strip() for name in names):
        raise BadInputError("name the tools to mark")
    collection = shift.store.collection(shift.project, TOOLS)
    known = collection.get_many(names)
    change = {"changes_state": changes_state, "actor": actor, "declared_at": shift.now}
    made = [
        known[name].item.model_copy(update=change)
        if name in known
        else DeclaredTool(
            tool=name, source="mark", actor=actor, declared_at=shift.now, changes_state=changes_state
        )
        for name in dict.fromkeys(names)
    ]
    shift.guard()
    collection.put_many(made)
    _audit(shift, actor, "tools.mark", ", ".join(names)[:200], "changes" if changes_state else "reads")
    return made


def forget_tools(shift: Shift, names: Sequence[str], actor: str) -> int:
    """Drop declarations; NotFoundError where none of them is there."""
    shift.guard()
    gone = shift.store.collection(shift.project, TOOLS).remove_many(names)
    if not gone:
        raise NotFoundError(f"none of these tools is declared in {shift.project}: see `errata tools list`")
    _audit(shift, actor, "tools.forget", ", ".join(names)[:200], f"{gone} tools")
    return gone


def declarations(shift: Shift) -> tuple[ToolDeclaration, ...]:
    """What the project's tools take and return."""
    return tuple(
        ToolDeclaration(
            name=tool.tool,
            description=tool.description,
            parameters=tool.parameters,
            output_schema=tool.output_schema,
        )
        for tool in _all(shift)
        if tool.parameters or tool.output_schema
    )


def declared_effects(shift: Shift) -> Mapping[str, bool]:
    """Which tools change something and which do not, as far as that was said."""
    return {tool.tool: tool.changes_state for tool in _all(shift) if tool.changes_state is not None}


def with_declarations(run: Run, declared: Sequence[ToolDeclaration]) -> Run:
    """The run with the project's declarations of the tools that it calls, where it declares none itself.

    A project's list may be of one server among several: a tool that is called and not on it is named without a schema,
    so that it is not taken for one that does not exist.
    """
    if run.tools or not declared:
        return run
    called = {step.tool_call.tool for step in run.steps if step.tool_call is not None}
    known = {tool.name: tool for tool in declared if tool.name in called}
    if not known:
        return run
    others = (ToolDeclaration(name=name) for name in sorted(called - known.keys()))
    return run.model_copy(update={"tools": (*known.values(), *others)})


def _all(shift: Shift) -> Iterable[DeclaredTool]:
    return (stored.item for stored in shift.store.collection(shift.project, TOOLS).scan(Query()))


def _declared(
    shift: Shift, one: ReadTool, actor: str, masker: Masker, changes_state: bool | None
) -> DeclaredTool:
    told = one.declaration
    return DeclaredTool(
        tool=told.name,
        description=masker.text(told.description) if told.description else None,
        parameters=told.parameters,
        output_schema=told.output_schema,
        changes_state=changes_state,
        source=one.format,
        actor=actor,
        declared_at=shift.now,
    )


def _first(*said: bool | None) -> bool | None:
    return next((one for one in said if one is not None), None)


def _audit(shift: Shift, actor: str, action: str, target: str, what: str) -> None:
    entry = AuditEntry(
        entry_id=digest("audit", shift.now.isoformat(), actor, action, target),
        at=shift.now,
        actor=actor,
        action=action,
        target=target,
        reason=what,
    )
    shift.store.collection(shift.project, AUDIT).add_many([entry])
