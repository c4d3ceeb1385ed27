"""Words in quotation marks that a text says are the person's, and whether the person said them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.window.quotes import quotes_of_the_person, says


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ('The user asked: "please cancel the order now".', ["please cancel the order now"]),
        ("The customer said \u201cplease cancel it now\u201d and left.", ["please cancel it now"]),
        ('"Please cancel it now", the customer said.', ["Please cancel it now"]),
        ('"Please cancel it now" (said the person).', ["Please cancel it now"]),
        ('**User:** "please cancel it now"', ["please cancel it now"]),
        ('- The customer: "please cancel it now"', ["please cancel it now"]),
        ('The user\'s message was: "please cancel it now"', ["please cancel it now"]),
        ('The user, after a while, told the agent "go ahead and do it".', ["go ahead and do it"]),
        (
            'The person said:\n- "move it to Friday"\n- "and one more thing"\n\nThen:\n- "I moved it to Monday"',
            ["move it to Friday", "and one more thing"],
        ),
        (
            '## All user messages:\n1. "do it now please"\n2. \u201cand this too then\u201d',
            ["do it now please", "and this too then"],
        ),
    ],
)
def test_what_is_quoted_as_the_persons(text: str, quotes: list[str]) -> None:
    found = list(quotes_of_the_person(text))
    assert [quote.text for quote in found] == quotes
    assert [text[quote.start : quote.end] for quote in found] == quotes


@pytest.mark.parametrize(
    "text",
    [
        'The user asked for "The Grand Hotel Paris" today.',  # a title
        'The user said "yes".',  # too short to be told from a word that is named
        'The assistant said to the user: "you have no refund left".',
        'The agent told the user "you have no refund left".',
        'The agent told the user and said: "you have no refund left".',
        'The user\'s file says: "you have no refund left".',
        'The user opened the page, which says: "you have no refund left".',
        'The tool returned "you have no refund left".',
        "The user wants to know whether a refund is left.",
        'The model said:\n- "you have no refund left"',
        'The user said nothing. "You have no refund left", it read.',
    ],
)
def test_what_is_not(text: str) -> None:
    assert list(quotes_of_the_person(text)) == []


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("Please  CANCEL the order", True),
        ("cancel the order; today", True),
        ("please … today", True),
        ("[Please] cancel ... today!", True),
        ("today … please", False),
        ("cancel order", False),
        ("cancel the orders", False),
        ("ancel the order", False),
    ],
)
def test_whether_a_text_says_it(quote: str, *, said: bool) -> None:
    assert says(["Something else.", "Please cancel the order, today."], quote) is said


def test_pieces_have_to_stand_in_one_text() -> None:
    assert not says(["please cancel", "the order today"], "please cancel … the order today")


@given(st.text(alphabet='user said: "“”«»\n-…', max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    for quote in quotes_of_the_person(text):
        assert text[quote.start : quote.end] == quote.text
        says([text], quote.text)
