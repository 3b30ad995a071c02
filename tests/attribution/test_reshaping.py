"""Causes merged and split by a person stay so, and what people answered goes along."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from attribution.corrections import record_label
from attribution.encoders.hashing import HashingEncoder
from attribution.parameters import default_parameters
from attribution.reshaping import merge_causes, split_cause
from attribution.stages import attribute, embed
from knowledge.causes import Attribution, RootCause
from knowledge.errors import BadInputError, ConflictError, NotFoundError, StaleError
from knowledge.kinds import ATTRIBUTIONS, AUDIT, LABELS, ROOT_CAUSES
from knowledge.stage import Shift
from knowledge.store import Query, Store
from tests.attribution.making import a_shift, cause, keep, problem

LOST, GONE = problem("the parcel was lost on its way"), problem("包裹在路上丢失了")
LATE = problem("the van broke down before noon")


@pytest.fixture
def shift(store: Store) -> Shift:
    made = a_shift(store)
    keep(made, LOST, GONE, LATE)
    keep(made, cause("RC-101", LOST.error_pattern), cause("RC-102", LATE.error_pattern))
    return made


def stored(shift: Shift, cause_id: str) -> RootCause:
    found = shift.store.collection(shift.project, ROOT_CAUSES).get(cause_id)
    assert found is not None
    return found.item


def night(shift: Shift) -> dict[str, Attribution]:
    encoders = (HashingEncoder(),)
    embed(shift, encoders)
    attribute(shift, encoders, default_parameters())
    found = shift.store.collection(shift.project, ATTRIBUTIONS).scan(Query())
    return {s.item.fingerprint: s.item for s in found}


def test_a_merged_cause_gives_its_texts_and_its_answers_and_stays_for_the_record(shift: Shift) -> None:
    record_label(shift, GONE.fingerprint, "confirm", "RC-101", "mei", "that is it")
    later = a_shift(shift.store, days=1)
    merge_causes(later, "RC-101", "RC-102", "wang", "one cause")

    gone = stored(later, "RC-101")
    assert (gone.enabled, gone.merged_into, gone.note) == (False, "RC-102", "one cause")
    decided = night(later)
    assert decided[LOST.fingerprint].root_cause == "RC-102"
    assert decided[GONE.fingerprint].root_cause == "RC-102"
    assert decided[LATE.fingerprint].root_cause == "RC-102"
    entries = [s.item.action for s in later.store.collection(later.project, AUDIT).scan(Query())]
    assert "cause.merge" in entries


def test_a_merge_that_is_made_again_changes_nothing(shift: Shift) -> None:
    record_label(shift, GONE.fingerprint, "confirm", "RC-101", "mei", "that is it")
    later = a_shift(shift.store, days=1)
    once = merge_causes(later, "RC-101", "RC-102", "wang", "one cause")
    labels = list(later.store.collection(later.project, LABELS).scan(Query()))
    assert merge_causes(later, "RC-101", "RC-102", "wang", "one cause") == once
    assert list(later.store.collection(later.project, LABELS).scan(Query())) == labels


def test_what_cannot_be_merged_is_told(shift: Shift) -> None:
    keep(shift, cause("RC-103", "another"))
    with pytest.raises(BadInputError, match="itself"):
        merge_causes(shift, "RC-101", "RC-101", "mei", "why")
    with pytest.raises(NotFoundError, match="RC-999"):
        merge_causes(shift, "RC-101", "RC-999", "mei", "why")
    merge_causes(shift, "RC-101", "RC-102", "mei", "why")
    with pytest.raises(ConflictError, match="RC-102 already"):
        merge_causes(shift, "RC-101", "RC-103", "mei", "why")
    with pytest.raises(ConflictError, match="switched off"):
        merge_causes(shift, "RC-103", "RC-101", "mei", "why")


def test_problems_that_were_split_off_are_the_new_causes_for_good(shift: Shift) -> None:
    keep(shift, cause("RC-104", LOST.error_pattern, GONE.error_pattern))
    new = split_cause(shift, "RC-104", [GONE.fingerprint], "丢失的包裹", "mei", "another cause")
    assert [one.error_pattern for one in new.exemplars] == [GONE.error_pattern]
    assert [one.error_pattern for one in stored(shift, "RC-104").exemplars] == [LOST.error_pattern]

    decided = night(a_shift(shift.store, days=2))
    assert decided[GONE.fingerprint].root_cause == new.cause_id
    assert decided[LOST.fingerprint].root_cause in {"RC-101", "RC-104"} or (
        decided[LOST.fingerprint].verdict == "abstained"
    )
    assert split_cause(shift, "RC-104", [GONE.fingerprint], "丢失的包裹", "mei", "another cause") == new
    assert (new.note, stored(shift, new.cause_id)) == ("another cause", new)


class Hurried:
    """A store in which somebody edits a cause right after it was read, once."""

    def __init__(self, store: Store, cause_id: str) -> None:
        self._store, self._cause_id = store, cause_id

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def collection(self, project: str, kind: Any) -> Any:
        found = self._store.collection(project, kind)
        if kind is LABELS and self._cause_id:
            edited, self._cause_id = self._cause_id, ""
            causes = self._store.collection(project, ROOT_CAUSES)
            known = causes.get(edited)
            assert known is not None
            causes.put(known.item.model_copy(update={"playbook": "edited meanwhile"}), known.version)
        return found


def test_an_edit_that_came_meanwhile_is_not_lost(shift: Shift) -> None:
    hurried = replace(shift, store=Hurried(shift.store, "RC-101"))
    with pytest.raises(StaleError, match="RC-101 changed meanwhile"):
        merge_causes(hurried, "RC-101", "RC-102", "mei", "one cause")
    assert stored(shift, "RC-101").playbook == "edited meanwhile"
    merge_causes(shift, "RC-101", "RC-102", "mei", "one cause")
    assert stored(shift, "RC-101").merged_into == "RC-102"


def test_a_split_names_problems_that_are_there(shift: Shift) -> None:
    with pytest.raises(BadInputError, match="name the problems"):
        split_cause(shift, "RC-101", [], "x", "mei", "why")
    with pytest.raises(NotFoundError, match="nothing"):
        split_cause(shift, "RC-101", ["nothing"], "x", "mei", "why")
    with pytest.raises(BadInputError, match="name"):
        split_cause(shift, "RC-101", [LOST.fingerprint], " ", "mei", "why")
