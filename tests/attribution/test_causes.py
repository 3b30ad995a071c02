from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.cause_files import read_causes_text, write_causes_text
from attribution.causes import add_cause, check_text, edit_cause, export_causes, import_causes, preview
from attribution.encoders.port import Encoder
from attribution.parameters import default_parameters
from attribution.starter import seed_causes, starter_causes
from knowledge.causes import Exemplar
from knowledge.errors import BadInputError, ConflictError, StaleError
from knowledge.kinds import ROOT_CAUSES
from knowledge.stage import Shift
from tests.attribution.making import cause, keep, problem

ONE = """
- cause_id: RC-200
  name: Scanner jam
  name_zh: 扫描仪卡纸
  statement: The scanner is jammed.
  error_codes: [tool.error]
  exemplars:
    - the scanner is jammed
    - {error_pattern: 扫描仪卡住, origin: depot}
"""


def test_causes_are_read_with_short_exemplars_and_in_chinese() -> None:
    (found,) = check_text(ONE)
    assert found.name_zh == "扫描仪卡纸"
    assert found.exemplars == (
        Exemplar(error_pattern="the scanner is jammed"),
        Exemplar(error_pattern="扫描仪卡住", origin="depot"),
    )


def test_the_starter_set_survives_export_and_import() -> None:
    assert read_causes_text(write_causes_text(starter_causes())) == list(starter_causes())


@given(st.text(min_size=1, max_size=30), st.text(max_size=30))
def test_any_text_survives_export_and_import(pattern: str, name: str) -> None:
    made = cause("RC-1", pattern, name=name)
    assert read_causes_text(write_causes_text([made])) == [made]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "is not YAML in line"),
        ("just text", "must hold a list"),
        ("- 5", "cause 1: write a mapping"),
        (ONE.replace("tool.error", "tool.eror"), "cause 1 \\(RC-200\\): error_codes"),
        (ONE.replace("name:", "nam:", 1), "RC-200"),
        (ONE + ONE, "names RC-200 twice"),
        (ONE.replace("[tool.error]", "[]"), "names no error_codes"),
        (ONE.replace("the scanner is jammed", "<id> 12"), "beyond numbers and placeholders"),
        ("!!python/object/apply:os.system ['true']", "is not YAML"),
        ("[" * 5_000, "is not YAML|nested too deeply"),
        (ONE.replace("name: Scanner jam", f"name: {'x' * 300}"), "1 to 200 characters"),
    ],
)
def test_a_faulty_file_is_refused_with_the_place_and_the_fault(text: str, said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        check_text(text)


def test_a_file_beyond_the_limit_is_refused() -> None:
    with pytest.raises(BadInputError, match="larger than 4 MiB"):
        check_text("x" * (5 * 1024 * 1024))


def test_seeding_adds_what_is_missing_and_never_overwrites_an_edit(shift: Shift) -> None:
    assert seed_causes(shift) == len(starter_causes())
    causes = shift.store.collection(shift.project, ROOT_CAUSES)
    stored = causes.get("RC-001")
    assert stored is not None
    edited = stored.item.model_copy(update={"name": "Our own words"})
    edit_cause(shift, edited, "mei", "clearer", stored.version)
    causes.remove_many(["RC-002"])
    assert seed_causes(shift) == 1
    again = causes.get("RC-001")
    assert again is not None
    assert again.item.name == "Our own words"


def test_a_new_cause_gets_a_number_of_the_projects_own(shift: Shift) -> None:
    seed_causes(shift)
    first = add_cause(shift, cause("", "the scanner is jammed"), "mei", "new machine")
    second = add_cause(shift, cause("", "the gate is shut"), "mei", "new gate")
    assert (first.cause_id, second.cause_id, first.created_by) == ("RC-101", "RC-102", "mei")
    with pytest.raises(ConflictError, match="RC-101"):
        add_cause(shift, cause("RC-101", "another"), "mei", "oops")


def test_a_stale_edit_is_refused(shift: Shift) -> None:
    made = add_cause(shift, cause("", "the scanner is jammed"), "mei", "new machine")
    with pytest.raises(StaleError):
        edit_cause(shift, made, "bo", "late", "no such version")


def test_an_import_with_one_fault_writes_nothing(shift: Shift) -> None:
    with pytest.raises(BadInputError):
        import_causes(
            shift, ONE + ONE.replace("RC-200", "RC-201").replace("[tool.error]", "[]"), "mei", "bulk"
        )
    assert export_causes(shift) == "[]\n"


def test_an_import_replaces_only_when_asked(shift: Shift) -> None:
    import_causes(shift, ONE, "mei", "first")
    changed = ONE.replace("Scanner jam", "Jam")
    assert import_causes(shift, changed, "mei", "second").created == ()
    assert "Scanner jam" in export_causes(shift)
    import_causes(shift, changed, "mei", "third", replace=True)
    assert "name: Jam" in export_causes(shift)


def test_a_preview_shows_what_a_cause_would_take_and_writes_nothing(
    shift: Shift, fake: tuple[Encoder, ...]
) -> None:
    taken, other = problem("the scanner is jammed"), problem("the gate is shut")
    keep(shift, taken, other)
    found = preview(shift, fake, default_parameters(), cause("RC-NEW", "the scanner is jammed"))
    assert [(one.fingerprint, one.root_cause) for one in found] == [(taken.fingerprint, "RC-NEW")]
    assert export_causes(shift) == "[]\n"
