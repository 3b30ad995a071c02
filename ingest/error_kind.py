"""Which canonical status an error is, from its status code, its exception's name or its words.

The names are gRPC's (https://grpc.io/docs/guides/status-codes/), the mapping of HTTP codes is Google's
(`google.rpc.Code`). Words are read in English and Chinese. What nothing tells is "unknown".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import re2

from knowledge.cases import ErrorKind

OUT_OF_REACH: frozenset[ErrorKind] = frozenset({"unavailable", "deadline_exceeded"})
"""The tool did not answer: the agent was not wrong."""

TRANSIENT: frozenset[ErrorKind] = OUT_OF_REACH | {"resource_exhausted", "aborted"}
"""Trying the very same call again can help."""

_STATUSES: dict[int, ErrorKind] = {
    400: "invalid_argument", 401: "unauthenticated", 403: "permission_denied", 404: "not_found", 405: "unimplemented",
    408: "deadline_exceeded", 409: "aborted", 410: "not_found", 412: "failed_precondition", 413: "invalid_argument",
    415: "invalid_argument", 422: "invalid_argument", 423: "failed_precondition", 429: "resource_exhausted",
    499: "aborted", 500: "internal", 501: "unimplemented", 502: "unavailable", 503: "unavailable", 504: "deadline_exceeded",
}  # fmt: skip

_WIDE = frozenset({400, 409, 422})
_CALLERS: frozenset[ErrorKind] = frozenset(
    {
        "not_found",
        "already_exists",
        "failed_precondition",
        "out_of_range",
        "invalid_argument",
        "permission_denied",
    }
)
"""The kinds of what a caller did wrong."""

_EXCEPTIONS: tuple[tuple[str, ErrorKind], ...] = (
    (r"Timeout|TimedOut|DeadlineExceeded", "deadline_exceeded"),
    (r"Connection|Connect(?:Error|Exception)|Unavailable|BrokenPipe|DNS|Gateway|UnknownHost|NetworkError", "unavailable"),
    (r"RateLimit|TooManyRequests|Quota|Throttl|ResourceExhausted|MemoryError", "resource_exhausted"),
    (r"Unauthenticated|Authentication|InvalidToken|TokenExpired|Unauthorized", "unauthenticated"),
    (r"Permission|Forbidden|AccessDenied|NotAuthorized", "permission_denied"),
    (r"AlreadyExists|FileExists|Duplicate|IntegrityError|UniqueViolation", "already_exists"),
    (r"NotFound|DoesNotExist|KeyError|NoSuch|LookupError|NoResult", "not_found"),
    (r"IndexError|OutOfRange|OverflowError|OutOfBounds|RangeError", "out_of_range"),
    (r"NotImplemented|Unsupported|Unimplemented", "unimplemented"),
    (r"Precondition|IllegalState|InvalidState", "failed_precondition"),
    (r"Cancel|Abort|Conflict|Deadlock|Concurrent", "aborted"),
    (r"ValueError|TypeError|Validation|InvalidArgument|IllegalArgument|BadRequest|DecodeError|ParseError|SyntaxError|InvalidInput|SchemaError", "invalid_argument"),
    (r"Internal|ServerError|NullPointer|AssertionError|ZeroDivision|AttributeError|NameError|RecursionError|SystemError", "internal"),
)  # fmt: skip

_SERVICE = r"(?:service|server|tool|api|system|backend|endpoint|upstream|gateway|database|host|resource)"
_WORDS: tuple[tuple[str, ErrorKind], ...] = (
    (
        (rf"{_SERVICE}(?: \w+)? (?:is |are )?(?:currently |temporarily )?(?:unavailable|down|offline|unreachable|not responding|not available)"
        r"|connection (?:was )?(?:refused|reset|aborted|error|failed|closed|lost)|clos(?:ed|es) (?:the )?connection|failed to (?:connect|establish)|cannot connect|could not connect"
        r"|bad gateway|network (?:error|is unreachable)|name resolution|under maintenance|overloaded|(?:name or )?service not known|upstream connect error|not reachable|gone away"
        r"|服务(?:暂时|暂|目前)?(?:不可用|无响应|中断|未启动)|暂时不可用|无法连接|连接(?:失败|被拒绝|被重置|被关闭|中断|异常)|系统(?:维护|繁忙)|网关(?:错误|异常)|网络(?:异常|错误|故障|不通)|服务器(?:繁忙|无响应)"),
        "unavailable",
    ),
    (
        (r"timed out|time-out (?:error|occurred)|(?:request|gateway|connection|read|operation|execution|query|call|upstream|server|service|socket|tool|api|backend|database|statement|lock wait) time-?out|exceeded (?:its |the )?time limit"
        r"|time-?out (?:error|exceeded|after|while|waiting|reached|expired|occurred)|^\W*(?:error\W{1,3})?time-?out\W*$|deadline exceeded|超时"),
        "deadline_exceeded",
    ),
    (
        r"rate.?limit|too many (?:requests|calls)|quota|throttl|out of memory|限流|频率(?:过高|限制|超限)|请求(?:过多|过于频繁|太频繁)|配额|过于频繁",
        "resource_exhausted",
    ),
    (
        (r"unauthenticated|not authenticated|authentication (?:failed|required|error)|(?:invalid|expired|missing|wrong|bad) (?:api.?key|token|credentials?|password|session)"
        r"|(?:token|session|credentials?) (?:has |have |is |are )?(?:expired|invalid)|(?:log|sign).?in required|not (?:logged|signed) in|please (?:log|sign) in"
        r"|未(?:登录|认证|登陆)|请先登录|(?:身份)?(?:认证|验证)失败|(?:令牌|会话|登录)(?:已)?(?:过期|失效|无效)|密码错误"),
        "unauthenticated",
    ),
    (
        (r"permission|forbidden|access (?:is )?denied|not authorized|unauthorized|not permitted|no access|not have access"
        r"|无权|权限不足|没有权限|无权限|禁止访问|拒绝访问|未授权"),
        "permission_denied",
    ),
    (r"already exists?|duplicate|already (?:been )?(?:registered|taken|in use)|已存在|已经存在|重复", "already_exists"),
    (
        (r"not implemented|unimplemented|unsupported|not supported|unknown (?:tool|function|action|method|command)"
        r"|no such (?:tool|function|action|method)|不支持|未实现|未知(?:工具|函数|方法|命令)"),
        "unimplemented",
    ),
    (
        (r"not found|(?:does not|doesn't|do not|don't) exist|no such|(?:could|can)(?: ?not|n't) find|unable to find|unknown (?:\w+ )?(?:id|user|order|item|product|name|key)"
        r"|no (?:\w+ ){0,3}(?:found|matching|matches)|no results?|nonexistent|未找到|找不到|不存在|查无|没有找到|未查到|没有(?:此|该|这个)"),
        "not_found",
    ),
    (
        (r"out of (?:range|bounds)|index (?:\w+ )?out|(?:exceeds?|exceeded|above|over|beyond|greater than|less than|below) (?:the |its )?(?:\w+ )?(?:max|min|limit|range|allowed|bound)"
        r"|too (?:many|large|small|long|short|high|low|big)|at (?:most|least)|between .{1,30} and |超出|超过|范围|过大|过小|过长|过短|上限|下限"),
        "out_of_range",
    ),
    (
        (r"cannot be (?:\w+ )?(?:cancel|modif|exchang|return|chang|updat|refund|delet|used|remov|process|ship|complet)|non-\w+ |must be \w+ (?:to|before|first)"
        r"|not enough|insufficient|already (?:been )?\w+(?:ed|led)|not (?:eligible|allowed|ready|active|enabled|open|pending|delivered|available|in (?:a )?\w+ (?:state|status))"
        r"|(?:only|must) .{0,40}\b(?:when|if|after|before|once)\b|precondition|locked|expired|suspended|closed|inactive|in (?:the )?(?:wrong|invalid) state|has not been|is not (?:\w+ )?yet"
        r"|不足|状态(?:不|错误|异常)|不能|不允许|不可|尚未|已(?:取消|发货|过期|关闭|支付|完成|退款|锁定|冻结)|未(?:支付|发货|激活|开通|完成)|请先"),
        "failed_precondition",
    ),
    (
        (r"invalid|must|should|required|missing|validation error|expected|(?:cannot|failed to|could not|unable to) (?:parse|convert|decode|interpret)|malformed|not a valid|not valid"
        r"|add up|mismatch|not match|wrong (?:type|format|number)|illegal|bad request|unexpected (?:keyword|argument|token|character|type)|takes \d+|got an|incorrect|not in (?:the )?(?:list|enum|allowed)|either .+ or "
        r"|无效|必填|必须|缺少|缺失|格式|参数|不匹配|不合法|非法|应为|不一致|不正确|有误|不能为空|为空"),
        "invalid_argument",
    ),
    (r"abort|conflict|cancell?ed by|interrupted|concurrent|deadlock|冲突|中止|中断|并发", "aborted"),
    (
        r"internal|unexpected|unhandled|traceback|something went wrong|server error|crash|bug|fatal|内部|系统错误|系统异常|服务器错误|未知错误|执行异常",
        "internal",
    ),
)  # fmt: skip

_NAME = re.compile(r"\b([A-Z][A-Za-z0-9_]{2,60}(?:Error|Exception|Timeout|NotFound|Denied|Exceeded))\b")
_CANONICAL: dict[str, ErrorKind] = {kind.replace("_", ""): kind for _, kind in _WORDS}


def error_kind(message: str, status: int | None = None, type_name: str | None = None) -> ErrorKind:
    """The kind of an error: a status code tells more than the exception's name, and that more than the words.

    A status that services use for whatever the caller did wrong (400, 409, 422) tells less than the words do.
    """
    if status in _STATUSES:
        worded = _from_text(message[:1_000]) if status in _WIDE else None
        return worded if worded is not None and worded in _CALLERS else _STATUSES[status]
    told = _from_name(type_name) if type_name else None
    return told or _from_text(message[:1_000]) or ("internal" if status and status >= 500 else "unknown")


@lru_cache(maxsize=4096)
def _from_text(message: str) -> ErrorKind | None:
    named = _NAME.search(message)
    told = _from_name(named.group(1)) if named else None
    if told is not None and told != "internal":
        return told
    found = next((kind for regex, kind in _words() if regex.search(message) is not None), None)
    return found or told


def _from_name(name: str) -> ErrorKind | None:
    canonical = _CANONICAL.get(name.replace("_", "").replace(" ", "").casefold())
    if canonical:
        return canonical
    return next((kind for pattern, kind in _EXCEPTIONS if re.search(pattern, name)), None)


@lru_cache(maxsize=1)
def _words() -> tuple[tuple[Any, ErrorKind], ...]:
    return tuple((re2.compile(f"(?i){pattern}"), kind) for pattern, kind in _WORDS)
