"""The native format's JSON Schema, made from the models: what `docs/formats/native.schema.json` holds."""

from __future__ import annotations

from typing import Any

from errata_client.run import Run

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def native_schema() -> dict[str, Any]:
    """The schema of one run. A step's `index` may be left out: its place in the list is its index. Fields that are not
    named are allowed everywhere."""
    made = Run.model_json_schema()
    step = made["$defs"]["Step"]
    step["required"] = [name for name in step.get("required", []) if name != "index"]
    if not step["required"]:
        del step["required"]
    return {"$schema": DIALECT, **made, "title": "Errata run"}
