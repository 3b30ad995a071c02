"""The replayer that a person names: `module:function`, or the address of an HTTP tool."""

from __future__ import annotations

import importlib
from collections.abc import Collection

import httpx

from ingest.adapters.replies import chat_error, tau_error
from knowledge.errors import BadInputError
from strategies.replay.function import FunctionReplayer
from strategies.replay.http_tool import HttpReplayer
from strategies.replay.port import Replayer


def make_replayer(name: str, safe: Collection[str], http: httpx.Client) -> Replayer:
    """The replayer; BadInputError where there is none of that name, or an HTTP tool is not marked safe."""
    if name.startswith(("http://", "https://")):
        if not safe:
            raise BadInputError("--replayer with an address: name the tools that are safe with --safe-tool")
        return HttpReplayer(http, name, says_failed, safe)
    module, _, function = name.partition(":")
    if not module or not function:
        raise BadInputError(f"--replayer {name!r}: write module:function, or an http(s) address")
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError) as error:
        raise BadInputError(f"--replayer {name!r}: {error}") from error
    if not callable(found):
        raise BadInputError(f"--replayer {name!r} is no function")
    return FunctionReplayer(found, says_failed, safe)


def says_failed(answer: object) -> bool:
    """Whether a tool's answer is an error, as the readers of recorded chats see it."""
    if not isinstance(answer, str | dict):
        return False
    return tau_error(answer) is not None or chat_error(answer) is not None
