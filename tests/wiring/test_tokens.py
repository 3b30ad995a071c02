from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from knowledge.errors import BadInputError, NotAllowedError, NotFoundError
from knowledge.kinds import AUDIT, SYSTEM, TOKENS
from knowledge.store import Query, Store
from wiring.build import Errata
from wiring.settings import Settings
from wiring.tokens import check_token, create_token, list_tokens, revoke_token, settle_settings_token

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def service(store: Store, tmp_path: Path, token: str | None = None) -> Errata:
    settings = Settings.model_validate({"data_dir": tmp_path, "token": token})
    return Errata(settings, store, (), None, lambda: NOW)  # type: ignore[arg-type]


@pytest.fixture
def errata(store: Store, tmp_path: Path) -> Errata:
    return service(store, tmp_path)


def test_a_secret_is_recognisable_long_and_never_the_same(errata: Errata) -> None:
    secrets = {create_token(errata, "agents", ["rules:read"])[0] for _ in range(20)}
    assert len(secrets) == 20
    assert all(secret.startswith("errata_") and len(secret) == len("errata_") + 43 for secret in secrets)


def test_the_secret_itself_is_nowhere_in_the_store(errata: Errata) -> None:
    secret, token = create_token(errata, "agents", ["rules:read"])
    stored = errata.store.collection(SYSTEM, TOKENS).get(token.token_id)
    assert stored is not None
    assert secret not in stored.item.model_dump_json()
    audit = [entry.item for entry in errata.store.collection(SYSTEM, AUDIT).scan(Query())]
    assert [entry.action for entry in audit] == ["token.created"]
    assert secret not in audit[0].model_dump_json()


def test_a_secret_finds_its_token_with_its_scopes_and_projects(errata: Errata) -> None:
    errata.ensure_project("shop")
    secret, made = create_token(errata, "agents", ["review", "ingest", "ingest"], ["shop"])
    token = check_token(errata.store, secret)
    assert token == made
    assert token.scopes == ("ingest", "review")
    assert token.projects == ("shop",)


@pytest.mark.parametrize("secret", ["", "errata_", "errata_" + "A" * 43, "密钥", "\ud800", "x" * 10_000])
def test_an_unknown_secret_is_refused(errata: Errata, secret: str) -> None:
    with pytest.raises(NotAllowedError, match="not known"):
        check_token(errata.store, secret)


def test_the_hash_of_a_secret_opens_nothing(errata: Errata) -> None:
    _, token = create_token(errata, "agents", ["admin"])
    with pytest.raises(NotAllowedError):
        check_token(errata.store, token.secret_hash)


def test_a_revoked_token_is_refused_from_then_on_and_stays_listed(errata: Errata) -> None:
    secret, token = create_token(errata, "old agents", ["ingest"])
    first = revoke_token(errata, token.token_id)
    assert revoke_token(errata, token.token_id) == first
    with pytest.raises(NotAllowedError, match=r"'old agents' was revoked"):
        check_token(errata.store, secret)
    assert [item.revoked_at for item in list_tokens(errata)] == [NOW]


def test_what_cannot_be_made_or_revoked_is_told(errata: Errata) -> None:
    with pytest.raises(BadInputError, match="unknown scope reviews: choose from ingest"):
        create_token(errata, "me", ["reviews"])
    with pytest.raises(BadInputError, match="needs a scope"):
        create_token(errata, "me", [])
    with pytest.raises(BadInputError, match="name"):
        create_token(errata, " ", ["admin"])
    with pytest.raises(NotFoundError, match="projects create shop"):
        create_token(errata, "me", ["admin"], ["shop"])
    with pytest.raises(NotFoundError, match="tokens list"):
        revoke_token(errata, "nobody")


def test_the_token_of_the_settings_is_good_only_while_it_is_set(store: Store, tmp_path: Path) -> None:
    first, second = "first token of the settings", "second token of the settings"
    settle_settings_token(service(store, tmp_path, first))
    assert "admin" in check_token(store, first).scopes
    settle_settings_token(service(store, tmp_path, second))
    assert check_token(store, second)
    with pytest.raises(NotAllowedError):
        check_token(store, first)
    settle_settings_token(service(store, tmp_path))
    with pytest.raises(NotAllowedError):
        check_token(store, second)
    settle_settings_token(service(store, tmp_path, first))
    assert check_token(store, first)
