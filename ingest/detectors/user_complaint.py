"""outcome.user_complaint: a person says that the agent did wrong."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

import re2

from errata_client.replay import StepView
from errata_client.run import Run, Step
from ingest.adapters.chat_run import spoken
from ingest.detectors.port import Detector, Finding

MAX_TEXT = 4_000
AROUND = 80
_DID = r"(?:changed|cancel(?:l)?ed|booked|ordered|returned|exchanged|charged|refunded|removed|deleted|added|sent|updated|modified|used|picked|selected|chose|gave|got|did|made|put|missed|forgot|ignored|misunderstood|misread|skipped)"
_ENGLISH = (
    rf"\byou(?:'ve| have)? (?:just |again |still )?{_DID} (?:me |us )?(?:it |this |that |them |my \w+ |the \w+ )?(?:the |a )?(?:wrong|incorrect)\w*\b"
    r"|\bthat(?:'s| is) not what i (?:asked|wanted|said|meant|requested|ordered)\b"
    r"|\b(?:this|it)(?:'s| is) not what i (?:asked|wanted|said|meant|requested)(?: you| for)?\b"
    r"|\bi (?:never|didn't|did not) (?:ask(?:ed)?|tell|told|want(?:ed)?|authori[sz]e[d]?) you to\b"
    r"|\bi(?:'ve| have)? (?:already |just )(?:told|said|gave|given|provided|mentioned|explained|answered|asked)(?: (?:to )?you| that| this| it| my| the)\b"
    r"|\byou(?: are|'re) (?:not (?:listening|helping|understanding|reading)|wrong|mistaken|useless|repeating yourself|going in circles|making (?:things|stuff) up)\b"
    r"|\byou(?:'re| are| just)? (?:keep|kept|keeps) (?:asking|repeating|saying|making|getting|giving|ignoring|telling)\b"
    r"|\byou (?:made|have made|'ve made) (?:a |another |the same )?(?:mistake|error)\b"
    r"|\byou(?:'ve| have)? (?:misunderstood|misread|ignored|forgot(?:ten)?) (?:me|my|what|the|that)\b"
    r"|\byou (?:didn't|did not|haven't|have not|never) (?:answer|listen|read|do what|understand|address|process(?:ed)? (?:it|that|my))"
    r"|\byou said (?:you|it|that|there)\b.{0,80}\bbut\b|\bopposite of what i\b|\bi said (?:not|no|the opposite|opposite|don't)\b"
    r"|\bwhat(?:'s| is| the \w+ is| the \w+'s) wrong with you\b"
    r"|\b(?:useless|stupid|terrible|worthless|dumb) (?:bot|agent|assistant|system|ai|chatbot)\b"
)
_CHINESE = (
    r"你(?:们)?(?:又|怎么又|还是|都)?(?:搞错|弄错|做错|答错|说错|理解错|看错|改错|订错|取消错|退错|选错|听错)"
    r"|(?:这|那)?(?:根本|完全|并)?不是我(?:要|想要|说|问|需要)的|我(?:没|没有|从没)(?:有)?(?:让|叫|要求|要)你"
    r"|我(?:刚才|刚刚|之前|已经|前面)(?:已经|就)?(?:都)?(?:说过|告诉过?你|提供过|给过你|回答过)|(?:答非所问|你没(?:有)?(?:听懂|理解|看懂|回答)|你在胡说|胡说八道)"
    r"|你(?:怎么)?(?:一直|老是|总是|反复)(?:在)?(?:重复|问|说)|(?:你们?|这个)(?:机器人|客服|系统|助手)(?:太|真|也太)?(?:差|烂|蠢|没用|垃圾|智障)"
)
_MISUNDERSTOOD = re.compile(
    r"\bthere (?:might|may|must|seems to|is|has to) ?(?:be|have been)? ?(?:a|some|any)? ?(?:misunderstanding|confusion)\b"
    r"|(?:可能|好像|应该)?(?:有|存在)(?:一些|一点|点)?误会",
    re.IGNORECASE,
)
"""Words that complain of the agent only beside what the person wanted: it may be another who was misunderstood."""

_WANTED = re.compile(
    r"\bi(?:'m| am| was)? (?:trying|looking|wanted|want|asked|asking|meant|need(?:ed)?)\b|\blooking for\b|我(?:是)?(?:想|要|说的是|问的是)",
    re.IGNORECASE,
)
_COMPLAINS = re.compile(f"{_ENGLISH}|{_CHINESE}", re.IGNORECASE)
_LOOKS = re2.compile(f"(?i){_ENGLISH}|{_MISUNDERSTOOD.pattern}")
"""Of a text in ASCII, in linear time: whether any of them can be there."""

_GATE = re.compile(
    r"you|there|wrong with|not what i|i said|i just|i already|i've|opposite|useless|stupid|terrible|worthless|dumb|你|我|答非所问|胡说|机器人|客服|系统|助手",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:if|unless|in case|whether|hope|sure|glad) (?:that )?$|\b(?:can|could|would|did|do|have|are|were) $|(?:如果|要是|是否|有没有|(?:^|[^可但只])是)$",
    re.IGNORECASE,
)


def detect(run: Run, _calls: Sequence[StepView]) -> Iterator[Finding]:
    """At the agent's latest step before it, one finding for each turn in which a person complains of what the agent did or said: that it did the wrong thing or what
    nobody asked for, did not listen, misunderstood what they wanted, asks again what it was told, goes in circles, contradicts itself; 你搞错了, 不是我要的, 我已经说过.

    Not: displeasure with a product, a price, a rule or a delay; asking for a human; correcting what the person had said
    wrongly themselves; conditions and questions ("if you made a mistake"); the first thing that is said, before the
    agent did anything. Evidence: the words, with what stands around them.
    """
    acted: Step | None = None
    for step in run.steps:
        if acted is not None and step.user_input:
            complaint = complaint_in(spoken(step.user_input))
            if complaint is not None:
                yield _finding(acted, step, *complaint)
        if step.requestor == "agent" and (step.tool_call is not None or step.raw_output):
            acted = step


def complaint_in(text: str) -> tuple[str, str] | None:
    """The words that complain, and what stands around them; None without any."""
    text = text[:MAX_TEXT].replace("’", "'")
    if text.isascii() and not _LOOKS.search(text):
        return None
    if not _GATE.search(text):
        return None
    patterns = (_COMPLAINS, _MISUNDERSTOOD) if _WANTED.search(text) else (_COMPLAINS,)
    for match in itertools.chain.from_iterable(pattern.finditer(text) for pattern in patterns):
        if not _NOT.search(text[max(0, match.start() - 24) : match.start()]):
            return match.group(), text[max(0, match.start() - AROUND) : match.end() + AROUND]
    return None


def _finding(acted: Step, said: Step, words: str, around: str) -> Finding:
    return Finding(
        index=acted.index,
        code="outcome.user_complaint",
        message="the person complains of what the agent did",
        detail=str(said.index),
        evidence={"words": words, "around": around, "said_at": said.index},
    )


DETECTOR = Detector("user_complaint", ("outcome.user_complaint",), detect)
