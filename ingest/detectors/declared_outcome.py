"""outcome.abandoned and outcome.policy_violation: what a run's own outcome says of its end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from errata_client.model import JsonValue
from errata_client.replay import StepView
from errata_client.run import Run
from ingest.detectors.agent_text import written
from ingest.detectors.places import last_step
from ingest.detectors.port import Detector, Finding

EXCERPT = 200
VIOLATIONS = ("policy_violations", "policy_violation", "violations")
"""Fields of an outcome that list what was broken, where a source has them."""

_ABANDONED = re.compile(
    r"too[ _-]many[ _-]errors|agent[ _-]error|g[ai]ve[sn]?[ _-]up|giving[ _-]up|abandon\w*|(?:user|customer|person)[ _-](?:left|hung[ _-]up|disconnected|quit)"
    r"|(?:agent|run)[ _-](?:crashed|stopped|aborted|terminated)|放弃|中途(?:退出|终止|离开)|(?:用户|客户)(?:离开|挂断|断开)|错误(?:过多|太多)",
    re.IGNORECASE,
)
_GIVES_UP = re.compile(
    r"\bi (?:have to |must |will )?(?:give|am giving) up\b|\bi(?:'m| am) giving up\b|我(?:只能|不得不)?放弃(?:了|这个任务|该任务)?",
    re.IGNORECASE,
)
_VIOLATES = re.compile(
    r"(?:polic(?:y|ies)|rules?|guidelines?|compliance)[ _-](?:was |were |is |been )?(?:violat\w+|breach\w*|broken|not (?:followed|respected))"
    r"|(?:violat\w+|breach\w*|broke|broken)[ _-](?:of |in |against )?(?:\w+ ){0,3}?(?:polic(?:y|ies)|rules?|guidelines?|compliance)"
    r"|违反(?:了)?.{0,12}(?:规定|政策|规则|制度|规范)|违规",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:no|not|without|never|0|zero|did(?:n't| not)|does(?:n't| not))\b[^.;,]{0,20}$|(?:没有|未|无|不)$",
    re.IGNORECASE,
)


def detect(run: Run, _calls: Sequence[StepView]) -> Iterator[Finding]:
    """At the last step, once each:

    - outcome.policy_violation: the outcome lists violations (`policy_violations`, `violations`), or its reason says that a policy
      or rule was broken (违反规定).
    - outcome.abandoned: the run failed and its outcome's reason says that it was given up or broken off before its end by
      the agent's side (too many errors, agent error, gave up) or that the person left; or the agent's last words are that
      it gives up.

    Not: runs that a person broke off (`aborted`), save for a violation; the bound on steps (loop.max_steps) or on time
    (tool.timeout); a guess at rules that the outcome does not speak of. Evidence: what the outcome says.
    """
    last = last_step(run)
    if last is None:
        return
    reason = run.outcome.reason or ""
    broken = _listed(run) or _said(reason, _VIOLATES)
    if broken:
        yield Finding(
            index=last.index,
            ends_run=True,
            code="outcome.policy_violation",
            message="the outcome says that a policy was violated",
            kind="failed_precondition",
            evidence={"outcome_says": reason[:EXCERPT], "violations": broken},
        )
    given_up = _abandoned(run, reason)
    if given_up:
        yield Finding(
            index=last.index,
            ends_run=True,
            code="outcome.abandoned",
            message="the run was given up before its end",
            kind="aborted",
            evidence={"says": given_up, "outcome_says": reason[:EXCERPT]},
        )


def _listed(run: Run) -> list[JsonValue]:
    extra = run.outcome.model_extra or {}
    for name in VIOLATIONS:
        found = extra.get(name)
        if isinstance(found, list) and found:
            return [str(one)[:EXCERPT] for one in found[:10]]
        if isinstance(found, str) and found.strip():
            return [found[:EXCERPT]]
        if found is True:
            return [name]
    return []


def _said(reason: str, pattern: re.Pattern[str]) -> list[JsonValue]:
    match = pattern.search(reason)
    if match is None or _DENIED.search(reason[max(0, match.start() - 30) : match.start()]):
        return []
    return [match.group()]


def _abandoned(run: Run, reason: str) -> str | None:
    if run.outcome.status in {"success", "aborted"}:
        return None
    if run.outcome.status == "failure" and (told := _said(reason, _ABANDONED)):
        return str(told[0])
    last = next((step for step in reversed(run.steps) if step.raw_output or step.tool_call), None)
    if last is None or last.tool_call is not None:
        return None
    match = _GIVES_UP.search(written(last.raw_output)[-400:])
    return match.group() if match else None


DETECTOR = Detector("declared_outcome", ("outcome.abandoned", "outcome.policy_violation"), detect)
