"""JSON extraction: the arguments that a framework could not read stand whole in what the model wrote.

Evidence: calls that failed as `output.invalid_json` (fenced, amid prose, or cut off after their last value) out of which the
engine's own reading gets arguments that need no guess. Whether those are right is the backtest's to say: they have to be
the call that then worked.
"""

from __future__ import annotations

from collections.abc import Iterator

from errata_client.actions.extracting import extracted
from errata_client.jsontext import canonical
from errata_client.rule import ExtractJson, Trigger
from knowledge.cases import FailureCase
from strategies.material import Material
from strategies.synthesis.port import Demand, Draft

UNREADABLE = "output.invalid_json"


class JsonExtraction:
    """One draft for the scope, where the model's text holds what its call should have been."""

    name = "json_extraction"

    def propose(self, material: Material, demand: Demand) -> Iterator[Draft]:
        """One draft, or none where the texts do not hold whole arguments."""
        unreadable = [case for case in material.cases if case.error_code == UNREADABLE]
        held = [case for case in unreadable if _holds_arguments(case)]
        if len(held) < demand.cases:
            return
        yield Draft(
            synthesiser=self.name,
            trigger=Trigger(field="raw_output", pattern=r"\{"),
            action=ExtractJson(),
            cases=tuple(sorted(case.case_id for case in held)),
            explanation=(
                f"{len(held)} of {len(unreadable)} texts that were no JSON object hold every argument whole: in a "
                f"fence, amid prose, or before an end that was cut off. Values that would have to be guessed are left alone."
            ),
        )


def _holds_arguments(case: FailureCase) -> bool:
    view = case.view
    if view is None:
        return False
    found = extracted(view.raw_output, view.tool)
    return bool(found) and canonical(found) != canonical(view.arguments)
