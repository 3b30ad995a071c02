"""The command line and HTTP find the same problems, by what a person means and by what they are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from api.app import create_app
from knowledge.kinds import PROBLEMS
from tests.api.records import problem
from tests.jobs.cli import CommandLine
from wiring.build import Errata, build
from wiring.settings import load_settings
from wiring.tokens import create_token

SAID = {
    "fp-en": ("Order W1 not found", "get_order", "m-1"),
    "fp-zh": ("订单 W1 查不到，请稍后再试", "get_order", "m-2"),
    "fp-gone": ("订单号不存在", "cancel_order", "m-1"),
    "fp-slow": ("request timed out", "get_order", "m-1"),
}

ASKED = [
    ({"text": "查不到"}, {"fp-en", "fp-zh", "fp-gone"}),
    ({"text": "not found"}, {"fp-en", "fp-zh", "fp-gone"}),
    ({"text": "查不到", "exact": True}, {"fp-zh"}),
    ({"text": "查不到", "tool": ["get_order"]}, {"fp-en", "fp-zh"}),
    ({"text": "查不到", "model": ["m-1"]}, {"fp-en", "fp-gone"}),
    ({"tool": ["cancel_order", "nothing"]}, {"fp-gone"}),
    ({"text": "超时", "since": "2026-03-01"}, {"fp-slow"}),
    ({"text": "超时", "until": "2026-03-01"}, set()),
    ({"code": ["tool.unknown"]}, set()),
]
HTTP = {"text": "q", "code": "error_code", "model": "model_version"}


@pytest.fixture
def errata(cli: CommandLine) -> Iterator[Errata]:
    made = build(load_settings())
    made.ensure_project("shop")
    made.store.collection("shop", PROBLEMS).add_many(
        problem(
            0,
            fingerprint=key,
            error_message=said,
            error_pattern=said,
            user_intent="x",
            tool=tool,
            model_versions=[model],
        )
        for key, (said, tool, model) in SAID.items()
    )
    yield made
    made.close()


@pytest.mark.parametrize(("asked", "expected"), ASKED)
def test_the_command_line_and_http_find_the_same(
    cli: CommandLine, errata: Errata, asked: dict[str, object], expected: set[str]
) -> None:
    secret, _ = create_token(errata, "mei", ("review",), ())
    options = [str(asked["text"])] if "text" in asked else []
    for name, values in asked.items():
        if name != "text":
            options += (
                [f"--{name}"]
                if values is True
                else [f"--{name}={v}" for v in (values if isinstance(values, list) else [values])]
            )
    told = {found["fingerprint"] for found in cli.json("problems", "search", *options, "--project", "shop")}
    with TestClient(create_app(errata)) as client:
        given = {HTTP.get(name, name): values for name, values in asked.items()}
        answer = client.get(
            "/v1/projects/shop/problems", params=given, headers={"Authorization": f"Bearer {secret}"}
        )  # type: ignore[arg-type]
    assert answer.status_code == 200, answer.text
    assert told == {found["fingerprint"] for found in answer.json()["items"]} == expected


def test_a_time_that_is_none_is_told(cli: CommandLine, errata: Errata) -> None:
    answer = cli("problems", "search", "x", "--since", "yesterday", "--project", "shop")
    assert answer.code == 2
    assert "write one such as 2026-03-01" in answer.err
