"""The draft of a work order: what a cluster of problems would look like as a root cause. Pure."""

from __future__ import annotations

from collections import Counter

from attribution.clusters import Cluster
from attribution.features import Surroundings
from attribution.gates import kind_tells
from attribution.languages import by_language
from attribution.terms import TermCounts, key_terms
from attribution.text import normalised
from knowledge.cases import Problem
from knowledge.causes import Exemplar, Feature, RootCause, WorkOrder

MAX_EXEMPLARS = 20
MAX_NAME = 80
TOOLS_NAMED = 5
_KINDS = {
    "word": ("the words", "字词"),
    "error_kind": ("the kind of error", "错误种类"),
    "tool": ("the tool", "工具"),
    "step_id": ("the step", "步骤"),
    "tool_before": ("before it", "之前调用过"),
    "agent": ("the agent", "智能体"),
    "model": ("the model", "模型"),
    "provenance": ("where values came from", "参数来源"),
}


def draft_order(
    order_id: str, cluster: Cluster, everywhere: TermCounts, around: Surroundings | None = None
) -> WorkOrder:
    """An open work order for the cluster. Its draft bears the order's id until it is approved and is written in the
    language of the cases; the name is the most frequent error text, the exemplars are the distinct ones. `everywhere`
    counts the terms of all problems, `around` is what the cluster is told apart from."""
    members = cluster.members
    features = around.features(members) if around else ()
    return WorkOrder(
        order_id=order_id,
        cluster_id=cluster.cluster_id,
        draft=_draft(order_id, members, features),
        key_terms=key_terms([normalised(problem.error_pattern) for problem in members], everywhere),
        features=features,
        nearest=around.nearest(members) if around else (),
        fingerprints=tuple(problem.fingerprint for problem in members),
        cases=cluster.cases,
        first_seen=min(problem.first_seen for problem in members),
        last_seen=max(problem.last_seen for problem in members),
    )


def _draft(order_id: str, members: tuple[Problem, ...], features: tuple[Feature, ...]) -> RootCause:
    texts = _by_frequency(members)
    english, chinese = (by_language(texts).get(language, []) for language in ("en", "zh"))
    first = (english or chinese)[0]
    said = {"en": _statement(members, english, features), "zh": _statement_zh(members, chinese, features)}
    return RootCause(
        cause_id=order_id,
        name=_name(first, members[0]),
        name_zh=_name(chinese[0], members[0]) if chinese else "",
        statement=said["en"] if english else said["zh"],
        statement_zh=said["zh"] if chinese else "",
        error_codes=tuple(sorted({problem.error_code for problem in members})),
        error_kinds=tuple(sorted({one.error_kind for one in members if kind_tells(one.error_code)})),
        exemplars=tuple(Exemplar(error_pattern=text, origin=order_id) for text in texts[:MAX_EXEMPLARS]),
        created_by=order_id,
    )


def _name(text: str, problem: Problem) -> str:
    """The text as it is compared, cut at a word where it is long."""
    name = normalised(text) or problem.error_code
    if len(name) <= MAX_NAME:
        return name
    start, _, _ = name[:MAX_NAME].rpartition(" ")
    return (start or name[:MAX_NAME]).rstrip(" ,;:，；：") + "…"


def _statement(members: tuple[Problem, ...], texts: list[str], features: tuple[Feature, ...]) -> str:
    if not texts:
        return ""
    tools = sorted({problem.tool for problem in members if problem.tool})
    where = f" of {', '.join(tools[:TOOLS_NAMED])}" if tools else ""
    cases, wording = sum(problem.count for problem in members), ", in one wording or another"
    counted = (
        f"{cases} cases in {len(members)} problems{where}" if len(members) > 1 else f"{cases} cases{where}"
    )
    told = "; ".join(f"{_KINDS[kind][0]} {values}" for kind, values in _grouped(features))
    apart = f". What sets them apart from what is near: {told}" if told else ""
    return f"{counted} say{wording if len(members) > 1 else ''}: {texts[0]}{apart}"


def _statement_zh(members: tuple[Problem, ...], texts: list[str], features: tuple[Feature, ...]) -> str:
    if not texts:
        return ""
    tools = sorted({problem.tool for problem in members if problem.tool})
    where = f"（{'、'.join(tools[:TOOLS_NAMED])}）" if tools else ""
    cases = sum(problem.count for problem in members)
    told = "；".join(f"{_KINDS[kind][1]} {values}" for kind, values in _grouped(features))
    apart = f"。与相近问题的区别：{told}" if told else ""
    wording = "说法大同小异" if len(members) > 1 else "报错"
    return f"{len(members)} 个问题、{cases} 个案例{where}{wording}：{texts[0]}{apart}"


def _grouped(features: tuple[Feature, ...]) -> list[tuple[str, str]]:
    """The values of each kind, in the features' order."""
    kinds = dict.fromkeys(feature.kind for feature in features)
    return [(kind, ", ".join(one.value for one in features if one.kind == kind)) for kind in kinds]


def _by_frequency(members: tuple[Problem, ...]) -> list[str]:
    """The distinct error patterns, the one with the most cases first; ties by text."""
    counted: Counter[str] = Counter()
    for problem in members:
        counted[problem.error_pattern] += problem.count
    return sorted(counted, key=lambda text: (-counted[text], text))
