from __future__ import annotations

import json
from pathlib import Path

from ingest.bounds import MAX_ARGUMENT, MAX_LENGTH, bounded
from ingest.masking import Masker
from ingest.service import ingest_file
from knowledge.filesystem import FilesystemObjects
from knowledge.kinds import CASES
from knowledge.stage import Shift
from knowledge.store import Query, Store
from tests.ingest.making import KEY, NOW, a_run, failing, step

LONG = "answer 回答 " * 200_000 + "mail planted.person@mail-planted.org"


def test_a_long_answer_is_kept_whole_and_masked_and_told_in_the_case(tmp_path: Path, store: Store) -> None:
    objects = FilesystemObjects(str(tmp_path / "objects"))
    shift = Shift(store, "library", "", NOW, objects=objects)
    run = a_run(step(0, "find", observation=LONG), failing(1, "lend", "Error: no such book"))
    path = tmp_path / "runs.jsonl"
    path.write_text(run.model_dump_json(exclude_none=True) + "\n")
    reports = [ingest_file(path, "auto", shift, Masker(KEY)) for _ in range(2)]
    (case,) = (stored.item for stored in store.collection("library", CASES).scan(Query()))
    (payload,) = case.payloads
    kept = objects.get("library", payload.digest).decode()
    assert payload.where == "/steps/0/observation"
    assert (payload.length, payload.size) == (len(LONG), len(LONG.encode()))
    assert kept.startswith(payload.excerpt)
    assert kept[:-40] == LONG[:-40]
    assert "planted" not in kept
    assert "whole in the object store" in reports[0].not_analysed[0].reason
    assert len([path for path in (tmp_path / "objects").rglob("*") if path.is_file()]) == 1
    assert "planted" not in store.collection("library", CASES).get(case.case_id).item.model_dump_json()  # type: ignore[union-attr]


def test_every_part_of_a_run_is_bounded_and_each_cut_is_told() -> None:
    long = "x" * (MAX_LENGTH + 1)
    run = a_run(
        step(0, "find", {"deep": [{"note": long}]}, observation={"rows": [long]}, note=long),
        plans=({"text": long},),
        labels={"by": long},
    )
    short, cuts = bounded(type(run).model_validate(run.model_dump()))
    assert [cut.where for cut in cuts] == [
        "/steps/0/tool_call/arguments/deep/0/note",
        "/steps/0/observation",
        "/steps/0/note",
        "/plans/0/text",
        "/labels/by",
    ]
    assert len(json.dumps(short.model_dump(mode="json"))) < 4 * MAX_ARGUMENT + MAX_LENGTH + 10_000


def test_a_run_with_nothing_to_cut_stays_the_same() -> None:
    run = a_run(step(0, "find"))
    assert bounded(run) == (run, ())
    assert bounded(run)[0] is run
