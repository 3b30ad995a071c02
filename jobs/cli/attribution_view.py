"""How a decision is explained on a terminal: who scored how much, in which field, by which exemplar."""

from __future__ import annotations

from knowledge.causes import Attribution, Candidate, CauseProposal

FIELDS = {"user_intent": "intent", "error_pattern": "error", "step_context": "context"}


def explained(found: Attribution) -> list[tuple[str, object]]:
    """The rows of a decision: verdict, why, the best cause and the next with their parts, and what they were held against."""
    named = f" to {found.root_cause}" if found.root_cause else ""
    limits = f"threshold {found.threshold}, margin {found.margin}" if found.winner else None
    gated = f"{found.gated_out} causes do not cover its code, kind or tool" if found.gated_out else None
    return [
        ("decision", f"{found.verdict}{named} ({found.rung.replace('_', ' ')})"),
        ("why", found.reason),
        ("best", _told(found.winner)),
        ("next", _told(found.runner_up)),
        ("held against", limits),
        ("not asked", gated),
        ("encoders", ", ".join(found.encoders)),
    ]


def proposed(found: CauseProposal | None) -> list[tuple[str, object]]:
    """The row of what a language model proposes; marked as such, since a person decides."""
    if found is None:
        return []
    named = found.root_cause or "none of the causes that it was offered"
    return [
        ("a model says", f"{named} ({found.proposed_by_model}); not decided: confirm, reject or reassign it")
    ]


def _told(one: Candidate | None) -> str | None:
    """`RC-042 scores 0.913 (error 0.913; minilm 0.93, use 0.90), by "order <id> not found"`."""
    if one is None:
        return None
    parts = [
        f"{word} {score:.3f}"
        for name, word in FIELDS.items()
        if (score := getattr(one.components, name)) is not None
    ]
    encoders = [f"{name.partition('@')[0]} {score:.3f}" for name, score in one.by_encoder.items()]
    told = "; ".join(", ".join(some) for some in (parts, encoders) if some)
    return f"{one.cause_id} scores {one.score:.3f} ({told}), by {one.exemplar!r}"
