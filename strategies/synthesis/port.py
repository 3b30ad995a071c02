"""What a synthesiser is: material in, drafts out. Pure, and without a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from errata_client.rule import Action, Trigger
from strategies.material import Material


@dataclass(frozen=True)
class Draft:
    """An idea for a rule: when, what, the ids of the cases that speak for it (of the cause, or of the scope's others), and
    why in plain words.

    `flags` are words that a reviewer must see, such as "not_known_idempotent".
    """

    synthesiser: str
    trigger: Trigger
    action: Action
    cases: tuple[str, ...]
    explanation: str
    flags: tuple[str, ...] = ()

    @property
    def slot(self) -> tuple[str, str, str]:
        """What a draft is about, whatever its pattern: the same slot is found again on other tasks."""
        return self.synthesiser, self.trigger.field, self.action.kind


@dataclass(frozen=True)
class Demand:
    """How much a synthesiser that searches many conditions asks for before it believes one."""

    cases: int
    tasks: int
    chance: float


FULL = Demand(cases=3, tasks=2, chance=0.001)
"""For a draft that is to be filed."""

PART = Demand(cases=2, tasks=1, chance=0.05)
"""For the same idea found again on a part of the tasks, when a draft is held against the rest."""


class Synthesiser(Protocol):
    """One way to a remedy. `name` is stored with every strategy that it made."""

    @property
    def name(self) -> str:
        """What tells it from the others."""
        ...

    def propose(self, material: Material, demand: Demand) -> Iterator[Draft]:
        """The drafts that the material supports, the best first; none where it supports none."""
        ...
