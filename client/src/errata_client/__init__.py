"""The client of Errata: the words both sides speak, the rule engine, and the sync with the service."""

from errata_client.bundle import Bundle, BundleError, read_bundle
from errata_client.client import ClientStatus, RuleClient
from errata_client.context import RunContext
from errata_client.current import current_run, running
from errata_client.decision import Decision, Firing
from errata_client.decorator import CallBlocked, guarded
from errata_client.engine import Engine
from errata_client.replay import StepView, replay
from errata_client.rule import Rule
from errata_client.run import Run
from errata_client.view import CallView

__all__ = [
    "Bundle",
    "BundleError",
    "CallBlocked",
    "CallView",
    "ClientStatus",
    "Decision",
    "Engine",
    "Firing",
    "Rule",
    "RuleClient",
    "Run",
    "RunContext",
    "StepView",
    "current_run",
    "guarded",
    "read_bundle",
    "replay",
    "running",
]
