"""The short cuts say what the scanner says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.evidence.generators import scrambled, spelled_values, words

from foldproof.evidence.candidates import scan
from foldproof.evidence.stated import stated_by

shaped = st.one_of(
    st.from_regex(r"[A-Za-z]{2,20}-?\d{3,10}", fullmatch=True),
    st.from_regex(r"(USD|EUR|JPY|INRX)-?\d{3,10}", fullmatch=True),
    st.from_regex(r"[a-zA-Z]{1,20}\d{1,10}@[a-z]{2,9}\.[a-z]{2,4}", fullmatch=True),
    st.from_regex(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[-+]\d\d:\d\d)?", fullmatch=True),
    st.from_regex(r"\d{1,8}", fullmatch=True),
    st.from_regex(r"(19|20)?\d{6,45}", fullmatch=True),
    st.from_regex(r"-?\d{1,5}\.\d{1,6}", fullmatch=True),
    st.from_regex(r"-\d{1,9}", fullmatch=True),
    st.from_regex(r"-?\d{1,8}\.0", fullmatch=True),
    st.from_regex(r"\d{4}-\d\d-\d\d", fullmatch=True),
    st.from_regex(r"[0-2]\d:[0-6]\d:[0-6]\d", fullmatch=True),
    st.from_regex(r"([A-Za-z]{1,8}_){1,3}\d{1,10}", fullmatch=True),
    st.from_regex(r"[A-Za-z]{1,6}\d[A-Za-z0-9]{0,9}", fullmatch=True),
    st.from_regex(r"(Suite|May|Mayor|Twenty|Usd|Decem|Fee|Last) \d{1,8}", fullmatch=True),
    st.from_regex(r"[a-fA-F]{2,9}-?\d{3,10}", fullmatch=True),
    st.from_regex(r"P(\d{1,2}D)?T?(\d{1,2}H)?(\d{1,2}M)?(\d{1,2}S)?", fullmatch=True),
    st.sampled_from(
        ["twenty", "Thirty", "NINETY", "thirteen", "seventeen", "plenty", "sixty_two", "may", "one", "hundred"]
    ),
)


@given(st.one_of(shaped, spelled_values, scrambled, words))
def test_short_cuts_change_nothing(text: str) -> None:
    values = scan(text)
    forms = {form for value in values for form in value.stated}
    stated = stated_by(text)
    assert set(stated.forms) == forms
    assert set(stated.verbatim) == {value.text.casefold() for value in values} - forms
