"""The client: rules in step with the service, whatever happens to it."""

from __future__ import annotations

import logging
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import orjson
import pytest

from client.tests.fake_service import TOKEN, Clock, FakeService
from client.tests.making import a_bundle, a_rule, a_view
from errata_client.client import RuleClient
from errata_client.view import CallView

MENDED = {"order_id": "#W2378156"}
SENT = {"order_id": "2378156"}


@pytest.fixture
def service() -> FakeService:
    return FakeService(a_bundle(a_rule()))


@pytest.fixture
def warnings_said(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.INFO, logger="errata_client"):
        yield caplog


def client_of(service: FakeService, folder: Path | None = None, **options: Any) -> RuleClient:
    options = {"token": TOKEN, "clock": Clock(), "project": "shop", "agent": "desk"} | options
    return RuleClient("http://errata.test", transport=service, cache_dir=folder, **options)


def damaged(data: bytes, how: str) -> bytes:
    """A bundle's bytes made bad in one way."""
    if how == "truncated":
        return data[: len(data) // 2]
    content = orjson.loads(data)
    if how == "digest":
        content["rules"][0]["action"]["template"] = "#X{1}"
    elif how == "unknown action":
        content["rules"][0]["action"] = {"kind": "explode"}
    elif how == "format":
        content["format"] = 99
    elif how == "wildcard":
        content["rules"][0]["scope"]["tool"] = "*"
    return orjson.dumps(content)


def test_the_rules_of_the_service_are_applied_after_a_refresh(service: FakeService) -> None:
    client = client_of(service)
    assert client.active_revision is None
    assert client.refresh() is True
    assert client.active_revision == 1
    assert client.decide(a_view()).arguments == MENDED
    assert service.asked[0].url.path == "/v1/projects/shop/bundle"


def test_an_unchanged_bundle_is_not_sent_again(service: FakeService) -> None:
    client = client_of(service)
    client.refresh()
    assert client.refresh() is False
    assert service.asked[1].headers["If-None-Match"] == service.etag
    assert client.active_revision == 1


@pytest.mark.parametrize("how", ["truncated", "digest", "unknown action", "format", "wildcard"])
def test_a_bad_bundle_is_refused_whole_and_the_old_rules_stay(
    service: FakeService, how: str, warnings_said: pytest.LogCaptureFixture
) -> None:
    client = client_of(service)
    client.refresh()
    fresh = a_bundle(a_rule(), a_rule("ST-0002"), revision=2)
    service.publish(fresh, damaged(fresh.model_dump_json().encode(), how))
    assert client.refresh() is False
    assert client.refresh() is False
    assert client.active_revision == 1
    assert client.decide(a_view()).arguments == MENDED
    assert len(warnings_said.records) == 1
    assert "revision 1 from memory stays in use" in warnings_said.text


def test_the_etag_advances_only_after_activation(service: FakeService) -> None:
    client = client_of(service)
    client.refresh()
    first, fresh = service.etag, a_bundle(a_rule("ST-0002"), revision=2)
    service.publish(fresh, damaged(fresh.model_dump_json().encode(), "digest"))
    client.refresh()
    service.publish(fresh)
    assert client.refresh() is True
    assert [request.headers.get("If-None-Match") for request in service.asked] == [None, first, first]
    assert client.active_revision == 2


def test_a_bundle_of_another_project_is_refused(service: FakeService) -> None:
    client = client_of(service, project="bank")
    assert client.refresh() is False
    assert client.active_revision is None


def test_while_the_service_is_down_the_last_good_rules_stay(
    service: FakeService, warnings_said: pytest.LogCaptureFixture
) -> None:
    client = client_of(service)
    client.refresh()
    service.up = False
    for _ in range(3):
        assert client.refresh() is False
    assert client.decide(a_view()).arguments == MENDED
    assert len(warnings_said.records) == 1
    service.up = True
    client.refresh()
    service.up = False
    client.refresh()
    assert len(warnings_said.records) == 2


def test_a_new_process_without_a_service_works_from_disk(service: FakeService, tmp_path: Path) -> None:
    client_of(service, tmp_path).refresh()
    service.up = False
    client = client_of(service, tmp_path)
    assert client.refresh() is False
    assert client.status.origin == "disk"
    assert client.decide(a_view()).arguments == MENDED


def test_the_cache_is_readable_by_its_owner_alone_and_leaves_no_pieces(
    service: FakeService, tmp_path: Path
) -> None:
    folder = tmp_path / "cache"
    client_of(service, folder).refresh()
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_cache_of_a_strangely_named_project_stays_in_its_folder(
    service: FakeService, tmp_path: Path
) -> None:
    service.publish(a_bundle(a_rule(), project="../商店"))
    client_of(service, tmp_path / "cache", project="../商店").refresh()
    assert len(list((tmp_path / "cache").iterdir())) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]


@pytest.mark.parametrize("how", ["truncated", "digest", "unknown action"])
def test_a_damaged_cache_is_refused_like_a_damaged_download(
    service: FakeService, tmp_path: Path, how: str, warnings_said: pytest.LogCaptureFixture
) -> None:
    client_of(service, tmp_path).refresh()
    (file,) = tmp_path.iterdir()
    file.write_bytes(damaged(file.read_bytes(), how))
    service.up = False
    client = client_of(service, tmp_path)
    assert client.active_revision is None
    assert client.decide(a_view()).arguments == SENT
    assert "the cached bundle was refused whole" in warnings_said.text


def test_a_refused_bundle_does_not_replace_the_cache(service: FakeService, tmp_path: Path) -> None:
    client = client_of(service, tmp_path)
    client.refresh()
    service.publish(a_bundle(revision=2), b"{}")
    client.refresh()
    service.up = False
    assert client_of(service, tmp_path).active_revision == 1


def test_a_cache_that_cannot_be_written_is_said_and_changes_nothing_else(
    service: FakeService, tmp_path: Path, warnings_said: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    client = client_of(service, tmp_path / "file")
    assert client.refresh() is True
    assert client.decide(a_view()).arguments == MENDED
    assert "could not be cached" in warnings_said.text


def test_past_its_last_day_a_rule_never_applies_whatever_the_cache_says(
    service: FakeService, tmp_path: Path
) -> None:
    client_of(service, tmp_path).refresh()
    service.up = False
    clock = Clock()
    client = client_of(service, tmp_path, clock=clock)
    assert client.decide(a_view()).arguments == MENDED
    clock.forward(days=365)
    assert client.decide(a_view()).arguments == SENT
    assert client.decide(a_view(run_id="later")).arguments == SENT


def test_without_service_and_cache_every_call_passes_and_that_is_said_once(
    service: FakeService, tmp_path: Path, warnings_said: pytest.LogCaptureFixture
) -> None:
    service.up = False
    client = client_of(service, tmp_path)
    for _ in range(3):
        client.refresh()
        assert client.decide(a_view()).arguments == SENT
    assert [record.getMessage() for record in warnings_said.records] == [
        (
            "the service did not answer with rules (errata.test: connection refused), and there is no cached bundle: "
            "every call passes unchanged"
        )
    ]


def test_a_wrong_token_keeps_the_rules_and_is_said(
    service: FakeService, tmp_path: Path, warnings_said: pytest.LogCaptureFixture
) -> None:
    client_of(service, tmp_path).refresh()
    client = client_of(service, tmp_path, token="wrong")
    assert client.refresh() is False
    assert client.decide(a_view()).arguments == MENDED
    assert "HTTP 401: Unauthorized: unknown token" in warnings_said.text
    assert "revision 1 from disk stays in use" in warnings_said.text


def test_a_run_keeps_the_revision_that_it_began_with(service: FakeService) -> None:
    client = client_of(service)
    client.refresh()
    assert client.pin("old") == 1
    service.publish(a_bundle(revision=2))
    assert client.refresh() is True
    assert client.decide(a_view(run_id="old")).arguments == MENDED
    assert client.decide(a_view(run_id="new")).arguments == SENT
    client.release("old")
    assert client.decide(a_view(run_id="old")).arguments == SENT


def test_the_first_decision_pins_a_run_too(service: FakeService) -> None:
    client = client_of(service)
    assert client.decide(a_view()).arguments == SENT
    client.refresh()
    assert client.decide(a_view()).arguments == SENT
    assert client.decide(a_view(run_id="run-2")).arguments == MENDED


def test_firings_are_reported_with_the_revision_that_was_applied(service: FakeService) -> None:
    client = client_of(service)
    client.refresh()
    client.decide(a_view())
    client.decide(a_view({"order_id": "none"}))
    assert client.flush() == 1
    (body,) = service.told
    assert (body["active_revision"], body["agent"]) == (1, "desk")
    (report,) = service.reports
    assert (report["run_id"], report["tool"], report["step_id"]) == ("run-1", "get_order", "fetch")
    assert (report["arm"], report["bundle_revision"], report["agent"]) == ("treated", 1, "desk")
    assert report["firing"]["after"] == MENDED


def test_the_id_of_a_report_derives_from_what_it_says(service: FakeService) -> None:
    clock = Clock()
    client = client_of(service, clock=clock)
    client.refresh()
    for run_id in ("run-1", "run-1", "run-2"):
        client.decide(a_view(run_id=run_id))
    clock.forward(seconds=1)
    client.decide(a_view())
    client.flush()
    same, again, other, later = (report["report_id"] for report in service.reports)
    assert same == again
    assert len({same, other, later}) == 3


def test_reports_go_in_batches(service: FakeService) -> None:
    client = client_of(service)
    client.refresh()
    for number in range(450):
        client.decide(a_view(run_id=f"run-{number}"))
    assert client.flush() == 450
    assert [len(body["reports"]) for body in service.told] == [200, 200, 50]


def test_when_the_queue_is_full_reports_are_dropped_and_counted(service: FakeService) -> None:
    client = client_of(service, max_queue=3)
    client.refresh()
    for _ in range(5):
        assert client.decide(a_view()).arguments == MENDED
    assert (client.status.queued, client.status.dropped) == (3, 2)


@pytest.mark.parametrize("status", [500, 401, 429])
def test_what_the_service_cannot_take_now_is_sent_later(
    service: FakeService, status: int, warnings_said: pytest.LogCaptureFixture
) -> None:
    client = client_of(service)
    client.refresh()
    client.decide(a_view())
    service.refuse_reports = status
    assert [client.flush(), client.flush()] == [0, 0]
    assert len(warnings_said.records) == 1
    service.refuse_reports = None
    assert client.flush() == 1
    assert client.status.dropped == 0


def test_reports_that_the_service_refuses_are_dropped(service: FakeService) -> None:
    client = client_of(service)
    client.refresh()
    client.decide(a_view())
    service.refuse_reports = 422
    assert client.flush() == 0
    assert (client.status.queued, client.status.dropped) == (0, 1)


def test_single_reports_that_the_service_refuses_are_counted(service: FakeService) -> None:
    client = client_of(service)
    client.refresh()
    client.decide(a_view())
    service.refused = 1
    assert client.flush() == 1
    assert client.status.dropped == 1


def test_a_new_revision_is_told_even_if_nothing_fired(service: FakeService) -> None:
    client = client_of(service)
    assert client.flush() == 0
    assert service.told == []
    client.refresh()
    client.flush()
    client.flush()
    assert service.told == [{"reports": [], "active_revision": 1, "agent": "desk"}]


def test_arguments_that_are_no_json_are_reported_as_their_text(service: FakeService) -> None:
    client = client_of(service)
    client.refresh()
    arguments: Any = {"order_id": "2378156", "path": Path("a"), "items": (1, {2})}
    client.decide(
        CallView.model_construct(run_id="r", step_id="fetch", tool="get_order", arguments=arguments)
    )
    assert client.flush() == 1
    assert service.reports[0]["firing"]["before"] == {"order_id": "2378156", "path": "a", "items": [1, "{2}"]}


def test_holdout_runs_never_get_a_rule_but_what_would_have_fired_is_reported(service: FakeService) -> None:
    service.publish(a_bundle(a_rule(), holdout=0.5))
    client = client_of(service)
    client.refresh()
    arms = {}
    for number in range(200):
        run_id = f"run-{number}"
        decision = client.decide(a_view(run_id=run_id))
        arms[run_id] = client.arm(run_id)
        assert decision.arguments == (SENT if arms[run_id] == "holdout" else MENDED)
    client.flush()
    assert {report["run_id"]: report["arm"] for report in service.reports} == arms
    assert {report["firing"]["mode"] for report in service.reports if report["arm"] == "holdout"} == {
        "shadow"
    }
    assert 60 < sum(arm == "holdout" for arm in arms.values()) < 140


def test_a_canary_rule_goes_to_its_share_of_runs(service: FakeService) -> None:
    service.publish(a_bundle(a_rule(share=0.25), a_rule("ST-0002", {"kind": "hint", "text": "h"})))
    client = client_of(service)
    client.refresh()
    outcomes = [client.decide(a_view(run_id=f"run-{number}")).outcome for number in range(400)]
    assert set(outcomes) == {"rewrite", "hint"}
    assert 60 < outcomes.count("rewrite") < 140
    client.flush()
    canary = [report["arm"] for report in service.reports if report["firing"]["rule_id"] == "ST-0001"]
    assert canary.count("treated") == outcomes.count("rewrite")
    assert canary.count("holdout") == outcomes.count("hint")


def test_a_rule_that_needs_context_is_said_to_be_unanswerable_once(
    service: FakeService, warnings_said: pytest.LogCaptureFixture
) -> None:
    service.publish(a_bundle(a_rule(conditions=[{"kind": "repeated", "times": 1}])))
    client = client_of(service)
    client.refresh()
    for _ in range(2):
        assert client.decide(a_view(has_context=False)).outcome == "pass"
    assert client.status.unanswerable == 2
    assert [record.getMessage() for record in warnings_said.records] == [
        "rules that need a run context never fire: make call views with RunContext"
    ]


def test_a_fault_of_the_client_never_reaches_the_agent(
    service: FakeService, warnings_said: pytest.LogCaptureFixture
) -> None:
    client = client_of(service)
    client.refresh()
    broken = CallView.model_construct(run_id="r", step_id="fetch", tool="get_order", arguments=None)
    assert client.decide(broken).arguments is None
    assert "the call passes unchanged" in warnings_said.text


def test_many_threads_may_decide_while_rules_change(service: FakeService) -> None:
    client = client_of(service)
    client.refresh()
    bundles = [a_bundle(a_rule(), revision=revision) for revision in range(2, 10)]

    def change() -> None:
        for bundle in bundles:
            service.publish(bundle)
            client.refresh()

    with ThreadPoolExecutor(8) as pool:
        changing = pool.submit(change)
        outcomes = pool.map(lambda n: client.decide(a_view(run_id=f"run-{n}")).outcome, range(2_000))
        assert set(outcomes) == {"rewrite"}
        changing.result()
    assert client.active_revision == 9
    assert client.flush() == 2_000


def test_in_the_background_rules_are_fetched_and_reports_sent(service: FakeService) -> None:
    told = Event()
    take = service.handle_request

    class Signalling(FakeService):
        def handle_request(self, request: Any) -> Any:
            answer = take(request)
            if request.method == "POST":
                told.set()
            return answer

    with client_of(Signalling(), poll_seconds=0.001, report_seconds=0.001) as client:
        assert told.wait(20)
        assert client.active_revision == 1
        client.start()
    assert service.told[0]["active_revision"] == 1
    client.close()
    assert client.decide(a_view()).arguments == MENDED


def test_a_waiting_client_asks_the_service_to_hold_the_answer(service: FakeService) -> None:
    client = client_of(service)
    client.refresh(wait=20)
    client.refresh(wait=20)
    assert [request.url.params.get("wait") for request in service.asked] == [None, "20"]
