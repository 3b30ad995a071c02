"""Facts: the scalars of earlier results about an id that a call names too."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from errata_client import words
from errata_client.jsontext import read
from errata_client.model import JsonValue
from errata_client.pointer import Scalar, leaves, parts_of
from errata_client.view import Fact

MAX_FACTS = 64
MAX_RESULTS = 64
MAX_SCALARS = 1_024
MAX_IDS = 4_096
MAX_LENGTH = 200
ID_LENGTH = 128


@dataclass(frozen=True)
class Result:
    """What one successful call returned: its scalars (shallow paths first) and the ids it is about.

    `asked` are the ids that the call itself named, `ids` those and the ones that the result holds.
    """

    tool: str
    scalars: tuple[tuple[str, Scalar], ...]
    asked: frozenset[str]
    ids: frozenset[str]


class Results:
    """The latest results of a run that are JSON, bounded; answers the facts for a call."""

    def __init__(self, limit: int = MAX_RESULTS) -> None:
        self._results: deque[Result] = deque(maxlen=limit)

    def add(self, tool: str, arguments: dict[str, JsonValue], observation: str) -> None:
        """`tool`, called with `arguments`, returned `observation`; one that is not JSON holds no facts."""
        value = read(observation)
        if value is not None:
            self._results.append(_result(tool, arguments, value))

    def facts(self, arguments: dict[str, JsonValue]) -> tuple[Fact, ...]:
        """At most 64 facts, shallow paths first, then the latest result first, then as the result has them.

        Of each tool one result counts: the latest that was asked for an id of this call; where there is none,
        the latest that holds one.
        """
        named = call_ids(arguments)
        chosen = self._chosen(named) if named else []
        found = [
            (path.count("/"), rank, at, Fact(tool=result.tool, path=path, value=value, about=about))
            for rank, (result, about) in enumerate(chosen)
            for at, (path, value) in enumerate(result.scalars)
        ]
        found.sort(key=lambda item: item[:3])
        return tuple(fact for *_, fact in found[:MAX_FACTS])

    def _chosen(self, named: dict[str, str]) -> list[tuple[Result, str]]:
        """Per tool the result that counts and the shared id, the latest result first."""
        latest = list(reversed(self._results))
        chosen: dict[str, tuple[int, str]] = {}
        for held in ([result.asked for result in latest], [result.ids for result in latest]):
            for rank, result in enumerate(latest):
                about = next((text for key, text in named.items() if key in held[rank]), None)
                if about is not None:
                    chosen.setdefault(result.tool, (rank, about))
        return [(latest[rank], about) for rank, about in sorted(chosen.values())]


def call_ids(arguments: JsonValue) -> dict[str, str]:
    """The id-like values of a call's arguments: comparable form to the text as it stands.

    A string with a digit and at least four characters and no space, or the value of a key that ends in "id".
    """
    found: dict[str, str] = {}
    for pointer, value in leaves(arguments):
        text = words.scalar_text(value)
        if value is not None and _is_id(text, pointer):
            found.setdefault(words.core(text) or text, str(value))
    return found


def _is_id(text: str, pointer: str) -> bool:
    if not text or len(text) > ID_LENGTH or " " in text:
        return False
    if len(text) >= words.CORE_LENGTH and words.has_digit(text):
        return True
    names = [part for part in parts_of(pointer) if not part.isdigit()]
    return bool(names) and names[-1].casefold().endswith("id")


def _result(tool: str, arguments: dict[str, JsonValue], value: JsonValue) -> Result:
    asked = frozenset(call_ids(arguments))
    scalars = sorted(
        ((path, scalar) for path, scalar in leaves(value) if _is_short(scalar)),
        key=lambda item: item[0].count("/"),
    )
    return Result(tool, tuple(scalars[:MAX_SCALARS]), asked, asked | frozenset(_held(value)))


def _is_short(scalar: Scalar) -> bool:
    return len(scalar) <= MAX_LENGTH if isinstance(scalar, str) else True


def _held(value: JsonValue) -> Iterable[str]:
    """The ids that a result holds, as values or as keys."""
    held: dict[str, None] = {}
    for pointer, scalar in leaves(value):
        for text in (words.scalar_text(scalar), *(words.normal(part) for part in parts_of(pointer))):
            if text and len(text) <= ID_LENGTH and " " not in text:
                held.setdefault(words.core(text) or text)
        if len(held) >= MAX_IDS:
            break
    return held
