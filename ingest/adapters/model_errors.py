"""Errors of a model's call itself, as responses and records tell them: a rate limit, a context too long, a content filter."""

from __future__ import annotations

from typing import Any

from errata_client.run import StepError
from ingest.adapters.replies import chat_error


def model_error(response: dict[str, Any]) -> StepError | None:
    """Why the model gave no answer, or only part of one: `error` of a response, or its `incomplete_details`."""
    error = response.get("error")
    if isinstance(error, dict) and error:
        told = chat_error({"error": error})
        kind = next((kind for key in ("code", "type") if isinstance(kind := error.get(key), str)), None)
        return StepError(
            message=told.message if told else str(error), type=kind, status=told.status if told else None
        )
    if isinstance(error, str) and error.strip():
        return StepError(message=error)
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    if response.get("status") == "incomplete" and isinstance(reason, str):
        return StepError(message=f"incomplete: {reason}", type=reason)
    return None
