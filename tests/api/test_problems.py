"""Problems and cases: found by what they say and where they happened, page by page."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from httpx2 import Response

from knowledge.cases import Problem
from knowledge.causes import CauseProposal
from knowledge.kinds import ATTRIBUTIONS, CASES, CAUSE_PROPOSALS, PROBLEMS
from tests.api.parties import OTHER, PROJECT, Bearer, MakeBearer
from tests.api.records import START, attribution, case, problem
from wiring.build import Errata

PROBLEMS_URL = f"/v1/projects/{PROJECT}/problems"
CASES_URL = f"/v1/projects/{PROJECT}/cases"


@pytest.fixture
def reviewer(bearer: MakeBearer) -> Bearer:
    return bearer("review")


def keep(errata: Errata, *problems: Problem, project: str = PROJECT) -> None:
    errata.store.collection(project, PROBLEMS).add_many(problems)


def fingerprints(answer: Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [item["fingerprint"] for item in answer.json()["items"]]


def test_what_a_model_proposes_is_shown_as_such_where_a_person_has_to_decide(
    errata: Errata, reviewer: Bearer
) -> None:
    proposal = CauseProposal(
        fingerprint="fp-00000",
        root_cause="RC-042",
        candidates=("RC-041", "RC-042"),
        proposed_by_model="small",
        asked="q",
        at=START,
    )
    keep(errata, problem(0), problem(1))
    both = [proposal, proposal.model_copy(update={"fingerprint": "fp-00001"})]
    errata.store.collection(PROJECT, CAUSE_PROPOSALS).add_many(both)
    open_one = attribution(0).model_copy(update={"verdict": "abstained", "root_cause": None})
    errata.store.collection(PROJECT, ATTRIBUTIONS).add_many([open_one, attribution(1)])

    shown = reviewer.get(f"{PROBLEMS_URL}/fp-00000").json()
    assert shown["model_proposal"]["root_cause"] == "RC-042"
    assert shown["model_proposal"]["proposed_by_model"] == "small"
    assert (shown["attribution"]["verdict"], shown["attribution"]["root_cause"]) == ("abstained", None)
    assert reviewer.get(f"{PROBLEMS_URL}/fp-00001").json()["model_proposal"] is None


def test_1200_problems_come_in_pages_each_once_and_in_order(errata: Errata, reviewer: Bearer) -> None:
    keep(errata, *(problem(number) for number in range(1200)))

    url, seen, pages = f"{PROBLEMS_URL}?limit=500", [], 0
    while url:
        answer = reviewer.get(url)
        seen += fingerprints(answer)
        pages += 1
        link = answer.headers.get("link", "")
        assert bool(link) == (answer.json()["next"] is not None)
        url = link.partition(">")[0].removeprefix("<")

    assert seen == [f"fp-{number:05}" for number in reversed(range(1200))]
    assert pages == 3


def test_the_next_page_may_be_asked_for_by_cursor_alone(errata: Errata, reviewer: Bearer) -> None:
    keep(errata, *(problem(number) for number in range(5)))
    first = reviewer.get(PROBLEMS_URL, params={"limit": 3, "sort": "count"})

    second = reviewer.get(PROBLEMS_URL, params={"limit": 3, "sort": "count", "cursor": first.json()["next"]})

    assert sorted(fingerprints(first) + fingerprints(second)) == [f"fp-{number:05}" for number in range(5)]
    assert second.json()["next"] is None


@pytest.mark.parametrize("cursor", ["nonsense", "é", "%00", "a" * 4000])
def test_a_cursor_that_is_none_is_a_clear_400(errata: Errata, reviewer: Bearer, cursor: str) -> None:
    keep(errata, problem(0))

    answer = reviewer.get(PROBLEMS_URL, params={"cursor": cursor})

    assert answer.status_code == 400
    assert "cursor" in answer.json()["detail"]


def test_a_cursor_of_other_filters_is_a_clear_400(errata: Errata, reviewer: Bearer) -> None:
    keep(errata, *(problem(number) for number in range(3)))
    cursor = reviewer.get(PROBLEMS_URL, params={"limit": 1}).json()["next"]

    answer = reviewer.get(PROBLEMS_URL, params={"limit": 1, "sort": "count", "cursor": cursor})

    assert answer.status_code == 400


@pytest.mark.parametrize("limit", ["0", "501", "-1", "x", ""])
def test_a_limit_out_of_bounds_is_422_and_names_it(reviewer: Bearer, limit: str) -> None:
    answer = reviewer.get(PROBLEMS_URL, params={"limit": limit})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] == "/query/limit"


def test_a_mistyped_filter_is_an_error_not_everything(errata: Errata, reviewer: Bearer) -> None:
    keep(errata, problem(0))

    answer = reviewer.get(PROBLEMS_URL, params={"error_kode": "tool.error"})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] == "/query/error_kode"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("order not found", "fp-00001"),
        ("FOUND", "fp-00001"),
        ("未找到", "fp-00002"),
        ("订单", "fp-00002"),
        ("找到订单", "fp-00002"),
        ("coupon", "fp-00003"),
    ],
)
def test_search_reads_english_and_chinese(errata: Errata, reviewer: Bearer, words: str, found: str) -> None:
    keep(
        errata,
        problem(
            1, error_message="order 12 not found", error_pattern="order <NUM> not found", user_intent="x"
        ),
        problem(
            2, error_message="未找到订单 12", error_pattern="未找到订单 <NUM>", user_intent="查询我的包裹"
        ),
        problem(3, error_message="denied", error_pattern="denied", user_intent="use my coupon twice"),
    )

    assert fingerprints(reviewer.get(PROBLEMS_URL, params={"q": words, "exact": True})) == [found]


def test_words_in_another_order_of_characters_are_not_found(errata: Errata, reviewer: Bearer) -> None:
    keep(errata, problem(1, error_message="未找到订单", error_pattern="未找到订单"))

    assert fingerprints(reviewer.get(PROBLEMS_URL, params={"q": "单订"})) == []


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"error_code": "tool.timeout"}, [1]),
        ({"error_code": ["tool.timeout", "tool.unknown"]}, [2, 1]),
        ({"tool": "pay"}, [2]),
        ({"step_id": "checkout"}, [2]),
        ({"agent": "desk"}, [3]),
        ({"model_version": "m-2"}, [3]),
        ({"status": "resolved"}, [4]),
        ({"error_code": "tool.timeout", "status": "resolved"}, []),
        ({"since": "2026-03-01T00:03:00Z"}, [4, 3]),
        ({"until": "2026-03-01T08:02:00+08:00"}, [1]),
        ({"since": "2026-03-02"}, []),
    ],
)
def test_filters_hold_together(errata: Errata, reviewer: Bearer, filters: dict, found: list[int]) -> None:
    keep(
        errata,
        problem(1, error_code="tool.timeout"),
        problem(2, error_code="tool.unknown", tool="pay", step_id="checkout"),
        problem(3, agents=("desk", "bot"), model_versions=("m-1", "m-2")),
        problem(4, status="resolved"),
    )

    assert fingerprints(reviewer.get(PROBLEMS_URL, params=filters)) == [f"fp-{number:05}" for number in found]


@pytest.mark.parametrize("since", ["yesterday", "2026-13-01", "2026-03-01T00:00:00"])
def test_a_time_without_a_zone_or_sense_is_422(reviewer: Bearer, since: str) -> None:
    answer = reviewer.get(PROBLEMS_URL, params={"since": since})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["where"] == "/query/since"


def test_a_problem_shows_its_attribution_in_lists_and_alone(errata: Errata, reviewer: Bearer) -> None:
    keep(errata, problem(1), problem(2))
    errata.store.collection(PROJECT, ATTRIBUTIONS).add_many([attribution(1)])

    listed = {item["fingerprint"]: item["attribution"] for item in reviewer.get(PROBLEMS_URL).json()["items"]}
    alone = reviewer.get(f"{PROBLEMS_URL}/fp-00001")

    assert listed["fp-00002"] is None
    assert listed["fp-00001"]["root_cause"] == "RC-042"
    assert alone.json()["attribution"] == listed["fp-00001"]
    assert alone.headers["etag"] == f'"{alone.json()["version"]}"'


def test_another_projects_problem_is_not_there(errata: Errata, reviewer: Bearer) -> None:
    keep(errata, problem(1), project=OTHER)

    assert reviewer.get(f"{PROBLEMS_URL}/fp-00001").status_code == 404
    assert fingerprints(reviewer.get(PROBLEMS_URL)) == []


def test_cases_are_listed_newest_first_and_shown_whole(errata: Errata, reviewer: Bearer) -> None:
    errata.store.collection(PROJECT, CASES).add_many(
        [case(1), case(2, decisive=False), case(3, run_id="other")]
    )

    every = reviewer.get(CASES_URL).json()["items"]
    of_run = reviewer.get(CASES_URL, params={"run_id": "run-8812", "decisive": True}).json()["items"]
    alone = reviewer.get(f"{CASES_URL}/case-00002").json()

    assert [item["case_id"] for item in every] == ["case-00003", "case-00002", "case-00001"]
    assert [item["case_id"] for item in of_run] == ["case-00001"]
    assert alone == every[1]
    assert alone["view"]["provenance"] == {"/order_id": "person"}


@pytest.mark.parametrize("key", ["x", "%00", "a%2Fb", "é", "%ED%A0%80"])
def test_a_case_that_is_not_there_is_404(reviewer: Bearer, key: str) -> None:
    answer = reviewer.get(f"{CASES_URL}/{key}")

    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_the_link_to_the_next_page_keeps_the_filters(errata: Errata, reviewer: Bearer) -> None:
    keep(errata, *(problem(number, error_message="未找到") for number in range(3)))

    answer = reviewer.get(PROBLEMS_URL, params={"q": "未找到", "limit": 2})

    link = answer.headers["link"].partition(">")[0].removeprefix("<")
    assert urlsplit(link).path == PROBLEMS_URL
    assert len(fingerprints(reviewer.get(link))) == 1
