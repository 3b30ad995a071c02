"""Facts: the scalars of earlier results about an id that a call names too."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from errata_client import words
from errata_client.answer import Answer
from errata_client.lazily import lazily
from errata_client.model import JsonValue, unchecked
from errata_client.pointer import Scalar, leaves, parts_of
from errata_client.view import Fact

MAX_FACTS = 64
MAX_RESULTS = 64
MAX_SCALARS = 1_024
MAX_IDS = 4_096
MAX_LENGTH = 200
ID_LENGTH = 128

ID = "{id}"
"""In a path: a key that is an id which the call names. So a path means the same for every id."""

Told = tuple[int, int, int, str, Scalar, str, str]
"""Depth, rank of the result, place in it; path, value, the id it is about, tool."""


class Result:
    """What one successful call returned: its scalars (shallow paths first) and the ids it is about.

    `asked` are the ids that the call itself named, `ids` those and the ones that the result holds. `keyed` are the
    scalars below each key that is an id, by that id: their paths, with {id} in its place. All is made when
    it is first asked for: most results are never looked into.
    """

    def __init__(self, tool: str, asked: Callable[[], Iterable[str]], answer: Answer) -> None:
        self.tool = tool
        self._asked, self._answer = asked, answer

    @lazily
    def asked(self) -> frozenset[str]:
        """The ids that the call named."""
        return frozenset(self._asked())

    @lazily
    def scalars(self) -> tuple[tuple[str, Scalar], ...]:
        """The first MAX_SCALARS of them."""
        short = ((path, scalar) for path, scalar in leaves(self._answer.value) if _is_short(scalar))
        return tuple(sorted(short, key=lambda item: item[0].count("/"))[:MAX_SCALARS])

    @lazily
    def keyed(self) -> dict[str, tuple[tuple[str, Scalar], ...]]:
        """By id, the scalars below a key that is one."""
        return _keyed(self.scalars)

    def may_tell_of(self, named: Iterable[str]) -> bool:
        """Whether any of these ids can be among `asked` or `ids`: a look at the text, before those are made."""
        return any(key in self._answer.normal for key in named) or not self.asked.isdisjoint(named)

    @lazily
    def ids(self) -> frozenset[str]:
        """What the result is about."""
        return self.asked | frozenset(_held(self._answer.spoken))


class Results:
    """The latest results of a run that are JSON, bounded; answers the facts for a call."""

    def __init__(self, limit: int = MAX_RESULTS) -> None:
        self._results: deque[Result] = deque(maxlen=limit)

    def __bool__(self) -> bool:
        return bool(self._results)

    def add(self, tool: str, asked: Callable[[], Iterable[str]], answer: Answer) -> None:
        """`tool`, called with the ids that `asked` answers, returned `answer`; one that is not JSON holds no facts."""
        if answer.value is not None:
            self._results.append(Result(tool, asked, answer))

    def at_present(self) -> Results:
        """What is known now, whatever is added later."""
        known = Results()
        known._results = self._results.copy()
        return known

    def facts(self, named: dict[str, str]) -> tuple[Fact, ...]:
        """For a call that names these ids, at most 64 facts, shallow paths first, then the latest result first, then as the result has them.

        Of each tool and id the latest result counts that was asked for that id of this call; of a tool that was asked for none,
        the latest result that holds one. What a result has below a key that is such an id comes first: of each tool and id, the
        latest result that has the key, so that each of several ids that the call names is told of.
        """
        if not named:
            return ()
        latest = list(reversed(self._results))
        told = _keyed_facts(latest, named)
        for rank, result, about in _chosen(latest, named):
            told += _told(rank, result, about)
        return tuple(map(_fact, sorted(told, key=_order)[:MAX_FACTS]))


def _chosen(latest: Sequence[Result], named: dict[str, str]) -> list[tuple[int, Result, str]]:
    """The results that count, each with its rank and the id that it is about, the latest first."""
    telling = [(rank, result) for rank, result in enumerate(latest) if result.may_tell_of(named)]
    chosen = _asked_for(telling, named)
    tools = {result.tool for _, result, _ in chosen}
    for rank, result in telling:
        about = None if result.tool in tools else _first(named, result.ids)
        if about is not None:
            tools.add(result.tool)
            chosen.append((rank, result, named[about]))
    return sorted(chosen, key=lambda item: item[0])


def _asked_for(telling: Sequence[tuple[int, Result]], named: dict[str, str]) -> list[tuple[int, Result, str]]:
    """Of each tool and id, the latest result that was asked for the id; each result once, about the first of its ids."""
    chosen: list[tuple[int, Result, str]] = []
    known: dict[str, set[str]] = {}
    for rank, result in telling:
        told = known.setdefault(result.tool, set())
        about = _first((key for key in named if key not in told), result.asked)
        if about is not None:
            told |= result.asked
            chosen.append((rank, result, named[about]))
    return chosen


def _first(keys: Iterable[str], among: Container[str]) -> str | None:
    return next((key for key in keys if key in among), None)


def _keyed_facts(latest: Sequence[Result], named: dict[str, str]) -> list[Told]:
    """What stands below a key that is an id of the call: one level up, since it is about the call."""
    told: list[Told] = []
    known: set[tuple[str, str]] = set()
    for rank, result in enumerate(latest):
        if not result.may_tell_of(named):
            continue
        for key, about in named.items():
            below = result.keyed.get(key)
            if below and (result.tool, key) not in known:
                known.add((result.tool, key))
                told += (
                    (path.count("/") - 2, rank, at, path, value, about, result.tool)
                    for at, (path, value) in enumerate(below)
                )
    return told


def _order(told: Told) -> tuple[int, int, int]:
    return told[:3]


def _told(rank: int, result: Result, about: str) -> Iterator[Told]:
    """The first of them: they stand in their order."""
    for at, (path, value) in enumerate(result.scalars[:MAX_FACTS]):
        yield path.count("/"), rank, at, path, value, about, result.tool


def _fact(told: Told) -> Fact:
    _, _, _, path, value, about, tool = told
    return unchecked(Fact, {"tool": tool, "path": path, "value": value, "about": about})


def call_ids(arguments: JsonValue) -> dict[str, str]:
    """The id-like values of a call's arguments: comparable form to the text as it stands."""
    return ids_among(leaves(arguments))


def ids_among(found: Iterable[tuple[str, Scalar]]) -> dict[str, str]:
    """Those of the scalars, each with its pointer, that are like an id: comparable form to the text as it stands.

    A string with a digit and at least four characters and no space, or the value of a key that ends in "id".
    """
    ids: dict[str, str] = {}
    for pointer, value in found:
        text = words.scalar_text(value)
        if value is not None and _is_id(text, pointer):
            ids.setdefault(words.core(text) or text, str(value))
    return ids


def _is_id(text: str, pointer: str) -> bool:
    if not text or len(text) > ID_LENGTH or " " in text:
        return False
    if len(text) >= words.CORE_LENGTH and words.has_digit(text):
        return True
    names = [part for part in parts_of(pointer) if not part.isdigit()]
    return bool(names) and names[-1].casefold().endswith("id")


def _keyed(scalars: Iterable[tuple[str, Scalar]]) -> dict[str, tuple[tuple[str, Scalar], ...]]:
    """By id, the scalars below a key that is one."""
    found: dict[str, list[tuple[str, Scalar]]] = {}
    for path, value in scalars:
        parts = path.split("/")
        for at in range(1, len(parts) - 1):
            key = _key_form(parts[at])
            if key is not None:
                inside = "/".join([*parts[:at], ID, *parts[at + 1 :]])
                found.setdefault(key, []).append((inside, value))
    return {key: tuple(below) for key, below in found.items()}


@lru_cache(maxsize=4_096)
def _key_form(part: str) -> str | None:
    """A part of a pointer in comparable form, where it is like an id."""
    if len(part) < words.CORE_LENGTH or not words.has_digit(part):
        return None
    text = words.normal(parts_of(f"/{part}")[0])
    return words.core(text) or text


def _is_short(scalar: Scalar) -> bool:
    return len(scalar) <= MAX_LENGTH if isinstance(scalar, str) else True


def _held(spoken: Iterable[str]) -> Iterator[str]:
    """The ids among what a result says, values and keys, in the order of the document."""
    return islice(dict.fromkeys(filter(None, map(_id_form, dict.fromkeys(spoken)))), MAX_IDS)


def _id_form(spoken: str) -> str:
    """What was spoken in comparable form, where it can be an id; else nothing."""
    return _short_id_form(spoken) if len(spoken) <= words.MAX_SHORT else _made_id_form(spoken)


def _made_id_form(spoken: str) -> str:
    text = words.normal(spoken)
    return (words.core(text) or text) if len(text) <= ID_LENGTH and " " not in text else ""


_short_id_form = lru_cache(maxsize=16_384)(_made_id_form)
