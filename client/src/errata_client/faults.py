"""What a model's check found, in words for a person who writes JSON and not Python."""

from __future__ import annotations

from pydantic import ValidationError

SHOULD = {
    "tuple_type": "should be a list",
    "list_type": "should be a list",
    "model_type": "should be an object",
    "model_attributes_type": "should be an object",
    "dict_type": "should be an object",
    "string_type": "should be text",
    "extra_forbidden": "is no field of it",
    "missing": "is missing",
}
"""By pydantic's name of the fault; any other keeps pydantic's words."""


def faults_told(error: ValidationError, most: int = 3, whole: str = "record") -> str:
    """The first `most` faults, each with its place: "steps.3.observation: should be text"; `whole` names the place
    where that is the thing itself."""
    found = error.errors(include_url=False, include_input=False)
    told = [
        f"{'.'.join(map(str, fault['loc'])) or whole}: {in_json_words(fault['type'], fault['msg'])}"
        for fault in found[:most]
    ]
    more = f" (and {len(found) - most} more)" if len(found) > most > 1 else ""
    return "; ".join(told) + more


def in_json_words(kind: str, message: str) -> str:
    """What is wrong, by pydantic's name of the fault and its message."""
    return SHOULD.get(kind, message.removeprefix("Value error, "))
