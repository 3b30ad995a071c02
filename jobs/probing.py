"""Health probes of tools: read from YAML, run, and what they saw."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import httpx
import yaml
from pydantic import Field, ValidationError, field_validator, model_validator

from errata_client.faults import faults_told
from errata_client.model import Model
from jobs.files import read_text
from knowledge.errors import BadInputError
from knowledge.health import ProbeResult

MAX_TIMEOUT = 300.0


class Probe(Model):
    """One probe of `tools`: a GET of `url`, or a `command` (a list: no shell reads it). Up is the status, or the exit code, that
    is expected, in time."""

    name: str = Field(min_length=1, max_length=200)
    tools: tuple[str, ...] = Field(min_length=1, max_length=200)
    url: str | None = None
    headers: dict[str, str] = Field(default_factory=dict)
    command: tuple[str, ...] = ()
    expect: tuple[int, ...] = ()
    timeout: float = Field(5.0, gt=0, le=MAX_TIMEOUT)

    @field_validator("expect", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return [value] if isinstance(value, int) else value

    @model_validator(mode="after")
    def _one_of_both(self) -> Probe:
        if bool(self.url) == bool(self.command):
            raise ValueError("a probe has either a url or a command")
        return self


class Probes(Model):
    """A file of probes."""

    probes: tuple[Probe, ...] = Field(min_length=1, max_length=1_000)


def load_probes(path: Path) -> tuple[Probe, ...]:
    """The probes of a YAML file; BadInputError says what is wrong with it."""
    try:
        return Probes.model_validate(yaml.safe_load(read_text(path))).probes
    except yaml.YAMLError as error:
        raise BadInputError(f"{path}: no YAML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        raise BadInputError(f"{path}: {faults_told(error)}") from error


def run_probes(probes: Iterable[Probe], client: httpx.Client, now: datetime) -> list[ProbeResult]:
    """Run them, one after the other. What goes wrong with a probe is what it saw."""
    return [_run(probe, client, now) for probe in probes]


def _run(probe: Probe, client: httpx.Client, now: datetime) -> ProbeResult:
    up, detail = _asked(probe, client) if probe.url else _called(probe)
    return ProbeResult(probe=probe.name, tools=probe.tools, up=up, at=now, detail=detail)


def _asked(probe: Probe, client: httpx.Client) -> tuple[bool, str]:
    assert probe.url is not None
    expected = probe.expect or (200,)
    try:
        status = client.get(probe.url, headers=probe.headers, timeout=probe.timeout).status_code
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return False, f"{type(error).__name__}: {error}"
    return status in expected, f"status {status}, expected {_any(expected)}"


def _called(probe: Probe) -> tuple[bool, str]:
    expected = probe.expect or (0,)
    try:
        done = subprocess.run(probe.command, capture_output=True, timeout=probe.timeout, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        return False, f"no end within {probe.timeout:g} seconds"
    except OSError as error:
        return False, f"{probe.command[0]}: {error.strerror or error}"
    return done.returncode in expected, f"exit code {done.returncode}, expected {_any(expected)}"


def _any(expected: tuple[int, ...]) -> str:
    return " or ".join(map(str, expected))
