"""The settings, read once from the environment. Every one is described in docs/settings.md."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from knowledge.errors import BadInputError, SettingsError
from wiring.cron import cron_trigger

PREFIX = "ERRATA_"
TEST_PREFIX = "ERRATA_TEST_"


class Settings(BaseSettings):
    """Each field is the variable ERRATA_<NAME>. Frozen; made by `load_settings`, or by hand in tests."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True)

    data_dir: Path = Field(Path(".errata"), description="folder of the database, objects and keys")
    store_url: str | None = Field(
        None,
        repr=False,
        description="`sqlite:///NAME` (in the data folder), `sqlite:////FOLDER/NAME`, or Elasticsearch's `http(s)://HOST:PORT`",
    )
    objects_url: str | None = Field(
        None,
        repr=False,
        description="where texts too long for a case are kept: a folder or a URL such as `s3://BUCKET/PREFIX`; else `objects` in the data folder",
    )
    secret: SecretStr | None = Field(
        None,
        min_length=16,
        description="key of the placeholders; else a random one is kept in the data folder",
    )
    project: str = Field(
        "default", pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$", description="project of a command that names none"
    )
    token: SecretStr | None = Field(
        None, min_length=24, description="a bearer token with every scope that `errata serve` accepts"
    )
    encoders: Annotated[tuple[str, ...], NoDecode] = Field(
        ("minilm", "use-multilingual"),
        min_length=1,
        description="sentence encoders, by name or model path, separated by commas",
    )
    device: str = Field(
        "cpu",
        pattern=r"^(cpu|cuda(:\d+)?|mps|xpu(:\d+)?)$",
        description="what sentence-transformers models run on: `cpu`, `cuda`, `cuda:1` or `mps`",
    )
    holdout: float = Field(0.0, ge=0.0, lt=1.0, description="share of runs without rules, in a new project")
    cron: str = Field("0 2 * * *", description="when `errata serve` starts the night, as in a crontab")
    timezone: str = Field("UTC", description="IANA time zone of the cron expression")
    schedule: bool = Field(True, description="whether `errata serve` starts the night at all")
    misfire_grace_seconds: int = Field(
        3600, ge=1, le=86_400, description="how late a night that could not start on time may still start"
    )
    lease_seconds: float = Field(
        120.0, ge=5.0, le=3600.0, description="how long a night's lease lasts without being renewed"
    )
    stale_night_hours: float = Field(
        26.0, gt=0.0, le=24 * 366, description="age at which the last good night raises an alarm"
    )
    max_body_bytes: int = Field(
        64 * 1024 * 1024, ge=1024, description="largest request body that the service reads"
    )
    trace_quiet_seconds: float = Field(
        30.0, ge=0.0, le=3600.0, description="after how long without a span an unfinished trace becomes a run"
    )
    max_ingests: int = Field(
        8,
        ge=1,
        le=1_000,
        description="bodies of runs and traces that the service takes in at once; more are answered 429",
    )
    max_wait_seconds: float = Field(30.0, ge=0.0, le=300.0, description="longest long poll of a bundle")
    slack_webhook: SecretStr | None = Field(
        None, min_length=12, description="URL of a Slack incoming webhook that gets each night's drafts"
    )
    slack_token: SecretStr | None = Field(
        None, min_length=8, description="a Slack bot token (chat:write), instead of a webhook"
    )
    slack_channel: str | None = Field(None, description="id of the channel that the bot posts to")
    gitlab_url: str = Field("https://gitlab.com", description="address of the GitLab")
    gitlab_token: SecretStr | None = Field(
        None, min_length=8, description="a GitLab token (api): drafts become merge requests, merging approves"
    )
    gitlab_project: str | None = Field(None, description="id or path of the GitLab project, as `group/rules`")
    gitlab_branch: str = Field("main", min_length=1, description="branch that merge requests go to")
    gitlab_folder: str = Field("rules", min_length=1, description="folder of the rules in that project")
    publish_folder: Path | None = Field(
        None, description="a folder, perhaps a git repository, that gets each draft as a file to move"
    )
    public_url: str | None = Field(None, description="address at which people reach this service, for links")
    settle_minutes: int = Field(
        5, ge=1, le=1440, description="how often `errata serve` asks GitLab or the folder for decisions"
    )
    model_url: str | None = Field(
        None,
        pattern=r"^https?://",
        description="address of an OpenAI-compatible API (`https://…/v1`) whose model may propose rules; off if not set",
    )
    model_key: SecretStr | None = Field(None, min_length=1, description="key of that API, where it wants one")
    model_name: str | None = Field(None, description="name of the model at that address")
    judge_url: str | None = Field(
        None,
        pattern=r"^https?://",
        description="address of an OpenAI-compatible API (`https://…/v1`) whose model may propose root causes for what is abstained; off if not set",
    )
    judge_token: SecretStr | None = Field(
        None, min_length=1, description="key of that API, where it wants one"
    )
    judge_model: str | None = Field(None, description="name of the model at that address")
    judge_budget: int = Field(
        50, ge=1, le=1_000, description="problems that a night asks that model about at most"
    )
    host: str = Field("127.0.0.1", min_length=1, description="address that `errata serve` listens on")
    port: int = Field(
        8000, ge=0, le=65_535, description="port that `errata serve` listens on; 0 picks a free one"
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="`debug`, `info`, `warning` or `error`"
    )
    log_format: Literal["auto", "json", "console"] = Field(
        "auto", description="`json`, `console`, or `auto`: console on a terminal, else JSON"
    )

    @field_validator("encoders", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return tuple(name.strip() for name in value.split(",") if name.strip())

    @field_validator("log_level", "log_format", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.strip().lower() if isinstance(value, str) else value

    @field_validator("store_url")
    @classmethod
    def _known_store(cls, value: str | None) -> str | None:
        if value is None or (value.startswith("sqlite:///") and len(value) > len("sqlite:///")):
            return value
        parts = urlsplit(value)
        if parts.scheme in {"http", "https"} and parts.hostname:
            return value
        raise ValueError(
            "write sqlite:///NAME (in the data folder), sqlite:////FOLDER/NAME or http(s)://HOST:PORT"
        )

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError(f"no time zone {value!r}: write one such as UTC or Asia/Shanghai") from error
        return value

    @field_validator("cron")
    @classmethod
    def _known_cron(cls, value: str) -> str:
        try:
            cron_trigger(value, "UTC")
        except BadInputError as error:
            raise ValueError(str(error)) from error
        return value

    @property
    def store_location(self) -> str:
        """The store's URL, with the default (a file in the data folder) filled in."""
        return self.store_url or "sqlite:///errata.db"

    @property
    def objects_location(self) -> str:
        """The URL of the object store, with the default (a folder in the data folder) filled in."""
        return self.objects_url or str(self.data_dir.absolute() / "objects")

    @property
    def store_shown(self) -> str:
        """The store's URL without user, password and options, for messages."""
        url = self.store_location
        if url.startswith("sqlite:"):
            return url
        parts = urlsplit(url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def load_settings(**overrides: object) -> Settings:
    """The settings of this process; `overrides` (None: not given) win over the environment.

    SettingsError names each variable that cannot be used, what was wrong and, unless it is secret, its value.
    """
    given = {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings(**given)  # type: ignore[arg-type]
    except ValidationError as error:
        raise SettingsError(_told(error)) from error


def _told(error: ValidationError) -> str:
    parts = []
    for fault in error.errors(include_url=False):
        name = str(fault["loc"][0])
        field = Settings.model_fields.get(name)
        secret = field is None or not field.repr or "SecretStr" in str(field.annotation)
        shown = "" if secret else f" is {fault['input']!r}"
        told = fault["msg"].removeprefix("Value error, ")
        if fault["type"] in {"too_short", "string_too_short"}:
            told = f"is too short, it needs {fault['ctx']['min_length']} or more"
        parts.append(f"{PREFIX}{name.upper()}{shown}: {told}")
    return "; ".join(parts)


def variables() -> dict[str, str]:
    """Every variable of the product and what it means, in the order of the settings."""
    return {
        f"{PREFIX}{name.upper()}": field.description or "" for name, field in Settings.model_fields.items()
    }


def unknown_variables(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Names that look like settings but are none: most likely typing mistakes."""
    known = variables()
    names = os.environ if environment is None else environment  # noqa: TID251 - this is the one place
    return tuple(
        sorted(n for n in names if n.startswith(PREFIX) and not n.startswith(TEST_PREFIX) and n not in known)
    )
