"""Messages made of blocks, whoever's, brought to OpenAI's shape: one message for each turn and one for each reply.

Anthropic's content blocks (its own tools' and MCP's too), Bedrock's and Gemini's parts, the AI SDK's model messages and the
messages of its interface (`parts`, `toolInvocations`), whose one part holds a call with its result. What a block is, is
read in `block_kinds.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ingest.adapters.block_kinds import Block, read_block

Message = dict[str, Any]
_ROLES = {"model": "assistant"}


def expanded(message: Message) -> list[Message]:
    """The message, or what its blocks say: the words and calls of each turn, then the replies to those calls. Replies to
    calls of earlier messages come first. A message without blocks that need it comes back as it is."""
    held = _listed(message)
    blocks = [read_block(item) for item in held]
    if not has_blocks(message) and not any(block.special for block in blocks):
        return [message]
    turns = _Turns(message, ends_with_words=isinstance(message.get("parts"), list))
    for block in blocks:
        turns.take(block)
    return turns.whole()


def has_blocks(message: Any) -> bool:
    """Whether the message keeps what it says in a list of parts and not, or not only, under `content`."""
    return isinstance(message, dict) and any(
        isinstance(held := message.get(key), list) and held for key in ("parts", "toolInvocations")
    )


def _listed(message: Message) -> list[Any]:
    """The blocks of a message, wherever they stand; its calls before its words where the two stand apart."""
    content, parts, invoked = (message.get(key) for key in ("content", "parts", "toolInvocations"))
    if isinstance(parts, list) and parts:
        return parts
    if isinstance(invoked, list) and invoked:
        words = content if isinstance(content, list) else [content] if content else []
        return [*({"type": "tool-invocation", "toolInvocation": item} for item in invoked), *words]
    return content if isinstance(content, list) else []


@dataclass
class _Turns:
    """A message being taken apart: finished turns in `done`, the turn at hand in the other fields. `ends_with_words`: the
    message may hold several turns, and words behind a call are of the next one."""

    message: Message
    ends_with_words: bool = False
    done: list[Message] = field(default_factory=list)
    words: list[Any] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    calls: list[Any] = field(default_factory=list)
    replies: list[Message] = field(default_factory=list)
    _own: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        listed = self.message.get("tool_calls")
        self._own = listed if isinstance(listed, list) else []

    def take(self, block: Block) -> None:
        """One more block. After replies, words and separate calls are of the next turn."""
        combined = block.call is not None and block.reply is not None
        if self.replies and block.reply is None and not combined:
            self._finish()
        speaks = self.ends_with_words and block.words is not None
        if (block.begins_turn or speaks) and self.calls:
            self._finish()
        if block.call is not None:
            self.calls.append(block.call)
        if block.reply is not None:
            self._reply(block.reply)
        if block.thinking:
            self.thinking.append(block.thinking)
        if block.words is not None:
            self.words.append(block.words)

    def whole(self) -> list[Message]:
        """All that was said."""
        self._finish()
        return self.done

    def _reply(self, reply: Message) -> None:
        asked = (call for call in (*self.calls, *self._own) if isinstance(call, dict))
        here = any(call.get("id") == reply["tool_call_id"] for call in asked)
        (self.replies if here else self.done).append(reply)

    def _finish(self) -> None:
        """The turn at hand. The calls that the message lists itself are of its first turn; blocks may repeat them."""
        own, self._own = self._own, []
        named = {str(call.get("id")) for call in own if isinstance(call, dict)}
        calls = [*own, *(call for call in self.calls if str(call.get("id")) not in named)]
        if self.words or calls or self.thinking:
            self.done.append(self._turn(calls))
        self.done += self.replies
        self.words, self.thinking, self.calls, self.replies = [], [], [], []

    def _turn(self, calls: list[Any]) -> Message:
        dropped = {"parts", "toolInvocations"}
        kept = {key: value for key, value in self.message.items() if key not in dropped}
        role = str(self.message.get("role"))
        turn = {**kept, "role": _ROLES.get(role, role), "content": self.words, "tool_calls": calls or None}
        thought = "\n".join(self.thinking)
        return {**turn, "reasoning_content": thought} if thought else turn
