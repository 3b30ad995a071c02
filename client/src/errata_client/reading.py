"""Which tools only look something up, by their names."""

from __future__ import annotations

import re
from functools import lru_cache

_READ_ONLY = re.compile(
    r"(?:.*[.:/])?(?:(?:get|find|list|search|lookup|look_up|read|fetch|query|check|calculate|calc|show|describe|count"
    r"|view|think)(?:[_\-A-Z]|$)|查询|查找|查看|获取|取得|搜索|检索|列出|计算|读取)"
)


@lru_cache(maxsize=1_024)
def is_read_only(tool: str) -> bool:
    """Whether the tool's name says that it only looks something up."""
    return _READ_ONLY.match(tool) is not None
