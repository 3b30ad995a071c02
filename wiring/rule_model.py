"""The language model that may propose rules, as the settings name it."""

from __future__ import annotations

import httpx

from knowledge.errors import SettingsError
from strategies.chat_model import ChatModel
from strategies.model_proposals import RuleModel
from wiring.settings import Settings


def make_rule_model(settings: Settings, http: httpx.Client) -> RuleModel | None:
    """The model; None where no address is set. SettingsError where it has no name."""
    if settings.model_url is None:
        return None
    if not settings.model_name:
        raise SettingsError("ERRATA_MODEL_URL is set, but not ERRATA_MODEL_NAME: name the model to ask")
    key = settings.model_key.get_secret_value() if settings.model_key else None
    return ChatModel(http, settings.model_url, settings.model_name, key)
