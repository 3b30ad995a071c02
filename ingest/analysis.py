"""One masked run taken apart: its cases, its record and its successful calls. Pure; what it needs is given."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from errata_client.replay import StepView, replay
from errata_client.run import Run, Step, ToolDeclaration
from ingest.adapters.chat_run import spoken
from ingest.decisive.marking import marked
from ingest.decisive.step import decisive_step
from ingest.detectors.port import Detector, Finding
from ingest.detectors.registry import DETECTORS, LAST_RESORT
from ingest.fingerprint import case_id, fingerprint
from ingest.references import Wanted, every, reference_calls
from ingest.repair import find_repair, succeeded
from ingest.run_records import run_record
from ingest.step_context import TOOLS_BEFORE, step_context
from ingest.text import MAX_MESSAGE, error_pattern
from ingest.tools.declared import with_declarations
from knowledge.cases import FailureCase, TriggerStep
from knowledge.runs import FINAL_ANSWER, ReferenceCall, RunRecord

MAX_INTENT = 1_000


@dataclass(frozen=True)
class Analysis:
    """What one run gives."""

    cases: tuple[FailureCase, ...]
    record: RunRecord
    references: tuple[ReferenceCall, ...]
    calls: int


def analyse(
    run: Run,
    project: str,
    now: datetime,
    detectors: Sequence[Detector] = DETECTORS,
    tools: Sequence[ToolDeclaration] = (),
    wanted: Wanted = every,
) -> Analysis:
    """Everything that a masked run gives, of its successful calls those that are `wanted`. `now` dates what the run itself
    does not; `tools` are the project's declarations, for a run that has none."""
    run = with_declarations(run, tools)
    calls = tuple(replay(run))
    case_of = _Cases(run, project, now, calls)
    decisive = decisive_step(run)
    cases = marked([case_of(finding) for finding in findings(run, calls, detectors)], decisive)
    return Analysis(
        cases=cases,
        record=run_record(run, calls, len(cases), intent_of(run), now, decisive),
        references=tuple(reference_calls(project, run, calls, now, wanted)),
        calls=sum(call.step.paired for call in calls),
    )


def findings(run: Run, calls: Sequence[StepView], detectors: Sequence[Detector]) -> Iterator[Finding]:
    """What the detectors find, one after the other; where they find nothing that held anybody up, what the last resort
    says too. A run that a person broke off is looked at all the same: its tools' errors happened."""
    silent = True
    for detector in detectors:
        for finding in detector.detect(run, calls):
            silent = silent and finding.harmless
            yield finding
    if silent:
        yield from LAST_RESORT.detect(run, calls)


def intent_of(run: Run) -> str:
    """The first words of the person, at most MAX_INTENT characters."""
    said = run.user_intent or next((step.user_input for step in run.steps if step.user_input), "") or ""
    return spoken(said)[:MAX_INTENT]


class _Cases:
    """Makes the cases of one run out of findings."""

    def __init__(self, run: Run, project: str, now: datetime, calls: Sequence[StepView]) -> None:
        self._run, self._project, self._now = run, project, now
        self._places = {step.index: place for place, step in enumerate(run.steps)}
        self._views = {call.step.index: call for call in calls}
        self._intent = intent_of(run)
        self._tools_before = _tools_before(run)
        self._succeeded = _by_tool(run)

    def __call__(self, finding: Finding) -> FailureCase:
        run, place = self._run, self._places[finding.index]
        step = run.steps[place]
        at_end = finding.ends_run
        view = None if at_end else self._views.get(finding.index)
        trigger = _end(step) if at_end else _trigger(step)
        pattern = error_pattern(finding.message)
        return FailureCase(
            case_id=case_id(self._project, run.run_id, finding.index, finding.code, finding.detail),
            run_id=run.run_id,
            task_id=run.task_id,
            occurred_at=step.ended_at or step.started_at or run.started_at or self._now,
            dated=bool(step.ended_at or step.started_at or run.started_at),
            error_code=finding.code,
            error_kind=finding.kind,
            error_message=finding.message[:MAX_MESSAGE],
            error_pattern=pattern,
            user_intent=self._intent,
            trigger_step=trigger,
            step_context=step_context(run, step, self._tools_before[place], view),
            agent=run.agent,
            model_version=run.model_version,
            requestor="agent" if at_end else step.requestor,
            evidence=finding.evidence,
            repair=None if at_end else find_repair(step, self._later(place)),
            fingerprint=fingerprint(self._project, trigger.tool, trigger.step_id, finding.code, pattern),
            view=view.before if view else None,
        )

    def _later(self, place: int) -> Iterator[Step]:
        """The successful calls after the step that are of its tool and side."""
        step = self._run.steps[place]
        of_tool = self._succeeded.get((step.requestor, step.tool_call.tool), []) if step.tool_call else []
        later = range(bisect_right(of_tool, place), len(of_tool))
        return (self._run.steps[of_tool[number]] for number in later)


def _tools_before(run: Run) -> list[tuple[str, ...]]:
    """For each step the latest tools that its side called before it."""
    latest: dict[str, tuple[str, ...]] = {}
    found = []
    for step in run.steps:
        known = latest.get(step.requestor, ())
        found.append(known)
        if step.tool_call:
            latest[step.requestor] = (*known, step.tool_call.tool)[-TOOLS_BEFORE:]
    return found


def _by_tool(run: Run) -> dict[tuple[str, str], list[int]]:
    """The places of the successful calls of each side and tool, those without a call in the record left out."""
    found: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, step in enumerate(run.steps):
        if step.tool_call is not None and step.paired and succeeded(step):
            found[step.requestor, step.tool_call.tool].append(place)
    return found


def _end(step: Step) -> TriggerStep:
    """The end of the run: a failure of the run as a whole is none of its last call."""
    return TriggerStep(index=step.index, step_id=FINAL_ANSWER, tool=FINAL_ANSWER)


def _trigger(step: Step) -> TriggerStep:
    call = step.tool_call
    return TriggerStep(
        index=step.index,
        step_id=step.scope_step_id or "unnamed",
        tool=call.tool if call else None,
        arguments=call.arguments if call else {},
    )
