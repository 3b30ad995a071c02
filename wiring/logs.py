"""Logs: structured and masked, to stderr, so that what a command prints on stdout stays its own."""

from __future__ import annotations

import logging
import secrets
import sys
from typing import TextIO

import structlog

from ingest.masking import Masker
from wiring.settings import Settings

TOLD_ANYWAY = ("elastic_transport",)
"""Libraries that warn of each try; what failed in the end is an error of ours."""
TELLS_URLS = ("httpx", "httpcore")
"""Libraries that log the URLs they ask at lower levels; a webhook's URL is a secret."""


def configure_logs(settings: Settings, stream: TextIO | None = None) -> None:
    """Send this process's logs, its libraries' too, to `stream` (stderr) as JSON lines or for reading.

    Placeholders in logs are made with a key that this process forgets: they compare within it and nowhere else.
    """
    target = stream or sys.stderr
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    handler = logging.StreamHandler(target)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_renderers(settings, target),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(level, logging.WARNING) if level > logging.DEBUG else level)
    for name in ("jobs", "api", "wiring", "ingest", "attribution", "strategies", "knowledge"):
        logging.getLogger(name).setLevel(level)
    for name in TOLD_ANYWAY:
        logging.getLogger(name).setLevel(level if level <= logging.DEBUG else logging.ERROR)
    for name in TELLS_URLS:
        logging.getLogger(name).setLevel(logging.WARNING)


def _renderers(settings: Settings, target: TextIO) -> list[structlog.typing.Processor]:
    masked = _masked(Masker(secrets.token_bytes(32)))
    as_json = settings.log_format == "json" or (settings.log_format == "auto" and not target.isatty())
    if as_json:
        return [
            structlog.processors.format_exc_info,
            masked,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ]
    return [
        structlog.processors.format_exc_info,
        masked,
        structlog.dev.ConsoleRenderer(colors=target.isatty()),
    ]


def _masked(masker: Masker) -> structlog.typing.Processor:
    """What looks private is replaced in every text of an event: a log is kept, too, and read by more people."""

    def mask(_logger: object, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
        return {key: masker.text(value) if isinstance(value, str) else value for key, value in event.items()}

    return mask
