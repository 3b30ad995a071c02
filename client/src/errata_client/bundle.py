"""The bundle: the rules that an agent downloads, at one revision, with their digest."""

from __future__ import annotations

import hashlib

import orjson
from pydantic import Field, ValidationError

from errata_client.faults import faults_told
from errata_client.model import Model, UtcDatetime
from errata_client.rule import Rule

FORMAT = 1


class BundleError(ValueError):
    """The bundle is damaged or not of a form this client knows; it is refused whole."""


class Bundle(Model):
    """`digest` is the SHA-256 (hex) of format, project, revision, holdout and rules in canonical JSON (sorted keys).

    `holdout` is the share of runs, chosen by run id, that never get a rule, so that its effect can be measured.
    """

    format: int = FORMAT
    project: str
    revision: int = Field(ge=0)
    created_at: UtcDatetime
    holdout: float = Field(default=0.0, ge=0.0, le=1.0)
    rules: tuple[Rule, ...] = ()
    digest: str = ""

    def sealed(self) -> Bundle:
        """The same bundle with the digest of its content."""
        return self.model_copy(update={"digest": content_digest(self)})


def content_digest(bundle: Bundle) -> str:
    """SHA-256 over everything that decides what an agent does; not over created_at."""
    content = bundle.model_dump(mode="json", exclude={"digest", "created_at"})
    return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()


def read_bundle(data: bytes) -> Bundle:
    """The bundle in `data`, verified; BundleError if it is damaged, of another format, or its digest is wrong."""
    try:
        bundle = Bundle.model_validate_json(data)
    except ValidationError as error:
        raise BundleError(f"not a bundle: {faults_told(error, most=1, whole='the text')}") from error
    if bundle.format != FORMAT:
        raise BundleError(f"bundle format {bundle.format}, this client reads {FORMAT}: upgrade errata-client")
    if content_digest(bundle) != bundle.digest:
        raise BundleError(f"revision {bundle.revision}: the content does not have the digest it claims")
    return bundle
