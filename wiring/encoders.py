"""The encoders of projects that were given some of their own: made once, so that a model is not loaded for every night."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.encoders.port import Encoder
from attribution.encoders.probing import scripts_read
from attribution.encoders.registry import ENCODERS, make_encoder
from knowledge.errors import SettingsError
from knowledge.fits import EncoderSpec


class EncoderShelf:
    """Keeps what it made, by content and by the scripts that it reads."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, tuple[str, ...]], Encoder] = {}

    def take(
        self, specs: Sequence[EncoderSpec], running: Sequence[Encoder], device: str
    ) -> tuple[Encoder, ...]:
        """The encoders of `specs`; one of the packaged ones that runs already is that one."""
        return tuple(self._one(spec, running, device) for spec in specs)

    def _one(self, spec: EncoderSpec, running: Sequence[Encoder], device: str) -> Encoder:
        made = make_encoder(spec.name, scripts=spec.scripts, device=device)
        if spec.name in ENCODERS:
            made = next((one for one in running if one.id == made.id), made)
        return self._made.setdefault((made.id, spec.scripts), made)


def spec_of(name: str, device: str) -> EncoderSpec:
    """How an encoder is made again: a model of a person's own is loaded and tried, to see which scripts it reads. SettingsError
    where there is none of that name, or where it tells no texts apart."""
    encoder = make_encoder(name, device=device)
    if name in ENCODERS:
        return EncoderSpec(name=name)
    scripts = scripts_read(encoder.encode)
    if not scripts:
        raise SettingsError(f"the model {name!r} gives all texts one vector: it is no sentence encoder")
    return EncoderSpec(name=name, scripts=scripts)
