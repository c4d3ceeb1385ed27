"""What the person or the app supplied, form by form, and who did."""

from __future__ import annotations

from typing import cast

import pytest
from tests.evidence.generators import result

from foldproof.errors import UsageError
from foldproof.evidence import EvidenceIndex, EvidenceOptions, ValueVerdict
from foldproof.evidence.exempt import declared_forms, exempt_forms, exemption, forms_given
from foldproof.messages import Message


def judged(answer: str, *messages: Message, **options: object) -> dict[str, ValueVerdict]:
    made = EvidenceOptions.model_validate(options)
    return {value.text: value for value in EvidenceIndex(messages).judge(answer, options=made).values}


def test_persons_and_apps_exempt_and_nobody_else() -> None:
    text = "order ORD-4471"
    assert exemption(Message(role="user", content=text)) == ("user", forms_given(text))
    assert exemption(Message(role="system", content=text)) == ("system", forms_given(text))
    injected = Message(role="user", content=text, injected_by={"flavor": "skill"})
    assert exemption(injected) == ("system", forms_given(text))
    assert exemption(result(text))[1] == frozenset()
    assert exemption(Message(role="assistant", content=text))[1] == frozenset()
    assert "ord-4471" in forms_given(text)


def test_the_forms_of_messages_are_those_of_each() -> None:
    messages = [
        Message(role="user", content="ORD-4471"),
        result("ORD-4472"),
        Message(role="system", content="ORD-4473"),
    ]
    for _ in range(2):
        forms = exempt_forms(messages)
        assert {"ord-4471", "ord-4473"} <= forms
        assert "ord-4472" not in forms
    assert exempt_forms([]) == frozenset()


def test_what_is_no_message_is_named_by_its_place() -> None:
    wrong = cast("list[Message]", [Message(role="user", content="x"), "ORD-4471"])
    with pytest.raises(UsageError, match=r"^messages\[1\] is"):
        exempt_forms(wrong)


def test_who_wrote_a_date_has_said_its_numbers_without_leading_zeros() -> None:
    assert {"2026", "10", "9"} <= forms_given("on 2026-10-09")
    assert {"2026", "10", "9"} <= forms_given("at 2026-10-09T08:07:06Z")
    assert not {"8", "7", "6", "09", "0"} & forms_given("at 2026-10-09T08:07:06Z")
    assert not {"10", "9"} & forms_given("order 10-09-ABC")


def test_what_the_app_declares_is_exempt_by_its_values_and_as_a_whole() -> None:
    assert {"ord-4471", "$50 for order ord-4471"} <= declared_forms((" $50 for Order ORD-4471 ",))
    values = judged("ORD-4471, $50 and ORD-4472", exempt=("$50 for ORD-4471",))
    assert [(value.verdict, value.how) for value in values.values()] == [
        ("exempt", "declared"),
        ("exempt", "declared"),
        ("invented", None),
    ]
    assert declared_forms(()) == frozenset()


@pytest.mark.parametrize(
    ("given", "said", "stated", "how"),
    [
        ("on May 20", "year 2024", "May 20, 2024", "partial"),
        ("on May 20", "year 2025", "May 20, 2024", None),
        ("on May 21", "year 2024", "May 20, 2024", None),
        ("mail mia_li_3668@mail.com", "none", "mia_li_3668", "partial"),
        ("mail mia_li_3668@mail.com", "none", "mia_li_3669", None),
        ("order ORD-4471", "none", "ORD-4471", "user"),
        ("order ORD-4471", "none", "4471", "partial"),
    ],
)
def test_a_value_may_be_exempt_in_part(given: str, said: str, stated: str, how: str | None) -> None:
    (value,) = judged(f"It is {stated}.", Message(role="user", content=given), result(said)).values()
    assert value.how == how
    assert value.verdict == ("exempt" if how else "invented")


def test_the_year_of_a_day_that_was_given_may_come_from_anybody() -> None:
    day = Message(role="user", content="on May 20")
    for year in (Message(role="system", content="the year 2024"), result("year 2024"), result("since 2024-01-01")):
        assert judged("It is May 20, 2024.", day, year)["May 20, 2024"].how == "partial"
        assert judged("It is May 20, 2024.", year)["May 20, 2024"].verdict == "invented"
