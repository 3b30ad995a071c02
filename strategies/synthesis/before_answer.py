"""A check before the answer: this kind of request was never solved without that call.

Evidence: runs of which contrast says that one call is missing, which every successful run of their task made; and no successful run
of the project that called what they called ended without it. The kind of a request is told by a tool that was called, or by
none where no run succeeded without the call at all. Chance is counted over tasks and divided by what was tried. The answer is
held back once: what cannot be done can be said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from errata_client.reading import is_read_only
from errata_client.rule import Called, Condition, NotCalled, RequireCall, Trigger, Unstopped
from knowledge.cases import FailureCase
from knowledge.runs import FINAL_ANSWER, ReferenceCall
from strategies.material import Material, task_of, tasks_of
from strategies.synthesis.port import Demand, Draft
from strategies.synthesis.prerequisite import called_before
from strategies.synthesis.separation import chance
from strategies.synthesis.wording import speaks_chinese, with_playbook

MIN_SUCCESSES = 10


@dataclass(frozen=True)
class _Want:
    """What is missing where `kind` was called (None: in any run), with the runs that tell so."""

    tool: str
    kind: str | None
    failing: tuple[FailureCase, ...]
    known: tuple[FailureCase, ...]
    worked: tuple[ReferenceCall, ...]

    def convinces(self, tried: int, demand: Demand) -> bool:
        tasks = tasks_of(self.failing)
        if len(self.failing) < demand.cases or len(tasks) < demand.tasks or len(self.worked) < MIN_SUCCESSES:
            return False
        done = {task_of(call) for call in self.worked}
        return chance(len(tasks_of(self.known)), len(tasks), len(done)) * tried <= demand.chance * 10

    @property
    def rank(self) -> tuple[int, bool, bool, str, str]:
        """Most runs first, then what needs no kind, then a kind that changes something."""
        reads = self.kind is not None and is_read_only(self.kind)
        return -len(self.failing), self.kind is not None, reads, self.tool, self.kind or ""


class CheckBeforeAnswer:
    """The call without which no run of its kind succeeded, asked for before the answer."""

    name = "before_answer"

    def propose(self, material: Material, demand: Demand) -> Iterator[Draft]:
        """At most one draft for each missing call."""
        if material.scope.tool != FINAL_ANSWER:
            return
        missing = _missing(material.cases)
        wants = [want for tool in sorted(missing) for want in _wants(tool, missing[tool], material)]
        good = sorted((one for one in wants if one.convinces(len(wants), demand)), key=lambda one: one.rank)
        best = {want.tool: want for want in reversed(good)}
        yield from (self._draft(material, best[tool]) for tool in sorted(best))

    def _draft(self, material: Material, want: _Want) -> Draft:
        chinese = speaks_chinese(want.failing)
        kind: tuple[Condition, ...] = () if want.kind is None else (Called(tool=want.kind),)
        text = _text(want, chinese=chinese)
        return Draft(
            synthesiser=self.name,
            trigger=Trigger(
                field="user_input", pattern="^", conditions=(*kind, NotCalled(tool=want.tool), Unstopped())
            ),
            action=RequireCall(tool=want.tool, text=with_playbook(text, material.cause, chinese=chinese)),
            cases=tuple(case.case_id for case in want.failing),
            explanation=(
                f"{len(want.failing)} failed runs ended without {want.tool}, which every successful run of their task "
                f"called; so did all {len(want.worked)} successful runs"
                + (f" that called {want.kind}." if want.kind else ".")
            ),
        )


def _missing(cases: Sequence[FailureCase]) -> Mapping[str, list[FailureCase]]:
    """By tool, the runs that never called it. One that was called too seldom is no matter of a check."""
    found: dict[str, list[FailureCase]] = defaultdict(list)
    for case in cases:
        tool = case.evidence.get("tool")
        if case.error_code != "outcome.missing_action" or case.view is None or not isinstance(tool, str):
            continue
        if tool not in called_before(case.view):
            found[tool].append(case)
    return found


def _wants(tool: str, cases: Sequence[FailureCase], material: Material) -> Iterator[_Want]:
    """For each kind of run that no success speaks against: the runs that were without the tool."""
    kinds = sorted({other for case in cases if case.view for other in called_before(case.view)} - {tool})
    runs = {case.run_id: case for case in (*material.cases, *material.others) if case.view is not None}
    for kind in (None, *kinds):
        good = [call for call in material.references if _is_of(call, kind)]
        if any(tool not in called_before(call.view) for call in good):
            continue
        yield _Want(
            tool=tool,
            kind=kind,
            failing=tuple(case for case in cases if _is_of(case, kind)),
            known=tuple(case for case in runs.values() if _is_of(case, kind)),
            worked=tuple(good),
        )


def _is_of(item: FailureCase | ReferenceCall, kind: str | None) -> bool:
    return item.view is not None and (kind is None or kind in called_before(item.view))


def _text(want: _Want, *, chinese: bool) -> str:
    if chinese:
        kind = f"凡是调用过 {want.kind} 的任务" if want.kind else "所有任务"
        return f"暂不作答：尚未调用 {want.tool}，而{kind}从未在不调用它的情况下成功。请先完成；若无法或不应执行，请说明原因后再作答。"
    kind = f" that called {want.kind}" if want.kind else ""
    return (
        f"The answer was held back: {want.tool} was not called, and no run{kind} ever succeeded without it. Do it first; if it "
        f"cannot or must not be done, say why, and answer again."
    )
