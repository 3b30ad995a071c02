"""How a working text can be made of the pieces of a failing one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from strategies.synthesis.tokens import Token

Part = int | str
"""A piece of a template: the place of a token that is copied, or text that is written as it is."""

Template = tuple[Part, ...]

MAX_TEXT = 120
MAX_READINGS = 64
MAX_STEPS = 4_000


def readings(failing: Sequence[Token], working: str) -> list[Template]:
    """The templates that make `working` out of the words of `failing`, at most 64; each copies at least one.

    A digit is never written as text, but for the zeros that pad a number: it would be one customer's value.
    """
    if len(working) > MAX_TEXT:
        return []
    found: dict[Template, None] = {}
    for template in _search(failing, working):
        if any(isinstance(part, int) for part in template):
            found.setdefault(template)
        if len(found) >= MAX_READINGS:
            break
    return list(found)


def _search(failing: Sequence[Token], working: str) -> Iterator[Template]:
    """Depth first, copies before text, in a bounded number of steps."""
    stack: list[tuple[int, Template]] = [(0, ())]
    words = [(place, token.text) for place, token in enumerate(failing) if token.is_word]
    for _ in range(MAX_STEPS):
        if not stack:
            return
        at, template = stack.pop()
        if at == len(working):
            yield template
            continue
        if not working[at].isdigit() or _pads(working, at, template):
            stack.append((at + 1, _with_text(template, working[at])))
        for place, text in reversed(words):
            if working.startswith(text, at) and not _cuts_number(working, at, text):
                stack.append((at + len(text), (*template, place)))


def _pads(working: str, at: int, template: Template) -> bool:
    """Whether a zero here only fills up a number that goes on behind it."""
    begins = at == 0 or not working[at - 1].isdigit() or (bool(template) and _ends_in_zeros(template))
    return working[at] == "0" and begins and working[at + 1 : at + 2].isdigit()


def _ends_in_zeros(template: Template) -> bool:
    last = template[-1]
    return isinstance(last, str) and last.endswith("0")


def _cuts_number(working: str, at: int, text: str) -> bool:
    """Whether copying `text` would take a part out of a longer number (zeros before it are padding)."""
    end = at + len(text)
    if text[-1].isdigit() and working[end : end + 1].isdigit():
        return True
    before = at
    while before and working[before - 1] == "0":
        before -= 1
    return text[0].isdigit() and before > 0 and working[before - 1].isdigit()


def _with_text(template: Template, character: str) -> Template:
    if template and isinstance(template[-1], str):
        return (*template[:-1], template[-1] + character)
    return (*template, character)
