"""Slack gets the drafts with their rows; what it refuses is kept, said and tried again."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from knowledge.kinds import DELIVERIES, STRATEGIES
from knowledge.stage import Shift
from knowledge.store import Query, Store
from knowledge.strategies import Strategy
from strategies import review
from strategies.neighbours import conflicts_among
from strategies.publish.port import Message, PublishError
from strategies.publish.slack import MAX_DRAFTS, SlackBot, SlackWebhook, blocks_of
from strategies.publish.stages import announce
from tests.strategies.publish.drafts import FIRST, morning, strategy, with_live
from tests.strategies.publish.fake_slack import HOOK, TOKEN, FakeSlack
from tests.strategies.shop import NOW, PROJECT


@pytest.fixture
def shift(store: Store) -> Shift:
    return morning(store)


@pytest.fixture
def slack() -> FakeSlack:
    return FakeSlack()


@pytest.fixture
def webhook(slack: FakeSlack) -> SlackWebhook:
    return SlackWebhook(slack.client(), HOOK)


def refuse(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError(f"connection to {request.url} refused", request=request)


def text_in(message: dict[str, Any]) -> str:
    return "\n".join(block["text"]["text"] for block in message["blocks"] if "text" in block)


def test_a_draft_comes_with_its_words_its_figures_and_its_rows(
    shift: Shift, slack: FakeSlack, webhook: SlackWebhook
) -> None:
    assert announce(shift, [webhook], "https://errata.example.com").counts["failed"] == 0
    (message,) = slack.messages
    draft = strategy(shift)
    assert "to review" in message["text"]
    told = text_in(message)
    assert f"{FIRST} rewrite" in told
    assert f"{draft.evidence.right} right, 0 wrong" in told
    assert "→" in told
    assert "errata.example.com" in str(message["blocks"][-1])


def test_what_was_sent_is_not_sent_again(shift: Shift, slack: FakeSlack, webhook: SlackWebhook) -> None:
    announce(shift, [webhook])
    assert announce(shift, [webhook]).counts == {"sent": 0, "failed": 0}
    assert len(slack.messages) == 1


def test_a_failure_is_kept_with_its_error_and_tried_again(
    shift: Shift, slack: FakeSlack, webhook: SlackWebhook
) -> None:
    slack.down = True
    report = announce(shift, [webhook])
    assert report.counts["sent"] == 0
    assert "Slack answered 503: upstream connect error" in str(report.skipped)
    (kept,) = shift.store.collection(PROJECT, DELIVERIES).scan(Query())
    assert (kept.item.state, kept.item.attempts) == ("failed", 1)

    slack.down = False
    assert announce(shift, [webhook]).counts["failed"] == 0
    (kept,) = shift.store.collection(PROJECT, DELIVERIES).scan(Query())
    assert (kept.item.state, kept.item.attempts, kept.item.error) == ("sent", 2, None)


def test_what_was_decided_meanwhile_is_not_sent_late(
    shift: Shift, slack: FakeSlack, webhook: SlackWebhook
) -> None:
    slack.down = True
    announce(shift, [webhook])
    review.reject(shift, FIRST, "mei", "no")
    slack.down = False
    announce(shift, [webhook])
    assert all(FIRST not in text_in(message) for message in slack.messages)


def test_no_error_repeats_the_secret_of_the_webhook(slack: FakeSlack, shift: Shift) -> None:
    wrong = SlackWebhook(slack.client(), HOOK.replace("services", "servces"))
    with pytest.raises(PublishError, match="404: no_service") as caught:
        wrong.test()
    assert "secret-of-the-test" not in str(caught.value)
    nobody = httpx.Client(transport=httpx.MockTransport(refuse))
    with pytest.raises(PublishError, match="cannot be reached: ConnectError") as caught:
        SlackWebhook(nobody, HOOK).test()
    assert "secret-of-the-test" not in str(caught.value)


def test_a_bot_posts_into_its_channel_and_knows_the_message(slack: FakeSlack, shift: Shift) -> None:
    bot = SlackBot(slack.client(), TOKEN, "C024BE91L")
    assert bot.test().reference == "C024BE91L:170000001.000100"
    announce(shift, [bot])
    assert len(slack.messages) == 2


@pytest.mark.parametrize(
    ("token", "channel", "told"),
    [(TOKEN, "C999", "invite the bot"), ("xoxb-other-token", "C024BE91L", "ERRATA_SLACK_TOKEN")],
)
def test_what_slack_answers_with_200_is_an_error_all_the_same(
    slack: FakeSlack, token: str, channel: str, told: str
) -> None:
    with pytest.raises(PublishError, match=told):
        SlackBot(slack.client(), token, channel).test()


def many(draft: Strategy, count: int) -> tuple[Strategy, ...]:
    return tuple(draft.model_copy(update={"strategy_id": f"ST-{number:04d}"}) for number in range(count))


def test_a_hundred_drafts_fit_into_one_message(shift: Shift, slack: FakeSlack, webhook: SlackWebhook) -> None:
    message = Message(PROJECT, NOW.date(), many(strategy(shift), 100))
    webhook.publish(message)
    assert f"and {100 - MAX_DRAFTS} more" in str(slack.messages[0]["blocks"][-1])


def test_text_of_a_case_becomes_no_mention_and_no_markup(shift: Shift) -> None:
    draft = strategy(shift)
    row = draft.evidence.rows[0].model_copy(
        update={"error": "<!channel> ```<https://evil.example|click>``` & more", "judgement": "right"}
    )
    evil = draft.model_copy(update={"evidence": draft.evidence.model_copy(update={"rows": (row,)})})
    told = str(blocks_of(Message(PROJECT, NOW.date(), (evil,))))
    assert "<!channel>" not in told
    assert "<https" not in told
    assert "&lt;!channel&gt;" in told
    assert told.count("```") == 2


def test_a_draft_comes_with_the_rules_that_it_would_get_in_the_way_of(
    shift: Shift, slack: FakeSlack, webhook: SlackWebhook
) -> None:
    with_live(shift, {"kind": "hint", "text": "Seven digits."}, r"^[0-9]")
    with_live(shift, {"kind": "block", "text": "Ask."}, r"^[0-9]{7}$", "ST-0000")
    announce(shift, [webhook])
    told = text_in(slack.messages[0])
    assert ":warning: has to acknowledge hides:ST-0098: ST-0001 changes what ST-0098 looks at" in told
    assert ":warning: shadows ST-0000, cannot be approved: ST-0000 stops calls that ST-0001 mends" in told


def test_of_two_drafts_in_each_others_way_the_later_one_is_marked(shift: Shift) -> None:
    first = strategy(shift)
    other = with_live(shift, {"kind": "hint", "text": "Seven digits."}, r"^[0-9]")
    waiting = strategy(shift, other).model_copy(update={"state": "in_review"})
    collection = shift.store.collection(PROJECT, STRATEGIES)
    stored = collection.get(other)
    assert stored is not None
    collection.put(waiting, stored.version)

    found = conflicts_among(shift, [first, waiting])
    assert {name: [one.acknowledge for one in told] for name, told in found.items()} == {
        other: [f"hides:{FIRST}"]
    }
