"""Whether a tool's reply is an error: each kind of source has its own sign, read here."""

from __future__ import annotations

import re

import re2

from errata_client.model import JsonValue
from errata_client.run import StepError
from ingest.adapters.jsonvalue import NotJsonError, loads

UNKNOWN_TOOL = "unknown_tool"
"""`StepError.type` of a reply that says no such tool exists, where the source does not call it an error."""

MAX_JSON_REPLY = 1024 * 1024
_PHRASE = (
    r"(?:service|server|internal|bad|gateway|too many|not found|forbidden|unauthori[sz]ed|client|conflict|unprocessable|payment"
    r"|method|request|timeout|not implemented|precondition|服务|请求|内部|未找到|禁止|未授权)"
)
_STATUS = re2.compile(
    r"(?i)(?:http(?:/[0-9.]+)?|status(?: ?code)?|error code|code|状态码|错误码)\W{0,3}([45][0-9]{2})(?:[^0-9]|$)"
    rf"|^\W*(?:error|exception|failed|failure|错误|失败)?\W{{0,3}}([45][0-9]{{2}})(?:\W{{1,3}}{_PHRASE}|\s*$|\s*[:：,，(-])"
)
_ERROR_TEXT = re2.compile(
    r"^\s*(?:(?i:error|exception|fatal|failed|failure)\s*(?:\([^)]{0,80}\)|\[[^\]]{0,80}\]|[0-9]{3})?\s*[:：]"
    r"|(?:Error|ERROR)\s+[0-9]{3}\b"
    r"|(?i:error|exception) (?:executing|calling|running|invoking|while|in tool|occurred)\b"
    r"|Traceback \(most recent call last\)"
    r"|(?:[A-Za-z_][A-Za-z0-9_]{0,60}\.){0,8}[A-Z][A-Za-z0-9]{0,60}(?:Error|Exception)\s*(?:\(|:|：)"
    r"|(?:错误|出错|异常|失败|调用失败|执行失败|请求失败|查询失败|操作失败)\s*(?:[:：,，!！。]|$)"
    r"|<(?:error|tool_use_error|tool_error)>)"
)
_REPORT_KEYS = frozenset(
    [
        "status",
        "success",
        "message",
        "msg",
        "detail",
        "details",
        "reason",
        "code",
        "error_code",
        "error_message",
        "error",
        "data",
        "result",
        "description",
    ]
)
"""An object with other keys is data (an order whose status is "failed"), not a report of what went wrong."""
_FAILED_WORDS = frozenset({"error", "failed", "failure", "错误", "失败"})


def tau_error(content: JsonValue) -> StepError | None:
    """tau-bench writes its tools' errors as "Error: …"; "Unknown action …" answers a tool that is not there."""
    if not isinstance(content, str):
        return None
    if content.startswith("Unknown action "):
        return StepError(message=content, type=UNKNOWN_TOOL)
    if not content.startswith("Error") or content[5:6].isalpha():
        return None
    return StepError(message=content, status=status_in(content))


def flagged_error(content: JsonValue, flag: object) -> StepError | None:
    """A source with a flag of its own on each reply: the flag decides, whatever the text says."""
    if flag is not True:
        return None
    text = content if isinstance(content, str) else "" if content is None else str(content)
    return StepError(message=text, status=status_in(text))


def chat_error(content: JsonValue) -> StepError | None:
    """A reply in a chat without any flag, read conservatively: text that begins as errors do, or a JSON object
    whose `error` says something. A reply that merely mentions an error is none."""
    if isinstance(content, dict):
        return _object_error(content)
    if not isinstance(content, str):
        return None
    start = content.lstrip()[:1]
    if start == "{" and len(content) <= MAX_JSON_REPLY:
        return _json_error(content)
    if _ERROR_TEXT.search(content[:400]):
        return StepError(message=content, status=status_in(content), type=_exception_name(content))
    return None


def status_in(text: str) -> int | None:
    """The HTTP-like status that an error text gives ("Error: 503 Service Unavailable"), or None."""
    match = _STATUS.search(text[:300])
    return int(match.group(1) or match.group(2)) if match else None


def _json_error(content: str) -> StepError | None:
    if not any(f'"{key}"' in content for key in ("error", "isError", "is_error", "status", "success")):
        return None
    try:
        value = loads(content)
    except NotJsonError:
        return None
    return _object_error(value) if isinstance(value, dict) else None


def _object_error(value: dict[str, JsonValue]) -> StepError | None:
    error = value.get("error")
    if isinstance(error, dict) and error:
        return _from_parts(error, value)
    if isinstance(error, str) and error.strip():
        return _from_parts({**value, "message": _joined(error, value.get("message"))}, value)
    if isinstance(error, list) and error:
        return _from_parts({"message": "; ".join(str(part) for part in error)}, value)
    if error is True or value.get("isError") is True or value.get("is_error") is True:
        return _from_parts(value, value)
    if set(value) <= _REPORT_KEYS and (
        _says_failed(value) or (value.get("success") is False and _message(value))
    ):
        return _from_parts(value, value)
    return None


def _says_failed(value: dict[str, JsonValue]) -> bool:
    status = value.get("status")
    return isinstance(status, str) and status.lower() in _FAILED_WORDS


def _from_parts(error: dict[str, JsonValue], whole: dict[str, JsonValue]) -> StepError:
    message = _message(error) or _message(whole) or str(error)
    status = next((code for part in (error, whole) if (code := _status_of(part)) is not None), None)
    kind = next((part for key in ("type", "code", "status") if isinstance(part := error.get(key), str)), None)
    return StepError(message=message, type=kind, status=status or status_in(message))


def _message(value: dict[str, JsonValue]) -> str:
    for key in ("message", "error_message", "detail", "msg", "reason", "description", "content", "text"):
        if isinstance(found := value.get(key), str) and found.strip():
            return found
    return ""


def _joined(error: str, message: JsonValue) -> str:
    return f"{error}: {message}" if isinstance(message, str) and message and message != error else error


def _status_of(value: dict[str, JsonValue]) -> int | None:
    for key in ("status", "code", "status_code", "statusCode"):
        found = value.get(key)
        if isinstance(found, int) and not isinstance(found, bool) and 400 <= found < 600:
            return found
        if isinstance(found, str) and re.fullmatch(r"[45]\d\d", found):
            return int(found)
    return None


def _exception_name(text: str) -> str | None:
    match = re.search(r"\b([A-Z]\w{0,60}(?:Error|Exception))\b", text[-2000:])
    return match.group(1) if match else None
