"""What a publisher is: it shows drafts to people, and some learn there what people decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal, Protocol, runtime_checkable

from errata_client.rule import Rule
from knowledge.deliveries import Delivery
from knowledge.errors import ErrataError
from knowledge.strategies import Strategy
from strategies.conflicts import Conflict


class PublishError(ErrataError):
    """The target did not take it; the text is the target's own where it gave one."""

    code = "publish_failed"


@dataclass(frozen=True)
class Message:
    """What is shown: the drafts of a project's night. `link` is the service's address for people, where it has one;
    `conflicts` says by draft in whose way it would get, of the rules that are live and of the drafts before it."""

    project: str
    day: date
    drafts: tuple[Strategy, ...]
    link: str | None = None
    conflicts: Mapping[str, Sequence[Conflict]] = field(default_factory=dict)

    def conflicts_of(self, draft: Strategy) -> Sequence[Conflict]:
        """Those of one draft, the worst first."""
        return self.conflicts.get(draft.strategy_id, ())


@dataclass(frozen=True)
class Sent:
    """What the target calls the message, and where it can be seen."""

    reference: str | None = None
    url: str | None = None


@dataclass(frozen=True)
class Answer:
    """What a person decided on one strategy. `rule` is the rule as they left it, None where it is as it was shown;
    `acknowledge` are the flags and conflicts that they acknowledged by name."""

    strategy_id: str
    verdict: Literal["approved", "rejected"]
    actor: str
    reason: str
    rule: Rule | None = None
    acknowledge: tuple[str, ...] = ()


class Publisher(Protocol):
    """A target."""

    @property
    def name(self) -> str:
        """What tells it from the others."""
        ...

    def publish(self, message: Message) -> Sent:
        """Show the drafts. PublishError where the target does not take them; sending the same again changes nothing
        where the target can tell."""
        ...

    def test(self) -> Sent:
        """Send a message that says that it is a test; PublishError as above."""
        ...


@runtime_checkable
class Answering(Protocol):
    """A target at which people decide."""

    def answers(self, delivery: Delivery, drafts: Sequence[Strategy]) -> list[Answer]:
        """What was decided of the delivery's drafts; empty while it is open. PublishError where it cannot be asked."""
        ...
