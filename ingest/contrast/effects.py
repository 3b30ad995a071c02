"""Which tools change something: declared, told by their names, or learnt from what equal calls answered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from knowledge.runs import RecordedCall, RunRecord


def _verbs(text: str) -> frozenset[str]:
    return frozenset(text.split())


READS = _verbs(
    "get find search list lookup look read fetch query check show view describe calculate calc compute count think ask "
    "browse retrieve inspect verify validate preview estimate compare summarize translate parse analyze load respond "
    "answer reply say final finish log ping wait sleep help explain scan select"
)
CHANGES = _verbs(
    "update modify create cancel delete remove add send exchange refund pay enable disable toggle reset reboot grant "
    "revoke submit insert put patch upload write save move rename close open assign approve reject reschedule renew "
    "extend activate deactivate suspend resume subscribe unsubscribe buy purchase apply edit replace swap refuel lend "
    "borrow reserve unregister publish deploy start stop restart install uninstall merge lock unlock archive restore "
    "escalate upgrade downgrade make confirm redeem unblock turn connect disconnect checkin checkout rebook"
)
NOUNS_TOO = _verbs(
    "book order return transfer schedule register charge issue change set place post mark ship release block"
)
"""Verbs that are as often the thing a tool is about: `order_lookup` looks up. They tell where no other verb does."""
HANDS_OVER = _verbs("human humans agent agents operator operators representative supervisor handoff handover")
_READS_ZH = re.compile(
    r"查|搜|获取|读取|列出|列表|计算|检索|检查|统计|浏览|询问|思考|回复|回答|预览|验证|校验|比较|对比|翻译|分析"
)
_CHANGES_ZH = re.compile(
    r"创建|新建|新增|添加|修改|更改|变更|更新|取消|删除|移除|预订|预定|下单|退款|退货|换货|支付|付款|发送|提交|设置|开通|关闭|"
    r"启用|停用|禁用|重置|重启|转账|充值|续费|续借|借出|归还|登记|注册|注销|审批|批准|驳回|发布|保存|写入|上传|派发|分配|改签|调整|撤销|冻结|解冻"
)
_HANDS_OVER_ZH = re.compile(r"转人工|人工客服|转接")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_CHECK_IN = re.compile(r"(?i)check[_-]?(?:in|out)(?![a-z])")
ENOUGH = 2
"""In how many runs something has to be seen before it is believed."""


@dataclass(frozen=True)
class Effects:
    """What is known of the tools. A tool is taken to change something unless it is declared, named or seen to be a read:
    what every successful run of a task called and a failed one did not is worth telling in doubt."""

    declared: Mapping[str, bool] = field(default_factory=dict)
    learnt: Mapping[str, bool] = field(default_factory=dict)

    def changes(self, tool: str) -> bool:
        """Whether a successful call of the tool leaves the world another than it was."""
        if tool in self.declared:
            return self.declared[tool]
        named = by_name(tool)
        return self.learnt.get(tool, True) if named is None else named


@lru_cache(maxsize=4096)
def by_name(tool: str) -> bool | None:
    """What the verb in a tool's name says, in English or Chinese: True it changes something, False it does not (reads,
    and handing over to a person, which changes no data), None where no verb is known."""
    if hands_over(tool):
        return False
    words = _words(tool)
    verbs = [word for word in words if word in READS or word in CHANGES]
    if verbs:
        return verbs[0] in CHANGES or ("and" in words and not CHANGES.isdisjoint(verbs))
    if not NOUNS_TOO.isdisjoint(words):
        return True
    if _CHANGES_ZH.search(tool):
        return True
    return False if _READS_ZH.search(tool) else None


def hands_over(tool: str) -> bool:
    """Whether the tool gives the case to a person."""
    return not HANDS_OVER.isdisjoint(_words(tool)) or _HANDS_OVER_ZH.search(tool) is not None


def _words(tool: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(_CHECK_IN.sub("checkin", tool))]


def learn(records: Iterable[RunRecord], declared: Mapping[str, bool] | None = None) -> Effects:
    """Look at the tools whose names tell nothing. One changes something where an equal read before and after it alone
    answered differently; it is a read where equal calls of it, with something known to change between, answered
    differently too, or where it is asked again and again and always answers the same."""
    known = dict(declared or {})
    seen = _Seen(known)
    for record in records:
        seen.add(record)
    return Effects(known, seen.learnt())


class _Seen:
    """Equal calls within one run, and what stood between them, over many runs."""

    def __init__(self, declared: Mapping[str, bool]) -> None:
        self._sure = Effects(declared)
        self._changed: Counter[str] = Counter()
        self._repeated: Counter[str] = Counter()
        self._unknown: set[str] = set()

    def add(self, record: RunRecord) -> None:
        calls = [call for call in record.calls if call.ok]
        self._unknown |= {call.tool for call in calls if self._told(call.tool) is None}
        latest: dict[tuple[str, frozenset[tuple[str, str]]], int] = {}
        changed, repeated = set[str](), set[str]()
        for place, call in enumerate(calls):
            key = call.tool, frozenset(call.digests.items())
            before = latest.get(key)
            if before is not None:
                self._compare(calls[before : place + 1], changed, repeated)
            latest[key] = place
        self._changed.update(changed)
        self._repeated.update(repeated)

    def _compare(self, stretch: list[RecordedCall], changed: set[str], repeated: set[str]) -> None:
        """`stretch` begins and ends with equal calls."""
        first, last, between = stretch[0], stretch[-1], {call.tool for call in stretch[1:-1]}
        if first.answer == last.answer:
            repeated.add(first.tool)
            return
        suspects = {tool for tool in between if self._told(tool) is not False}
        if len(suspects) == 1 and self._told(first.tool) is False:
            changed |= suspects

    def _told(self, tool: str) -> bool | None:
        return self._sure.declared.get(tool, by_name(tool))

    def learnt(self) -> dict[str, bool]:
        found = {tool: True for tool in self._unknown if self._changed[tool]}
        reads = {tool: False for tool in self._unknown if self._repeated[tool] >= ENOUGH}
        return reads | found
