"""Bearer tokens: made, checked, revoked. Only the SHA-256 of a secret is ever stored."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import get_args

from knowledge.errors import BadInputError, NotAllowedError, NotFoundError
from knowledge.ids import digest
from knowledge.kinds import AUDIT, SYSTEM, TOKENS
from knowledge.nights import ApiToken, AuditEntry, Scope
from knowledge.store import Query, Store
from wiring.build import Errata

MARK = "errata_"
SCOPES: tuple[Scope, ...] = get_args(Scope)
FROM_SETTINGS = "ERRATA_TOKEN"


def create_token(
    errata: Errata, name: str, scopes: Sequence[str], projects: Sequence[str] = (), actor: str = "errata"
) -> tuple[str, ApiToken]:
    """A new secret (256 bits, shown this once) and the token as stored; `projects` empty means all of them."""
    if not name.strip():
        raise BadInputError("a token needs a name, so that one can tell later whose it is")
    for project in projects:
        errata.require_project(project)
    secret = MARK + secrets.token_urlsafe(32)
    token = _token(secret, name.strip(), checked_scopes(scopes), tuple(projects), errata.clock())
    errata.store.collection(SYSTEM, TOKENS).put(token, None)
    _audit(errata, actor, "token.created", token)
    return secret, token


def check_token(store: Store, secret: str) -> ApiToken:
    """The token that belongs to the secret; NotAllowedError if there is none, or it was revoked."""
    hashed = _hash(secret)
    found = store.collection(SYSTEM, TOKENS).get(_token_id(hashed))
    if found is None or not hmac.compare_digest(found.item.secret_hash, hashed):
        raise NotAllowedError("this token is not known: make one with `errata tokens create`")
    if found.item.revoked_at is not None:
        raise NotAllowedError(f"the token {found.item.name!r} was revoked: ask for a new one")
    return found.item


def list_tokens(errata: Errata) -> list[ApiToken]:
    """All tokens, revoked ones too, oldest first."""
    query = Query(sort="created_at")
    return [stored.item for stored in errata.store.collection(SYSTEM, TOKENS).scan(query)]


def revoke_token(errata: Errata, token_id: str, actor: str = "errata") -> ApiToken:
    """The token, revoked from now on; revoking again changes nothing. NotFoundError if there is none."""
    tokens = errata.store.collection(SYSTEM, TOKENS)
    found = tokens.get(token_id)
    if found is None:
        raise NotFoundError(f"no token {token_id!r}: `errata tokens list` shows them")
    if found.item.revoked_at is not None:
        return found.item
    revoked = tokens.put(found.item.model_copy(update={"revoked_at": errata.clock()}), found.version).item
    _audit(errata, actor, "token.revoked", revoked)
    return revoked


def settle_settings_token(errata: Errata) -> ApiToken | None:
    """Make the token of the setting ERRATA_TOKEN good, and any that stood there before no longer."""
    setting = errata.settings.token
    wanted = _token_id(_hash(setting.get_secret_value())) if setting else None
    tokens = errata.store.collection(SYSTEM, TOKENS)
    for token in list_tokens(errata):
        if token.name == FROM_SETTINGS and token.token_id != wanted:
            revoke_token(errata, token.token_id, FROM_SETTINGS)
    if setting is None:
        return None
    token = _token(setting.get_secret_value(), FROM_SETTINGS, SCOPES, (), errata.clock())
    tokens.put_many([token])
    return token


def checked_scopes(scopes: Sequence[str]) -> tuple[Scope, ...]:
    """The scopes, each once and in the order of `SCOPES`; BadInputError for an unknown one, or none."""
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown or not scopes:
        told = f"unknown scope {', '.join(unknown)}" if unknown else "a token needs a scope"
        raise BadInputError(f"{told}: choose from {', '.join(SCOPES)}")
    return tuple(scope for scope in SCOPES if scope in scopes)


def _token(
    secret: str, name: str, scopes: tuple[Scope, ...], projects: tuple[str, ...], now: datetime
) -> ApiToken:
    hashed = _hash(secret)
    return ApiToken(
        token_id=_token_id(hashed),
        name=name,
        secret_hash=hashed,
        scopes=scopes,
        projects=projects,
        created_at=now,
    )


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _token_id(hashed: str) -> str:
    return digest("token", hashed)[:12]


def _audit(errata: Errata, actor: str, action: str, token: ApiToken) -> None:
    now = errata.clock()
    entry = AuditEntry(
        entry_id=digest("audit", action, token.token_id, now.isoformat()),
        at=now,
        actor=actor,
        action=action,
        target=token.token_id,
        details={"name": token.name, "scopes": list(token.scopes), "projects": list(token.projects)},
    )
    errata.store.collection(SYSTEM, AUDIT).add_many([entry])
