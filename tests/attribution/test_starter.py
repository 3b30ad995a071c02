from __future__ import annotations

from collections import Counter

import pytest

from attribution.causes import check_cause
from attribution.starter import starter_causes
from attribution.text import normalised
from ingest.error_kind import error_kind
from knowledge.cases import ERROR_CODES
from knowledge.causes import RootCause

CAUSES = starter_causes()


def test_the_starter_set_covers_every_code() -> None:
    assert {code for cause in CAUSES for code in cause.error_codes} == set(ERROR_CODES)


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.cause_id)
def test_every_starter_cause_is_told_in_both_languages_with_five_exemplars_in_each(cause: RootCause) -> None:
    check_cause(cause)
    assert all([cause.name_zh, cause.statement_zh, cause.playbook, cause.playbook_zh])
    chinese = [one for one in cause.exemplars if not one.error_pattern.isascii()]
    assert len(chinese) >= 4
    assert len(cause.exemplars) - len(chinese) >= 5


@pytest.mark.parametrize("cause", CAUSES, ids=lambda cause: cause.cause_id)
def test_a_causes_gate_lets_its_own_exemplars_through(cause: RootCause) -> None:
    kinds = {error_kind(one.error_pattern): one.error_pattern for one in cause.exemplars}
    assert not cause.error_kinds or set(kinds) <= set(cause.error_kinds), kinds


def test_no_text_is_an_exemplar_of_two_causes() -> None:
    texts = Counter(
        text for cause in CAUSES for text in {normalised(one.error_pattern) for one in cause.exemplars}
    )
    assert [text for text, count in texts.items() if count > 1] == []
