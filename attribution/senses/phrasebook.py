"""The phrasebook: the senses that are told apart, and wordings of each, English and Chinese."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources

import yaml

from attribution.text import normalised
from errata_client.model import Model
from knowledge.ids import digest


class Sense(Model):
    """One kind of mistake. `says` names it in a sentence. `whole`: its words tell the whole cause, so that two texts that say it
    have one cause; otherwise ("not found": what?) it is there to be told apart from the others. Once probes are fitted to its
    wordings they are not needed any more."""

    name: str
    says: str
    whole: bool
    wordings: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def phrasebook() -> tuple[Sense, ...]:
    """The packaged senses, by name."""
    text = resources.files("attribution.senses").joinpath("phrasebook.yaml").read_text(encoding="utf-8")
    found = yaml.safe_load(text)
    return tuple(Sense.model_validate({"name": name, **found[name]}) for name in sorted(found))


def texts_of(sense: Sense) -> list[str]:
    """Its wordings as they are compared, each once."""
    return sorted({normalised(text) for text in sense.wordings} - {""})


def edition() -> str:
    """A digest of the phrasebook: what is fitted to one edition says nothing about another."""
    return digest([(sense.name, sense.whole, texts_of(sense)) for sense in phrasebook()])[:16]
