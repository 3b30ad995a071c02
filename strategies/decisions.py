"""What agents report of the rules that fired."""

from __future__ import annotations

from collections.abc import Iterable

from errata_client.decision import DecisionReport
from knowledge.kinds import DECISIONS
from knowledge.stage import Shift
from knowledge.store import BulkReport
from knowledge.strategies import ReportedDecision


def take_reports(shift: Shift, reports: Iterable[DecisionReport]) -> BulkReport:
    """Keep the reports, one result each in their order; one that is known already stays as it was."""
    stored = [ReportedDecision(**dict(report), received_at=shift.now) for report in reports]
    return shift.store.collection(shift.project, DECISIONS).add_many(stored)
