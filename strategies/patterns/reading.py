"""RE2's syntax, read into a tree. What is rare (multi-line mode, scripts other than Han) is refused, never guessed.

Source of the syntax: https://github.com/google/re2/wiki/Syntax
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from strategies.patterns.tree import (
    LAST_POINT,
    NOTHING,
    Chars,
    Choice,
    Group,
    Mark,
    Node,
    Range,
    Ranges,
    Repeat,
    UnreadPatternError,
    inverted,
    merged,
    sequence,
)

DIGIT: Ranges = ((48, 57),)
SPACE: Ranges = ((9, 10), (12, 13), (32, 32))
WORD: Ranges = ((48, 57), (65, 90), (95, 95), (97, 122))
HAN: Ranges = ((0x2E80, 0x2FD5), (0x3005, 0x3007), (0x3021, 0x3029), (0x3400, 0x4DBF), (0x4E00, 0x9FFF))
PERL = {"d": DIGIT, "s": SPACE, "w": WORD}
POSIX: dict[str, Ranges] = {
    "alnum": ((48, 57), (65, 90), (97, 122)),
    "alpha": ((65, 90), (97, 122)),
    "digit": DIGIT,
    "lower": ((97, 122),),
    "upper": ((65, 90),),
    "space": ((9, 13), (32, 32)),
    "word": WORD,
    "xdigit": ((48, 57), (65, 70), (97, 102)),
}
CONTROL = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}
MARKS: dict[str, Mark] = {"b": Mark("boundary"), "B": Mark("inside"), "A": Mark("begin"), "z": Mark("end")}
MAX_DEPTH = 60


@lru_cache(maxsize=1_024)
def read(pattern: str) -> Node:
    """The tree of a pattern that RE2 takes; UnreadPatternError where it uses what is not known here."""
    return _Reader(pattern).whole()


@dataclass(frozen=True)
class _Flags:
    fold: bool = False
    dot_all: bool = False
    lazy: bool = False


class _Reader:
    """Reads from left to right, one construct a method."""

    def __init__(self, pattern: str) -> None:
        self._text, self._at, self._groups, self._depth = pattern, 0, 0, 0

    def whole(self) -> Node:
        node, _ = self._choice(_Flags())
        if self._at < len(self._text):
            raise self._unread("a bracket closes that was not opened")
        return node

    def _choice(self, flags: _Flags) -> tuple[Node, _Flags]:
        """Up to the end or a closing bracket; flags set on the way hold until there."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self._unread("too many brackets within each other")
        options: list[Node] = []
        while True:
            node, flags = self._sequence(flags)
            options.append(node)
            if not self._took("|"):
                break
        self._depth -= 1
        return (options[0] if len(options) == 1 else Choice(tuple(options))), flags

    def _sequence(self, flags: _Flags) -> tuple[Node, _Flags]:
        parts: list[Node] = []
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            if self._starts("(?") and not self._starts("(?P<") and not self._starts("(?<"):
                node, flags = self._flagged(flags)
            else:
                node = self._one(flags)
            parts.append(self._repeated(node))
        return sequence(parts), flags

    def _one(self, flags: _Flags) -> Node:
        character = self._next()
        if character == "(":
            return self._capture(flags)
        if character == "[":
            return self._class(flags)
        if character == "\\":
            return self._escaped(flags)
        if character == ".":
            return Chars(((0, LAST_POINT),) if flags.dot_all else inverted(((10, 10),)))
        if character in "^$":
            return Mark("begin" if character == "^" else "end")
        return _chars([(ord(character), ord(character))], flags)

    def _capture(self, flags: _Flags) -> Node:
        if self._took("?P<") or self._took("?<"):
            self._upto(">")
        self._groups += 1
        number = self._groups
        node, _ = self._choice(flags)
        self._close()
        return Group(node, number)

    def _flagged(self, flags: _Flags) -> tuple[Node, _Flags]:
        """`(?:…)`, `(?i:…)` or `(?i)`: the node, and the flags that hold after it."""
        self._at += 2
        inner, on = flags, True
        while not self._starts(":") and not self._starts(")"):
            name = self._next()
            if name == "-":
                on = False
            elif name == "i":
                inner = replace(inner, fold=on)
            elif name == "s":
                inner = replace(inner, dot_all=on)
            elif name != "U":
                raise self._unread(f"the flag {name}")
        if self._took(")"):
            return NOTHING, inner
        self._at += 1
        node, _ = self._choice(inner)
        self._close()
        return node, flags

    def _repeated(self, node: Node) -> Node:
        bounds = self._bounds() if self._at < len(self._text) else None
        if bounds is None:
            return node
        self._took("?")  # lazy or not: the same texts match
        return Repeat(node, *bounds)

    def _bounds(self) -> tuple[int, int | None] | None:
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        character = self._text[self._at]
        if character in simple:
            self._at += 1
            return simple[character]
        end = self._text.find("}", self._at) if character == "{" else -1
        low, comma, high = self._text[self._at + 1 : max(end, 0)].partition(",")
        if end < 0 or not low.isdigit() or (high and not high.isdigit()):
            return None
        self._at = end + 1
        return int(low), (int(high) if high else None) if comma else int(low)

    def _escaped(self, flags: _Flags) -> Node:
        character = self._next()
        if character in MARKS:
            return MARKS[character]
        if character == "Q":
            quoted = self._upto("\\E", missing_ok=True)
            return sequence([_chars([(ord(one), ord(one))], flags) for one in quoted])
        if character == "C":
            raise self._unread("\\C")
        return _chars(list(self._escape(character)), flags)

    def _escape(self, character: str) -> Ranges:
        if character.lower() in PERL:
            found = PERL[character.lower()]
            return inverted(found) if character.isupper() else found
        if character in "pP":
            return self._property(negated=character == "P")
        if character == "x":
            code = self._upto("}") if self._took("{") else self._next() + self._next()
            return ((int(code, 16), int(code, 16)),)
        if character in CONTROL:
            return ((CONTROL[character],) * 2,)
        if character.isalnum():
            raise self._unread(f"\\{character}")
        return ((ord(character), ord(character)),)

    def _property(self, *, negated: bool) -> Ranges:
        name = self._upto("}") if self._took("{") else self._next()
        if name.removeprefix("^") != "Han":
            raise self._unread(f"\\p{{{name}}}")
        return inverted(HAN) if negated != name.startswith("^") else HAN

    def _class(self, flags: _Flags) -> Node:
        negated, found, first = self._took("^"), list[Range](), True
        while first or not self._starts("]"):
            first = False
            if self._took("[:"):
                found.extend(self._posix(self._upto(":]")))
                continue
            low = self._class_part()
            if len(low) == 1 and low[0][0] == low[0][1] and self._is_range():
                self._at += 1
                high = self._class_part()
                low = ((low[0][0], high[0][1]),)
            found.extend(low)
        self._at += 1
        ranges = merged(_folded(found) if flags.fold else found)
        return Chars(inverted(ranges) if negated else ranges)

    def _posix(self, name: str) -> Ranges:
        known = POSIX.get(name.removeprefix("^"))
        if known is None:
            raise self._unread(f"[:{name}:]")
        return inverted(known) if name.startswith("^") else known

    def _class_part(self) -> Ranges:
        character = self._next()
        return self._escape(self._next()) if character == "\\" else ((ord(character), ord(character)),)

    def _is_range(self) -> bool:
        return self._starts("-") and not self._starts("-]")

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise self._unread("it ends too early")
        self._at += 1
        return self._text[self._at - 1]

    def _upto(self, end: str, *, missing_ok: bool = False) -> str:
        place = self._text.find(end, self._at)
        if place < 0 and not missing_ok:
            raise self._unread(f"{end} is missing")
        stop = len(self._text) if place < 0 else place
        found, self._at = self._text[self._at : stop], min(stop + len(end), len(self._text))
        return found

    def _close(self) -> None:
        if not self._took(")"):
            raise self._unread("a bracket stays open")

    def _starts(self, text: str) -> bool:
        return self._text.startswith(text, self._at)

    def _took(self, text: str) -> bool:
        if self._starts(text):
            self._at += len(text)
            return True
        return False

    def _unread(self, what: str) -> UnreadPatternError:
        return UnreadPatternError(f"not read: {what}, at {self._at} of {self._text[:80]!r}")


def _chars(ranges: list[Range], flags: _Flags) -> Chars:
    return Chars(merged(_folded(ranges) if flags.fold else ranges))


def _folded(ranges: list[Range]) -> list[Range]:
    """With the other case of each letter of ASCII; other alphabets are left as they stand."""
    found = list(ranges)
    for low, high in ranges:
        for start, end, shift in ((65, 90, 32), (97, 122, -32)):
            if max(low, start) <= min(high, end):
                found.append((max(low, start) + shift, min(high, end) + shift))
    return found
