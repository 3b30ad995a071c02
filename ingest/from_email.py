"""Which arguments are the local part of an address that a person gave.

An agent that calls with user_id "mia_li_3668" after "my email is mia_li_3668@example.com" derived the value from what
it was told. Masking replaces the address as a whole, so this is noted before it, as an unknown field of the step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from errata_client.model import changed
from errata_client.pointer import leaves
from errata_client.run import Run, Step

FIELD = "from_email"
_LOCAL_PART = re.compile(r"[\w.%+-]{1,64}")
_DOMAIN = re.compile(r"[\w-]{1,63}\.")


def note_derived(run: Run) -> Run:
    """The run with `from_email` (JSON pointers) on the steps whose arguments are such local parts."""
    local_parts: set[str] = set()
    steps, noted = [], False
    for step in run.steps:
        if step.user_input and "@" in step.user_input:
            local_parts.update(map(str.casefold, _local_parts(step.user_input)))
        places = _derived(step, local_parts) if local_parts else []
        steps.append(step.model_copy(update={FIELD: places}) if places else step)
        noted = noted or bool(places)
    return changed(run, {"steps": tuple(steps)}) if noted else run


def derived_places(step: Step) -> frozenset[str]:
    """What was noted on the step."""
    noted = (step.model_extra or {}).get(FIELD)
    return frozenset(noted) if isinstance(noted, list) else frozenset()


def _local_parts(text: str) -> Iterator[str]:
    """What stands before each @ of an address: read backwards from it."""
    end, at = 0, text.find("@")
    while at >= 0:
        local = _LOCAL_PART.match(text[max(end, at - 64) : at][::-1])
        domain = _DOMAIN.match(text, at + 1) if local else None
        if local and domain:
            yield local.group()[::-1]
            end = domain.end()
        at = text.find("@", at + 1)


def _derived(step: Step, local_parts: set[str]) -> list[str]:
    if step.tool_call is None:
        return []
    found = leaves(step.tool_call.arguments)
    return [place for place, value in found if isinstance(value, str) and value.casefold() in local_parts]
