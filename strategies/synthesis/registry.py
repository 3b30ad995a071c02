"""Every synthesiser there is. A new one is a file beside these, and a line here."""

from __future__ import annotations

from collections.abc import Iterator

from strategies.material import Material
from strategies.synthesis.argument_form import form_separations
from strategies.synthesis.argument_rewrite import ArgumentRewrite
from strategies.synthesis.ask_for_value import AskForValue
from strategies.synthesis.before_answer import CheckBeforeAnswer
from strategies.synthesis.confirm import AskFirst
from strategies.synthesis.derived_amount import DerivedAmount
from strategies.synthesis.json_extraction import JsonExtraction
from strategies.synthesis.kindred import KindredPrecondition
from strategies.synthesis.loop_breaker import LoopBreaker
from strategies.synthesis.port import FULL, Demand, Draft, Synthesiser
from strategies.synthesis.precondition import Precondition
from strategies.synthesis.prerequisite import Prerequisite
from strategies.synthesis.replan import PlanAnew
from strategies.synthesis.retry import RetryTransient
from strategies.synthesis.schema_repair import SchemaRepair

SYNTHESISERS: tuple[Synthesiser, ...] = (
    ArgumentRewrite(),
    RetryTransient(),
    AskForValue(),
    Precondition(),
    KindredPrecondition(),
    Precondition("argument_form", (form_separations,), share=0.0),
    DerivedAmount(),
    SchemaRepair(),
    JsonExtraction(),
    Prerequisite(),
    AskFirst(),
    PlanAnew(),
    CheckBeforeAnswer(),
    LoopBreaker(),
)
OF_KIN: tuple[Synthesiser, ...] = (KindredPrecondition(),)
"""Those that draft for a tool from the failures of others."""


def drafts(material: Material, demand: Demand = FULL) -> Iterator[Draft]:
    """The drafts of every synthesiser, in the registry's order; where the scope has no failures of the cause, of those alone
    that hear its kin."""
    for synthesiser in SYNTHESISERS if material.cases else OF_KIN:
        yield from synthesiser.propose(material, demand)


def named(name: str) -> Synthesiser:
    """The synthesiser of that name; KeyError for one that is not in the registry."""
    return {synthesiser.name: synthesiser for synthesiser in SYNTHESISERS}[name]
