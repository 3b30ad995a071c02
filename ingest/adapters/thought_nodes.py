"""Thoughts out of the nodes of a tree, as records name their parts; a node that acts is a step too."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from errata_client.deliberation import Thought, ThoughtState
from errata_client.run import Step
from ingest.adapters.record_fields import flag_at, number_at, text_at
from ingest.adapters.trajectory import fields_of

MAX_THOUGHTS = 50_000
IDS = ("id", "node_id", "thought_id", "key", "编号")
PARENTS = ("parent", "parent_id", "parentId", "parent_node", "父节点")
TEXTS = ("thought", "text", "content", "thought_text", "name", "label", "state", "思考", "内容")
VALUES = ("value", "score", "v", "evaluation", "reward", "q_value", "评分")
CHILDREN = ("children", "child_nodes", "子节点")
WORDS: dict[str, ThoughtState] = {
    **dict.fromkeys(("pruned", "discarded", "rejected", "cut", "剪枝", "已剪枝"), "pruned"),
    **dict.fromkeys(("dead", "dead_end", "failed", "invalid", "impossible", "死路", "失败"), "dead"),
    **dict.fromkeys(
        ("chosen", "selected", "accepted", "best", "solution", "final", "solved", "选中"), "chosen"
    ),
    **dict.fromkeys(("expanded", "visited", "explored", "closed", "已扩展"), "expanded"),
    **dict.fromkeys(("open", "pending", "leaf", "new", "active", "未扩展"), "open"),
}
RATED = {"sure": 1.0, "certain": 1.0, "likely": 0.5, "maybe": 0.5, "impossible": 0.0}
"""Values that are words, as the published prompts have them."""


@dataclass
class GrownTree:
    """The thoughts in the order of their making, the steps of those that acted, and what could not be used."""

    thoughts: list[Thought] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    troubles: list[tuple[str, str]] = field(default_factory=list)


def nodes_listed(value: Any, edges: Any = None) -> list[Any] | None:
    """Nodes in a list, or by id, if they are thoughts with parents. `edges` may say what the nodes do not: [[parent, child]]."""
    if isinstance(value, dict) and value and all(isinstance(node, dict) for node in value.values()):
        value = [{"id": key, **node} for key, node in value.items()]
    if not isinstance(value, list) or not any(isinstance(node, dict) for node in value):
        return None
    parents = _parents_in(edges)
    listed = [_with_parent(node, parents) for node in value]
    known = [node for node in listed if isinstance(node, dict)]
    linked = any(text_at(node, *PARENTS) is not None for node in known)
    valued = any(_value(node) is not None or "thought" in node or "思考" in node for node in known)
    return listed if linked and valued and any(text_at(node, *IDS) for node in known) else None


def nested(root: Any) -> list[Any] | None:
    """The nodes of a root with children, each with its parent's id; None where it is no thought."""
    if not isinstance(root, dict) or not _children(root):
        return None
    if (
        text_at(root, *TEXTS) is None
        and _value(root) is None
        and text_at(root, "question", "input", "x") is None
    ):
        return None
    found: list[Any] = []
    waiting: list[tuple[Any, str | None, str]] = [(root, None, "0")]
    while waiting and len(found) <= MAX_THOUGHTS:
        node, parent, path = waiting.pop()
        if not isinstance(node, dict):
            found.append(node)
            continue
        name = text_at(node, *IDS) or path
        found.append(
            {
                **{key: value for key, value in node.items() if key not in CHILDREN},
                "id": name,
                "parent": parent,
            }
        )
        below = _children(node)
        waiting += [(child, name, f"{path}.{at}") for at, child in reversed(list(enumerate(below)))]
    valued = any(isinstance(node, dict) and (_value(node) is not None or "thought" in node) for node in found)
    return found if valued else None


def tree_of(nodes: list[Any]) -> GrownTree:
    """The thoughts of the nodes. One whose parent is not there keeps its name: a detector may see it."""
    tree = GrownTree()
    parents = {text_at(node, *PARENTS) for node in nodes if isinstance(node, dict)}
    for number, node in enumerate(nodes, 1):
        if number > MAX_THOUGHTS:
            tree.troubles.append((f"node {number}", f"more than {MAX_THOUGHTS} nodes; the rest was left out"))
            break
        if not isinstance(node, dict):
            tree.troubles.append((f"node {number}", "a node is an object"))
            continue
        name = text_at(node, *IDS) or str(number)
        tree.thoughts.append(
            Thought(
                thought_id=name,
                parent=text_at(node, *PARENTS),
                text=_text(node),
                value=_value(node),
                state=_state(node, grown=name in parents),
                step=_act(node, tree),
            )
        )
    return tree


def _act(node: dict[str, Any], tree: GrownTree) -> int | None:
    """The step that a node became, where it says what it did."""
    if not any(key in node for key in ("tool", "action", "tool_call", "observation", "行动")):
        return None
    fields = fields_of(
        {key: value for key, value in node.items() if key not in {"id", "value", "status", "state"}}
    )
    if fields is None or fields.get("tool_call") is None:
        return None
    tree.steps.append(
        Step(index=len(tree.steps), **{**fields, "thought": fields.get("thought") or _text(node) or None})
    )
    return len(tree.steps) - 1


def _text(node: dict[str, Any]) -> str:
    for key in TEXTS:
        found = text_at(node, key)
        if found is not None and not (key == "state" and found.lower() in WORDS):
            return found
    return ""


def _value(node: dict[str, Any]) -> float | None:
    number = number_at(node, *VALUES)
    if number is not None:
        return number
    word = text_at(node, *VALUES)
    return RATED.get(word.lower()) if word else None


def _state(node: dict[str, Any], *, grown: bool) -> ThoughtState:
    for key in ("state", "status", "状态"):
        word = text_at(node, key)
        if word is not None and word.lower() in WORDS:
            return WORDS[word.lower()]
    if flag_at(node, "pruned", "is_pruned"):
        return "pruned"
    if flag_at(node, "chosen", "selected", "is_solution", "is_selected", "best"):
        return "chosen"
    if flag_at(node, "dead", "dead_end", "is_dead"):
        return "dead"
    return "expanded" if grown or flag_at(node, "expanded", "visited", "is_expanded") else "open"


def _children(node: dict[str, Any]) -> list[Any]:
    found: list[Any] = next((node[key] for key in CHILDREN if isinstance(node.get(key), list)), [])
    return [child for child in found if isinstance(child, dict)]


def _parents_in(edges: Any) -> dict[str, str]:
    """Child to parent, of edges as pairs or as objects {from | source, to | target}."""
    found: dict[str, str] = {}
    for edge in edges if isinstance(edges, list) else []:
        if isinstance(edge, list) and len(edge) == 2:
            found.setdefault(str(edge[1]), str(edge[0]))
        elif isinstance(edge, dict):
            source, target = text_at(edge, "from", "source", "parent"), text_at(edge, "to", "target", "child")
            if source is not None and target is not None:
                found.setdefault(target, source)
    return found


def _with_parent(node: Any, parents: dict[str, str]) -> Any:
    if not isinstance(node, dict) or text_at(node, *PARENTS) is not None:
        return node
    parent = parents.get(text_at(node, *IDS) or "")
    return {**node, "parent": parent} if parent is not None else node
