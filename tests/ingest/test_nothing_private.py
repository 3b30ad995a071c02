"""A secret that stands anywhere in a source is nowhere in what is kept or told of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from errata_client.run import Run
from ingest.adapters.registry import ADAPTERS
from ingest.masking import Leftovers, Masker
from ingest.masking.finder import OVERLAP, WINDOW
from ingest.service import ingest_file
from knowledge.errors import BadInputError
from knowledge.kinds import KINDS
from knowledge.store import Query, Store
from tests.ingest.examples import example
from tests.ingest.making import KEY, a_shift
from tests.ingest.planting import plant
from tests.ingest.specimens import CARD_NUMBER, NEEDLES, SPECIMENS, found_in, planted


@pytest.mark.parametrize("specimen", SPECIMENS, ids=lambda specimen: specimen.kind)
def test_each_specimen_alone_is_masked(specimen) -> None:  # type: ignore[no-untyped-def]
    assert not [needle for needle in specimen.needles if needle in Masker(KEY).text(specimen.written)]


def test_there_are_fifty_kinds_and_the_search_for_them_finds_them_where_they_are() -> None:
    assert len({specimen.kind for specimen in SPECIMENS}) >= 50
    written = {needle for needle in NEEDLES if any(needle in specimen.written for specimen in SPECIMENS)}
    assert set(found_in(planted())) == written
    assert len(NEEDLES) - len(written) <= 2, "only what is encoded may not stand there as such"


@pytest.mark.parametrize("name", [adapter.name for adapter in ADAPTERS])
def test_every_source_has_an_example_with_a_place_to_plant_in(name: str) -> None:
    assert len(list(plant(example(name)))) >= 3


@pytest.mark.parametrize("name", [adapter.name for adapter in ADAPTERS])
def test_secrets_planted_in_any_place_of_a_source_are_nowhere_afterwards(
    tmp_path: Path, store: Store, name: str
) -> None:
    leaks, read = [], 0
    for number, document in enumerate(plant(example(name))):
        path = tmp_path / f"planted-{number}"
        path.write_text(document.text, encoding="utf-8")
        shift = a_shift(store, f"p{number}")
        try:
            report = ingest_file(path, name, shift, Masker(KEY))
            told, read = report.model_dump_json(), read + report.runs
        except BadInputError as error:
            told = str(error)
        path.unlink()
        leaks += [
            (document.place, needle) for needle in found_in("\n".join([told, *kept(store, shift.project)]))
        ]
    assert not leaks
    assert read, "none of the documents could be read: nothing was shown"
    assert not found_in(in_files(tmp_path))


def kept(store: Store, project: str) -> Iterator[str]:
    """All that the store holds of a project, as JSON."""
    for kind in KINDS:
        for stored in store.collection(project, kind).scan(Query()):
            yield stored.item.model_dump_json()


def in_files(folder: Path) -> str:
    """All bytes of all files there, one after the other: the database and its log among them."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files)


def test_numbers_that_are_cards_are_masked_and_other_numbers_are_not() -> None:
    given = {"card": CARD_NUMBER, "total": 1234567890123, "ratio": 0.25, "big": float(CARD_NUMBER)}
    masked = Masker(KEY).value(given)
    assert isinstance(masked, dict)
    assert masked["card"] != CARD_NUMBER
    assert masked["big"] != float(CARD_NUMBER)
    assert (masked["total"], masked["ratio"]) == (1234567890123, 0.25)


def test_what_was_masked_is_known_as_such_and_what_was_not_is_counted() -> None:
    masker = Masker(KEY)
    left = Leftovers(KEY)
    assert not left.of(masker.text(planted()))
    assert left.of({"a": ["mia@example.org and 415-555-0134"], "pin": "hunter2"}) == {
        "email": 1,
        "phone": 1,
        "secret": 1,
    }
    assert not left.of(masker.value({"first_name": "Mia", "password": "hunter2-x", "phone": "13987654321"}))
    assert Leftovers(b"the key of another project, long").of(masker.text("mail planted.person@planted.org"))


def test_a_person_quotes_placeholders_and_they_stay() -> None:
    masker = Masker(KEY)
    quoted = masker.text("planted.person@mail-planted.org")
    assert masker.authored(f"{quoted} is not known") == f"{quoted} is not known"
    assert "mia@" not in masker.authored(f"{quoted} is not mia@example.org")


def test_lines_of_a_key_that_stand_in_several_texts_are_masked() -> None:
    lines = ["-----BEGIN PRIVATE KEY-----", "MIIabcdef", "-----END PRIVATE KEY-----", "after"]
    masked = Masker(KEY).value(lines)
    assert isinstance(masked, list)
    assert masked[1] != "MIIabcdef"
    assert (masked[0], masked[2], masked[3]) == (lines[0], lines[2], lines[3])


def test_the_schema_of_a_password_stays_a_schema_without_its_samples() -> None:
    schema = {"properties": {"password": {"type": "string", "minLength": 8, "default": "hunter2-x"}}}
    masked = Masker(KEY).value(schema)
    assert isinstance(masked, dict)
    assert "hunter2-x" not in str(masked)
    assert str(masked).startswith(
        "{'properties': {'password': {'type': 'string', 'minLength': 8, 'default': "
    )


def test_a_name_told_in_a_field_is_replaced_where_it_is_spoken_and_in_any_case() -> None:
    run = Run.model_validate(
        {
            "run_id": "r",
            "steps": [
                {"index": 0, "user_input": "I am mia Garcia-Lopez, mia_garcia_4516. May I?"},
                {
                    "index": 1,
                    "tool_call": {
                        "tool": "find",
                        "arguments": {"first_name": "Mia", "last_name": "Garcia-Lopez"},
                    },
                },
            ],
        }
    )
    masked = Masker(KEY).run(run)
    call = masked.steps[1].tool_call
    assert call is not None
    first, last = call.arguments["first_name"], call.arguments["last_name"]
    assert masked.steps[0].user_input == f"I am {str(first).lower()} {last}, mia_garcia_4516. May I?"
    assert first != "Mia"


@pytest.mark.parametrize("before", [WINDOW - 10, WINDOW - OVERLAP - 10, 2 * WINDOW])
def test_in_a_text_of_megabytes_too_whatever_it_is_cut_into(before: int) -> None:
    text = f"{'word ' * (before // 5)}planted.person@mail-planted.org \\u0061nn.planted@mail-planted.org end"
    masked = Masker(KEY).text(text)
    assert len(masked) == len(text)
    assert not [needle for needle in ("planted.person", "nn.planted", "mail-planted") if needle in masked]


def test_digits_of_a_placeholder_that_pass_for_a_card_are_none() -> None:
    for number in range(40):
        key = f"key {number} of a project, long enough".encode()
        assert not Leftovers(key).of(Masker(key).text(planted()))
