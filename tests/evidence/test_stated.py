"""The short cuts say what the scanner says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evidence.generators import result, scrambled, spelled_values, words

from foldproof.evidence.candidates import scan
from foldproof.evidence.stated import REMEMBERED, evidence_forms, stated_by, stated_by_each

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


def check(text: str) -> None:
    values = scan(text)
    forms = {form for value in values for form in value.stated}
    for stated in (stated_by(text), *stated_by_each([text])):
        assert set(stated.forms) == forms
        assert set(stated.verbatim) == {value.text.casefold() for value in values} - forms


@given(st.one_of(shaped, spelled_values, scrambled, words))
def test_short_cuts_change_nothing(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    "text",
    [
        "available",
        "credit_card",
        "twenty",
        "12",
        "-4471",
        "12.0",
        "-12.0",
        "a12.0",
        "HAT136",
        "HAT-136",
        "HAT-1364",
        "USD1364",
        "beef1364",
        "mia1990@mail.com",
        "MIA1990@mail.com",
        "mia12@mail.com",
        "NO6JO3",
        "P1DT2H",
        "Suite 4471",
        "May 12",
        "Credit_Card_4421486",
        "credit_card_44",
        "credit_card_4421",
        "2024-05-20",
        "2024-02-30",
        "07:30:00",
        "07:30:15",
        "2024-05-20T07:30:00",
        "2024-05-20T07:30:15",
        "2024-05-20T07:30:00Z",
        "2024-05-20T07:30:15Z",
        "2024-02-30T07:30:00Z",
        "19901231",
        "12345678",
        "0",
        "0.25",
        "1.250",
        "12.5",
        f"{'a ' * (REMEMBERED // 2 - 4)}HAT-1364",  # as long as is remembered
        f"{'a ' * (REMEMBERED // 2 - 4)}xHAT-1364",
    ],
)
def test_a_leaf_states_what_the_scanner_says(text: str) -> None:
    check(text)


def test_what_messages_state_is_what_their_leaves_do() -> None:
    messages = [result({"price": "12.0", "order": ["HAT-1364"]}), result("fee 4471"), result("none")]
    texts = ["price", "12.0", "order", "HAT-1364", "fee 4471"]
    assert evidence_forms(messages) == {form for text in texts for form in stated_by(text).forms}
    assert {"12", "hat-1364", "4471"} <= evidence_forms(messages)
