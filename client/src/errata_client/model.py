"""The shape every value of Errata's models has: frozen, strict about unknown keys, cheap to copy."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict
from pydantic import JsonValue as JsonValue  # noqa: PLC0414 - re-exported: one name for JSON in all models


class Model(BaseModel):
    """A frozen value; unknown keys are an error, so that a typing mistake in a rule or setting is seen."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="null")


class OpenModel(BaseModel):
    """A frozen value read from outside: unknown keys are kept, never fatal."""

    model_config = ConfigDict(frozen=True, extra="allow", ser_json_inf_nan="null")


def _to_utc(value: Any) -> Any:
    from datetime import UTC  # noqa: PLC0415

    return value.astimezone(UTC)


UtcDatetime = Annotated[AwareDatetime, AfterValidator(_to_utc)]
"""An aware datetime, brought to UTC. A naive one is refused."""
