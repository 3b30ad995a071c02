"""The one tree of Errata's errors. Each says what was wrong, where, and what to do.

The edges (`jobs/cli`, `api/errors`) turn them into exit codes and HTTP answers; nothing else does.
"""

from __future__ import annotations


class ErrataError(Exception):
    """Base of all. `code` is a stable word for machines, listed in docs/errors.md."""

    code = "error"


class BadInputError(ErrataError):
    """The caller gave something that cannot be used."""

    code = "bad_input"


class NotFoundError(ErrataError):
    """No such thing in this project."""

    code = "not_found"


class ConflictError(ErrataError):
    """The thing changed since it was read, or is not in a state that allows this."""

    code = "conflict"


class StaleError(ConflictError):
    """An expected version is no longer the stored one."""

    code = "stale_version"


class LeaseHeldError(ConflictError):
    """Somebody else holds the lease; the message says who and until when."""

    code = "lease_held"


class LeaseLostError(ConflictError):
    """The lease was taken by another since; whoever had it must stop writing."""

    code = "lease_lost"


class NotAllowedError(ErrataError):
    """No token, a wrong token, or one without the scope or the project."""

    code = "not_allowed"


class StoreUnavailableError(ErrataError):
    """The store does not answer, or refuses to."""

    code = "store_unavailable"


class SettingsError(ErrataError):
    """A setting is missing or cannot be used."""

    code = "settings"
