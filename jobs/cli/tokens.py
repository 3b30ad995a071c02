"""`errata tokens`: who may talk to the service."""

from __future__ import annotations

from typing import Annotated

import typer

from jobs.cli.output import plain, say, show
from jobs.cli.session import ActorOption, JsonOption, actor_name, opened
from jobs.cli.tables import print_table
from knowledge.nights import ApiToken
from wiring.tokens import SCOPES, create_token, list_tokens, revoke_token

app = typer.Typer(help="The bearer tokens of the service.", no_args_is_help=True)
EMPTY = "No token yet: `errata tokens create NAME --scope …` makes one."


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="Whose it is, or what it is for.")],
    scope: Annotated[
        list[str], typer.Option("--scope", "-s", help=f"{', '.join(SCOPES)}; may be given again.")
    ],
    project: Annotated[
        list[str] | None, typer.Option("--project", "-p", help="Only this project; may be given again.")
    ] = None,
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a token. Its secret is printed once and never kept."""
    with opened() as errata:
        secret, token = create_token(errata, name, scope, project or (), actor_name(actor))
    if not as_json:
        say(
            f"Token {token.token_id} for {token.name!r} ({', '.join(token.scopes)}). Keep its secret, it is shown once:"
        )
    show(as_json, {"secret": secret, **_shown(token)}, lambda console: console.print(secret, soft_wrap=True))


@app.command("list")
def list_all(as_json: JsonOption = False) -> None:
    """List the tokens, revoked ones too."""
    with opened() as errata:
        tokens = list_tokens(errata)
    rows = [
        (t.token_id, t.name, ", ".join(t.scopes), ", ".join(t.projects) or "all", t.created_at, t.revoked_at)
        for t in tokens
    ]
    columns = ("token", "~name", "scopes", "projects", "created", "revoked")
    show(
        as_json,
        [_shown(token) for token in tokens],
        lambda console: print_table(console, columns, rows, EMPTY),
    )


@app.command("revoke")
def revoke(
    token_id: Annotated[str, typer.Argument(help="As `errata tokens list` shows it.", metavar="TOKEN")],
    actor: ActorOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a token worthless, from now on."""
    with opened() as errata:
        token = revoke_token(errata, token_id, actor_name(actor))
    show(as_json, _shown(token), lambda console: console.print(f"Token {token.token_id} is revoked."))


def _shown(token: ApiToken) -> dict[str, object]:
    """The token without the hash of its secret."""
    fields = plain(token)
    assert isinstance(fields, dict)
    return {name: value for name, value in fields.items() if name != "secret_hash"}
