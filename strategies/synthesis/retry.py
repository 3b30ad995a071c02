"""Retries for errors that pass by themselves: the tool was down, not the agent wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from errata_client.matching import Pattern
from errata_client.reading import is_read_only
from errata_client.rule import Retry, Trigger
from knowledge.cases import FailureCase
from strategies.material import Material
from strategies.synthesis.port import Demand, Draft

NOT_KNOWN_IDEMPOTENT = "not_known_idempotent"
ATTEMPTS = 2
TRANSIENT_KINDS = frozenset({"unavailable", "deadline_exceeded", "resource_exhausted", "aborted"})
TRANSIENT_CODES = frozenset({"tool.unavailable", "tool.timeout"})


@dataclass(frozen=True)
class Sign:
    """One way in which tools say that they cannot answer now. `refused`: the call was not begun, so that asking
    again cannot do it twice. `delay_ms` before the first retry."""

    pattern: str
    refused: bool
    delay_ms: int


SIGNS: tuple[Sign, ...] = (
    Sign(r"(?i)\b429\b|too many requests|rate.?limit|quota exceeded|请求过于频繁|限流", True, 2_000),
    Sign(
        r"(?i)\b503\b|service (?:is |currently |temporarily )*unavailable|temporarily unavailable|服务(?:暂时|暂)?不可用",
        True,
        500,
    ),
    Sign(r"(?i)connection (?:was )?refused|ECONNREFUSED|连接被拒绝|拒绝连接", True, 500),
    Sign(
        r"(?i)\b504\b|timed? ?out\b|timeout\b|deadline exceeded|DEADLINE_EXCEEDED|超时",
        False,
        1_000,
    ),
    Sign(
        r"(?i)\b502\b|bad gateway|connection (?:was )?(?:reset|aborted|closed)|ECONNRESET|连接(?:被)?重置",
        False,
        500,
    ),
    Sign(r"(?i)\bUNAVAILABLE\b|try again later|please retry|稍后(?:再试|重试)", False, 1_000),
)


class RetryTransient:
    """A retry on the sign of a transient error; of calls that change something only where none was begun."""

    name = "retry"

    def propose(self, material: Material, demand: Demand) -> Iterator[Draft]:
        """One draft for each sign that the transient cases show."""
        del demand
        read_only = is_read_only(material.scope.tool)
        transient = [case for case in material.cases if is_transient(case)]
        for sign in SIGNS:
            showing = [case for case in transient if sign_of(case.error_message) == sign]
            if showing and (read_only or sign.refused):
                yield self._draft(sign, showing, read_only=read_only)

    def _draft(self, sign: Sign, cases: Sequence[FailureCase], *, read_only: bool) -> Draft:
        again = "" if read_only else " The tool may change something, and is not known to do it only once."
        return Draft(
            synthesiser=self.name,
            trigger=Trigger(field="error", pattern=sign.pattern),
            action=Retry(attempts=ATTEMPTS, delay_ms=sign.delay_ms),
            cases=tuple(case.case_id for case in cases),
            explanation=(
                f"{len(cases)} calls failed because the tool could not answer at that moment "
                f"({cases[0].error_message[:120]!r}); the same call is made again, at most {ATTEMPTS} times.{again}"
            ),
            flags=() if read_only else (NOT_KNOWN_IDEMPOTENT,),
        )


def is_transient(case: FailureCase) -> bool:
    """Whether the failure may pass by itself."""
    return case.error_code in TRANSIENT_CODES or case.error_kind in TRANSIENT_KINDS


def sign_of(error: str) -> Sign | None:
    """The first sign that the error shows."""
    return next((sign for sign in SIGNS if Pattern(sign.pattern).found(error)), None)
