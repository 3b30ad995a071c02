"""The night's story, stage by stage."""

from __future__ import annotations

import attribution.judging
import attribution.stages
import ingest.contrast.stage
import ingest.stages
import strategies.measuring
import strategies.publish.stages
import strategies.stages
from attribution.starter import seed_causes
from attribution.vectors import load_by_one
from ingest.tools.declared import declared_effects
from jobs.night import Stage
from knowledge.stage import Shift, StageReport
from strategies.taint import speaks_to_a_model
from wiring.build import Errata


def _collect(errata: Errata, shift: Shift) -> StageReport:
    """The starter root causes come first, so that the first night already attributes."""
    del errata
    seed_causes(shift)
    return ingest.stages.collect(shift)


def _contrast(errata: Errata, shift: Shift) -> StageReport:
    """Intents are compared by one encoder; those that it does not read are compared with nothing. What people said of
    the tools goes before what is learnt of them."""
    declared = declared_effects(shift)
    return ingest.contrast.stage.contrast(
        shift, lambda texts: load_by_one(shift, errata.encoders_of(shift.project), texts), declared
    )


def _embed(errata: Errata, shift: Shift) -> StageReport:
    return attribution.stages.embed(
        shift, errata.encoders_of(shift.project), errata.parameters_of(shift.project)
    )


def _attribute(errata: Errata, shift: Shift) -> StageReport:
    return attribution.stages.attribute(
        shift, errata.encoders_of(shift.project), errata.parameters_of(shift.project)
    )


def _cluster(errata: Errata, shift: Shift) -> StageReport:
    return attribution.stages.cluster(
        shift, errata.encoders_of(shift.project), errata.parameters_of(shift.project)
    )


def _judge(errata: Errata, shift: Shift) -> StageReport:
    """What reads like an instruction is told by the same words as where rules are made."""
    return attribution.judging.judge(shift, errata.judge, speaks_to_a_model, errata.settings.judge_budget)


def _settle(errata: Errata, shift: Shift) -> StageReport:
    return strategies.publish.stages.settle(shift, errata.publishers)


def _announce(errata: Errata, shift: Shift) -> StageReport:
    return strategies.publish.stages.announce(shift, errata.publishers, errata.settings.public_url)


STAGES: tuple[Stage, ...] = (
    Stage("collect", _collect),
    Stage("contrast", _contrast, needs=("collect",)),
    Stage("group", lambda _, shift: ingest.stages.group(shift), needs=("collect",)),
    Stage("embed", _embed, needs=("group",)),
    Stage("attribute", _attribute, needs=("embed",)),
    Stage("cluster", _cluster, needs=("attribute",)),
    Stage("judge", _judge, needs=("attribute",)),
    Stage(
        "synthesize",
        lambda errata, shift: strategies.stages.synthesize(shift, errata.rule_model),
        needs=("attribute",),
    ),
    Stage("backtest", lambda _, shift: strategies.stages.backtest(shift), needs=("synthesize",)),
    Stage("file", lambda _, shift: strategies.stages.file(shift), needs=("backtest",)),
    Stage("settle", _settle),
    Stage("measure", lambda _, shift: strategies.measuring.measure(shift), needs=("attribute",)),
    Stage("review", lambda _, shift: strategies.stages.review_live(shift)),
    Stage("publish", lambda _, shift: strategies.stages.publish(shift), needs=("review",)),
    Stage("announce", _announce, needs=("file",)),
)
