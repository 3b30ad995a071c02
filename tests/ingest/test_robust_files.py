"""Files as they come: cut off, of other encodings, with broken parts. What is good in them is never lost."""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
from pathlib import Path

import pytest

from ingest.adapters.records import open_source
from ingest.adapters.registry import recognise
from ingest.masking import Masker
from ingest.service import ingest_file
from knowledge.errors import BadInputError
from knowledge.store import Store
from tests.ingest.making import (
    KEY,
    a_loan,
    a_shift,
    read,
    simulation,
    tau,
    tau2,
    tau2_call,
    tau2_reply,
    written,
    written_lines,
)


def loans(count: int) -> list[object]:
    return [tau(a_loan(book=f"B-{number:04d}"), task=number) for number in range(count)]


def native(number: int) -> dict[str, object]:
    call = {"tool": "lend", "arguments": {"book_id": f"B-{number:04d}"}}
    return {"run_id": f"run-{number}", "steps": [{"index": 0, "tool_call": call, "observation": "lent"}]}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty"),
        (b"  \n\n ", "is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "not JSON"),
        (b'{"orders": [], "total": 3}', "orders, total"),
        (b"[]", "no readable record"),
        (b"[1, 2, 3]", "no readable record"),
        (b'"a text"', "not JSON"),
        (b"{", "no readable record"),
        (gzip.compress(b'[{"task_id": 1, "traj": [{"role": "user"', mtime=0)[:-12], "gzip"),
        (gzip.compress(b"", mtime=0)[:5], "gzip"),
        (b"run,tool\n1,lend\n", "not JSON"),
    ],
)
def test_a_file_without_a_run_is_an_error_that_says_what_it_is(
    tmp_path: Path, store: Store, content: bytes, told: str
) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(content)
    with pytest.raises(BadInputError, match=told):
        ingest_file(path, "auto", a_shift(store), Masker(KEY))


def test_a_missing_file_and_a_folder_are_errors_that_name_them(tmp_path: Path, store: Store) -> None:
    with pytest.raises(BadInputError, match=r"none\.json"):
        ingest_file(tmp_path / "none.json", "auto", a_shift(store), Masker(KEY))
    with pytest.raises(BadInputError, match="cannot be read"):
        ingest_file(tmp_path, "auto", a_shift(store), Masker(KEY))


def test_a_source_that_is_named_wrongly_or_does_not_fit_is_an_error(tmp_path: Path, store: Store) -> None:
    path = written(tmp_path / "runs.json", loans(2))
    with pytest.raises(BadInputError, match=r"no source is called 'langsmyth'.*tau_bench"):
        ingest_file(path, "langsmyth", a_shift(store), Masker(KEY))
    with pytest.raises(BadInputError, match="no run could be read as native_jsonl"):
        ingest_file(path, "native_jsonl", a_shift(store), Masker(KEY))


def test_a_gzip_file_that_ends_early_gives_all_records_before_the_cut(tmp_path: Path) -> None:
    whole = gzip.compress(json.dumps(loans(300)).encode(), compresslevel=1)
    path = tmp_path / "cut.json.gz"
    path.write_bytes(whole[: len(whole) * 3 // 4])
    runs, left_out = read(path)
    assert 100 < len(runs) < 300
    assert [item.position for item in left_out] == [f"after record {len(runs)}"]
    assert "gzip stream ends early" in left_out[0].reason


def test_gzip_lines_that_end_early_give_all_lines_before_the_cut(tmp_path: Path) -> None:
    lines = "".join(json.dumps(native(number)) + "\n" for number in range(300))
    whole = gzip.compress(lines.encode(), compresslevel=1)
    path = tmp_path / "cut.jsonl.gz"
    path.write_bytes(whole[: len(whole) * 3 // 4])
    runs, left_out = read(path)
    assert 100 < len(runs) < 300
    assert "gzip stream ends early" in left_out[-1].reason


def test_a_damaged_gzip_file_gives_what_was_before_the_damage(tmp_path: Path) -> None:
    whole = bytearray(gzip.compress(json.dumps(loans(3_000)).encode(), compresslevel=1))
    middle = len(whole) // 2
    whole[middle : middle + 40] = b"\xff" * 40
    path = tmp_path / "damaged.json.gz"
    path.write_bytes(whole)
    runs, left_out = read(path)
    assert runs
    assert left_out


def test_a_plain_array_that_ends_early_gives_all_records_before_the_cut(tmp_path: Path) -> None:
    text = json.dumps(loans(5))
    path = tmp_path / "cut.json"
    path.write_text(text[: len(text) - 40])
    runs, left_out = read(path)
    assert len(runs) == 4
    assert [item.position for item in left_out] == ["after record 4"]


def test_simulations_that_end_early_give_all_before_the_cut(tmp_path: Path) -> None:
    messages = [tau2_call("c1", "lend", {"book_id": "B-1"}), tau2_reply("c1", "lent", error=False)]
    text = json.dumps(tau2([simulation(messages, number) for number in range(5)]))
    path = tmp_path / "cut.json"
    path.write_text(text[:-60])
    runs, left_out = read(path)
    assert len(runs) == 4
    assert [item.position for item in left_out] == ["after simulation 4"]


@pytest.mark.parametrize("wrong", [42, None, "text", [], {"traj": "text"}, {"task_id": 3}])
def test_a_wrong_record_in_the_middle_is_reported_at_its_place_and_the_rest_goes_on(
    tmp_path: Path, wrong: object
) -> None:
    records = loans(20)
    records[16] = wrong
    runs, left_out = read(written(tmp_path / "runs.json", records))
    assert len(runs) == 19
    assert [item.position for item in left_out] == ["record 17"]


def test_a_broken_line_is_reported_by_its_number_and_the_rest_goes_on(tmp_path: Path) -> None:
    lines = [json.dumps(native(number)) for number in range(20)]
    lines[16] = '{"run_id": "x", "steps": [}'
    lines[18] = json.dumps({"run_id": "y", "steps": [{"index": "first"}]})
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(lines))
    runs, left_out = read(path)
    assert len(runs) == 18
    assert [item.position for item in left_out] == ["line 17", "line 19"]
    assert "steps.0.index" in left_out[1].reason


def test_a_wrong_message_costs_only_itself(tmp_path: Path) -> None:
    messages = a_loan()
    messages.insert(1, "hello")
    messages.insert(2, {"role": "wizard", "content": "abracadabra"})
    runs, left_out = read(written(tmp_path / "runs.json", [tau(messages)]))
    assert [found.tool_call.tool for found in runs[0].steps if found.tool_call] == ["lend"]
    assert [item.position for item in left_out] == ["record 1, message 2", "record 1, message 3"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_encodings_are_told_apart_by_their_first_bytes(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "runs.json"
    path.write_bytes(json.dumps([tau(a_loan(book="书-1001"))], ensure_ascii=False).encode(encoding))
    runs, left_out = read(path)
    assert runs[0].user_intent == "Please lend me 书-1001."
    assert not left_out


def test_lines_may_end_as_they_do_on_windows_and_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes("\r\n\r\n".join(json.dumps(native(number)) for number in range(3)).encode() + b"\r\n")
    runs, left_out = read(path)
    assert len(runs) == 3
    assert not left_out


def test_bytes_that_are_not_utf_8_are_replaced_and_told(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    text = json.dumps([tau(a_loan(answer="caf#")), tau(a_loan(), task=2)])
    path.write_bytes(text.encode().replace(b"#", b"\xe9"))
    runs, left_out = read(path)
    assert runs[0].steps[0].observation == "caf\ufffd"
    assert len(runs) == 2
    assert [item.position for item in left_out] == ["record 1"]


def test_lone_surrogates_nul_big_numbers_and_nan_reach_the_store(tmp_path: Path, store: Store) -> None:
    text = json.dumps([tau(a_loan(answer="Error: \ud800 \x00 broken"))])
    arguments = '{\\"book_id\\": \\"B-1\\", \\"size\\": 123456789012345678901234567890, \\"x\\": NaN}'
    text = text.replace('{\\"book_id\\": \\"B-1001\\"}', arguments)
    path = tmp_path / "runs.json"
    path.write_text(text)
    report = ingest_file(path, "auto", a_shift(store), Masker(KEY))
    assert report.by_error_code == {"tool.error": 1}
    assert not report.not_analysed


def test_fifty_megabytes_in_one_line_are_read_in_a_few_times_that_memory(
    tmp_path: Path, store: Store
) -> None:
    path = tmp_path / "long.jsonl"
    answer = "x" * 50_000_000
    with path.open("w") as file:
        file.write(json.dumps(native(1)) + "\n")
        file.write(json.dumps({**native(2), "notes": answer}).replace('"lent"', f'"{answer[:1000]}"') + "\n")
        file.write(json.dumps(native(3)) + "\n")
    del answer
    tracemalloc.start()
    report = ingest_file(path, "auto", a_shift(store), Masker(KEY))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert report.runs == 3
    assert peak < 500_000_000


def test_a_text_that_is_too_long_to_keep_is_cut_and_told(tmp_path: Path, store: Store) -> None:
    path = written(tmp_path / "runs.json", [tau(a_loan(answer="Error: " + "x" * 2_000_000))])
    report = ingest_file(path, "auto", a_shift(store), Masker(KEY))
    assert report.by_error_code == {"tool.error": 1}
    assert "longer than what is analysed" in report.not_analysed[0].reason


def test_a_record_over_the_limit_is_skipped_and_told(tmp_path: Path) -> None:
    records = [native(1), {**native(2), "notes": "x" * 5_000_000}, native(3)]
    for path in (
        written_lines(tmp_path / "runs.jsonl", records),
        written(tmp_path / "runs.json", records),
    ):
        runs, left_out = read(path, limit=100_000)
        assert [found.run_id for found in runs] == ["run-1", "run-3"]
        assert left_out[0].position in {"line 2", "record 2"}
        assert "long" in left_out[0].reason


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "many.json", [tau(a_loan("x" * 5_000), task=number) for number in range(2_000)])
    tracemalloc.start()
    opening_runs = 0
    opening = open_source(path)
    for _ in recognise(opening).adapter.read(opening):
        opening_runs += 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert opening_runs == 2_000
    assert peak < path.stat().st_size / 2


def test_text_behind_the_end_of_the_array_is_told(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(loans(2)) + "\nand more")
    runs, left_out = read(path)
    assert len(runs) == 2
    assert left_out[0].position == "after record 2"


def test_arguments_nested_too_deeply_do_not_stop_the_ingest(tmp_path: Path, store: Store) -> None:
    deep = "[" * 3_000 + "]" * 3_000
    messages = a_loan()
    messages[2]["tool_calls"][0]["function"]["arguments"] = f'{{"book_id": {deep}}}'
    path = written(tmp_path / "runs.json", [tau(messages), tau(a_loan(), task=2)])
    report = ingest_file(path, "auto", a_shift(store), Masker(KEY))
    assert report.runs == 2
    assert report.by_error_code == {"output.invalid_json": 1}


def test_a_pipe_is_refused_at_once_and_not_waited_for(tmp_path: Path, store: Store) -> None:
    pipe = tmp_path / "runs.jsonl"
    os.mkfifo(pipe)
    with pytest.raises(BadInputError, match="is a pipe"):
        ingest_file(pipe, "auto", a_shift(store), Masker(KEY))


def test_faults_of_a_record_are_told_in_the_words_of_json(tmp_path: Path, store: Store) -> None:
    path = written_lines(tmp_path / "runs.jsonl", [native(1), {"run_id": 7, "steps": "x"}, [1], None])
    report = ingest_file(path, "native_jsonl", a_shift(store), Masker(KEY))
    assert [one.reason for one in report.not_analysed] == [
        "run_id: should be text; steps: should be a list",
        "a run is an object with run_id and steps, this is a list",
        "a run is an object with run_id and steps, this is null",
    ]
