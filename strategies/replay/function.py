"""Tools that are a Python function: `answer = function(request)`."""

from __future__ import annotations

from collections.abc import Callable, Collection

from errata_client.jsontext import as_text, plain
from strategies.replay.port import Replayed, ReplayRequest

MAX_TEXT = 10_000

Function = Callable[[ReplayRequest], object]
SaysFailed = Callable[[object], bool]


class FunctionReplayer:
    """Asks the function. What it raises is the tool's error; what it returns is the tool's answer, which `says_failed`
    may read as an error too. It vouches for every tool, or for those in `safe` where they are named."""

    def __init__(self, function: Function, says_failed: SaysFailed, safe: Collection[str] = ()) -> None:
        self._function, self._says_failed, self._safe = function, says_failed, frozenset(safe)

    def is_safe(self, tool: str) -> bool:
        """Whether the tool is among the safe ones."""
        return not self._safe or tool in self._safe

    def replay(self, request: ReplayRequest) -> Replayed:
        """Make the call."""
        try:
            answer = self._function(request)
        except Exception as error:  # noqa: BLE001 - whatever a tool raises is its error
            return Replayed(ok=False, text=f"{type(error).__name__}: {error}"[:MAX_TEXT])
        if isinstance(answer, Replayed):
            return answer
        return Replayed(ok=not self._says_failed(answer), text=as_text(plain(answer))[:MAX_TEXT])
