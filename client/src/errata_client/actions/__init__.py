"""What a rule does: one file per group of kinds, one registry."""

from errata_client.actions.registry import ACTIONS as ACTIONS
from errata_client.actions.registry import action_of as action_of
