"""The targets that drafts are published to, as the settings name them."""

from __future__ import annotations

import httpx

from knowledge.errors import SettingsError
from strategies.publish.folder import Folder
from strategies.publish.gitlab import GitLab
from strategies.publish.port import Publisher
from strategies.publish.slack import SlackBot, SlackWebhook
from wiring.settings import Settings


def make_publishers(settings: Settings, http: httpx.Client) -> tuple[Publisher, ...]:
    """Those that are set up; SettingsError where half of what one needs is missing."""
    found = (_slack(settings, http), _gitlab(settings, http), _folder(settings))
    return tuple(publisher for publisher in found if publisher is not None)


def _slack(settings: Settings, http: httpx.Client) -> Publisher | None:
    if settings.slack_webhook is not None:
        return SlackWebhook(http, settings.slack_webhook.get_secret_value())
    if settings.slack_token is None:
        return None
    if not settings.slack_channel:
        raise SettingsError("ERRATA_SLACK_TOKEN is set, but not ERRATA_SLACK_CHANNEL: name the channel's id")
    return SlackBot(http, settings.slack_token.get_secret_value(), settings.slack_channel)


def _gitlab(settings: Settings, http: httpx.Client) -> Publisher | None:
    if settings.gitlab_token is None:
        return None
    if not settings.gitlab_project:
        raise SettingsError(
            "ERRATA_GITLAB_TOKEN is set, but not ERRATA_GITLAB_PROJECT: name it as group/rules"
        )
    return GitLab(
        http,
        settings.gitlab_url,
        settings.gitlab_token.get_secret_value(),
        settings.gitlab_project,
        settings.gitlab_branch,
        settings.gitlab_folder.strip("/"),
    )


def _folder(settings: Settings) -> Publisher | None:
    return None if settings.publish_folder is None else Folder(settings.publish_folder)
