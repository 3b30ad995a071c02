"""Synthesis and backtest over many scopes, against the time to embed the cases' distinct texts once; all in one run.

python -m benchmarks.synthesis            # 500 scopes of 200 failing calls
python -m benchmarks.synthesis 50 100     # other numbers of scopes
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from time import perf_counter

from attribution.encoders.registry import make_encoder
from errata_client.rule import Scope
from errata_client.run import Run, Step, StepError, ToolCall
from ingest.analysis import analyse
from knowledge.cases import FailureCase
from knowledge.causes import RootCause
from knowledge.runs import ReferenceCall
from strategies.material import Material
from strategies.stages import drafted, judged_by

SCOPES = (125, 250, 500)
CASES = 200
FINE = 60
SAMPLE = 400
NOW = datetime(2026, 1, 1, tzinfo=UTC)
CAUSE = RootCause(cause_id="RC-1", name="bench", statement="bench", error_codes=("tool.error",))
WORDS = [
    "please",
    "the",
    "order",
    "late",
    "parcel",
    "blue",
    "lamp",
    "refund",
    "address",
    "change",
    "gift",
    "train",
    "seat",
    "meal",
    "window",
    "card",
]


def main(scopes: tuple[int, ...] = SCOPES) -> None:
    """Print the seconds for each number of scopes, by case, and as a share of the time to embed."""
    texts = [intent(random.Random(number)) for number in range(SAMPLE)]
    encoder = make_encoder("minilm")
    encoder.encode(texts[:32])
    each = seconds(lambda: encoder.encode(texts)) / SAMPLE
    print(f"embedding: {1 / each:,.0f} texts/s")
    for number in scopes:
        materials = [material(index) for index in range(min(number, 4))]
        begin, passed = perf_counter(), 0
        for index in range(number):
            found = materials[index % len(materials)]
            passed += sum(judged_by(item, found).verdict == "pass" for item in drafted(found, "bench"))
        taken = perf_counter() - begin
        cases = number * CASES
        print(
            f"{cases:>7,} cases in {number} scopes: {taken:6.1f} s, {taken / cases * 1e3:.2f} ms a case, {passed} drafts "
            f"passed, {taken / (each * cases):.2f} x the time to embed a text of each"
        )


def seconds(work: object) -> float:
    """How long it took."""
    begin = perf_counter()
    work()  # type: ignore[operator]
    return perf_counter() - begin


def intent(chance: random.Random) -> str:
    """What a person says."""
    return " ".join(chance.choices(WORDS, k=20)) + f" {chance.randrange(10**6)}"


def material(kind: int) -> Material:
    """A scope with a fault of one of four kinds, its failing calls mixed with ones that no rule explains."""
    cases: list[FailureCase] = []
    references: list[ReferenceCall] = []
    for number in range(CASES + FINE):
        found = analyse(run(kind, number, bad=number < CASES), "bench", NOW)
        cases += [case for case in found.cases if case.error_code == "tool.error"][:1]
        references += [call for call in found.references if call.tool == "act"]
    scope = Scope(step_id="act", tool="act")
    ordered = tuple(sorted(cases, key=lambda case: case.case_id))
    return Material(scope, CAUSE, ordered, (), tuple(references), date(2026, 1, 1))


def run(kind: int, number: int, *, bad: bool) -> Run:
    """One run."""
    chance = random.Random(kind * 10_000 + number)
    steps = [
        Step(
            index=index,
            user_input=f"{intent(chance)} W{code(number)}" if index == 0 else None,
            tool_call=ToolCall(tool=tool, arguments=arguments),
            observation=None if error else result,
            error=StepError(message=error) if error else None,
        )
        for index, (tool, arguments, result, error) in enumerate(calls(kind, number, chance, bad=bad))
    ]
    return Run(run_id=f"{kind}-{number}", task_id=f"t{number % 97}", steps=tuple(steps))


def code(number: int) -> str:
    """Seven digits."""
    return f"{(number * 7_919 + 1_234_567) % 9_000_000 + 1_000_000}"


def calls(
    kind: int, number: int, chance: random.Random, *, bad: bool
) -> Iterator[tuple[str, dict[str, object], object, str | None]]:
    """Prefixes, statuses, lengths, or nothing that can be explained."""
    order = f"#W{code(number)}"
    looked = {
        "order_id": order,
        "status": chance.choice(("open", "sent")) if bad and kind == 1 else "delivered",
    }
    yield "look", {"order_id": order}, looked, None
    items = [str(chance.randrange(10**6, 10**7)) for _ in range(3)]
    arguments = {"order_id": order, "items": items, "others": items[1:] if bad and kind == 2 else items}
    wrong = {**arguments, "order_id": code(number)} if kind == 0 else arguments
    if bad:
        yield (
            "act",
            wrong,
            None,
            ("Error: order not found", "Error: order is not delivered", "Error: lengths", "Error: no")[kind],
        )
    if not bad or kind == 0:
        yield "act", arguments, {"done": True}, None


if __name__ == "__main__":
    main(tuple(int(word) for word in sys.argv[1:]) or SCOPES)
