"""How often the decisive step is the one that people named."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from errata_client.model import JsonValue
from ingest.bounds import bounded
from ingest.decisive.step import decisive_step
from ingest.from_email import note_derived
from ingest.masking import Masker
from jobs.evaluation.contrast import KEY
from jobs.evaluation.labelled_steps import CHAT, Labelled
from knowledge.ids import digest

PUBLISHED: dict[str, JsonValue] = {
    "who_and_when_algorithm_generated_exact": {
        "best_prompted_model_knowing_the_answer": 0.255,
        "best_prompted_model": 0.166,
        "always_step_1": 0.272,
        "one_before_the_first_sign_of_an_error": 0.28,
    }
}
Guess = Callable[[Labelled], int]


def evaluate(runs: Sequence[Labelled]) -> dict[str, JsonValue]:
    """The figures of each file, and of all chats and all runs with calls `together`: the rules, a random guess, the best constant guesses (from the start and from the end), by
    rule, by what people say went wrong, and on the two halves of the tasks (by a hash of what was asked)."""
    told = {one.run.run_id: _told(one) for one in runs}
    files: defaultdict[str, list[Labelled]] = defaultdict(list)
    kinds: defaultdict[str, list[Labelled]] = defaultdict(list)
    for one in runs:
        files[one.file].append(one)
        kinds["chats" if one.kind == CHAT else "runs with calls"].append(one)
    return {
        "files": {name: _figures(found, told) for name, found in sorted(files.items())},
        "together": {name: _figures(found, told) for name, found in sorted(kinds.items())},
        "published": PUBLISHED,
    }


def _told(one: Labelled) -> tuple[int, str]:
    """The place and the rule, of the run as it is masked and cut at ingest."""
    short, _ = bounded(one.run)
    found = decisive_step(Masker(KEY).run(note_derived(short)))
    return (one.place(found.index), found.rule) if found else (-1, "none")


def _figures(runs: Sequence[Labelled], told: dict[str, tuple[int, str]]) -> dict[str, JsonValue]:
    def guess(one: Labelled) -> int:
        return told[one.run.run_id][0]

    starts = range(runs[0].first, runs[0].first + max(one.length for one in runs))
    ends = range(max(one.length for one in runs))
    return {
        "runs": len(runs),
        "rules": _hits(runs, guess),
        "random_guess": {"exact": round(sum(1 / one.length for one in runs) / len(runs), 4)},
        "best_constant": _best(runs, {f"message {place}": _at(place) for place in starts}),
        "best_constant_from_the_end": _best(
            runs, {f"{back} before the last": _before_end(back) for back in ends}
        ),
        "halves": [_hits([one for one in runs if _half(one) == half], guess) for half in (0, 1)],
        "by_rule": _grouped(runs, guess, lambda one: told[one.run.run_id][1]),
        "by_kind": _grouped(runs, guess, lambda one: one.kind),
        "confusion": _confusion(runs, told),
    }


def _hits(runs: Sequence[Labelled], guess: Guess) -> dict[str, JsonValue]:
    apart = [abs(guess(one) - one.label) for one in runs]
    exact, near = sum(one == 0 for one in apart), sum(one <= 1 for one in apart)
    share = max(1, len(runs))
    return {
        "runs": len(runs),
        "exact": exact,
        "exact_share": round(exact / share, 4),
        "within_one": near,
        "within_one_share": round(near / share, 4),
    }


def _best(runs: Sequence[Labelled], guesses: dict[str, Guess]) -> dict[str, JsonValue]:
    hits = {name: _hits(runs, guess) for name, guess in guesses.items()}
    name = max(hits, key=lambda name: (int(str(hits[name]["exact"])), name))
    return {"guess": name, **hits[name]}


def _at(place: int) -> Guess:
    return lambda _: place


def _before_end(back: int) -> Guess:
    return lambda one: one.first + one.length - 1 - back


def _grouped(
    runs: Iterable[Labelled], guess: Guess, group: Callable[[Labelled], str]
) -> dict[str, JsonValue]:
    groups: defaultdict[str, list[Labelled]] = defaultdict(list)
    for one in runs:
        groups[group(one)].append(one)
    return {name: _hits(found, guess) for name, found in sorted(groups.items())}


def _confusion(runs: Sequence[Labelled], told: dict[str, tuple[int, str]]) -> dict[str, JsonValue]:
    """By rule: how often the label stood so many messages before (-) or after what the rule said."""
    off: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one in runs:
        place, rule = told[one.run.run_id]
        apart = one.label - place
        off[rule][
            "exact" if apart == 0 else f"{'after' if apart > 0 else 'before'} by {_span(abs(apart))}"
        ] += 1
    return {rule: dict(sorted(counted.items())) for rule, counted in sorted(off.items())}


def _span(apart: int) -> str:
    return "1" if apart == 1 else "2 to 3" if apart <= 3 else "more"


def _half(one: Labelled) -> int:
    return ord(digest("half", one.run.user_intent, one.run.task_id)[-1]) % 2
