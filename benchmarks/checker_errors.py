"""Errors of a checker of tool calls, as a label set: some families of causes are known, with five exemplars each and a history of
confirmed cases, the others are not; half of each known cause's wordings are kept out of both."""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
import yaml

TEXTS = Path(__file__).parent / "data" / "checker_errors.yaml"
APART = Path(__file__).parent / "data" / "checker_errors_apart.yaml"
CODE = "args.schema_violation"
KNOWN = 0.6
"""Share of the families whose causes are known."""
EXEMPLARS, HISTORY, SEEN, EACH = 5, 50, 30, 4
NAMES = ("unit", "location", "radius", "num_results", "is_active", "currency", "user_id", "city", "items")
TOOLS = ("get_weather", "calc.area", "find_restaurant", "math_factorial", "hotel.book", "stock.price")
TYPES = ("integer", "string", "float", "boolean", "array", "object")
PARTS = ("Ledger", "MailBox", "FileTree", "TicketDesk", "Garage")
VALUES = ("San Francisco", "celsius", "vegan", "2024-05-01", "blue", "15 km", "素食", "北京")
SLOT = re.compile(r"\{(\w)(!r)?\}")

Label = tuple[str, str | None, str]
"""A text, the cause that is right for it, and its group."""


class Wording:
    """Fills the slots of wordings, the same way for the same seed."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)

    def filled(self, wording: str) -> str:
        """The wording with values."""
        return SLOT.sub(lambda slot: self._written(slot[1], quoted=bool(slot[2])), wording)

    def _written(self, slot: str, *, quoted: bool) -> str:
        value = self._value(slot)
        return repr(value) if quoted else str(value)

    def _value(self, slot: str) -> object:
        dice = self.dice
        chosen = {
            "p": NAMES,
            "q": NAMES,
            "f": TOOLS,
            "g": TOOLS,
            "t": TYPES,
            "u": TYPES,
            "c": PARTS,
            "s": VALUES,
        }
        if slot in chosen:
            return dice.choice(chosen[slot])
        if slot == "l":
            return [
                dice.choice([dice.choice(VALUES), dice.randint(1, 99)]) for _ in range(dice.randint(1, 4))
            ]
        return (
            dice.randint(0, 9)
            if slot == "n"
            else dice.choice([dice.randint(1, 99), round(dice.random() * 9, 2)])
        )


def label_set(seed: int) -> tuple[list[dict[str, Any]], list[Label], list[Label]]:
    """The causes, the history and the labels of a seed."""
    entries = yaml.safe_load(TEXTS.read_text(encoding="utf-8"))
    wording = Wording(seed)
    families = sorted({entry["family"] for entry in entries})
    wording.dice.shuffle(families)
    known = set(families[: round(len(families) * KNOWN)])
    causes: list[dict[str, Any]] = []
    history: list[Label] = []
    labels: list[Label] = []
    for entry in entries:
        if entry["family"] not in known:
            labels += _several(wording, entry["wordings"], None, "of no known cause")
            continue
        english = [text for text in entry["wordings"] if text.isascii()]
        wording.dice.shuffle(english)
        taught, kept = english[: max(1, len(english) // 2)], english[max(1, len(english) // 2) :]
        cause = entry["cause"]
        exemplars = [wording.filled(wording.dice.choice(taught)) for _ in range(EXEMPLARS)]
        causes.append({"cause_id": cause, "name": cause, "error_codes": [CODE], "exemplars": exemplars})
        history += [(wording.filled(wording.dice.choice(taught)), cause, "history") for _ in range(HISTORY)]
        labels += [
            (wording.filled(wording.dice.choice(taught)), cause, "wording taught") for _ in range(SEEN)
        ]
        labels += _several(wording, kept, cause, "new wording")
        labels += _several(
            wording, [t for t in entry["wordings"] if not t.isascii()], cause, "new, in Chinese"
        )
    labels += _apart({cause["cause_id"] for cause in causes})
    return causes, history, labels


def _apart(known: Collection[str]) -> Iterator[Label]:
    """Wordings that somebody else wrote, who did not see the phrasebook; harder ones."""
    apart = yaml.safe_load(APART.read_text(encoding="utf-8"))
    for cause, texts in apart["causes"].items():
        for text in texts:
            if cause in known:
                yield text, cause, "written apart" if text.isascii() else "written apart, in Chinese"
            else:
                yield text, None, "written apart, of no known cause"
    yield from ((text, None, "of other matters") for text in apart["novel"])


def main(arguments: Sequence[str] = ()) -> None:
    """Print the figures of each group for each seed, by `errata evaluate attribution` itself."""
    parser = argparse.ArgumentParser("python -m benchmarks.checker_errors", description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    for seed in parser.parse_args(arguments).seeds:
        causes, history, labels = label_set(seed)
        found = _evaluated(causes, history, labels)
        print(
            f"seed {seed}: {len(causes)} causes known; of {found['matched']} matches {found['wrong']} are wrong"
        )
        for group, one in found["groups"].items():
            told = f"{one['right']} right, {one['wrong']} wrong, {one['abstained']} abstained, {one['unmatched']} unmatched"
            print(f"  {group}: {one['cases']} cases: {told}")


def _several(wording: Wording, texts: Sequence[str], cause: str | None, group: str) -> Iterator[Label]:
    return ((wording.filled(text), cause, group) for text in texts for _ in range(EACH))


def _evaluated(
    causes: Sequence[dict[str, Any]], history: Sequence[Label], labels: Sequence[Label]
) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "causes.yaml").write_text(yaml.safe_dump(causes, allow_unicode=True), encoding="utf-8")
        (root / "history.jsonl").write_bytes(b"".join(map(_line, history)))
        (root / "labels.jsonl").write_bytes(b"".join(map(_line, labels)))
        command = [
            "evaluate",
            "attribution",
            str(root / "labels.jsonl"),
            "--causes",
            str(root / "causes.yaml"),
        ]
        confirmed = ["--confirmed", str(root / "history.jsonl"), "--json"]
        start = [sys.executable, "-c", "from jobs.cli import main; main()"]
        answer = subprocess.run([*start, *command, *confirmed], check=True, stdout=subprocess.PIPE)
    document: dict[str, Any] = orjson.loads(answer.stdout)
    return document


def _line(label: Label) -> bytes:
    text, cause, group = label
    case = {"error_code": CODE, "error_message": text}
    return orjson.dumps({"case": case, "root_cause": cause, "group": group}) + b"\n"


if __name__ == "__main__":
    main(sys.argv[1:])
