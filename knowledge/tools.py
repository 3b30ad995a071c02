"""The tools of a project, as people declared them: what they take, what they return, whether they change anything."""

from __future__ import annotations

from errata_client.model import JsonValue, Model, UtcDatetime


class DeclaredTool(Model):
    """One tool. `parameters` and `output_schema` are JSON Schemas of its arguments and of its result, without references.

    `changes_state` says whether a successful call leaves the world another than it was: None where nobody said so. `source`
    is the format that it was read from; `actor` declared it or marked it last.
    """

    tool: str
    description: str | None = None
    parameters: dict[str, JsonValue] | None = None
    output_schema: dict[str, JsonValue] | None = None
    changes_state: bool | None = None
    source: str
    actor: str
    declared_at: UtcDatetime
