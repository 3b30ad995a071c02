"""Which span carried out which call that a model asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ingest.adapters.otlp.talk import Asked
from ingest.adapters.otlp.uses import Used

Fits = Callable[[Asked, Used], bool]


def paired(
    asked: Sequence[Asked], used: Sequence[Used]
) -> tuple[list[tuple[Asked, Used | None]], list[Used]]:
    """Each call with its span, or None; and the spans that nobody asked for. The surest sign goes first for all: the
    call's id, then tool and arguments, then the tool alone; of several spans the first."""
    found: dict[int, Used] = {}
    waiting: dict[str, list[Used]] = {}
    for one in used:
        waiting.setdefault(one.use.tool, []).append(one)
    for fits in (_same_id, _same_arguments, _same_tool):
        for number, call in enumerate(asked):
            if number not in found:
                _take(number, call, waiting.get(call.call.tool, []), fits, found)
    taken = {id(one) for one in found.values()}
    pairs = [(call, found.get(number)) for number, call in enumerate(asked)]
    return pairs, [one for one in used if id(one) not in taken]


def _take(number: int, call: Asked, waiting: list[Used], fits: Fits, found: dict[int, Used]) -> None:
    for place, one in enumerate(waiting):
        if fits(call, one):
            found[number] = waiting.pop(place)
            return


def _same_id(asked: Asked, used: Used) -> bool:
    return used.use.call_id is not None and used.use.call_id == asked.call.call_id


def _same_arguments(asked: Asked, used: Used) -> bool:
    return _same_tool(asked, used) and used.use.arguments == asked.call.arguments


def _same_tool(asked: Asked, used: Used) -> bool:
    """Nothing speaks against it: not two ids, and not a start before the model was asked."""
    if used.use.call_id is not None and asked.call.call_id is not None:
        return False
    return asked.span is None or used.span.start >= asked.span.start
