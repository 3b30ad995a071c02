"""What a language model proposes in a night, and how the command line shows it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from attribution.encoders.hashing import HashingEncoder
from ingest.service import ingest_runs
from jobs.nightly import run_night
from knowledge.causes import CauseProposal
from knowledge.errors import SettingsError
from knowledge.kinds import ATTRIBUTIONS, CAUSE_PROPOSALS, PROBLEMS, ROOT_CAUSES
from knowledge.store import Query
from tests.api.records import START, attribution, problem
from tests.attribution.making import cause
from tests.chat_server import Server
from tests.jobs.cli import CommandLine
from tests.jobs.small_shop import day
from wiring.build import Errata, build
from wiring.language_models import make_judge
from wiring.settings import Settings, load_settings

TWINS = ("RC-201", "RC-202")


@pytest.fixture
def undecided(errata: Errata) -> Errata:
    """Two causes say the same, so that a person has to decide which of them it is."""
    errata = replace(errata, encoders=(HashingEncoder(),))
    twins = [cause(name, "flux capacitor drifts out of phase with the resonance chamber") for name in TWINS]
    errata.store.collection("shop", ROOT_CAUSES).add_many(twins)
    ingest_runs(day(), errata.shift("shop"), errata.masker("shop"))
    return errata


def test_a_night_with_a_judge_proposes_and_leaves_the_decision_open(undecided: Errata) -> None:
    server = Server({"root_cause": "RC-202"})
    report = run_night(replace(undecided, judge=server.model()), "shop")
    assert report.status == "done"
    (stage,) = [one for one in report.stages if one.stage == "judge"]
    assert stage.counts["proposed"] == len(server.asked) == 1
    assert report.attributed["abstained"] == 1
    proposed = [one.item for one in undecided.store.collection("shop", CAUSE_PROPOSALS).scan(Query())]
    assert [(one.root_cause, one.proposed_by_model) for one in proposed] == [("RC-202", "small")]


def test_a_judge_that_cannot_be_reached_is_noted_and_the_night_is_good(undecided: Errata) -> None:
    report = run_night(replace(undecided, judge=Server({}, 500).model()), "shop")
    assert report.status == "done"
    (stage,) = [one for one in report.stages if one.stage == "judge"]
    assert (stage.status, stage.counts["proposed"]) == ("done", 0)
    assert "answered 500" in str(stage.skipped)


def test_a_proposal_is_shown_as_a_models_and_not_as_a_decision(cli: CommandLine) -> None:
    errata = build(load_settings())
    errata.ensure_project("shop")
    open_one = attribution(0).model_copy(update={"verdict": "abstained", "root_cause": None})
    proposal = CauseProposal(
        fingerprint="fp-00000",
        root_cause="RC-042",
        candidates=("RC-042",),
        proposed_by_model="small",
        asked="q",
        at=START,
    )
    errata.store.collection("shop", PROBLEMS).add_many([problem(0)])
    errata.store.collection("shop", ATTRIBUTIONS).add_many([open_one])
    errata.store.collection("shop", CAUSE_PROPOSALS).add_many([proposal])
    errata.close()

    shown = cli("problems", "show", "fp-00000", "--project", "shop")
    assert "RC-042 (small); not decided" in " ".join(shown.out.split())
    document = cli.json("problems", "show", "fp-00000", "--project", "shop")
    assert document["model_proposal"]["proposed_by_model"] == "small"
    assert document["attribution"]["root_cause"] is None


def test_no_judge_is_asked_without_an_address_and_one_without_a_name_is_an_error(errata: Errata) -> None:
    http = Server({}).model().http
    assert errata.judge is None
    assert make_judge(Settings(), http) is None
    with pytest.raises(SettingsError, match="ERRATA_JUDGE_URL is set, but not ERRATA_JUDGE_MODEL"):
        make_judge(Settings(judge_url="http://model/v1"), http)
    named = make_judge(Settings(judge_url="http://model/v1", judge_model="small"), http)
    assert named is not None
    assert named.name == "small"
