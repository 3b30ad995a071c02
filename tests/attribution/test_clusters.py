from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.clusters import group
from attribution.drafts import draft_order
from attribution.terms import key_terms, term_counts
from knowledge.cases import Problem
from tests.attribution.making import NOW, problem


def at(place: int) -> Problem:
    return problem(
        f"spot {'x' * place}",
        fingerprint=f"p{place:03d}",
        first_seen=NOW + timedelta(minutes=(place * 37) % 50),
    )


def near(one: Problem, others: Sequence[Problem]) -> list[float]:
    return [max(0.0, 1 - abs(int(one.fingerprint[1:]) - int(other.fingerprint[1:])) / 10) for other in others]


@given(st.sets(st.integers(0, 99), min_size=1, max_size=25), st.randoms(use_true_random=False))
def test_clusters_do_not_depend_on_which_of_them_were_kept_already(places: set[int], random: object) -> None:
    problems = [at(place) for place in sorted(places)]
    fresh = group(problems, [], near, 0.7)
    for half in (fresh[::2], fresh[1::2], fresh):
        kept = [(one.cluster_id, one.leader) for one in half]
        again = group(list(reversed(problems)), kept, near, 0.7)
        assert {(one.cluster_id, one.members) for one in again} == {
            (one.cluster_id, one.members) for one in fresh
        }


@given(st.sets(st.integers(0, 99), min_size=1, max_size=25))
def test_every_problem_is_in_exactly_one_cluster_near_its_leader(places: set[int]) -> None:
    problems = [at(place) for place in places]
    clusters = group(problems, [], near, 0.7)
    assert sorted(one.fingerprint for found in clusters for one in found.members) == sorted(
        one.fingerprint for one in problems
    )
    assert all(near(found.leader, [one])[0] >= 0.7 for found in clusters for one in found.members)
    assert all(found.members[0] == found.leader for found in clusters)


@pytest.mark.parametrize(
    ("code", "clusters"),
    [
        ("tool.error", [["cancel aborted", "refund aborted"], ["cancel unknown", "refund unknown"]]),
        ("loop.repeated_call", [["cancel aborted", "cancel unknown", "refund aborted", "refund unknown"]]),
    ],
)
def test_one_wording_is_one_cluster_whatever_the_tool_and_the_kind_but_where_tools_speak(
    code: str, clusters: list[list[str]]
) -> None:
    text = "it gave the same again"
    problems = [
        problem(text, tool=tool, error_code=code, error_kind=kind, fingerprint=f"{tool} {kind}")
        for tool in ("cancel", "refund")
        for kind in ("unknown", "aborted")
    ]
    found = group(problems, [], lambda _, others: [1.0] * len(others), 0.85)
    assert sorted(sorted(one.fingerprint for one in cluster.members) for cluster in found) == clusters
    drafts = [draft_order("WO-0001", cluster, term_counts([text])).draft for cluster in found]
    assert [bool(one.error_kinds) for one in drafts] == [code == "tool.error"] * len(drafts)


def test_key_terms_are_the_words_that_others_lack() -> None:
    inside = ["the scanner is jammed", "scanner jammed again"]
    assert set(key_terms(inside, term_counts([*inside, "the gate is closed again"]))[:2]) == {
        "scanner",
        "jammed",
    }


def test_key_terms_of_chinese_are_pairs_of_characters() -> None:
    assert "扫描" in key_terms(["扫描仪卡住"], term_counts(["扫描仪卡住", "大门关闭"]))
