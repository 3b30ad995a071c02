"""The bundle of every revision can be made again, the same to the digest."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from errata_client.bundle import Bundle, read_bundle
from knowledge.errors import NotFoundError
from knowledge.kinds import PROJECTS, SYSTEM
from knowledge.nights import Project
from knowledge.stage import Shift
from knowledge.store import Store
from strategies import review, stages
from strategies.bundles import bundle_at, current_bundle
from tests.strategies.shop import NOW, PROJECT, bare_orders, fine_orders, night, shift_of


def served(shift: Shift) -> Bundle:
    """What an agent gets at this moment."""
    return current_bundle(shift.store, PROJECT, shift.now)


def test_every_revision_is_rebuilt_with_the_digest_that_agents_were_given(store: Store) -> None:
    night(store, [*fine_orders(), *bare_orders(12)])
    projects = store.collection(SYSTEM, PROJECTS)
    projects.put(Project(project_id=PROJECT, created_at=NOW, holdout=0.1), None)
    shift = shift_of(store)
    late = replace(shift, now=NOW + timedelta(days=85))
    seen: list[Bundle] = []

    review.approve(shift, "ST-0001", "mei", "one in ten", shadow=True, share=0.1)
    seen.append(served(shift))
    review.activate(shift, "ST-0001", "mei", "no wrong firing")
    seen.append(served(shift))
    stored = projects.get(PROJECT)
    assert stored is not None
    projects.put(stored.item.model_copy(update={"holdout": 0.3}), stored.version)
    review.give_share(shift, "ST-0001", 1.0, "mei", "no alarm")
    seen.append(served(shift))
    review.extend(late, "ST-0001", "mei", "still needed")
    seen.append(served(late))
    review.retire(late, "ST-0001", "wang", "the tool takes both forms now")
    seen.append(served(late))
    stages.publish(late)

    assert [bundle.revision for bundle in seen] == [1, 2, 3, 4, 5]
    for bundle in seen:
        again = bundle_at(store, PROJECT, bundle.revision)
        assert again.digest == bundle.digest
        assert read_bundle(again.model_dump_json().encode()) == again == bundle


@pytest.mark.parametrize("revision", [0, 1, 99])
def test_a_revision_that_never_was_is_not_made_up(store: Store, revision: int) -> None:
    with pytest.raises(NotFoundError, match="the newest is 0"):
        bundle_at(store, PROJECT, revision)
