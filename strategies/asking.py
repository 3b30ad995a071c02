"""A night's questions to the language model that may propose rules."""

from __future__ import annotations

from dataclasses import dataclass, field

from errata_client.model import JsonValue
from knowledge.language_model import LanguageModel, ModelError
from strategies.material import Material
from strategies.model_proposals import proposals
from strategies.synthesis.port import Draft


@dataclass
class Asking:
    """The model of one night, and what could not be used of what it said."""

    model: LanguageModel | None
    skipped: list[dict[str, JsonValue]] = field(default_factory=list)

    def proposed(self, material: Material) -> tuple[Draft, ...]:
        """What it proposes for the material; nothing where there is no model, or it could not be asked before."""
        if self.model is None:
            return ()
        try:
            found = proposals(self.model, material)
        except ModelError as error:
            self.model = None
            self.skipped.append({"model": str(error), "reason": "it is not asked again this night"})
            return ()
        scope = material.scope
        self.skipped.extend(
            {
                "step_id": scope.step_id,
                "tool": scope.tool,
                "reason": f"a rule of the model was refused: {why}",
            }
            for why in found.refused
        )
        return found.drafts
