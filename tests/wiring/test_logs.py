from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import httpx
import pytest
import structlog

from wiring.logs import configure_logs
from wiring.settings import Settings


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def lines(settings: Settings) -> io.StringIO:
    stream = io.StringIO()
    configure_logs(settings, stream)
    structlog.get_logger("jobs.nightly").info("night_ended", project="店", status="done")
    logging.getLogger("apscheduler").warning("missed by %s", "1 s")
    logging.getLogger("apscheduler").info("not worth telling")
    return stream


def test_where_nobody_looks_each_log_is_a_json_line_the_libraries_too() -> None:
    ours, theirs = [json.loads(line) for line in lines(Settings()).getvalue().splitlines()]
    assert (ours["event"], ours["project"], ours["level"], ours["logger"]) == (
        "night_ended",
        "店",
        "info",
        "jobs.nightly",
    )
    assert (theirs["event"], theirs["level"]) == ("missed by 1 s", "warning")


def test_on_request_logs_are_for_reading() -> None:
    text = lines(Settings(log_format="console")).getvalue()
    assert "night_ended" in text
    assert not text.startswith("{")


def test_what_is_below_the_level_is_not_written() -> None:
    text = lines(Settings(log_level="warning")).getvalue()
    assert "night_ended" not in text
    assert "missed" in text


def test_the_fault_behind_an_exception_is_in_the_log() -> None:
    stream = io.StringIO()
    configure_logs(Settings(), stream)
    try:
        int("a fault of ours")
    except ValueError:
        structlog.get_logger("jobs").exception("stage_failed")
    assert "a fault of ours" in json.loads(stream.getvalue())["exception"]


def test_a_webhooks_url_is_in_no_log_whatever_the_level() -> None:
    stream = io.StringIO()
    configure_logs(Settings(log_level="debug"), stream)
    transport = httpx.MockTransport(lambda request: httpx.Response(200, text="ok", request=request))
    httpx.Client(transport=transport).post("https://hooks.slack.com/services/T0/B0/secret-of-the-test")
    assert "secret-of-the-test" not in stream.getvalue()
