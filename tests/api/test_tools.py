"""Tools declared over HTTP."""

from __future__ import annotations

from knowledge.kinds import AUDIT, TOOLS
from knowledge.store import Query
from tests.api.parties import PROJECT, MakeBearer
from wiring.build import Errata

URL = f"/v1/projects/{PROJECT}/tools"
FUNCTION = {"name": "lend", "description": "借书", "parameters": {"type": "object"}}


def test_tools_are_declared_and_listed(errata: Errata, bearer: MakeBearer) -> None:
    reviewer = bearer("review")
    made = reviewer.post(URL, json={"document": [FUNCTION], "changes_state": True, "actor": "ada"})
    assert (made.status_code, made.json()) == (201, {"tools": ["lend"], "created": 1})
    (listed,) = reviewer.get(URL).json()["items"]
    assert (listed["tool"], listed["description"], listed["changes_state"]) == ("lend", "借书", True)
    assert errata.store.collection(PROJECT, TOOLS).get("lend") is not None
    (entry,) = [stored.item for stored in errata.store.collection(PROJECT, AUDIT).scan(Query())]
    assert (entry.action, entry.actor) == ("tools.import", "ada")


def test_a_document_without_tools_and_a_token_without_the_scope_are_refused(bearer: MakeBearer) -> None:
    refused = bearer("review").post(URL, json={"document": {"colour": "red"}})
    assert refused.status_code == 400
    assert "declares no tool" in refused.json()["detail"]
    assert bearer("rules:read").post(URL, json={"document": [FUNCTION]}).status_code == 403
