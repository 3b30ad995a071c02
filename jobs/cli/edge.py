"""The edge of the command line: arguments in, exit code out, and every error as one clear line."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Protocol

import structlog
import typer

from jobs.cli.app import app
from jobs.cli.exit_codes import EXIT_CODES, FAILED, INTERRUPTED
from jobs.cli.output import print_json, say
from knowledge.errors import ErrataError

logger = structlog.get_logger(__name__)


class _UsageError(Protocol):
    """What typer raises for arguments that it cannot read."""

    exit_code: int
    ctx: typer.Context | None

    def format_message(self) -> str: ...
    def show(self) -> None: ...


def run(arguments: Sequence[str]) -> int:
    """Run one command and answer its exit code. With --json among the arguments, an error is JSON on stdout too."""
    as_json = "--json" in arguments
    try:
        code = app(list(arguments), prog_name="errata", standalone_mode=False)
    except typer.TyperException as error:
        return _misused(as_json, error)
    except ErrataError as error:
        return _fail(as_json, error.code, str(error), EXIT_CODES.get(error.code, FAILED))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except (
        Exception
    ) as error:  # the last edge: a fault of ours is told in a line, its traceback goes to the log
        logger.debug("unexpected", exc_info=True)
        told = f"unexpected {type(error).__name__}: {error} (ERRATA_LOG_LEVEL=debug shows where)"
        return _fail(as_json, "error", told, FAILED)
    return _ended(as_json, code)


def _ended(as_json: bool, code: object) -> int:
    """What the command itself answered; typer turns an interrupt into its exit code."""
    if code == INTERRUPTED:
        return _fail(
            as_json, "interrupted", "interrupted: what was done stays done, run it again", INTERRUPTED
        )
    return code if isinstance(code, int) else 0


def _fail(as_json: bool, code: str, message: str, exit_code: int) -> int:
    if as_json:
        print_json({"error": {"code": code, "message": message}})
    say(f"errata: {message}")
    return exit_code


def _misused(as_json: bool, error: typer.TyperException) -> int:
    usage: _UsageError = error  # type: ignore[assignment]
    message = usage.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        usage.show()
        return usage.exit_code
    path = usage.ctx.command_path if usage.ctx else "errata"
    return _fail(as_json, "bad_input", f"{message.rstrip('.')}: `{path} --help` tells more", usage.exit_code)
