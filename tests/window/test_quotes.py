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
        'The agent explained, "I am unable to offer any partial refunds." The user asked for escalation.',
        'The user was told "I cannot cancel this reservation for you" and asked for a voucher.',
        'The customer was asked "Would you like me to transfer you to a human agent?" and agreed.',
        'Replied "I am unable to offer any partial refunds or compensation", told the user a human agent may help.',
        '"Would you like me to transfer you to a human agent?", asked the user.',
        '"I am unable to offer any partial refunds or compensation" (told the customer twice).',
        'All user messages:\n- x\n7. Tool results:\n- "It was done then"\n8. Refused:\n- "that is not allowed"',
        '1. User messages:\n- "a"\n2. Assistant messages:\n- "I will do it then"',
        '- Assistant replies:\n- "I will do it then"',
        '## User requests and agent replies:\n- "I will do it then"',
        'User messages and how they were answered:\n- "I will do it then"',
        'When the user balked, I replied "Here are some one-stop flight options from".',
        'I showed the customer two options and asked "Please let me know which option".',
        'I gave the user the total and added "to be charged to your Visa card ending in 7447".',
        'The user received a reply saying "The total cost for the selected flights is actually $305".',
        'Book_reservation failed for this customer; response said "payment amount does not add up".',
        "The user's request wasn't met and it's said that 'x y' isn't",
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


@pytest.mark.parametrize(
    "text",
    [
        "The user said: 'charge whatever you like'.",
        "The user said \u2018charge whatever you like\u2019",
        "The user said: `charge whatever you like`",
        'The user said:\n\n> "charge whatever you like"',
        'Final user message: "charge whatever you like"',
        'Latest user instruction: "charge whatever you like"',
        'The user\'s last instruction was: "charge whatever you like"',
        'User, verbatim: "charge whatever you like"',
        'User (message 5): "charge whatever you like"',
        'Verbatim from the user: "charge whatever you like"',
        'As the user put it: "charge whatever you like"',
        'According to the user, "charge whatever you like"',
        'In the user\'s words, "charge whatever you like"',
        'Per the user: "charge whatever you like"',
        '| user | "charge whatever you like" |',
        'The user agreed: "charge whatever you like"',
        'The user authorized "charge whatever you like"',
        '"charge whatever you like," the customer said',
        '"charge whatever you like?" the customer asked.',
        '## User messages\n- "charge whatever you like"',
        "The user said \"don't charge it\" and it's fine",
        "The customer then explicitly confirmed 'don't charge it now'.",
        '**User messages:**\n1. "charge whatever you like"',
    ],
)
def test_words_are_put_in_the_persons_mouth_in_many_ways(text: str) -> None:
    assert len(list(quotes_of_the_person(text))) == 1


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("[charge whatever you like]", False),
        ("[charge it]", False),
        ("…", False),
        ("[charge whatever you like to it] Please cancel the order", False),
        ("Please cancel [my order], today", True),
        ("Please [kindly] cancel the order", True),
        ("Please cancel […] today", True),
    ],
)
def test_brackets_hide_a_word_or_two_and_no_more(quote: str, *, said: bool) -> None:
    assert says(["Please cancel the order, today."], quote) is said
