"""A pattern as a machine of states, to be run against another: is there a text that both match?

Thompson's construction (1968), and breadth-first search over pairs of states, so the shortest such text is found.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from strategies.patterns.tree import (
    LAST_POINT,
    Chars,
    Choice,
    Group,
    Mark,
    Node,
    Ranges,
    Repeat,
    Sequence,
    UnreadPatternError,
    common,
)

MAX_STATES = 4_000
MAX_PAIRS = 40_000
ANYTHING: Ranges = ((0, LAST_POINT),)
PLEASANT: tuple[tuple[int, int], ...] = ((48, 57), (97, 122), (65, 90), (0x4E00, 0x9FFF), (33, 126), (32, 32))
"""Characters that a person likes to see in an example, the most pleasant first."""

Place: TypeAlias = tuple[int, bool]
"""A state, and whether an end was passed, after which no character may come."""


@dataclass
class Machine:
    """States are numbers. `steps` take a character, `free` ones none; a mark only lets through where it holds."""

    steps: dict[int, list[tuple[Ranges, int]]] = field(default_factory=dict)
    free: dict[int, list[tuple[Mark | None, int]]] = field(default_factory=dict)
    size: int = 0
    goal: int = 0
    reached: dict[int, tuple[Place, ...]] = field(default_factory=dict)

    @classmethod
    def searching(cls, node: Node) -> Machine:
        """The machine that finds the pattern anywhere in a text; UnreadPatternError where it would be too large."""
        made = cls()
        start = made._state()
        made.steps[start] = [(ANYTHING, start)]
        made.goal = made._add(node, start)
        made.steps.setdefault(made.goal, []).append((ANYTHING, made.goal))
        return made

    def closure(self, places: list[Place], *, begins: bool) -> set[Place]:
        """Where one may be without a further character. Word boundaries always let through: what comes of it is tried."""
        found, todo = set(places), list(places)
        while todo:
            state, ended = todo.pop()
            for mark, target in self.free.get(state, ()):
                if mark is not None and mark.kind == "begin" and not begins:
                    continue
                place = target, ended or (mark is not None and mark.kind == "end")
                if place not in found:
                    found.add(place)
                    todo.append(place)
        return found

    def after(self, state: int) -> tuple[Place, ...]:
        """Where one may be once a character led to `state`; remembered."""
        if state not in self.reached:
            self.reached[state] = tuple(self.closure([(state, False)], begins=False))
        return self.reached[state]

    def _state(self) -> int:
        self.size += 1
        if self.size > MAX_STATES:
            raise UnreadPatternError(f"more than {MAX_STATES} states")
        return self.size - 1

    def _add(self, node: Node, start: int) -> int:
        """Build the node behind `start`; the state in which it is done."""
        if isinstance(node, Sequence):
            for part in node.parts:
                start = self._add(part, start)
            return start
        if isinstance(node, Group):
            return self._add(node.part, start)
        if isinstance(node, Repeat):
            return self._repeat(node, start)
        end = self._state()
        if isinstance(node, Chars):
            self.steps.setdefault(start, []).append((node.ranges, end))
        elif isinstance(node, Mark):
            self.free.setdefault(start, []).append((node, end))
        else:
            self._choice(node, start, end)
        return end

    def _choice(self, node: Choice, start: int, end: int) -> None:
        for option in node.options:
            self._let(self._add(option, start), end)

    def _repeat(self, node: Repeat, start: int) -> int:
        for _ in range(node.low):
            start = self._add(node.part, start)
        if node.high is None:
            entry = self._state()
            self._let(start, entry)
            self._let(self._add(node.part, entry), entry)
            return entry
        end = self._state()
        self._let(start, end)
        for _ in range(node.high - node.low):
            start = self._add(node.part, start)
            self._let(start, end)
        return end

    def _let(self, source: int, target: int) -> None:
        self.free.setdefault(source, []).append((None, target))


def shared_text(one: Machine, other: Machine) -> str | None:
    """The shortest text that both machines accept; None where there is none, or none was found in MAX_PAIRS pairs."""
    start = [
        (a, b)
        for a in one.closure([(0, False)], begins=True)
        for b in other.closure([(0, False)], begins=True)
    ]
    came: dict[tuple[Place, Place], tuple[tuple[Place, Place], str] | None] = dict.fromkeys(start)
    queue = deque(start)
    while queue and len(came) <= MAX_PAIRS:
        pair = queue.popleft()
        if pair[0][0] == one.goal and pair[1][0] == other.goal:
            return _spelled(came, pair)
        for target, character in _following(one, other, pair):
            if target not in came:
                came[target] = pair, character
                queue.append(target)
    return None


def _following(
    one: Machine, other: Machine, pair: tuple[Place, Place]
) -> Iterator[tuple[tuple[Place, Place], str]]:
    (first, over), (second, done) = pair
    if over or done:
        return
    for ranges, target in one.steps.get(first, ()):
        for others, goal in other.steps.get(second, ()):
            shared = common(ranges, others)
            if shared:
                character = pleasant(shared)
                for a in one.after(target):
                    for b in other.after(goal):
                        yield (a, b), character


def pleasant(ranges: Ranges) -> str:
    """One of these characters, one that is easily read where there is such a one."""
    for nice in PLEASANT:
        shared = common(ranges, (nice,))
        if shared:
            return chr(shared[0][0])
    usable = common(ranges, ((0, 0xD7FF), (0xE000, LAST_POINT)))
    return chr(usable[0][0]) if usable else "\ufffd"


def _spelled(
    came: dict[tuple[Place, Place], tuple[tuple[Place, Place], str] | None], pair: tuple[Place, Place]
) -> str:
    found: list[str] = []
    before = came[pair]
    while before is not None:
        found.append(before[1])
        before = came[before[0]]
    return "".join(reversed(found))
