"""What in a text is to be masked: spans, with their kinds."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ingest.masking.patterns import Pattern, compile_patterns
from ingest.masking.views import View, views

MAX_DEPTH = 4
"""How often escapes are undone within each other: JSON in JSON in JSON, in a URL."""

_BASE64 = re.compile(r"(?<![0-9A-Za-z+/=_-])[A-Za-z0-9+/]{16,}={0,2}(?![0-9A-Za-z+/=_-])")
MAX_BASE64 = 64 * 1024

WINDOW = 1024 * 1024
OVERLAP = 16 * 1024
"""Longer texts are looked at window by window, in characters; what is told by what stands further before it is not."""

patterns = lru_cache(maxsize=1)(compile_patterns)


@dataclass(frozen=True)
class Span:
    """text[start:end] is `value`, of `kind`; `views` are the unpacked texts through which it was found, outermost first,
    each with where it begins there; the outermost was made of what begins at `begins`."""

    start: int
    end: int
    kind: str
    value: str
    views: tuple[tuple[View, int], ...] = ()
    begins: int = 0


def spans(text: str) -> list[Span]:
    """What is to be masked in `text`, in order, without overlaps: as it stands, and as it reads once unpacked."""
    if len(text) <= WINDOW:
        return _spans(text)
    found = []
    for start in range(0, len(text), WINDOW - OVERLAP):
        found += [
            replace(span, start=span.start + start, end=span.end + start, begins=start)
            for span in _spans(text[start : start + WINDOW])
        ]
    return _apart(text, found)


def _spans(text: str, depth: int = 0) -> list[Span]:
    data = text.encode("utf-8", "replace")
    wanted, unbroken = patterns().worth_trying(data)
    if not wanted and not unbroken and "\\" not in text and "%" not in text:
        return []
    found = list(_scanned(text, data, wanted)) if wanted else []
    found += _wrapped(text) if unbroken and depth < 2 else ()
    if depth < MAX_DEPTH:
        for view in views(text):
            found += [_mapped(view, span) for span in _spans(view.text, depth + 1)]
    return _apart(text, found) if len(found) > 1 else found


def _mapped(view: View, span: Span) -> Span:
    start, end = view.source(span.start, span.end)
    return replace(span, start=start, end=end, views=((view, span.start), *span.views))


def _scanned(text: str, data: bytes, wanted: list[Pattern]) -> Iterator[Span]:
    """What the wanted shapes find in the text, `data` in UTF-8. A longer or surer shape comes first; what it found is
    blanked for those after it."""
    at = _Places(text, data)
    for pattern in wanted:
        taken = []
        for start, end in _matches(pattern, data):
            value = data[start:end].decode("utf-8", "replace").replace("\0", "")
            if value and (pattern.check is None or pattern.check(value)):
                taken.append((start, end))
                first, last = at(start), at(end)
                yield Span(first, last, pattern.kind, text[first:last])
        data = _blanked(data, taken) if taken and pattern is not wanted[-1] else data


def _matches(pattern: Pattern, data: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    while at < len(data) and (match := pattern.regex.search(data, at)) is not None:
        start, end = match.span(match.lastindex)
        yield start, end
        at = max(end, at + 1)


def _blanked(data: bytes, taken: list[tuple[int, int]]) -> bytes:
    blanked = bytearray(data)
    for start, end in taken:
        blanked[start:end] = bytes(end - start)
    return bytes(blanked)


class _Places:
    """Places in UTF-8 as places in the text."""

    def __init__(self, text: str, data: bytes) -> None:
        self._data = None if len(text) == len(data) else data

    def __call__(self, at: int) -> int:
        return at if self._data is None else len(self._data[:at].decode("utf-8", "replace"))


def _wrapped(text: str) -> Iterator[Span]:
    """Base64 of a text that holds something to mask: all of it."""
    for match in _BASE64.finditer(text):
        try:
            wrapped = match.group().rstrip("=")[:MAX_BASE64]
            unwrapped = base64.b64decode(wrapped[: len(wrapped) - (len(wrapped) % 4 == 1)] + "==").decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
        if (
            unwrapped.isprintable()
            or unwrapped.replace("\n", "").replace("\r", "").replace("\t", "").isprintable()
        ):
            inner = _spans(unwrapped, MAX_DEPTH)
            if inner:
                yield Span(match.start(), match.end(), inner[0].kind, match.group())


def _apart(text: str, found: list[Span]) -> list[Span]:
    """Of spans that overlap the longest, and what of the others it does not cover."""
    kept: list[Span] = []
    for span in sorted(found, key=lambda span: (span.start - span.end, span.start, len(span.views))):
        pieces = [(span.start, span.end)]
        for other in kept:
            pieces = [part for start, end in pieces for part in _without(start, end, other)]
        for start, end in pieces:
            whole = (start, end) == (span.start, span.end)
            kept.append(span if whole else Span(start, end, span.kind, text[start:end]))
    return sorted(kept, key=lambda span: span.start)


def _without(start: int, end: int, other: Span) -> Iterator[tuple[int, int]]:
    if other.end <= start or end <= other.start:
        yield start, end
        return
    if start < other.start:
        yield start, other.start
    if other.end < end:
        yield other.end, end
