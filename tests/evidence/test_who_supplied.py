"""Who supplied a value: the order in which it is asked, and how strong each answer is."""

from __future__ import annotations

import pytest
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex, EvidenceOptions, Judgement, ValueVerdict
from foldproof.messages import Message, ToolCall


def person(text: str) -> Message:
    return Message(role="user", content=text)


def judgement(answer: str, *messages: Message, **options: object) -> Judgement:
    return EvidenceIndex(messages).judge(answer, options=EvidenceOptions.model_validate(options))


def judged(answer: str, *messages: Message, **options: object) -> dict[str, ValueVerdict]:
    return {value.text: value for value in judgement(answer, *messages, **options).values}


def only(answer: str, *messages: Message, **options: object) -> tuple[str, str | None, tuple[str, ...]]:
    (value,) = judgement(answer, *messages, **options).values
    return value.verdict, value.how, value.forms


def test_values_come_in_the_order_of_the_answer_declared_ones_among_them() -> None:
    made = judgement("ORD-1111 on esxi-host-alpha for ORD-2222", result("x"), shapes=(r"esxi-host-\w+",))
    assert [(value.text, value.start) for value in made.values] == [
        ("ORD-1111", 0),
        ("esxi-host-alpha", 12),
        ("ORD-2222", 32),
    ]


@pytest.mark.parametrize("shape", [r"ORD-\d+", r"ORD", r"\d{4}", r"ORD-\d+ \w+"])
def test_what_a_declared_shape_takes_is_judged_once(shape: str) -> None:
    made = judgement("it is ORD-1111 now", result("x"), shapes=(shape,))
    assert [value.kind for value in made.values] == ["declared"]


def test_neighbours_of_a_declared_shape_are_judged_on_their_own() -> None:
    made = judgement("ORD-1111 alpha ORD-2222", result("x"), shapes=(r"alpha",))
    assert [value.kind for value in made.values] == ["identifier", "declared", "identifier"]


@pytest.mark.parametrize(
    ("answer", "shape", "value"),
    [("alpha: -1111", r"alpha: ", "-1111"), ("1111%, alpha", r", alpha", "1111%")],
)
def test_a_value_right_beside_a_declared_shape_is_judged(answer: str, shape: str, value: str) -> None:
    made = judgement(answer, result(f"is {value} ."), shapes=(shape,))
    assert {each.text: each.verdict for each in made.values if each.kind != "declared"} == {value: "grounded"}
    assert len(made.values) == 2


@pytest.mark.parametrize("shape", [r"is ORD", r"1111 now", r"is ORD-1111 now"])
def test_a_value_that_a_declared_shape_reaches_into_is_not(shape: str) -> None:
    made = judgement("it is ORD-1111 now", result("x"), shapes=(shape,))
    assert [value.kind for value in made.values] == ["declared"]


def test_tokens_below_the_floor_are_counted_and_not_judged() -> None:
    made = judgement("He has 12 of 345 and $5.", result("345 and $5"))
    assert ([value.text for value in made.values], made.unexamined) == (["345", "$5"], 1)
    made = judgement("He has 12 of 345 and $5.", result("345 and $5"), min_digits=2)
    assert ([value.text for value in made.values], made.unexamined) == (["12", "345", "$5"], 0)


@pytest.mark.parametrize(
    ("said", "stated", "rare"),
    [
        ("2024-02-29", "2024-W09-4", "grounded"),
        ("2024-W09-4", "2024-02-29", "grounded"),
        ("2024-02-28", "2024-W09-4", "invented"),
        ("14:15", "2.15pm", "grounded"),
    ],
)
def test_rare_spellings_count_only_where_they_are_asked_for(said: str, stated: str, rare: str) -> None:
    assert [value.verdict for value in judged(f"It is {stated} then.", result(said), rare_spellings=True).values()] == [
        rare
    ]
    assert "grounded" not in [value.verdict for value in judged(f"It is {stated} then.", result(said)).values()]


def test_a_moment_is_grounded_in_its_parts() -> None:
    verdict, how, forms = only("On May 20, 2024.", result("May 20 19:03:11 2024"))
    assert (verdict, how, len(forms)) == ("grounded", "part", 2)
    assert only("On May 20, 2024.", result("May 20 19:03:11"), result("2023"))[0] == "invented"
    assert only("On May 20, 2024.", result("May 21 19:03:11 2024"))[0] == "invented"


@pytest.mark.parametrize(
    ("said", "answer", "expected"),
    [
        ("is -2571 .", "A refund of 2,571.", ("grounded", "spelling")),
        ("is -2571 USD .", "A refund of $2,571.", ("grounded", "spelling")),
        ("is -2571 EUR .", "A refund of $2,571.", ("invented", None)),
        ("is -2571 .", "A charge of 2,571.", ("invented", None)),
        ("is 2571 .", "A refund of -2,571.", ("invented", None)),
        ("is -2571.4 .", "A refund of 2,571.", ("grounded", "rounded")),
        ("is -2571.4 .", "A charge of 2,571.", ("invented", None)),
        ("is 2571.4 .", "It is -2,571.", ("invented", None)),
        ("is -2571.4 .", "It is -2,571.", ("grounded", "rounded")),
        ("is 2571.4 .", "A refund of 2,571.", ("grounded", "rounded")),
        ("is ORD-2571.4 .", "A refund of ORD-2571.", ("invented", None)),
    ],
)
def test_a_sign_may_be_put_in_words_and_a_rounding_keeps_it(
    said: str, answer: str, expected: tuple[str, str | None]
) -> None:
    assert only(answer, result(said))[:2] == expected


def test_a_word_of_another_line_puts_no_sign() -> None:
    for answer in ("A refund.\nIt is 2,571.", "It is 2,571.\nA refund."):
        assert only(answer, result("is -2571 ."))[0] == "invented"


def test_a_number_below_the_floor_is_not_looked_for_any_further() -> None:
    made = judgement("down 85", result("is -85 ."))
    assert (made.values, made.unexamined) == ((), 1)
    assert only("down 85", result("is -85 ."), min_digits=2)[:2] == ("grounded", "spelling")


@pytest.mark.parametrize(
    ("given", "said", "expected"),
    [
        ("", "HAT136 HAT039", ("grounded", "part", ("hat136", "hat039"))),
        ("HAT136", "HAT039", ("grounded", "part", ("hat039",))),
        ("HAT136 HAT039", "x", ("exempt", "partial", ())),
        ("HAT136", "x", ("invented", None, ())),
        ("", "HAT136", ("invented", None, ())),
        ("", "HAT136/HAT039", ("grounded", "exact", ("hat136/hat039",))),
    ],
)
def test_a_list_is_supplied_when_each_piece_is(
    given: str, said: str, expected: tuple[str, str | None, tuple[str, ...]]
) -> None:
    assert only("HAT136/HAT039", person(given), result(said)) == expected


def test_a_range_is_supplied_when_both_ends_are() -> None:
    assert only("It takes 1000-2000.", result("is 1000 or 2000 ."))[:2] == ("grounded", "part")
    assert only("It takes 1000-2001.", result("is 1000 or 2000 ."))[:2] == ("invented", None)


def test_evidence_comes_before_what_was_given_and_that_before_an_echo() -> None:
    call = Message(role="assistant", tool_calls=(ToolCall(id="1", name="f", args={"order": "ORD-1111"}),))
    for messages, verdict in (
        ([call, person("ORD-1111"), result("ORD-1111")], "grounded"),
        ([call, person("ORD-1111")], "exempt"),
        ([call], "echoed"),
        ([], "invented"),
    ):
        assert only("ORD-1111", *messages)[0] == verdict
    assert only("ORD-1111", call, person("ORD-1111"), exempt=("ORD-1111",))[:2] == ("exempt", "declared")


# Declared shapes


HOSTS = (r"esxi-host(?:-\w+)*",)


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("use esxi-host-alpha now", "grounded"),
        ("use ESXI-HOST-ALPHA now", "grounded"),
        ("(esxi-host-alpha)", "grounded"),
        ("esxi-host-alpha-2", "invented"),
        ("my-esxi-host-alpha", "invented"),
        ("xesxi-host-alpha", "invented"),
        ("esxi-host-alphax", "invented"),
        ("esxi-hostXalpha", "invented"),
    ],
)
def test_words_of_a_declared_shape_are_whole_tokens(said: str, verdict: str) -> None:
    assert only("Use esxi-host-alpha!", result(said), shapes=HOSTS)[0] == verdict
    given = {"grounded": "exempt"}.get(verdict, verdict)
    assert only("Use esxi-host-alpha!", person(said), shapes=HOSTS)[0] == given


def test_a_shape_that_matches_nothing_makes_no_value() -> None:
    assert judgement("Nothing here.", result("x"), shapes=(r"z*",)).values == ()


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("we saw no material change in it", ("grounded", "exact")),
        ("we saw no[12] material 3 change in it", ("grounded", "part")),
        ("we saw no 12 material\nchange in it", ("grounded", "part")),
        ("we saw no, material; change", ("grounded", "part")),
        ("we saw NO[12] Material change", ("grounded", "part")),
        ("we saw no big material change in it", ("invented", None)),
        ("we saw no 1234 material change in it", ("invented", None)),
    ],
)
def test_a_footnotes_mark_may_stand_between_three_words_or_more(said: str, expected: tuple[str, str | None]) -> None:
    assert only('It says "no material change".', result(said), shapes=(r'(?<=")[^"]+(?=")',))[:2] == expected


def test_no_footnotes_mark_stands_between_two_words() -> None:
    assert (
        only('It says "material change".', result("material 3 change"), shapes=(r'(?<=")[^"]+(?=")',))[0] == "invented"
    )


def test_a_declared_word_that_the_app_exempts_or_the_model_sent_to_a_tool() -> None:
    call = Message(role="assistant", tool_calls=(ToolCall(id="1", name="f", args={"host": "alpha"}),))
    assert only("Use esxi-host-alpha.", shapes=HOSTS, exempt=("esxi-host-alpha",))[:2] == ("exempt", "declared")
    assert only("Use esxi-host-alpha.", call, shapes=HOSTS)[0] == "invented"


def test_where_a_value_stands_and_what_it_is_is_told() -> None:
    (value,) = judgement("It is ORD-1111.", result("ORD-1111")).values
    assert (value.text, value.start, value.end, value.kind) == ("ORD-1111", 6, 14, "identifier")
    (value,) = judgement("It is $725 in all.", result([{"price": 282}, {"price": 443}])).values
    assert (value.text, value.start, value.end, value.kind) == ("$725", 6, 10, "money")
    (value,) = judgement("Use esxi-host-alpha.", result("x"), shapes=HOSTS).values
    assert (value.text, value.start, value.end, value.kind) == ("esxi-host-alpha", 4, 19, "declared")


def test_what_follows_is_ambiguous_where_something_else_gives_it_too() -> None:
    one = result([{"price": 152}, {"price": 103}])
    other = result([{"price": 151}, {"price": 104}])
    assert only("In total $255.", one) == ("derived", None, ())
    assert only("In total $255.", one, other) == ("derived", "ambiguous", ())
    twice = judgement("In total $255.\n\nWe looked.\n\nI charge $255.", one, other).values
    assert [(value.verdict, value.how) for value in twice] == [("derived", "ambiguous")] * 2
    earlier = Message(role="assistant", content="In total $255.")
    assert only("I charge that: $255.", one, other, earlier)[:2] == ("derived", "ambiguous")


@pytest.mark.parametrize(
    ("earlier", "how"),
    [("$152 and $103 make $255.", None), ("$152 and $103, or $151 and $104, make $255.", "ambiguous")],
)
def test_what_an_earlier_answer_derived_is_repeated_as_ambiguous_as_it_was(earlier: str, how: str | None) -> None:
    fares = [result(f"fare {amount}") for amount in (152, 103, 151, 104)]
    assert only("I charge $255.", *fares, Message(role="assistant", content=earlier)) == ("derived", how, ())


def test_operands_of_an_earlier_answer_stand_nowhere_in_this_one() -> None:
    earlier = Message(role="assistant", content="$282 and $443 make $725.")
    (value,) = judgement("I charge $725.", result("fare 282"), result("fare 443"), earlier).values
    assert value.derivation is not None
    assert [(each.text, each.start, each.end) for each in value.derivation.operands] == [
        ("$282", None, None),
        ("$443", None, None),
    ]


def test_a_table_in_millions_is_in_its_own_currency() -> None:
    table = result("| (in millions) | 2023 |\n|---|---|\n| Revenue | $1,496.2 |\n| Costs | $911.7 |\n")
    assert only("Revenue was $1,496.2 million.", table)[:2] == ("grounded", "spelling")
    assert only("Revenue was €1,496.2 million.", table)[0] == "invented"


@pytest.mark.parametrize(
    ("said", "stated", "how"),
    [
        ("api-7d9c6b5f4-x2k8p", "api-7d9c6b5f4", "part"),
        ("api-7d9c6b5f4-x2k8p", "7d9c6b5f4-x2k8p", "part"),
        ("api-7d9c6b5f4-x2k8p", "api-7d9c6b5f5", None),
        ("api-7d9c6b5f4-x2k8p", "web-7d9c6b5f4", None),
        ("3f2a91c8d0e4b5a6f7c8d9e0a1b2c3d4e5f60718", "3f2a91c8d0e4b5a6f7c8d9e0", "prefix"),
        ("3f2a91c8d0e4b5a6f7c8d9e0a1b2c3d4e5f60718", "3f2a91c8d0e4b5a6f7c8d9e1", None),
    ],
)
def test_a_run_of_segments_or_a_long_prefix_of_a_hash(said: str, stated: str, how: str | None) -> None:
    (value,) = EvidenceIndex([result({"name": said})]).judge(f"It is {stated}.").values
    assert (value.verdict, value.how) == (("grounded", how) if how else ("invented", None))
