"""thought.untagged: a thought that says not what in it is fact, inference or assumption, of an agent that does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from errata_client.replay import StepView
from errata_client.run import Run
from ingest.detectors.port import Detector, Finding
from ingest.detectors.thought_tags import is_tagged

ENOUGH = 20
"""Characters from which a thought says enough to be tagged."""

EXCERPT = 200


def detect(run: Run, _calls: Sequence[StepView]) -> Iterator[Finding]:
    """One finding for each thought without any of the tags fact, inference, assumption (事实, 推断, 假设; in brackets, or
    before a colon at the start of a line), in a run at least half of whose other thoughts carry one.

    Not: runs of agents that do not tag, or only now and then; thoughts of under 20 characters.
    Evidence: how many of the run's thoughts are tagged, and the start of this one.
    """
    thoughts = [
        (step.index, step.thought) for step in run.steps if step.thought and step.requestor == "agent"
    ]
    long = [(index, text) for index, text in thoughts if len(text.strip()) >= ENOUGH]
    tagged = sum(is_tagged(text) for _, text in long)
    if tagged < 2 or tagged * 2 < len(long):
        return
    for index, text in long:
        if not is_tagged(text):
            yield Finding(
                index=index,
                code="thought.untagged",
                message="the thought does not say what is fact, inference or assumption",
                evidence={"tagged": tagged, "thoughts": len(long), "starts": text.strip()[:EXCERPT]},
            )


DETECTOR = Detector("untagged_thought", ("thought.untagged",), detect)
