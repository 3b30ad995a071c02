"""What the agent gets wrong: when, and how. Each throw of the dice is named by task and mistake.

So a task brings the same mistakes to an agent with rules and to one without, whatever happens on the way.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Mistake = Literal[
    "bare order id",
    "invented customer",
    "busy search",
    "refund too early",
    "refund too high",
    "cut-off JSON",
    "same call again",
    "slashes in date",
]
MISTAKES: tuple[Mistake, ...] = get_args(Mistake)
RATES: Mapping[Mistake, float] = {
    "bare order id": 0.25,
    "invented customer": 0.6,
    "busy search": 0.35,
    "refund too early": 0.6,
    "refund too high": 0.3,
    "cut-off JSON": 0.35,
    "same call again": 0.5,
    "slashes in date": 0.35,
}
"""How often each mistake is made where it can be made."""

NOTICES = 0.5
"""How often the agent finds its own way out of an error that nobody explained to it."""


@dataclass(frozen=True)
class Mistakes:
    """The dice of one agent. A rate of 0 never makes the mistake, one of 1 always."""

    seed: int
    rates: Mapping[Mistake, float] = field(default_factory=lambda: RATES)

    def makes(self, mistake: Mistake, task_id: str) -> bool:
        """Whether the agent makes this mistake in this task."""
        return self._dice(mistake, task_id, "makes").random() < self.rates.get(mistake, 0.0)

    def notices(self, mistake: Mistake, task_id: str) -> bool:
        """Whether the agent, once a call failed for it, does the right thing by itself."""
        return self._dice(mistake, task_id, "notices").random() < NOTICES

    def variant(self, mistake: Mistake, task_id: str, count: int) -> int:
        """Which of `count` ways (from 0) the mistake is made in."""
        return self._dice(mistake, task_id, "variant").randrange(count)

    def _dice(self, mistake: Mistake, task_id: str, what: str) -> random.Random:
        return random.Random(f"{self.seed} {mistake} {task_id} {what}")


def bare_order_id(order_id: str, variant: int) -> str:
    """The id as a hasty reader writes it: its digits alone, or in small letters."""
    return (order_id.removeprefix("ORD-"), order_id.lower())[variant % 2]


def slashed(day: str) -> str:
    """2026-03-09 as 2026/03/09."""
    return day.replace("-", "/")


def invented_customer(example: str, task_id: str, variant: int) -> str:
    """A customer number that nobody gave: the one of the prompt's example, or one of no origin at all."""
    number = random.Random(task_id).randrange(8000, 9000)
    return (example, f"C-{number}")[variant % 2]


def too_much(paid: float, variant: int) -> float:
    """What was paid, and the delivery on top of it."""
    return round(paid + (9.9, 14.5, 25.0)[variant % 3], 2)


def cut_off(arguments: str, variant: int) -> str:
    """The JSON text without its end: mostly the brace, now and then in the middle of a value."""
    return arguments[:-3] if variant % 4 == 3 else arguments[:-1]
