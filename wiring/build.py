"""The one place that picks and builds the parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import httpx

from attribution.encoders.port import Encoder
from attribution.encoders.registry import make_encoder
from attribution.fits import fit_in_force, parameters_in_force
from attribution.parameters import Parameters, check_parameters, default_parameters
from ingest.masking import Leftovers, Masker
from knowledge.errors import SettingsError
from knowledge.filesystem import FilesystemObjects
from knowledge.fits import EncoderSpec
from knowledge.language_model import LanguageModel
from knowledge.nights import Project
from knowledge.objects import Objects
from knowledge.stage import Guard, Progress, Shift, silent, unguarded
from knowledge.store import Store
from strategies.publish.port import Publisher
from wiring import projects
from wiring.encoders import EncoderShelf
from wiring.language_models import make_judge, make_rule_model
from wiring.publishers import make_publishers
from wiring.secret import project_key
from wiring.settings import Settings
from wiring.stores import open_prepared

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The wall clock, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Errata:
    """The assembled service. `encoders` load at their first use; `clock` answers aware UTC times."""

    settings: Settings
    store: Store
    encoders: tuple[Encoder, ...]
    parameters: Parameters
    clock: Clock = utc_now
    publishers: tuple[Publisher, ...] = ()
    objects: Objects | None = None
    rule_model: LanguageModel | None = None
    judge: LanguageModel | None = None
    shelf: EncoderShelf = field(default_factory=EncoderShelf)

    def masker(self, project: str) -> Masker:
        """A masker that counts from zero; placeholders are the same for every masker of the project."""
        return Masker(project_key(self.settings, project))

    def leftovers(self, project: str) -> Leftovers:
        """What finds, in something stored, what looks private and is none of the project's placeholders."""
        return Leftovers(project_key(self.settings, project))

    def shift(
        self,
        project: str,
        now: datetime | None = None,
        *,
        night_id: str = "",
        guard: Guard = unguarded,
        progress: Progress = silent,
    ) -> Shift:
        """Where and when something works: a project, at `now` (the clock's, if not given)."""
        return Shift(self.store, project, night_id, now or self.clock(), guard, progress, self.objects)

    def ensure_project(self, project: str) -> Project:
        """The project, made with the holdout of the settings where it is missing."""
        return projects.ensure_project(self.store, project, self.clock(), self.settings.holdout)

    def project_at_first(self, project: str) -> Guard:
        """A guard for a shift that may find nothing to write: the project is made, where it is missing, before the first
        thing is. BadInputError for an id that cannot be one."""
        return projects.made_at_first(self.store, project, self.clock, self.settings.holdout)

    def require_project(self, project: str) -> Project:
        """The project; NotFoundError says how one is made."""
        return projects.require_project(self.store, project)

    def encoders_of(self, project: str) -> tuple[Encoder, ...]:
        """What the project's texts are compared by: the encoders that were accepted for it, else those of the settings.
        SettingsError where one of them is not there any more."""
        fit = fit_in_force(self.shift(project))
        return self.made(fit.specs) if fit and fit.specs else self.encoders

    def made(self, specs: Sequence[EncoderSpec]) -> tuple[Encoder, ...]:
        """The encoders so made, on the device of the settings; the same ones each time."""
        return self.shelf.take(specs, self.encoders, self.settings.device)

    def parameters_of(self, project: str) -> Parameters:
        """What the project's problems are decided by: its fit in force, else the packaged parameters. SettingsError where
        that fit is for other encoders."""
        return parameters_in_force(self.shift(project), self.encoders_of(project), self.parameters)

    def projects(self) -> list[Project]:
        """All projects, by id."""
        return projects.list_projects(self.store)

    def close(self) -> None:
        """Release the store; nothing of this can be used after it."""
        self.store.close()


def build(settings: Settings, clock: Clock = utc_now, transport: httpx.BaseTransport | None = None) -> Errata:
    """Everything, from settings. `transport` is how Slack and GitLab are reached; the network if not given. The store is opened and prepared; the models of the encoders are not loaded yet.

    SettingsError where an encoder is unknown, or is not one that the parameters were fitted for.
    """
    parameters = default_parameters()
    encoders = _fitting_encoders(settings, parameters)
    objects = FilesystemObjects(settings.objects_location)
    http = httpx.Client(transport=transport)
    publishers = make_publishers(settings, http)
    models = make_rule_model(settings, http), make_judge(settings, http)
    return Errata(
        settings, open_prepared(settings), encoders, parameters, clock, publishers, objects, *models
    )


def _fitting_encoders(settings: Settings, parameters: Parameters) -> tuple[Encoder, ...]:
    try:
        encoders = tuple(make_encoder(name, device=settings.device) for name in settings.encoders)
        check_parameters(parameters, encoders)
    except SettingsError as error:
        raise SettingsError(f"ERRATA_ENCODERS: {error}") from error
    return encoders
