"""GitLab gets a branch with a file per rule and a merge request; merging approves, closing rejects."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml

from knowledge.kinds import DELIVERIES
from knowledge.stage import Shift
from knowledge.store import Query, Store
from strategies.bundles import current_bundle
from strategies.publish.gitlab import GitLab, description
from strategies.publish.port import Message, PublishError
from strategies.publish.stages import announce, settle
from tests.strategies.publish.drafts import FIRST, morning, states, strategy, with_live
from tests.strategies.publish.fake_gitlab import PROJECT as GITLAB_PROJECT
from tests.strategies.publish.fake_gitlab import TOKEN, URL, FakeGitLab
from tests.strategies.shop import NOW, PROJECT


@pytest.fixture
def shift(store: Store) -> Shift:
    return morning(store)


@pytest.fixture
def server() -> FakeGitLab:
    return FakeGitLab()


@pytest.fixture
def gitlab(server: FakeGitLab) -> GitLab:
    return GitLab(server.client(), URL, TOKEN, GITLAB_PROJECT)


def branch(server: FakeGitLab) -> str:
    return str(server.requests[0]["source_branch"])


def test_a_night_is_a_branch_with_a_file_per_rule_and_a_request_with_the_evidence(
    shift: Shift, server: FakeGitLab, gitlab: GitLab
) -> None:
    announce(shift, [gitlab])
    (request,) = server.requests
    assert request["target_branch"] == "main"
    assert "ST\\-0001" not in request["description"]
    assert "right, 0 wrong" in request["description"]
    assert "| before | after |" in request["description"]
    document = yaml.safe_load(server.branches[branch(server)][f"rules/{FIRST}.yaml"])
    assert document["rule"]["id"] == FIRST
    assert document["evidence"]["harmed"] == 0
    assert server.branches["main"] == {"README.md": "rules"}


def test_merging_approves_in_the_name_of_who_merged(shift: Shift, server: FakeGitLab, gitlab: GitLab) -> None:
    announce(shift, [gitlab])
    assert settle(shift, [gitlab]).counts == {"approved": 0, "rejected": 0}
    server.merge(1, by="wang")

    report = settle(shift, [gitlab])
    assert report.skipped == ()
    approved = strategy(shift)
    assert approved.state == "active"
    assert approved.history[-1].actor == "wang (GitLab)"
    assert approved.history[-1].reason == "merge request !1 was merged"
    assert FIRST in [rule.id for rule in current_bundle(shift.store, PROJECT, NOW).rules]
    (delivery,) = shift.store.collection(PROJECT, DELIVERIES).scan(Query())
    assert delivery.item.state == "settled"
    assert settle(shift, [gitlab]).counts == {"approved": 0, "rejected": 0}


def test_closing_rejects_all_of_them(shift: Shift, server: FakeGitLab, gitlab: GitLab) -> None:
    announce(shift, [gitlab])
    server.close(1, by="wang")
    settle(shift, [gitlab])
    assert states(shift) == {"rejected"}
    assert strategy(shift).history[-1].reason == "merge request !1 was closed"


def test_a_file_that_was_left_out_of_the_merge_is_a_rejection(
    shift: Shift, server: FakeGitLab, gitlab: GitLab
) -> None:
    announce(shift, [gitlab])
    server.merge(1, without=f"rules/{FIRST}.yaml")
    settle(shift, [gitlab])
    assert strategy(shift).state == "rejected"
    assert strategy(shift).history[-1].reason == "merge request !1 was merged without it"


def test_a_rule_that_was_changed_in_the_request_is_approved_as_merged(
    shift: Shift, server: FakeGitLab, gitlab: GitLab
) -> None:
    announce(shift, [gitlab])
    path = f"rules/{FIRST}.yaml"
    document = yaml.safe_load(server.branches[branch(server)][path])
    document["rule"]["valid_until"] = "2026-04-01"
    server.merge(1, edited={path: yaml.safe_dump(document)})
    settle(shift, [gitlab])
    approved = strategy(shift)
    assert (approved.state, approved.rule.valid_until.isoformat()) == ("active", "2026-04-01")
    assert "edited" in approved.evidence.flags
    assert approved.rule.mode == "active"


@pytest.mark.parametrize(
    "text", ["not: a rule", "rule: [", "rule: {id: ST-0001}", "!!python/object:os.system {}"]
)
def test_a_merged_file_that_is_no_rule_is_said_and_nothing_goes_live(
    shift: Shift, server: FakeGitLab, gitlab: GitLab, text: str
) -> None:
    announce(shift, [gitlab])
    server.merge(1, edited={f"rules/{FIRST}.yaml": text})
    report = settle(shift, [gitlab])
    assert f"rules/{FIRST}.yaml" in str(report.skipped)
    assert strategy(shift).state == "in_review"


def test_a_second_try_finds_what_the_first_left_and_makes_no_second_request(
    shift: Shift, server: FakeGitLab, gitlab: GitLab
) -> None:
    message = Message(PROJECT, shift.now.date(), (strategy(shift),))
    assert gitlab.publish(message) == gitlab.publish(message)
    assert len(server.requests) == 1


def test_a_gitlab_that_is_down_fails_no_night_and_gets_it_later(
    shift: Shift, server: FakeGitLab, gitlab: GitLab
) -> None:
    server.down = True
    assert "cannot be reached" in str(announce(shift, [gitlab]).skipped)
    server.down = False
    announce(shift, [gitlab])
    server.down = True
    assert "cannot be reached" in str(settle(shift, [gitlab]).skipped)
    assert len(server.requests) == 1


def test_a_wrong_token_and_a_wrong_project_are_told(server: FakeGitLab, gitlab: GitLab) -> None:
    assert gitlab.test().reference == "main"
    with pytest.raises(PublishError, match="401"):
        replace(gitlab, token="wrong").test()
    with pytest.raises(PublishError, match="404"):
        replace(gitlab, project="nobody/nothing").test()
    with pytest.raises(PublishError, match="404"):
        replace(gitlab, target="no-such-branch").test()


def test_text_of_a_case_becomes_no_markup_and_no_quick_action(shift: Shift) -> None:
    draft = strategy(shift)
    row = draft.evidence.rows[0].model_copy(
        update={"error": "x\n/merge\n@all [click](https://evil.example) | <img>", "judgement": "right"}
    )
    evil = draft.model_copy(update={"evidence": draft.evidence.model_copy(update={"rows": (row,)})})
    told = description(Message(PROJECT, NOW.date(), (evil,)))
    assert "\n/merge" not in told
    assert "@all" not in told.replace("\\@all", "")
    assert "](https" not in told
    assert "<img>" not in told


HINT = {"kind": "hint", "text": "Order numbers have seven digits."}
BLOCK = {"kind": "block", "text": "Ask for the order's number."}


def test_a_request_says_in_whose_way_a_rule_would_get_and_its_file_how_that_is_acknowledged(
    shift: Shift, server: FakeGitLab, gitlab: GitLab
) -> None:
    with_live(shift, HINT, r"^[0-9]")
    announce(shift, [gitlab])
    assert "has to acknowledge hides:ST\\-0098" in server.requests[0]["description"].replace("ST-", "ST\\-")
    document = yaml.safe_load(server.branches[branch(server)][f"rules/{FIRST}.yaml"])
    assert document["acknowledge"] == []
    assert [one["acknowledge"] for one in document["conflicts"]] == ["hides:ST-0098"]


def test_merging_what_was_not_acknowledged_approves_nothing_and_says_so(
    shift: Shift, server: FakeGitLab, gitlab: GitLab
) -> None:
    with_live(shift, HINT, r"^[0-9]")
    announce(shift, [gitlab])
    server.merge(1)
    for _ in range(2):
        report = settle(shift, [gitlab])
        assert [one["strategy"] for one in report.skipped] == [FIRST]
        assert "acknowledge hides:ST-0098" in str(report.skipped)
    assert (strategy(shift).state, strategy(shift).rule.revision) == ("in_review", 1)


def test_merging_with_the_conflict_acknowledged_by_name_approves_and_writes_it_down(
    shift: Shift, server: FakeGitLab, gitlab: GitLab
) -> None:
    with_live(shift, HINT, r"^[0-9]")
    announce(shift, [gitlab])
    path = f"rules/{FIRST}.yaml"
    document = yaml.safe_load(server.branches[branch(server)][path])
    document["acknowledge"] = ["hides:ST-0098"]
    server.merge(1, edited={path: yaml.safe_dump(document)})
    settle(shift, [gitlab])
    approved = strategy(shift)
    assert approved.state == "active"
    assert approved.history[-1].reason == "merge request !1 was merged, acknowledging hides:ST-0098"
    assert "edited" not in approved.evidence.flags


def test_a_conflict_that_is_refused_cannot_be_acknowledged(
    shift: Shift, server: FakeGitLab, gitlab: GitLab
) -> None:
    with_live(shift, BLOCK, r"^[0-9]{7}$", "ST-0000")
    announce(shift, [gitlab])
    assert "cannot be approved" in server.requests[0]["description"]
    path = f"rules/{FIRST}.yaml"
    document = yaml.safe_load(server.branches[branch(server)][path])
    document["acknowledge"] = ["shadows:ST-0000"]
    server.merge(1, edited={path: yaml.safe_dump(document)})
    assert "cannot go live" in str(settle(shift, [gitlab]).skipped)
    assert strategy(shift).state == "in_review"


@pytest.mark.parametrize("written", ["hides:ST-0098", {"hides": "ST-0098"}, [1]])
def test_an_acknowledgement_that_is_no_list_of_names_is_said(
    shift: Shift, server: FakeGitLab, gitlab: GitLab, written: object
) -> None:
    announce(shift, [gitlab])
    path = f"rules/{FIRST}.yaml"
    document = yaml.safe_load(server.branches[branch(server)][path])
    document["acknowledge"] = written
    server.merge(1, edited={path: yaml.safe_dump(document)})
    assert "is a list of names" in str(settle(shift, [gitlab]).skipped)
    assert strategy(shift).state == "in_review"


def test_an_edit_that_cannot_go_live_is_made_once(shift: Shift, server: FakeGitLab, gitlab: GitLab) -> None:
    with_live(shift, HINT, r"^[0-9]")
    announce(shift, [gitlab])
    path = f"rules/{FIRST}.yaml"
    document = yaml.safe_load(server.branches[branch(server)][path])
    document["rule"]["valid_until"] = "2026-04-01"
    server.merge(1, edited={path: yaml.safe_dump(document)})
    for _ in range(3):
        settle(shift, [gitlab])
    assert strategy(shift).rule.revision == 2
