# ruff: noqa: RUF001 - digits of other scripts are what some of these tests are about
"""Verdicts on small conversations. Expected values come from the public reports named, or from docs/evidence.md."""

from __future__ import annotations

import pytest
from tests.evidence.generators import result

from foldproof.errors import UsageError
from foldproof.evidence import EvidenceIndex, EvidenceOptions, ValueVerdict
from foldproof.messages import Message, ProviderToolPart, TextPart, ToolCall


def person(text: str) -> Message:
    return Message(role="user", content=text)


def judged(answer: str, *messages: Message, **options: object) -> dict[str, ValueVerdict]:
    index = EvidenceIndex(messages)
    judgement = index.judge(answer, options=EvidenceOptions.model_validate(options))
    for value in judgement.values:
        assert answer[value.start : value.end] == value.text
    return {value.text: value for value in judgement.values}


def test_no_evidence_is_not_a_score() -> None:  # E09
    values = judged("Revenue was $12,400 on 318 orders, up 14%.")
    assert {text: value.verdict for text, value in values.items()} == dict.fromkeys(
        ("$12,400", "318", "14%"), "invented"
    )


def test_digits_of_a_scaled_figure_do_not_ground_it() -> None:  # E10
    assert judged("It raised $50 million.", result("150 people, 5020 units, 50%"))["$50 million"].verdict == "invented"


def test_a_figure_in_bold_is_examined() -> None:  # E18
    assert judged("**999** million", result("67 million"))["999** million"[:3]].verdict == "invented"


def test_either_decimal_sign_is_ambiguous() -> None:  # E14
    value = judged("16.181 users", result("16,181 users"))["16.181"]
    assert (value.verdict, value.how) == ("grounded", "ambiguous")


def test_small_counts_are_unexamined_and_counted() -> None:  # E16
    index = EvidenceIndex([result("20 staff")])
    assert index.judge("There are 45 staff.").unexamined == 1
    assert index.judge("There are 45 staff.").values == ()
    floor = EvidenceOptions(min_digits=2)
    assert [value.verdict for value in index.judge("There are 45 staff.", options=floor).values] == ["invented"]


def test_large_integers_are_exact() -> None:  # E23
    values = judged("653247040368672800", result({"id": 653247040368672768}))
    assert values["653247040368672800"].verdict == "invented"
    assert judged("9007199254740993", result('{"id": 9007199254740993}'))["9007199254740993"].verdict == "grounded"


def test_no_candidate_inside_a_larger_token() -> None:  # E24
    answer = "id 110bcd25-a55d-453a-8046-1297901ea002"
    assert list(judged(answer)) == ["110bcd25-a55d-453a-8046-1297901ea002"]
    assert judged("call 046-1297901", result(answer))["046-1297901"].verdict == "invented"


def test_urls_end_where_the_sentence_goes_on() -> None:  # E25
    tool = result("see https://docs.example/about/ and https://en.example/wiki/The_Lord_")
    for answer, url in (
        ("`https://docs.example/about/`", "https://docs.example/about/"),
        ("(https://docs.example/about/),", "https://docs.example/about/"),
        ("https://en.example/wiki/The_Lord_", "https://en.example/wiki/The_Lord_"),
    ):
        assert judged(answer, tool)[url].verdict == "grounded"


def test_the_same_answer_with_one_digit_changed_is_caught() -> None:
    tool = result({"reservation": "JG7FMM", "price": 3538})
    value = judged("Reservation JG7FMM costs $3,539.", tool)["$3,539"]
    assert value.verdict == "invented"
    assert value.near is not None
    assert (value.near.text, value.near.carriers[0].path) == ("3538", "$.price")


def test_near_names_a_segment_of_what_a_tool_said() -> None:
    tool = result({"certificate_7504069": {"amount": 250}})
    near = judged("Certificate 7504061", tool)["7504061"].near
    assert near is not None
    assert near.text == "certificate_7504069"
    assert near.carriers[0].in_key


@pytest.mark.parametrize(
    ("said", "how"),
    [("190.00", "spelling"), ('"$190.00"', "exact"), ("fee: $190.00", "exact")],
)
def test_how_a_tool_said_it(said: str, how: str) -> None:
    value = judged("The fee is $190.00.", result(said))["$190.00"]
    assert (value.verdict, value.how) == ("grounded", how)


@pytest.mark.parametrize(
    ("spelled", "stated"),
    [
        ("2024-05-21T13:00:00", "May 21, 2024"),
        ("2024-05-21T13:00:00", "21 May"),
        ("2024-05-21T13:00:00", "1 PM"),
        ("2024-05-21T13:00:00", "1:00 p.m."),
        ("2024-05-21T13:00:00", "13:00"),
        ("2024-05-21T13:00:00", "2024"),
        ("2024-05-21T13:00:00", "05/21/2024"),
        ("1190", "$1,190"),
        ("2024-05-20,1190,141", "$1,190"),
        ("2024-05-20,190,141", "$190"),
        ("-rw-r--r-- 1 root root 18234 May  3 10:22 app.py", "May 3"),
        ("190", "190.00"),
        ('{"amount": 190}', "$190"),
    ],
)
def test_another_spelling_is_not_accused(spelled: str, stated: str) -> None:
    assert [value.verdict for value in judged(f"It is {stated}, yes.", result(spelled)).values()] == ["grounded"]


@pytest.mark.parametrize("stated", ["May 22, 2024", "2 PM", "13:30", "13:80", "1:00 a.m.", "2023", "$191", "191"])
def test_another_value_is_not_grounded(stated: str) -> None:
    tools = [result("2024-05-21T13:00:00"), result({"amount": 190})]
    assert [value.verdict for value in judged(f"It is {stated}, yes.", *tools).values()] == ["invented"]


def test_exemptions_say_who_supplied_it() -> None:
    messages = [
        Message(role="system", content="The fee is $50."),
        person("Order 4471, please, for mia_li_3668@mail.com on May 20."),
        Message(role="user", content="Ticket 8812", injected_by={"flavor": "skill"}),
    ]
    answer = "Orders 4471, 8812 and 9917: $50 for mia_li_3668 on May 20, 2024."
    index = EvidenceIndex([*messages, result({"year": 2024})], options=EvidenceOptions(exempt=("9917",)))
    verdicts = {value.text: (value.verdict, value.how) for value in index.judge(answer).values}
    assert verdicts == {
        "4471": ("exempt", "user"),
        "8812": ("exempt", "system"),
        "9917": ("exempt", "declared"),
        "$50": ("exempt", "system"),
        "mia_li_3668": ("exempt", "partial"),
        "May 20, 2024": ("exempt", "partial"),
    }
    assert index.judge("9917", options=EvidenceOptions()).values[0].verdict == "invented"


def test_a_year_that_nobody_gave_does_not_ride_on_the_day() -> None:
    assert judged("On May 20, 2023.", person("on May 20"))["May 20, 2023"].verdict == "invented"
    assert judged("On May 20, 2023.", person("on 2024-05-20, not in 2023"))["May 20, 2023"].verdict == "invented"


def test_who_gave_a_date_has_given_its_numbers() -> None:
    for given in ("2026-10-09", "October 9, 2026", "9/10/2026"):
        values = judged("In 2026, the 10 and the 9.", person(given), min_digits=1)
        assert [value.verdict for value in values.values()] == ["exempt"] * 3
    assert judged("In 2027.", person("2026-10-09"))["2027"].verdict == "invented"


def test_a_pm_is_not_its_am_twin() -> None:
    assert judged("At 8:00 AM.", person("at 8 pm"))["8:00 AM"].verdict == "invented"
    assert judged("At 08:00.", person("at 8 Am"))["08:00"].verdict == "exempt"


def test_arguments_are_only_an_echo() -> None:
    call = Message(role="assistant", tool_calls=(ToolCall(id="1", name="find", args={"id": "HAT069", "n": [7312]}),))
    values = judged("Flight HAT069, 7312 seats.", call)
    assert [value.verdict for value in values.values()] == ["echoed", "echoed"]


def test_a_list_of_identifiers_is_judged_piece_by_piece() -> None:
    tool = result(["HAT136", "HAT039"])
    value = judged("HAT136/HAT039", tool)["HAT136/HAT039"]
    assert (value.verdict, value.how, len(value.carriers)) == ("grounded", "part", 2)
    assert judged("HAT136/HAT038", tool)["HAT136/HAT038"].verdict == "invented"


def test_evidence_comes_before_exemption() -> None:
    assert judged("4471", person("4471"), result("4471"))["4471"].verdict == "grounded"


def test_a_providers_own_tool_is_evidence() -> None:
    search = ProviderToolPart(
        id="1",
        name="web_search",
        input={"type": "search", "queries": ["8899"]},
        result={"type": "success", "output": "7788"},
    )
    message = Message(role="assistant", content=(search, TextPart(text="It is 6677.")))
    values = judged("7788 8899 6677", message)
    assert [values[text].verdict for text in ("7788", "8899", "6677")] == ["grounded", "echoed", "invented"]
    assert values["7788"].carriers[0].part == 0


def test_declared_shapes_find_names_without_digits() -> None:  # N177
    tool, given = result({"host": "esxi-host-alpha"}), person("not esxi-host-gamma")
    answer = "Use esxi-host-alpha, not esxi-host-beta or esxi-host-gamma."
    values = judged(answer, tool, given, shapes=(r"esxi-host-\w+",))
    assert [value.verdict for value in values.values()] == ["grounded", "invented", "exempt"]


def test_every_occurrence_is_reported_where_it_stands() -> None:
    judgement = EvidenceIndex().judge("4471 is not 4472, and 4471 is 4471")
    assert [value.start for value in judgement.values] == [0, 12, 22, 30]


def test_list_markers_and_idioms_are_no_values() -> None:
    text = "100. First, we are open 24/7\n101) Second\n  102. third 103"
    judgement = EvidenceIndex().judge(text, options=EvidenceOptions(min_digits=1))
    assert [value.text for value in judgement.values] == ["103"]


def test_offsets_count_code_points_of_the_answer() -> None:
    answer = "🧾 \u200bÉté\u0301: １２３４ and ORD\u20114471."
    assert list(judged(answer)) == ["１２３４", "ORD\u20114471"]


def test_what_is_glued_to_leading_json_has_no_sign() -> None:
    assert {value.verdict for value in judged("[456]-840", result("[456]-840")).values()} == {"grounded"}


def test_zeros_alone_are_no_value() -> None:
    assert judged("5 000 of 000", result("{}")) == {}


WRONG_OPTIONS = [
    {"min_digits": 0},
    {"max_characters": 0},
    {"bogus": 1},
    {"scope": "everything"},
    {"min_digits": "many"},
    *({"shapes": (shape,)} for shape in ("(", "a{2,1}")),
]


@pytest.mark.parametrize("wrong", WRONG_OPTIONS)
def test_options_that_make_no_sense(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        EvidenceOptions.model_validate(wrong)


@pytest.mark.parametrize(
    ("said", "stated"),
    [
        ('{"bags": 3}', "$3,000"),
        ('{"a": 600.0}', "$600,000"),
        ("12.5", "$12,500"),
        ("on 2024-05-20", "$2,024"),
        ("room HAT-250", "$250"),
        ("item_850", "850%"),
        ("see https://x.example/2023/500", "$500"),
        ("certificate_7504069", "$7,504,069"),
        ("v2.100.3", "100 users"),
        ("HAT136", "evil.example/HAT136"),
        ("HAT136", "foo/bar/HAT136:secret"),
        ("utils2.py", "/etc/shadow/utils2.py"),
        ("150 and 2024", "2024/150"),
        ("https://x.example/item1", "https://x.example/item1,9999"),
        ("50M", "$50"),
        ("CHF 500", "$500"),
        ("50 bps", "50%"),
        ("5000 rows", "5,000.5"),
        ("3f2a91c8d0e4b5a6f7c8d9e0a1b2c3d4e5f60718", "91c8d0e4"),
    ],
)
def test_a_weak_resemblance_grounds_nothing(said: str, stated: str) -> None:
    verdicts = [value.verdict for value in judged(f"It is {stated}.", result(said)).values()]
    assert "grounded" not in verdicts
    assert verdicts


@pytest.mark.parametrize(
    ("said", "stated", "how"),
    [
        ("name,qty,price\nA1,100,250", "100", "exact"),
        ("\x1b[32m1247 passed\x1b[0m", "1247", "exact"),
        ("first\\n4471\\nlast", "4471", "exact"),
        ("007 ms", "007", "exact"),
        ("the 1,250th row", "1,250", "spelling"),
        ("10%-15%", "15%", "exact"),
        ("src/app.py:42:def read", "src/app2.py:42", None),
        ("src/app2.py:42:def read", "src/app2.py:42", "part"),
        ("at tests/unit/py3_utils.py", "py3_utils.py", "part"),
        ("requests-2.31.0", "2.31.0", "part"),
        ("image nginx:1.25.3-alpine", "1.25.3", "part"),
        ("react@18.2.0", "18.2.0", "part"),
        ("10.0.0.12:5432 is up", "10.0.0.12", "part"),
        ("3f2a91c8d0e4b5a6f7c8d9e0a1b2c3d4e5f60718", "3f2a91c", "prefix"),
        ("Mon May 20 19:03:11 2024", "May 20, 2024", "part"),
        ("05/06/2024", "June 5, 2024", "ambiguous"),
        ("05/06/2024", "05/06/2024", "exact"),
        ('{"order": 20240520}', "2024-05-20", "ambiguous"),
        ("107,141,108", "141", "ambiguous"),
        ("[107,141,108]", "107,141,108", "part"),
        ("\\u20ac1500", "\\u20ac1500", "exact"),
        ("HAT136 and HAT039", "HAT136/HAT039", "part"),
    ],
)
def test_what_was_copied_or_respelled_is_found(said: str, stated: str, how: str | None) -> None:
    (value,) = judged(f"It is {stated}.", result(said)).values()
    assert (value.verdict, value.how) == (("grounded", how) if how else ("invented", None))


def test_a_tool_that_says_our_words_neither_hides_evidence_nor_accuses_nobody() -> None:
    page = result("[foldproof drop notice] 7 messages left. Order ORD-4471.")
    assert judged("ORD-4471", page)["ORD-4471"].verdict == "grounded"
    assert judged("ORD-4472", page)["ORD-4472"].verdict == "invented"


def test_a_cut_inside_a_word_grounds_no_half_of_it() -> None:
    cut = Message(role="tool", content="order 4471999 noted", tool_call_id="1", tool_chars=10)
    assert judged("4471", cut)["4471"].verdict == "invented"
    whole = Message(role="tool", content="order 4471 noted", tool_call_id="1", tool_chars=10)
    assert judged("4471", whole)["4471"].verdict == "grounded"


def test_a_declared_shape_is_not_accused_when_words_have_left() -> None:
    shapes = (r"esxi-host-\w+",)
    frame = Message(role="user", content="[foldproof drop notice]", metadata={"foldproof": {"observations": []}})
    assert judged("esxi-host-beta", frame, shapes=shapes)["esxi-host-beta"].verdict == "undecidable"
    assert judged("ORD-4471", frame, shapes=shapes)["ORD-4471"].verdict == "invented"
