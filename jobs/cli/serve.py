"""`errata serve`: the service and its page, with the scheduler inside."""

from __future__ import annotations

import signal
import socket
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated

import typer

from jobs.cli.output import print_json, say
from jobs.cli.session import JsonOption
from knowledge.errors import BadInputError
from wiring.build import Errata, build
from wiring.logs import configure_logs
from wiring.settings import load_settings
from wiring.tokens import list_tokens, settle_settings_token

if TYPE_CHECKING:
    import uvicorn


def serve(
    host: Annotated[str | None, typer.Option("--host", help="Address; ERRATA_HOST if not given.")] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65_535, help="Port; ERRATA_PORT if not given; 0: a free one."),
    ] = None,
    schedule: Annotated[
        bool | None,
        typer.Option("--schedule/--no-schedule", help="Run the night; ERRATA_SCHEDULE if not given."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Serve the API, and run the night on time, until a signal stops it."""
    settings = load_settings(host=host, port=port, schedule=schedule)
    configure_logs(settings)
    with ExitStack() as stack:
        errata = build(settings)
        stack.callback(errata.close)
        settle_settings_token(errata)
        listener = stack.enter_context(bind(settings.host, settings.port))
        if settings.schedule:
            from jobs.schedule import scheduled  # noqa: PLC0415 - only a service pays for its import

            stack.enter_context(scheduled(errata))
        server = _server(errata)
        _announce(errata, listener, as_json=as_json)
        server.run(sockets=[listener])


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; BadInputError says what to change where there is none to be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise BadInputError(
            f"cannot listen on {host} port {port}: {error.strerror or error}; choose others with --host and --port"
        ) from error


def _announce(errata: Errata, listener: socket.socket, *, as_json: bool) -> None:
    name, port = listener.getsockname()[:2]
    url = f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"
    settings = errata.settings
    if as_json:
        print_json({"url": url, "store": settings.store_shown, "schedule": settings.schedule})
    say(f"Errata listens on {url}, store {settings.store_shown}")
    say(
        f"The night runs at {settings.cron!r} {settings.timezone}"
        if settings.schedule
        else "No night is scheduled here"
    )
    if not any(token.revoked_at is None for token in list_tokens(errata)):
        say("Nobody can log in yet: `errata tokens create NAME --scope admin` makes a token")


def _server(errata: Errata) -> uvicorn.Server:
    """The server, which a signal ends by itself; the handlers here are for the signal that it raises again then."""
    import uvicorn  # noqa: PLC0415 - only a service pays for its import

    from api.app import create_app  # noqa: PLC0415 - only a service pays for its import

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    return uvicorn.Server(uvicorn.Config(create_app(errata), log_config=None, access_log=False))
