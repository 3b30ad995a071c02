"""Problems in, attributions out: the order of questions that the ladder needs, without a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from threadpoolctl import threadpool_limits

from attribution.answers import Answers
from attribution.encoders.port import Vectors
from attribution.exemplars import Known, known_exemplars
from attribution.gates import passing
from attribution.parameters import Parameters
from attribution.preselection import Exhaustive, Preselected, Preselection
from attribution.ranking import Texts, TextVectors
from attribution.senses.probe import Probes, packaged_probes
from attribution.senses.reading import Sayings
from attribution.text import problem_texts
from attribution.verdict import Judge, Question
from attribution.wordings import Wordings
from knowledge.cases import Problem
from knowledge.causes import Attribution, RootCause

CHUNK = 1024
"""Problems whose vectors are held at once."""

VectorSource = Callable[[str, Sequence[str]], Mapping[str, Vectors]]
"""Vectors by text, for an encoder id and texts; texts that the encoder does not read are left out."""


@dataclass(frozen=True)
class Attributor:
    """Attributes problems to `causes`, given people's `answers`. `encoders` are the ids of the running encoders;
    `vectors` finds their vectors. With `preselection`, few of many exemplars are scored, with the same answers. `probes` tell
    what a text speaks of; an encoder without one has no say in that."""

    causes: Sequence[RootCause]
    answers: Answers
    parameters: Parameters
    encoders: tuple[str, ...]
    vectors: VectorSource
    now: datetime
    preselection: Preselection | None = None
    probes: Probes = field(default_factory=packaged_probes)

    def attribute(self, problems: Sequence[Problem]) -> Iterator[Attribution]:
        """One attribution per problem, by error code and then fingerprint."""
        judge = self._judge(self.parameters)
        yield from (_decided(judge, question) for question in self.questions(problems))

    def under(self, parameters: Parameters, questions: Sequence[Question]) -> list[Attribution]:
        """What these questions come to under other thresholds and margins, with the scores that they have."""
        judge = self._judge(parameters)
        return [_decided(judge, question) for question in questions]

    def questions(self, problems: Sequence[Problem]) -> Iterator[Question]:
        """The problems with answers and scores, by error code and then fingerprint. One problem alone takes one BLAS
        thread: several cost more than they bring, on busy cores a hundredfold."""
        ordered = sorted(problems, key=lambda problem: (problem.error_code, problem.fingerprint))
        with threadpool_limits(limits=1 if len(ordered) == 1 else None, user_api="blas"):
            for code in sorted({problem.error_code for problem in ordered}):
                yield from self._of_one_code([p for p in ordered if p.error_code == code])

    def _of_one_code(self, problems: Sequence[Problem]) -> Iterator[Question]:
        code = problems[0].error_code
        causes = [cause for cause in self.causes if cause.enabled and code in cause.error_codes]
        known = known_exemplars(causes, self.answers)
        scored = self._scored(known)
        sayings = Sayings(self.probes, known, self._error_vectors)
        for start in range(0, len(problems), CHUNK):
            yield from self._chunk(problems[start : start + CHUNK], causes, scored, sayings)

    def _scored(self, known: Sequence[Known]) -> Exhaustive | Preselected:
        if self.preselection and len(known) > self.preselection.above:
            return self.preselection.over(known, self._vectors_of, self.parameters)
        return Exhaustive(known, self._vectors_of([one.texts for one in known]), self.parameters)

    def _chunk(
        self,
        problems: Sequence[Problem],
        causes: Sequence[RootCause],
        scored: Exhaustive | Preselected,
        sayings: Sayings,
    ) -> Iterator[Question]:
        questions = [self._question(problem, causes) for problem in problems]
        texts = [problem_texts(question.problem) for question in questions]
        allowed = [question.covering - question.refused for question in questions]
        vectors = self._vectors_of(texts)
        ranked = scored.rank(texts, allowed, vectors)
        spoken = sayings.spoken([one["error_pattern"] for one in texts], allowed, vectors)
        for question, scores, sense in zip(questions, ranked, spoken, strict=True):
            yield replace(question, ranked=scores, spoken=sense)

    def _question(self, problem: Problem, causes: Sequence[RootCause]) -> Question:
        covering, refused = passing(problem, causes), self.answers.refuses(problem)
        allowed = covering - refused
        return Question(
            problem=problem,
            covering=covering,
            refused=refused,
            settled=self.answers.settled.get(problem.fingerprint),
            same=self._wordings.same(problem, allowed),
            near=self._wordings.near(problem, allowed),
            near_miss=lambda cause: self._wordings.near_miss(problem, cause),
            recased=lambda cause: self._wordings.recased(problem, cause),
        )

    @cached_property
    def _wordings(self) -> Wordings:
        return Wordings.of(self.causes, self.answers)

    def _judge(self, parameters: Parameters) -> Judge:
        enabled = {cause.cause_id: cause for cause in self.causes if cause.enabled}
        return Judge(enabled, parameters, self.encoders, self.now)

    def _vectors_of(self, texts: Sequence[Texts]) -> TextVectors:
        """Of the fields that inform, and of the error text where a probe reads it."""
        fields = {encoder: set(self.parameters.informative_fields(encoder)) for encoder in self.encoders}
        for encoder in fields.keys() & self.probes.by_encoder.keys():
            fields[encoder].add("error_pattern")
        return {
            encoder: self.vectors(encoder, [some[name] for some in texts for name in sorted(named)])
            for encoder, named in fields.items()
        }

    def _error_vectors(self, texts: Sequence[str]) -> TextVectors:
        """The vectors of error texts, by the encoders that have a probe."""
        able = [encoder for encoder in self.encoders if encoder in self.probes.by_encoder]
        return {encoder: self.vectors(encoder, texts) for encoder in able}


def _decided(judge: Judge, question: Question) -> Attribution:
    """People's answers decide before scores do; an attribution by an answer carries no scores."""
    return judge.by_answers(replace(question, ranked=None)) or judge.by_scores(question)
