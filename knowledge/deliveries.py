"""Level 3, on its way to people: where the drafts of a night were sent, and what became of that."""

from __future__ import annotations

from typing import Literal

from errata_client.model import Model, UtcDatetime

DeliveryState = Literal["failed", "sent", "settled"]


class Delivery(Model):
    """One message of drafts to one target. `strategies` maps each id to the rule revision that was shown; `reference` is
    what the target calls it (a merge request's number). A failed one keeps its error and is tried again, up to a bound; a
    settled one is done with: everything in it was decided."""

    delivery_id: str
    target: str
    night_id: str
    strategies: dict[str, int]
    state: DeliveryState
    at: UtcDatetime
    attempts: int = 1
    error: str | None = None
    reference: str | None = None
    url: str | None = None
