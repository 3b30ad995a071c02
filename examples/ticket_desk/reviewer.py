"""The engineer in the morning: reads the drafts over HTTP and approves them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx

from knowledge.errors import ErrataError
from knowledge.strategies import Strategy

REASON = "its before and after rows are right, and no successful call is touched"


class RefusedError(ErrataError):
    """The service did not do what it was asked; the message is the service's own."""


@dataclass(frozen=True)
class Draft:
    """A strategy in review, and the version that an approval has to name."""

    strategy: Strategy
    version: str


class Reviewer:
    """Speaks to the API with a token of the scope `review`."""

    def __init__(self, http: httpx.Client, project: str) -> None:
        self._http = http
        self._root = f"/v1/projects/{project}/strategies"

    def drafts(self) -> list[Draft]:
        """What waits for a review, by id, each with its rows."""
        listed = self._sent("GET", f"{self._root}?state=in_review&limit=500")
        found = [self._sent("GET", f"{self._root}/{item['strategy_id']}") for item in listed["items"]]
        return [_draft(item) for item in found]

    def approve(self, draft: Draft, reason: str = REASON) -> Strategy:
        """Make the rule active; RefusedError where the service says no."""
        path = f"{self._root}/{draft.strategy.strategy_id}/approve"
        headers = {"If-Match": f'"{draft.version}"'}
        return _draft(self._sent("POST", path, json={"reason": reason}, headers=headers)).strategy

    def _sent(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        answer = self._http.request(method, path, **options)
        document: dict[str, Any] = answer.json()
        if answer.is_error:
            raise RefusedError(f"{method} {path}: {document.get('detail', answer.reason_phrase)}")
        return document


def _draft(document: dict[str, Any]) -> Draft:
    version = str(document["version"])
    return Draft(
        Strategy.model_validate({k: v for k, v in document.items() if k in Strategy.model_fields}), version
    )
