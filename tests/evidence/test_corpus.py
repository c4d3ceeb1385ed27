"""The corpus: what was read, who said it, what has left, and how much of it one judgement sees."""

from __future__ import annotations

from typing import Literal

import pytest
from tests.evidence.generators import result

from foldproof import ClearToolResults, SlidingWindow
from foldproof.evidence import EvidenceIndex, EvidenceOptions, ValueVerdict
from foldproof.evidence.corpus import ends_in
from foldproof.messages import OPENINGS, PERSON_SAID, Message, TextPart, ToolCall, recalled_text


def person(text: str) -> Message:
    return Message(role="user", content=text)


def app(text: str) -> Message:
    return Message(role="system", content=text)


def judged(answer: str, *messages: Message, **options: object) -> dict[str, ValueVerdict]:
    made = EvidenceOptions.model_validate(options)
    return {value.text: value for value in EvidenceIndex(messages).judge(answer, options=made).values}


def carried(answer: str, *messages: Message) -> list[tuple[int, str | None]]:
    (value,) = judged(answer, *messages).values()
    return [(carrier.message, carrier.path) for carrier in value.carriers]


def test_at_most_eight_places_carry_a_value_the_earliest_first() -> None:
    one = result(["ORD-4471"] * 10)
    assert carried("ORD-4471", one) == [(0, f"$[{item}]") for item in range(8)]
    five = result(["ORD-4471"] * 5)
    assert carried("ORD-4471", five, five) == [(0, f"$[{item}]") for item in range(5)] + [
        (1, f"$[{item}]") for item in range(3)
    ]
    assert carried("ORD-4471", *[result("ORD-4471")] * 10) == [(message, None) for message in range(8)]
    assert carried("ORD-4471", *[result("ORD-4471")] * 3) == [(message, None) for message in range(3)]


def test_many_messages_are_found_again() -> None:
    index = EvidenceIndex([result(f"ORD-{number}") for number in range(1000, 1150)])
    values = index.judge(" ".join(f"ORD-{number}" for number in range(1000, 1150))).values
    for _ in range(2):
        assert [value.carriers[0].message for value in values] == list(range(150))


def test_a_form_that_was_said_again_is_carried_by_every_message() -> None:
    index = EvidenceIndex([result("ORD-4471"), result("ORD-4472"), result("ORD-4471")])
    index.extend([result("ORD-4471")])
    (value,) = index.judge("ORD-4471").values
    assert ([carrier.message for carrier in value.carriers], value.latest) == ([0, 2, 3], 3)


def test_a_judgement_does_not_see_what_is_read_after_it() -> None:
    index = EvidenceIndex([result("ORD-4471")])
    before = index.judge("ORD-4471 and ORD-4472").values
    index.extend([result("ORD-4471, ORD-4472")])
    assert [carrier.message for carrier in before[0].carriers] == [0]
    assert [value.verdict for value in before] == ["grounded", "invented"]
    assert before[1].near is not None
    assert before[1].near.form == "ord-4471"


@pytest.mark.parametrize(
    ("said", "stated", "forms"),
    [
        (["4111111111111239"], "ending in 1239", ("4111111111111239",)),
        (["5111111111111239", "4111111111111239"], "ending in 1239", ("4111111111111239",)),
        (["4111111111111239"], "ending in 1238", ()),
        (["gift_card_1647044"], "ending 7044", ("gift_card_1647044",)),
        (["gift_card_1647044"], "ending 7045", ()),
        (["ACCT77AB1239"], "ending in 1239", ("acct77ab1239",)),
        (["1239"], "ending in 1239", ("1239",)),
        (["4111111111111239 USD"], "ending in 1239", ()),
        (["12391"], "ending in 1239", ()),
        (["31239"], "ending in 1239", ("31239",)),
        (["X-41111239"], "ending in 1239", ("x-41111239",)),
    ],
)
def test_the_end_of_something_longer(said: list[str], stated: str, forms: tuple[str, ...]) -> None:
    (value,) = judged(f"The card {stated}.", *[result({"card": each}) for each in said]).values()
    assert value.forms == forms


@pytest.mark.parametrize(
    ("longer", "form", "ends"),
    [
        ("41111239", "1239", True),
        ("4111-1239", "1239", False),  # that is a segment
        ("41 1239", "1239", False),
        ("1239", "1239", False),
        ("5239", "239", True),
        ("5239", "39", False),  # too short to be told from others
        ("5238", "239", False),
    ],
)
def test_an_end_is_no_segment_and_not_the_whole(longer: str, form: str, ends: bool) -> None:  # noqa: FBT001
    assert ends_in(longer, form) is ends


def test_an_end_is_found_in_what_is_read_later_too() -> None:
    index = EvidenceIndex([result({"card": "5111111111111239"})])
    for more, form in ((None, "5111111111111239"), ("4111111111111239", "4111111111111239")):
        if more:
            index.extend([result({"card": more})])
        assert index.judge("The card ending in 1239.").values[0].forms == (form,)


def test_the_end_of_what_the_person_gave_is_exempt_in_part() -> None:
    given = person("My card is 4111111111111239.")
    value = judged("The card ending in 1239.", given)["1239"]
    assert (value.verdict, value.how) == ("exempt", "partial")
    assert judged("The card ending in 1238.", given)["1238"].verdict == "invented"


def test_who_gave_a_value_first_has_given_it() -> None:
    for first, how in ((person("order 4471"), "user"), (app("order 4471"), "system")):
        messages = [first, app("order 4471"), person("order 4471")]
        assert judged("Order 4471.", *messages)["4471"].how == how


def test_a_value_is_exact_where_a_tool_used_its_very_spelling() -> None:
    for said, how in (("fee: $190.00", "exact"), ("fee: 190", "spelling"), ("fee: $190", "spelling")):
        assert judged("The fee is $190.00.", result(said))["$190.00"].how == how
    assert judged("Order ORD-4471.", result("ord-4471"))["ORD-4471"].how == "exact"


def test_a_ceiling_that_is_reached_is_not_passed() -> None:
    said = [result("order 4471"), result("order 4472")]  # ten code points each
    for most, verdict in ((20, "invented"), (19, "undecidable")):
        index = EvidenceIndex(said, options=EvidenceOptions(max_characters=most))
        values = {value.text: value.verdict for value in index.judge("Orders 4471, 4472 and 4473.").values}
        assert values == {"4471": "grounded", "4472": "grounded" if most == 20 else verdict, "4473": verdict}


def test_what_comes_after_the_ceiling_is_not_read() -> None:
    parts = Message(role="tool", tool_call_id="c", content=(TextPart(text="order 4471"), TextPart(text="order 4472")))
    index = EvidenceIndex([parts, result("4473")], options=EvidenceOptions(max_characters=12))
    values = [value.verdict for value in index.judge("Orders 4471, 4472 and 4473.").values]
    assert values == ["grounded", "undecidable", "undecidable"]


def test_numbers_that_only_a_judgement_asks_for_are_worked_through_once() -> None:
    index = EvidenceIndex([result("size 85.19")])
    assert index.judge("It is 85.2.").values[0].how == "rounded"
    index.extend([result("size 85.19"), result("size 99.17")])
    assert [value.how for value in index.judge("It is 85.2 and 99.2.").values] == ["rounded", "rounded"]


# What has left the window


def rows_and_more() -> list[Message]:
    messages = [person("What does it cost?")]
    contents: list[object] = [
        [{"price": 152}, {"price": 103}],
        {"latency_ms": 12500},
        "host esxi-host-alpha",
        "order ORD-4471",
    ]
    contents += [f"order ORD-{number}" for number in range(5000, 5008)]
    for number, content in enumerate(contents):
        messages.append(Message(role="assistant", tool_calls=(ToolCall(id=f"c{number}", name="find", args={}),)))
        messages.append(result(content, call=f"c{number}"))
    return messages


def folded() -> tuple[list[Message], Message]:
    messages = rows_and_more()
    visit = SlidingWindow(keep_recent_turns=3, keep_last_tool_results=0).visit(messages)
    frame = next(message for message in visit.messages if message not in messages)
    return messages, frame


def test_within_the_window_nothing_follows_from_results_that_have_left() -> None:
    messages, frame = folded()
    for scope, verdicts in (
        ("conversation", ["derived", "derived", "grounded", "grounded"]),
        ("window", ["invented", "invented", "invented", "grounded"]),
    ):
        values = judged("In all $255, 12.5 seconds, ORD-4471 and ORD-5007.", *messages, frame, scope=scope)
        assert [value.verdict for value in values.values()] == verdicts


def test_within_the_window_a_declared_shape_is_looked_up_in_what_is_left() -> None:
    messages, frame = folded()
    shapes = (r"esxi-host-\w+",)
    for scope, verdict in (("conversation", "grounded"), ("window", "invented")):
        values = judged("Use esxi-host-alpha.", *messages, frame, shapes=shapes, scope=scope)
        assert values["esxi-host-alpha"].verdict == verdict


def test_a_fold_that_took_unread_results_leaves_nothing_to_accuse() -> None:
    messages, frame = folded()
    for read, scope, verdict in (
        ([frame], "conversation", "undecidable"),
        ([frame], "window", "invented"),
        ([*messages, frame], "conversation", "invented"),
        ([*messages[:3], frame], "conversation", "undecidable"),
    ):
        assert judged("ORD-9999", *read, scope=scope)["ORD-9999"].verdict == verdict


def test_what_a_fold_took_is_read_once_it_is_recalled_as_a_whole() -> None:
    messages, frame = folded()
    for some, verdict in ((messages, "invented"), (messages[:3], "undecidable"), ([], "undecidable")):
        again = result(recalled_text(some))
        assert judged("ORD-9999", frame, again)["ORD-9999"].verdict == verdict
        assert judged("ORD-9999", frame, result(recalled_text([again])))["ORD-9999"].verdict == verdict
    values = judged("ORD-4471", *messages, frame, result(recalled_text(messages)))
    assert (values["ORD-4471"].folded, values["ORD-4471"].in_view) == (False, True)


@pytest.mark.parametrize("kind", ["summary", "drop-notice"])
def test_a_frame_that_does_not_name_what_it_took_leaves_nothing_to_accuse(
    kind: Literal["summary", "drop-notice"],
) -> None:
    frame = Message(role="user", content=f"{OPENINGS[kind]} of what was said")
    assert judged("ORD-9999", result("x"), frame)["ORD-9999"].verdict == "undecidable"


def cleared() -> tuple[list[Message], list[Message]]:
    """A conversation, and the notices that stand for the results that were cleared in it."""
    messages = [person("Which orders?")]
    for number in (4471, 5006, 5007):
        messages.append(Message(role="assistant", tool_calls=(ToolCall(id=f"c{number}", name="find", args={}),)))
        messages.append(result(f"order ORD-{number}" + ", and no more is known of it" * 20, call=f"c{number}"))
    visit = ClearToolResults(0, 1, keep_last_tool_results=1).visit(messages)
    return messages, [message for message in visit.messages if message not in messages]


def test_a_cleared_result_that_was_read_still_grounds_and_one_that_was_not_leaves_nothing_to_accuse() -> None:
    messages, notices = cleared()
    assert {notice.role for notice in notices} == {"tool"}
    values = judged("ORD-4471, ORD-5007 and ORD-9999", *messages, *notices)
    assert {text: (value.verdict, value.folded) for text, value in values.items()} == {
        "ORD-4471": ("grounded", True),
        "ORD-5007": ("grounded", False),
        "ORD-9999": ("invented", False),
    }
    for read, scope, verdict in (
        (notices, "conversation", "undecidable"),
        (notices, "window", "invented"),
        ([*messages[:3], *notices], "conversation", "undecidable"),
    ):
        assert judged("ORD-9999", *read, scope=scope)["ORD-9999"].verdict == verdict


def test_once_words_of_the_person_have_left_a_declared_shape_accuses_nobody() -> None:
    messages, frame = folded()
    shapes = (r"esxi-host-\w+",)
    for read, scope, verdict in (
        (messages, "conversation", "invented"),
        ([*messages, frame], "conversation", "undecidable"),
        ([*messages, frame, frame], "conversation", "undecidable"),
        ([*messages, frame], "window", "invented"),
    ):
        assert judged("Use esxi-host-beta.", *read, shapes=shapes, scope=scope)["esxi-host-beta"].verdict == verdict


def test_a_frame_of_results_that_were_never_read_folds_none_of_those_that_were() -> None:
    _, frame = folded()
    assert not judged("ORD-1234", result("ORD-1234"), frame)["ORD-1234"].folded


def test_an_evidence_check_took_nothing() -> None:
    check = Message(role="user", content=f"{OPENINGS['evidence-check']} ORD-9999 was said by nobody")
    assert judged("ORD-9999", result("x"), check)["ORD-9999"].verdict == "invented"


def test_a_value_is_folded_only_when_every_result_that_said_it_has_left() -> None:
    messages, frame = folded()
    values = judged("ORD-4471", *messages, frame)
    assert (values["ORD-4471"].folded, values["ORD-4471"].in_view) == (True, False)
    again = judged("ORD-4471", *messages, frame, result("ORD-4471"))
    assert (again["ORD-4471"].folded, again["ORD-4471"].in_view) == (False, True)
    assert not judged("ORD-4471", *messages)["ORD-4471"].folded


# Declared shapes


def test_words_of_a_declared_shape_are_the_tools_the_persons_or_the_apps() -> None:
    messages = [person("esxi-host-gamma"), app("esxi-host-delta"), result("esxi-host-alpha"), person("x")]
    answer = "esxi-host-alpha esxi-host-beta esxi-host-gamma esxi-host-delta"
    values = judged(answer, *messages, shapes=(r"esxi-host-\w+",))
    assert {text.rpartition("-")[2]: (value.verdict, value.how) for text, value in values.items()} == {
        "alpha": ("grounded", "exact"),
        "beta": ("invented", None),
        "gamma": ("exempt", "user"),
        "delta": ("exempt", "system"),
    }


def test_the_model_supplies_no_words() -> None:
    said = Message(role="assistant", content="esxi-host-beta")
    assert judged("esxi-host-beta", said, shapes=(r"esxi-host-\w+",))["esxi-host-beta"].verdict == "invented"


def test_an_argument_of_a_call_is_an_echo_in_any_spelling() -> None:
    call = Message(role="assistant", tool_calls=(ToolCall(id="1", name="f", args={"q": "fee $1,190", "n": [7312]}),))
    assert [value.verdict for value in judged("1190, 7312 and 7313", call).values()] == ["echoed", "echoed", "invented"]


def test_what_the_person_says_with_a_refusal_is_theirs_and_the_refused_result_grounds_nothing() -> None:
    refused = Message(
        role="tool",
        content="rejected: cat /opt/4472",
        tool_call_id="1",
        tool_result_origin="not-entered",
        metadata={PERSON_SAID: "use 4471 instead"},
    )
    found = {value.text: value.verdict for value in EvidenceIndex([refused]).judge("4471, not 4472.").values}
    assert found == {"4471": "exempt", "4472": "invented"}
    ran = refused.model_copy(update={"tool_result_origin": None})
    assert [value.verdict for value in EvidenceIndex([ran]).judge("It is 4471.").values] == ["invented"]
