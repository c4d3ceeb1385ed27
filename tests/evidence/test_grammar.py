"""The patterns that are made of lists of words take exactly those words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.evidence import units
from foldproof.evidence.grammar import UNIT, any_of

WORDS = st.sets(st.text("ab.(|", min_size=1, max_size=4), min_size=1, max_size=8)


@given(WORDS, st.text("ab.(|", max_size=5))
def test_any_of_takes_each_word_and_nothing_else(words: set[str], other: str) -> None:
    pattern = re.compile(any_of(words))
    for text in (*words, other):
        assert (pattern.fullmatch(text) is not None) == (text in words)


@given(WORDS)
def test_any_of_takes_the_longest_word_that_fits(words: set[str]) -> None:
    pattern = re.compile(any_of(words))
    for text in words:
        match = pattern.match(text + "c")
        assert match is not None
        assert match.group() == text


@pytest.mark.parametrize(
    ("words", "pattern"),
    [(["ab"], "ab"), (["ab", "ac"], "a(?:b|c)"), (["a", "ab"], "a(?:b)?"), (["b", "a"], "(?:a|b)")],
)
def test_any_of_looks_at_each_character_once(words: list[str], pattern: str) -> None:
    assert any_of(words) == pattern


def test_every_unit_of_several_letters_may_stand_apart() -> None:
    spellings = {*units.IN_ANY_CASE, *(spelling for spelling in units.CASED if len(spelling) > 1)}
    assert [spelling for spelling in sorted(spellings) if re.fullmatch(UNIT, spelling) is None] == []
