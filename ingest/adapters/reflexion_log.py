"""The text logs of the published Reflexion code, and those like them: trials of environments or of questions.

`Environment #3 Trial #1: FAIL` or `Environment #3:` begins a trial of an environment, `BEGIN TRIAL 2` one of all questions. A trial
is read as a console's lines or as a ReAct transcript; `STATUS: FAIL` judges it, `Reflection: …` is what was written after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from errata_client.run import Outcome, Step
from ingest.adapters.plain_text import Line
from ingest.adapters.port import NotAnalysed
from ingest.adapters.trajectory import steps_of_text

MAX_TEXT = 64 * 1024 * 1024
"""Characters of all trials that are held: those of one task stand apart, so a log is read whole, or up to here."""

_ENVIRONMENT = re.compile(
    r"\s*(?:#+\s*)?(?:Environment|Env|Task|环境|任务)\s?#?(?P<name>\d{1,6})(?:[\s,，]{0,3}(?:Trial|Episode|Attempt|第?)\s?#?(?P<trial>\d{1,6})\s?(?:次|轮)?(?:试验|尝试)?)?"
    r"\s*(?:[:：]\s*(?P<rest>.*))?"
)
_TRIAL = re.compile(r"\s*(?:BEGIN TRIAL|={1,80} ?Trial|Trial)\s*#?(?P<trial>\d{1,6})\b[\s:：=]*")
_AGENTS = re.compile(r"-{3,}\s*BEGIN (?P<kind>CORRECT|INCORRECT|HALTED|NOT_FINISH\w*) AGENTS\s*-{3,}")
_STATUS = re.compile(r"\s*(?:STATUS|Status|状态|结果)\s?[:：]\s*(?P<word>\w{2,12})\s*")
_REFLECTION = re.compile(
    r"\s*(?:#+\s*|\*\*)?(?:New plan|Self-)?(?:Reflection|reflection|反思)s?(?:\s?#?\d{1,4})?(?:\*\*)?\s?[:：](?:\*\*)?\s*(?P<rest>.*)"
)
_QUESTION = re.compile(r"\s*(?:Question|问题)\s?[:：]\s*(?P<rest>.*)")
_TOLD_BEFORE = re.compile(r"You have attempted to (?:answer|tackle|solve).*\Z", re.DOTALL)
_HIDDEN = re.compile(r"\s*(?:Correct answer|正确答案)\s?[:：]")
_RULE = re.compile(r"\s*([#\-=])\1{4,}\s*")
_GOOD = frozenset({"ok", "success", "succeeded", "solved", "passed", "correct", "成功"})
_BAD = frozenset({"fail", "failed", "failure", "incorrect", "失败"})
_TASK_IS = re.compile(r"(?i)\s*(?:your task is to|task)\s?[:：]\s*(?P<rest>.+)")
_HERE_IS = re.compile(r"(?i)\s*here is the task:?\s*")


@dataclass
class LoggedTrial:
    """One attempt: its lines, what was written after it, and how it was judged."""

    lines: list[Line] = field(default_factory=list)
    reflection: str | None = None
    success: bool | None = None

    def read(self) -> tuple[list[Step], Outcome]:
        """Its steps, without those of the prompt's examples."""
        begins = [at for at, line in enumerate(self.lines) if _HERE_IS.fullmatch(line.text)]
        return steps_of_text(self.lines[begins[-1] + 1 :] if begins else self.lines)


@dataclass
class LoggedTask:
    """One task with its trials in their order."""

    name: str | None
    asked: str | None = None
    trials: list[LoggedTrial] = field(default_factory=list)


def is_log(lines: Iterable[Line]) -> bool:
    """Whether lines hold trials that were judged or reflected on."""
    begun = judged = questions = False
    for line in lines:
        environment = _ENVIRONMENT.fullmatch(line.text)
        if environment and (environment.group("trial") or _verdict(environment.group("rest")) is not None):
            begun, judged = True, judged or _verdict(environment.group("rest")) is not None
        begun = (
            begun
            or bool(environment and environment.group("rest") is not None)
            or bool(_TRIAL.fullmatch(line.text))
        )
        status = _STATUS.fullmatch(line.text)
        judged = judged or (begun and status is not None and _verdict(status.group("word")) is not None)
        judged = judged or (begun and _REFLECTION.fullmatch(line.text) is not None)
        questions = questions or bool(begun and _AGENTS.fullmatch(line.text.strip()))
    return (begun and judged) or questions


def tasks(lines: Iterable[Line]) -> Iterator[LoggedTask | NotAnalysed]:
    """The tasks of a log, in the order in which they first stand there."""
    reader = _Reader()
    for line in lines:
        reader.feed(line)
        if reader.size > MAX_TEXT:
            yield NotAnalysed(
                position=f"line {line.number}",
                reason=f"a log of more than {MAX_TEXT // 2**20} MiB; the rest was left out",
            )
            break
    reader.end()
    yield from (
        task
        for task in reader.tasks.values()
        if any(trial.lines or trial.reflection for trial in task.trials)
    )


@dataclass
class _Reader:
    tasks: dict[str, LoggedTask] = field(default_factory=dict)
    size: int = 0
    _trial: LoggedTrial | None = None
    _task: LoggedTask | None = None
    _verdict: bool | None = None
    _reflecting: bool = False
    _told: list[str] = field(default_factory=list)
    _questions: bool = False
    _ended: bool = False

    def feed(self, line: Line) -> None:
        """One line more."""
        self.size += len(line.text) + 1
        if self._mark(line) or self._begin(line):
            return
        if self._trial is None:
            return
        if reflection := _REFLECTION.fullmatch(line.text):
            self._reflecting = True
            self._told = [reflection.group("rest")]
        elif status := _STATUS.fullmatch(line.text):
            self._judge(_verdict(status.group("word")))
            self._ended = True
        elif self._reflecting and not _begins_turn(line.text):
            self._told.append(line.text)
        else:
            self._end_reflection()
            self._keep(line)

    def end(self) -> None:
        """No more lines; trials that repeat the one before, word for word, are told once."""
        self._end_reflection()
        for task in self.tasks.values():
            task.trials = [
                trial
                for at, trial in enumerate(task.trials)
                if at == 0 or not _repeats(trial, task.trials[at - 1])
            ]

    def _mark(self, line: Line) -> bool:
        """A line that parts trials from each other."""
        if agents := _AGENTS.fullmatch(line.text.strip()):
            self._close()
            self._questions, self._verdict = True, agents.group("kind") == "CORRECT"
            return True
        if _TRIAL.fullmatch(line.text):
            self._close()
            return True
        if _HIDDEN.match(line.text):
            self._close()
            return True
        return bool(_RULE.fullmatch(line.text))

    def _begin(self, line: Line) -> bool:
        if self._questions:
            question = _QUESTION.fullmatch(line.text)
            if question is None:
                return False
            asked = _TOLD_BEFORE.sub("", question.group("rest")).strip()
            self._start(f"question {asked}", None, asked, self._verdict)
            return True
        found = _ENVIRONMENT.fullmatch(line.text)
        if found is None or (found.group("trial") is None and found.group("rest") is None):
            return False
        rest = found.group("rest") or ""
        verdict = _verdict(rest)
        if verdict is not None and self._is_told_again(found.group("name"), verdict):
            self._judge(verdict)
            return True
        self._start(found.group("name"), f"environment {found.group('name')}", None, verdict)
        if rest and verdict is None:
            self._keep(Line(line.number, rest))
        return True

    def _is_told_again(self, name: str, verdict: bool) -> bool:
        """Whether a verdict is of the trial that was just read, and not of one that this log says nothing else of."""
        task, trial = self.tasks.get(name), self._trial
        if task is None or trial is None or self._task is not task or trial.reflection or not trial.lines:
            return False
        return trial.success in {None, verdict}

    def _start(self, key: str, name: str | None, asked: str | None, verdict: bool | None) -> None:
        self._close()
        self._task = self.tasks.setdefault(key, LoggedTask(name, asked))
        self._trial, self._ended = LoggedTrial(success=verdict), False
        self._task.trials.append(self._trial)

    def _close(self) -> None:
        self._end_reflection()
        self._trial = self._task = None

    def _judge(self, verdict: bool | None) -> None:
        self._end_reflection()
        if self._trial is not None and verdict is not None:
            self._trial.success = verdict

    def _end_reflection(self) -> None:
        """What was written belongs to this trial; where a trial begins with it, to the one before."""
        text = "\n".join(self._told).strip()
        self._told, self._reflecting = [], False
        if not text or self._trial is None or self._task is None:
            return
        trials = self._task.trials
        if self._questions or not any(line.text.strip() for line in self._trial.lines):
            if len(trials) > 1:
                told = [part.strip() for part in re.split(r"(?m)^- ", text) if part.strip()]
                trials[-2].reflection = trials[-2].reflection or (told[-1] if told else text)
                return
            if self._questions:
                return
        self._trial.reflection = text

    def _keep(self, line: Line) -> None:
        if self._trial is None or self._task is None or self._ended:
            return
        self._trial.lines.append(line)
        if _HERE_IS.fullmatch(line.text):
            self._task.asked = None
        elif self._task.asked is None and (task := _TASK_IS.fullmatch(line.text)):
            self._task.asked = task.group("rest").strip()


def _repeats(trial: LoggedTrial, before: LoggedTrial) -> bool:
    return bool(trial.lines) and [line.text for line in trial.lines] == [line.text for line in before.lines]


def _begins_turn(text: str) -> bool:
    """Whether a line behind a reflection is the next attempt's: a console's prompt, or a thought or an action."""
    return bool(re.match(r"\s*(?:>|Thought\b|Action\b|思考|行动|动作)", text))


def _verdict(word: str | None) -> bool | None:
    told = (word or "").strip().strip(".。*").lower()
    return True if told in _GOOD else False if told in _BAD else None
