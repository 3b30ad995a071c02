"""Words of failure that mean the same, in English and Chinese, so that a search finds what a person means.

Only what says how something failed; what failed (orders, users) is searched for as it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from knowledge.words import tokens

_GROUPS = (
    (
        "查不到 找不到 搜不到 查询不到 检索不到 未找到 没找到 没有找到 未查到 没查到 没有查到 不存在 查无 无此 没有这个 没有该 无法找到 | not found | no such | "
        "does not exist | doesn't exist | did not exist | not exist | cannot find | can't find | could not find | couldn't find | "
        "unable to find | unable to locate | no match | no results | notfound"
    ),
    "超时 | timeout | timed out | time out | times out | deadline exceeded | took too long",
    (
        "没有权限 无权限 无权 权限不足 没权限 禁止访问 拒绝访问 不允许 | permission denied | access denied | forbidden | not permitted | not allowed | "
        "no permission | insufficient permissions | not authorized"
    ),
    (
        "未登录 没有登录 未认证 未授权 登录过期 登录失效 认证失败 鉴权失败 | unauthenticated | unauthorized | not logged in | not authenticated | "
        "authentication failed | token expired | session expired | invalid credentials"
    ),
    (
        "不可用 连不上 无法连接 连接失败 连接被拒绝 服务繁忙 系统繁忙 宕机 挂了 | unavailable | not available | connection refused | connection failed | "
        "connection error | could not connect | cannot connect | unreachable | out of service"
    ),
    "限流 频率过高 过于频繁 太频繁 请求过多 超出配额 次数过多 | rate limit | rate limited | ratelimit | too many requests | quota exceeded | throttled",
    "无效 不合法 非法 不正确 格式错误 格式不对 有误 | invalid | not valid | malformed | illegal | incorrect | bad request | badly formed",
    "缺少 缺失 未填 必填 没有提供 未提供 | missing | required | not provided | not given",
    "已存在 已经存在 重复 | already exists | already exist | duplicate | duplicated",
    "不足 不够 余额不足 | insufficient | not enough | too little",
    "为空 空值 | empty | null | is blank",
    "失败 出错 报错 错误 异常 不成功 | failed | fails | failure | failing | error | errors | exception | unsuccessful",
    "已取消 被取消 取消了 | cancelled | canceled",
    "超出范围 越界 超过上限 超限 | out of range | out of bounds | exceeds | exceeded",
)
_FILLERS = frozenset(
    [
        "的",
        "了",
        "吗",
        "呢",
        "啊",
        "吧",
        "是",
        "为什么",
        "为何",
        "怎么",
        "怎么会",
        "老是",
        "总是",
        "一直",
        "又",
        "提示",
        "显示",
        "说",
        "the",
        "a",
        "an",
        "is",
        "was",
        "it",
        "why",
    ]
)
"""What a person says around it, and no message has to hold."""

Phrase = tuple[str, ...]
Alternatives = tuple[Phrase, ...]
"""Any of these is enough."""


def alternatives(text: str) -> tuple[Alternatives, ...]:
    """What a text searched for has to hold: for each word of failure any that means the same, and all else as it is
    written. Of overlapping ones the longest counts."""
    found: list[Alternatives] = []
    pending: list[Phrase] = []
    for phrase, known in _parts(text):
        if known:
            found += _written(pending)
            found.append(known)
            pending = []
        else:
            pending.append(phrase)
    return tuple(dict.fromkeys([*found, *_written(pending)]))


def _written(pending: Sequence[Phrase]) -> list[Alternatives]:
    return [(phrase,) for phrase in pending if phrase and "".join(phrase) not in _FILLERS]


def _parts(text: str) -> Iterator[tuple[Phrase, Alternatives]]:
    """The text's words in order, each with what means the same, if it is a word of failure (or several words are)."""
    words = [tuple(tokens(word)) for word in text.split()]
    flat = [(token, number) for number, word in enumerate(words) for token in word]
    at, held = 0, list[tuple[str, int]]()
    while at < len(flat):
        size, known = _longest(flat, at)
        if known:
            yield from ((phrase, ()) for phrase in _by_word(held))
            yield tuple(token for token, _ in flat[at : at + size]), known
            held, at = [], at + size
        else:
            held.append(flat[at])
            at += 1
    yield from ((phrase, ()) for phrase in _by_word(held))


def _by_word(held: Sequence[tuple[str, int]]) -> Iterator[Phrase]:
    """Tokens put together again that stood in one word."""
    for number in dict.fromkeys(number for _, number in held):
        yield tuple(token for token, owner in held if owner == number)


def _longest(flat: Sequence[tuple[str, int]], at: int) -> tuple[int, Alternatives]:
    known, longest = _table()
    for size in range(min(longest, len(flat) - at), 0, -1):
        group = known.get(tuple(token for token, _ in flat[at : at + size]))
        if group is not None:
            return size, group
    return 0, ()


@lru_cache(maxsize=1)
def _table() -> tuple[dict[Phrase, Alternatives], int]:
    """Each phrase with its group, and the number of tokens of the longest."""
    known: dict[Phrase, Alternatives] = {}
    for group in _GROUPS:
        chinese, _, english = group.partition("|")
        said = [*chinese.split(), *english.split("|")]
        phrases = tuple(dict.fromkeys(tuple(tokens(phrase)) for phrase in said if tokens(phrase)))
        known.update({phrase: phrases for phrase in phrases if phrase not in known})
    return known, max(map(len, known))
