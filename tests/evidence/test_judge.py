# ruff: noqa: RUF001 - digits of other scripts are what some of these tests are about
"""Verdicts on small conversations. Expected values come from the public reports named, or from the design."""

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
    [("190.00", "spelling"), ('"$190.00"', "exact"), ("fee: $190.00", "exact"), ('{"fee-190": 1}', "part")],
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
    assert [values[text].verdict for text in ("7788", "8899", "6677")] == ["grounded", "invented", "invented"]
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


@pytest.mark.parametrize("wrong", [{"min_digits": 0}, {"max_characters": 0}, {"shapes": ("(",)}])
def test_options_that_make_no_sense(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        EvidenceOptions.model_validate(wrong)
