"""Words that mean the reverse of each other: encoders find the two alike, since they stand in the same places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attribution.words import FILLERS, content

_ENGLISH = """
before/after earlier/later first/last start/end started/ended begin/end opened/closed open/close early/late
increase/decrease increased/decreased raise/lower raised/lowered above/below over/under high/low higher/lower
greater/less greater/smaller longer/shorter larger/smaller more/fewer more/less many/few maximum/minimum most/least
exceeds/under upper/lower up/down upload/download upgrade/downgrade upgraded/downgraded add/remove added/removed
insert/delete attach/detach activated/deactivated activate/deactivate enabled/disabled enable/disable
encode/decode encrypt/decrypt import/export send/receive sent/received sender/receiver buy/sell buyer/seller
debit/credit deposit/withdraw inbound/outbound departure/arrival incoming/outgoing into/out push/pull
grant/revoke granted/revoked accept/reject accepted/rejected connect/disconnect join/leave pass/fail true/false
approve/reject approved/rejected show/hide shown/hidden visible/hidden locked/released lock/release start/stop
started/stopped running/stopped run/stop rise/fall rose/fell rises/falls grow/shrink borrow/lend ascending/descending
north/south east/west morning/evening day/night weekday/weekend weekdays/weekends once/twice empty/full present/absent on/off
hot/cold wet/dry fast/slow strong/weak positive/negative inside/outside online/offline same/different required/optional
mandatory/optional domestic/international manual/automatic odd/even front/back top/bottom expand/collapse merge/split
old/new source/target input/output parent/child left/right private/public success/failure allow/forbid allowed/forbidden
"""
_CHINESE = """
前/后 早于/晚于 提前/推迟 首/末 首/尾 开始/结束 开放/关闭 打开/关闭 开启/关闭 增加/减少 增加/降低 提高/降低 上调/下调 高于/低于 高/低
大于/小于 超过/低于 多/少 上限/下限 最大/最小 最多/最少 最高/最低 上传/下载 升级/降级 添加/移除 添加/删除 新增/删除 激活/停用 启用/停用
启用/禁用 锁定/解锁 冻结/解冻 绑定/解绑 加密/解密 编码/解码 导入/导出 发送/接收 转入/转出 存入/取出 收款/付款 买家/卖家 收件/寄件 出发/到达
接受/拒绝 允许/禁止 成功/失败 连接/断开 加入/退出 旧/新 运行/停止 启动/停止 充满/耗尽 上升/下降 可见/隐藏 显示/隐藏 工作日/周末 国内/国际 自动/手动 必填/选填 父/子 左/右 公开/私有 借/贷 收入/支出 充值/提现
"""
_HINGES = frozenset(
    ["to", "into", "from", "for", "as", "by", "than", "before", "after", "onto", "over", "until"]
)

_ONE_EACH = {(True, False), (False, True)}


def _pairs(table: str) -> tuple[tuple[str, str], ...]:
    found = [tuple(pair.split("/")) for pair in table.split()]
    return tuple((one, other) for one, other in found)


_WORD_PAIRS = _pairs(_ENGLISH)
_SIGN_PAIRS = _pairs(_CHINESE)


def contrary(left: str, right: str, before: Sequence[str], after: Sequence[str]) -> tuple[str, str] | None:
    """The first pair of contraries of which `left` has only the one and `right` only the other; None if there is none.
    `before` and `after` are the words of the two texts: English is compared by words, Chinese by signs."""
    ours, theirs = set(before), set(after)
    for one, other in _WORD_PAIRS:
        if _apart(one in ours, other in ours, one in theirs, other in theirs):
            return (one, other) if one in ours else (other, one)
    for one, other in _SIGN_PAIRS:
        if _apart(one in left, other in left, one in right, other in right):
            return (one, other) if one in left else (other, one)
    return None


def crossed(before: Sequence[str], after: Sequence[str]) -> tuple[str, str] | None:
    """Two words that stand on either side of the same small word, but in the other order ("quote to invoice", "invoice to
    quote"): as the first text has them. None if there are none."""
    theirs = set(_around(after))
    found = ((one, other) for one, hinge, other in _around(before) if (other, hinge, one) in theirs)
    return next((pair for pair in found if pair[0] != pair[1]), None)


def _apart(one_here: bool, other_here: bool, one_there: bool, other_there: bool) -> bool:
    """Whether each side has one of two contraries, and not the same one."""
    return (one_here, other_here) in _ONE_EACH and (one_there, other_there) == (other_here, one_here)


def _around(side: Sequence[str]) -> Iterable[tuple[str, str, str]]:
    """(stem before, small word, stem after) of each small word that joins two others."""
    kept = [word for word in side if word in _HINGES or word not in FILLERS]
    for one, hinge, other in zip(kept, kept[1:], kept[2:], strict=False):
        stems = content([one, other])
        if hinge in _HINGES and len(stems) == 2:
            yield stems[0], hinge, stems[1]
