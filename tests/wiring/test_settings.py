from __future__ import annotations

import re
from pathlib import Path

import pytest

from knowledge.errors import SettingsError
from wiring.settings import Settings, load_settings, unknown_variables, variables

DOCS = Path(__file__).resolve().parents[2] / "docs" / "settings.md"


@pytest.fixture(autouse=True)
def _no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in variables():
        monkeypatch.delenv(name, raising=False)


def test_without_any_variable_everything_has_a_default() -> None:
    settings = load_settings()
    assert settings.data_dir == Path(".errata")
    assert settings.store_location == "sqlite:///errata.db"
    assert settings.encoders == ("minilm", "use-multilingual")
    assert settings.cron == "0 2 * * *"


def test_an_empty_variable_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_STORE_URL", "")
    monkeypatch.setenv("ERRATA_PORT", "")
    assert load_settings().port == 8000
    assert load_settings().store_url is None


def test_encoders_are_separated_by_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_ENCODERS", " hash , /models/mine ,")
    assert load_settings().encoders == ("hash", "/models/mine")


def test_what_is_passed_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_PORT", "9000")
    assert load_settings(port=9001).port == 9001
    assert load_settings(port=None).port == 9000


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("ERRATA_PORT", "99999", "65535"),
        ("ERRATA_PORT", "eight", "'eight'"),
        ("ERRATA_STORE_URL", "postgres://me:pw@db", "sqlite:///NAME"),
        ("ERRATA_STORE_URL", "sqlite:///", "sqlite:///NAME"),
        ("ERRATA_STORE_URL", "https://", "http(s)://HOST:PORT"),
        ("ERRATA_CRON", "0 2 * *", "4 fields"),
        ("ERRATA_CRON", "61 2 * * *", "61"),
        ("ERRATA_CRON", "0 2 * * 5-1", "backwards"),
        ("ERRATA_TIMEZONE", "Mars/Olympus", "Mars/Olympus"),
        ("ERRATA_TIMEZONE", "../../etc/passwd", "time zone"),
        ("ERRATA_HOLDOUT", "1", "less than 1"),
        ("ERRATA_ENCODERS", ",", "1 or more"),
        ("ERRATA_LEASE_SECONDS", "nan", "ERRATA_LEASE_SECONDS"),
        ("ERRATA_LOG_LEVEL", "loud", "'loud'"),
        ("ERRATA_PROJECT", "Shop 1", "Shop 1"),
        ("ERRATA_SECRET", "short", "16 or more"),
        ("ERRATA_TOKEN", "short", "24 or more"),
    ],
)
def test_a_bad_value_is_refused_and_names_its_variable(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=re.escape(said)) as caught:
        load_settings()
    assert str(caught.value).startswith(name)


def test_several_bad_values_are_all_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_PORT", "-1")
    monkeypatch.setenv("ERRATA_TIMEZONE", "nowhere")
    with pytest.raises(SettingsError, match=r"(?s)ERRATA_TIMEZONE.*ERRATA_PORT"):
        load_settings()


@pytest.mark.parametrize("name", ["ERRATA_SECRET", "ERRATA_TOKEN", "ERRATA_STORE_URL"])
def test_a_bad_secret_is_not_shown(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "tooshort")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert "tooshort" not in str(caught.value)


def test_secrets_do_not_show_in_what_is_printed_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_SECRET", "a secret of enough letters")
    monkeypatch.setenv("ERRATA_STORE_URL", "https://elastic:letmein@db:9200?api_key=sesame")
    settings = load_settings()
    assert "enough letters" not in repr(settings)
    assert "letmein" not in repr(settings)
    assert settings.store_shown == "https://db:9200"


def test_a_misspelt_variable_is_found() -> None:
    environment = {"ERRATA_PROT": "1", "ERRATA_PORT": "1", "ERRATA_TEST_ELASTICSEARCH_URL": "x", "HOME": "/"}
    assert unknown_variables(environment) == ("ERRATA_PROT",)


def test_the_docs_describe_every_setting_with_its_default_and_no_other() -> None:
    rows = re.findall(
        r"^\| `(ERRATA_[A-Z_]+)` \| (.+?) \| (.+?) \|$", DOCS.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert [name for name, _, _ in rows] == list(variables())
    for name, default, meaning in rows:
        field = Settings.model_fields[name.removeprefix("ERRATA_").lower()]
        assert default == _default(field.default), name
        assert meaning == field.description, name


def _default(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, tuple):
        return f"`{','.join(value)}`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
