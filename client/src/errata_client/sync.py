"""Keeping the rules in step with the service: verify, compile, activate, and only then remember the ETag."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Literal

from errata_client.bundle import Bundle, BundleError, read_bundle
from errata_client.cache import BundleCache
from errata_client.engine import Engine
from errata_client.saying import Saying
from errata_client.service import Service, ServiceError

Origin = Literal["service", "disk"]


@dataclass(frozen=True)
class ActiveRules:
    """A verified bundle with its compiled rules, and where it came from."""

    bundle: Bundle
    engine: Engine
    origin: Origin


def activated(data: bytes, project: str, origin: Origin) -> ActiveRules:
    """The rules in `data`, verified and compiled; BundleError refuses them whole."""
    bundle = read_bundle(data)
    if bundle.project != project:
        raise BundleError(f"revision {bundle.revision} is of project {bundle.project!r}, not of {project!r}")
    try:
        engine = Engine(bundle.rules)
    except ValueError as error:
        raise BundleError(f"revision {bundle.revision} does not compile: {error}") from error
    return ActiveRules(bundle, engine, origin)


class RuleSync:
    """The rules in use. Whatever goes wrong, what was good stays: in memory, or else on disk."""

    def __init__(self, service: Service, project: str, cache: BundleCache | None, saying: Saying) -> None:
        self._service, self._project, self._cache, self._saying = service, project, cache, saying
        self._etag: str | None = None
        self._refreshing = Lock()
        self.active: ActiveRules | None = self._from_disk()

    def refresh(self, wait: float = 0.0) -> bool:
        """Ask the service once; whether new rules were activated. Never raises for what the service does."""
        with self._refreshing:
            try:
                download = self._service.bundle(self._etag, wait)
                fresh = None if download is None else activated(download.data, self._project, "service")
            except ServiceError as error:
                self._keep(f"service {error.status}", f"the service did not answer with rules ({error})")
                return False
            except BundleError as error:
                self._keep("bundle", f"a bundle was refused whole ({error})")
                return False
            self._saying.over("service", "bundle", "rules")
            if download is None or fresh is None:
                return False
            changed = self._activate(fresh)
            self._etag = download.etag
            self._save(download.data)
            return changed

    def _activate(self, fresh: ActiveRules) -> bool:
        known = self.active
        if known and (known.bundle.revision, known.bundle.digest) == (
            fresh.bundle.revision,
            fresh.bundle.digest,
        ):
            return False
        self.active = fresh
        return True

    def _keep(self, trouble: str, what: str) -> None:
        """Say what is used meanwhile."""
        rules = self.active
        if rules is None:
            self._saying.once("rules", f"{what}, and there is no cached bundle: every call passes unchanged")
        else:
            kept = (
                f"revision {rules.bundle.revision} from {'memory' if rules.origin == 'service' else 'disk'}"
            )
            self._saying.once(trouble, f"{what}: {kept} stays in use")

    def _from_disk(self) -> ActiveRules | None:
        data = self._cache.load() if self._cache else None
        if data is None:
            return None
        try:
            return activated(data, self._project, "disk")
        except BundleError as error:
            self._saying.once("cache", f"the cached bundle was refused whole ({error})")
            return None

    def _save(self, data: bytes) -> None:
        if self._cache is None:
            return
        try:
            self._cache.save(data)
        except OSError as error:
            self._saying.once("cache", f"the bundle could not be cached on disk: {error}")
