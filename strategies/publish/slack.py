"""Slack: a message with the night's drafts, by an incoming webhook or as a bot (`chat.postMessage`).

Limits are Slack's: 50 blocks a message, 3,000 characters a section, 150 a header.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx

from strategies.publish.port import Message, PublishError, Sent
from strategies.publish.sending import send
from strategies.publish.wording import conflicts, figures, rows, summary, title

API = "https://slack.com/api"
MAX_DRAFTS = 15
MAX_SECTION = 3_000
MAX_HEADER = 150
SAMPLE = "This is a test of Errata: the drafts of a night will come here."


@dataclass(frozen=True)
class SlackWebhook:
    """Posts to the URL of an incoming webhook. The URL is a secret: no error repeats it."""

    http: httpx.Client
    url: str
    name: str = "slack"

    def publish(self, message: Message) -> Sent:
        """One message with all drafts."""
        return self._post(text_of(message), blocks_of(message))

    def test(self) -> Sent:
        """A line that says that it is a test."""
        return self._post(SAMPLE, [_section(SAMPLE)])

    def _post(self, text: str, blocks: list[dict[str, Any]]) -> Sent:
        answer = send(self.http, "POST", self.url, "Slack", json={"text": text, "blocks": blocks})
        if answer.text.strip() != "ok":
            raise PublishError(f"Slack did not take it: {answer.text[:200]}")
        return Sent()


@dataclass(frozen=True)
class SlackBot:
    """Posts with a bot token, which needs the scope chat:write, into a channel that the bot is in."""

    http: httpx.Client
    token: str
    channel: str
    api: str = API
    name: str = "slack"

    def publish(self, message: Message) -> Sent:
        """One message with all drafts; its reference is Slack's `channel:ts`."""
        return self._post(text_of(message), blocks_of(message))

    def test(self) -> Sent:
        """A line that says that it is a test."""
        return self._post(SAMPLE, [_section(SAMPLE)])

    def _post(self, text: str, blocks: list[dict[str, Any]]) -> Sent:
        answer = send(
            self.http,
            "POST",
            f"{self.api}/chat.postMessage",
            "Slack",
            json={"channel": self.channel, "text": text, "blocks": blocks, "unfurl_links": False},
            headers={"Authorization": f"Bearer {self.token}"},
        )
        try:
            told = answer.json()
        except ValueError as error:
            raise PublishError(f"Slack answered {answer.text[:200]!r}, which is not JSON") from error
        if not told.get("ok"):
            raise PublishError(f"Slack did not take it: {told.get('error', 'no reason given')}{_hint(told)}")
        return Sent(reference=f"{told.get('channel')}:{told.get('ts')}")


def text_of(message: Message) -> str:
    """What a notification shows."""
    many = len(message.drafts)
    return f"{message.project}: {many} {'rule' if many == 1 else 'rules'} to review from the night of {message.day}"


def blocks_of(message: Message) -> list[dict[str, Any]]:
    """The message: a header, each draft with its words, figures and before → after rows, and where to decide."""
    heading = {"type": "plain_text", "text": text_of(message)[:MAX_HEADER]}
    blocks: list[dict[str, Any]] = [{"type": "header", "text": heading}]
    for draft in message.drafts[:MAX_DRAFTS]:
        told = [f"*{_escaped(title(draft))}*", _escaped(summary(draft)), f"_{_escaped(figures(draft))}_"]
        told += [f":warning: {_escaped(line)}" for line in conflicts(message.conflicts_of(draft))]
        blocks.append(_section("\n".join(told)))
        shown = "\n".join(f"{_escaped(before)}  →  {_escaped(after)}" for before, after in rows(draft))
        if shown:
            blocks.append(_section(f"```{shown[: MAX_SECTION - 6]}```"))
    left = len(message.drafts) - MAX_DRAFTS
    closing = f"and {left} more. " if left > 0 else ""
    where = f"Review at {message.link}" if message.link else "errata strategies list --state in_review"
    blocks.append(
        {"type": "context", "elements": [{"type": "mrkdwn", "text": f"{closing}{_escaped(where)}"}]}
    )
    return blocks


def _section(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text[:MAX_SECTION]}}


def _escaped(text: str) -> str:
    """As Slack wants it: nothing in a draft may become a mention, a link or formatting of its own."""
    plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return plain.replace("```", "'''")


def _hint(told: dict[str, Any]) -> str:
    hints = {
        "not_in_channel": ": invite the bot to the channel",
        "channel_not_found": ": name the channel by its id, and invite the bot",
        "invalid_auth": ": check ERRATA_SLACK_TOKEN",
        "missing_scope": f": the token needs {told.get('needed', 'chat:write')}",
    }
    return hints.get(str(told.get("error")), "")
