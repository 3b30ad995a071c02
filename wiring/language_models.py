"""The language models that may help, as the settings name them: one that proposes rules, one that proposes root causes."""

from __future__ import annotations

import httpx
from pydantic import SecretStr

from knowledge.errors import SettingsError
from knowledge.language_model import LanguageModel
from wiring.chat_model import ChatModel
from wiring.settings import Settings


def make_rule_model(settings: Settings, http: httpx.Client) -> LanguageModel | None:
    """The model that proposes rules; None where no address is set. SettingsError where it has no name."""
    return _made(http, settings.model_url, settings.model_name, settings.model_key, "ERRATA_MODEL_NAME")


def make_judge(settings: Settings, http: httpx.Client) -> LanguageModel | None:
    """The model that proposes root causes; None where no address is set. SettingsError where it has no name."""
    return _made(http, settings.judge_url, settings.judge_model, settings.judge_token, "ERRATA_JUDGE_MODEL")


def _made(
    http: httpx.Client, url: str | None, name: str | None, key: SecretStr | None, names: str
) -> LanguageModel | None:
    if url is None:
        return None
    if not name:
        raise SettingsError(f"{names.rpartition('_')[0]}_URL is set, but not {names}: name the model to ask")
    return ChatModel(http, url, name, key.get_secret_value() if key else None)
