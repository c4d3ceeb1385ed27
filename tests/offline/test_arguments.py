from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies.conversations import conversations

from foldproof.evidence import EvidenceIndex, EvidenceOptions
from foldproof.messages import Message, ToolCall
from foldproof.offline import VERDICTS, AuditReport, JudgedArgument, arguments_of, audit
from foldproof.offline.arguments import LONGEST_EXAMINED
from foldproof.transcripts import Conversation, load_all, parse

AIRLINE = Path(__file__).parent.parent / "data" / "tau_bench_airline" / "runs.jsonl"

Found = tuple[str, str, str]


def asks(text: str) -> Message:
    return Message(role="user", content=text)


def calls(args: Any, *more: Any) -> Message:  # noqa: ANN401 - JSON
    made = (ToolCall(id=f"c{place}", name="pay", args=given_args) for place, given_args in enumerate((args, *more)))
    return Message(role="assistant", tool_calls=tuple(made))


def result(content: Any) -> Message:  # noqa: ANN401 - JSON
    return Message(role="tool", tool_call_id="c0", content=json.dumps(content))


def found(*messages: Message, options: EvidenceOptions | None = None) -> list[Found]:
    """Where each examined value stands, its spelling and its verdict."""
    return [
        (argument.path, value.text, value.verdict)
        for argument in arguments_of(messages, options=options)
        for value in argument.judgement.values
    ]


def only(*messages: Message) -> JudgedArgument:
    (argument,) = arguments_of(messages)
    return argument


def test_an_id_that_nobody_supplied_is_named_where_the_model_typed_it() -> None:
    read = (
        asks("Pay ORD-44710 from my card ending in 7334"),
        calls({"user_id": "mia_li_3668"}),
        result({"cards": [{"id": "card_9074831"}]}),
    )
    typed = {
        "order": {"id": "ORD-44710"},
        "payment": {"id": "card_7334", "ids": ["card_9074831", "mia_li_3668"]},
    }
    assert found(*read, calls(typed)) == [
        ("$.user_id", "mia_li_3668", "invented"),
        ("$.order.id", "ORD-44710", "exempt"),
        ("$.payment.id", "card_7334", "invented"),
        ("$.payment.ids[0]", "card_9074831", "grounded"),
        ("$.payment.ids[1]", "mia_li_3668", "echoed"),
    ]


def test_arguments_are_no_echo_of_themselves_and_one_call_vouches_for_no_other() -> None:
    assert found(calls({"user_id": "mia_li_3668", "owner_id": "mia_li_3668"}, {"id": "mia_li_3668"})) == [
        ("$.user_id", "mia_li_3668", "invented"),
        ("$.owner_id", "mia_li_3668", "invented"),
        ("$.id", "mia_li_3668", "invented"),
    ]


def test_what_a_tool_says_later_grounds_no_argument() -> None:
    assert found(calls({"id": "HAT170"}), result({"id": "HAT170"})) == [("$.id", "HAT170", "invented")]


def test_an_argument_says_which_call_it_stands_in() -> None:
    first, second = arguments_of([asks("Hello"), calls({"cabin": "economy"}, {"n": 2})])
    assert first[:4] == (1, "c0", "pay", "$.cabin")
    assert second[:4] == (1, "c1", "pay", "$.n")
    assert (second.judgement.values, second.judgement.unexamined) == ((), 1)


@pytest.mark.parametrize("name", ["id", "orderId", "orderID", "order-ids", "order ids", "ORDER_ID", "OrderIDs", "id_2"])
@pytest.mark.parametrize("value", [44710, "44710", "ORD-44710", 10**40 + 7])
def test_an_id_is_examined_in_every_spelling_of_its_name(name: str, value: int | str) -> None:
    assert found(calls({name: value})) == [(only(calls({name: value})).path, str(value), "invented")]


@pytest.mark.parametrize(
    ("name", "value", "is_examined"),
    [
        ("flight_number", "HAT170", True),
        ("account_number", "12345678", True),
        ("line_number", 1474, False),
        ("offset", 350, False),
        ("limit", "200", False),
        ("timeout", 120_000, False),
        ("amount", 348.5, False),
        ("date", "2024-05-19", False),
        ("trip_id", "2024-05-19", False),
        ("encoding", "utf-8", False),
        ("region", "us-east-1", False),
        ("model", "gpt-4o-2024-08-06", False),
        ("file_path", "/repo/src/version2.py", False),
        ("url", "https://example.com/page/4417", False),
        ("pattern", r"ORD-\d{5}|4471", False),
        ("command", "head -c 3000 log_4471.txt", False),
        ("android", "beta-34", False),
        ("order", "ORD-44710", True),
        ("order", "the order ORD-44710", False),
        ("charset", "cp1252", False),
        ("paid", 4417, False),
        ("to", "mia.li3668@example.com", True),
        ("to", "write to mia.li3668@example.com", False),
        ("contact_id", "of mia.li3668@example.com", False),
        ("id", 44, False),
        ("id", True, False),
        ("id", None, False),
    ],
)
def test_what_refers_is_examined_and_what_is_chosen_is_not(name: str, value: Any, is_examined: bool) -> None:  # noqa: ANN401, FBT001 - JSON; a table's column
    assert bool(found(calls({name: value}))) is is_examined


def test_what_is_not_examined_is_counted() -> None:
    report = list(arguments_of([calls({"command": "sleep 300 && head -c 3000 a", "on": True, "none": None, "x": "y"})]))
    assert [(argument.path, argument.judgement.unexamined) for argument in report] == [("$.command", 2), ("$.x", 0)]


def test_long_text_is_the_models_own_work() -> None:
    longest = "card_7334".rjust(LONGEST_EXAMINED)
    assert found(calls({"id": longest})) == [("$.id", "card_7334", "invented")]
    longer = only(calls({"id": " " + longest})).judgement
    assert (longer.values, longer.unexamined) == ((), 1)


def test_keys_are_not_values() -> None:
    assert found(calls({"card_7334": {"id": "none"}, "id": {"card_7335": "x"}})) == []


def test_options_reach_the_judgement() -> None:
    options = EvidenceOptions(shapes=("esxi-[a-z]+",), exempt=("HAT170",), min_digits=2)
    assert found(calls({"host": "esxi-beta", "flight_id": "HAT170", "id": 44}), options=options) == [
        ("$.host", "esxi-beta", "invented"),
        ("$.flight_id", "HAT170", "exempt"),
        ("$.id", "44", "invented"),
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (None, []),
        (True, []),
        ("", []),
        ({}, []),
        (float("nan"), []),
        (4417, []),
        ({"id": float("inf")}, []),
        ([{"id": "card_7334"}], [("$[0].id", "card_7334", "invented")]),
        ("card_7334", [("$", "card_7334", "invented")]),
        ("a@b.example", [("$", "a@b.example", "invented")]),
        ('{"id": "card_7334", "note": "and so', [("$.id", "card_7334", "invented")]),
        ('{"id": "card_7334"', [("$.id", "card_7334", "invented")]),
        ({"it's": {"id": "card_7334"}}, [('$["it\'s"].id', "card_7334", "invented")]),
    ],
)
def test_malformed_arguments_are_read_as_far_as_they_go(arguments: Any, expected: list[Found]) -> None:  # noqa: ANN401 - JSON
    assert found(calls(arguments)) == expected


def test_arguments_nested_without_end_do_not_stop_it() -> None:
    nested: Any = {"id": "card_7334"}
    for _ in range(200):
        nested = [nested]
    assert found(calls(nested)) == [("$" + "[0]" * 200 + ".id", "card_7334", "invented")]


def test_only_the_model_calls() -> None:
    assert (
        list(arguments_of([Message(role="user", content="hi", tool_calls=(ToolCall(id="1", name="x", args=[4]),))]))
        == []
    )


def search(identifier: str, order: str, *, output: str | None = None) -> dict[str, Any]:
    told = None if output is None else {"type": "success", "output": output}
    return {"type": "provider-tool", "id": identifier, "name": "find", "input": {"order_id": order}, "result": told}


def test_a_providers_tool_answers_within_the_message_and_grounds_only_what_comes_behind_it() -> None:
    message = Message.model_validate(
        {
            "role": "assistant",
            "content": [
                search("p1", "ORD-11111", output="ORD-11111 was replaced by ORD-22222"),
                search("p2", "ORD-22222", output="gone"),
                {"type": "server_tool_use", "id": "p3", "name": "fetch", "input": {"id": "ORD-33333"}},
                {"type": "tool-call", "id": "c1", "name": "cancel", "parameters": {"order_id": "ORD-22222"}},
                search("p4", "ORD-22222", output="ORD-44444"),
            ],
            "toolCalls": [{"id": "c2", "name": "cancel", "args": {"order_ids": ["ORD-44444", "ORD-55555"]}}],
        }
    )
    judged = list(arguments_of([asks("Hello"), message]))
    assert [
        (found.tool_call_id, found.tool_name, value.text, value.verdict)
        for found in judged
        for value in found.judgement.values
    ] == [
        ("p1", "find", "ORD-11111", "invented"),
        ("p2", "find", "ORD-22222", "grounded"),
        ("p3", "fetch", "ORD-33333", "invented"),
        ("c1", "cancel", "ORD-22222", "grounded"),
        ("p4", "find", "ORD-22222", "grounded"),
        ("c2", "cancel", "ORD-44444", "grounded"),
        ("c2", "cancel", "ORD-55555", "invented"),
    ]
    (carrier,) = judged[1].judgement.values[0].carriers
    assert (carrier.message, carrier.part, carrier.resolve([asks("Hello"), message])) == (1, 0, "ORD-22222")


def conversation(*messages: Message) -> Conversation:
    return parse([message.model_dump(by_alias=True) for message in messages], format="openai_chat").replace(messages)


def test_a_report_holds_arguments_only_when_they_are_asked_for() -> None:
    given_one = conversation(asks("Hello"), calls({"id": "card_7334", "n": 1, "on": True}), result(1))
    plain, report = audit(given_one), audit(given_one, arguments=True)
    assert list(plain.model_dump()) == ["path", "conversation", "format", "messages", "answers", "totals"]
    assert (plain.arguments, plain.argument_totals) == ((), {})
    written = json.loads(report.model_dump_json())
    assert list(written) == [*plain.model_dump(), "arguments", "argument_totals"]
    assert [list(argument) for argument in written["arguments"]] == 2 * [
        ["message", "toolCallId", "toolName", "path", "values", "unexamined"]
    ]
    assert report.argument_totals == dict.fromkeys(VERDICTS, 0) | {"invented": 1}
    assert report.unexamined_in_arguments == 1
    assert AuditReport.model_validate(written) == report


def test_a_made_up_id_comes_with_what_the_tool_really_said() -> None:
    report = audit(
        conversation(asks("Hi"), calls({}), result({"card": "card_7334"}), calls({"id": "card_7335"})), arguments=True
    )
    (value,) = report.arguments[0].findings
    assert value.near is not None
    assert (value.near.text, value.near.carriers[0].path) == ("card_7334", "$.card")


@given(conversations)
def test_asking_for_arguments_changes_nothing_else(messages: tuple[Message, ...]) -> None:
    given_one = conversation(asks("Hello")).replace(messages)
    plain, report = audit(given_one).model_dump(), audit(given_one, arguments=True).model_dump()
    assert {name: report[name] for name in plain} == plain
    assert set(report) - set(plain) == {"arguments", "argument_totals"}


@given(conversations)
def test_arguments_are_judged_by_what_came_before_their_message(messages: tuple[Message, ...]) -> None:
    for argument in arguments_of(messages):
        before = EvidenceIndex(messages[: argument.message])
        for value in argument.judgement.values:
            if value.verdict in ("grounded", "exempt", "echoed"):
                assert value.carriers == before.judge(value.text).values[0].carriers


identifiers = st.from_regex(r"[A-Z]{2,5}-?[0-9]{4,8}", fullmatch=True)


@given(identifiers, st.sampled_from(["id", "flight_number", "bookingReference"]), conversations)
def test_what_a_tool_said_is_never_invented_in_an_argument(
    identifier: str, name: str, messages: tuple[Message, ...]
) -> None:
    read = (*messages, calls({}), result({"found": identifier}))
    last = list(arguments_of((*read, calls({name: identifier}))))[-1]
    assert [value.verdict for value in last.judgement.values] == ["grounded"]


@given(identifiers, st.sampled_from(["id", "flight_number", "bookingReference"]))
def test_what_the_person_said_is_exempt_in_an_argument(identifier: str, name: str) -> None:
    assert [verdict for _, _, verdict in found(asks(f"It is {identifier}."), calls({name: identifier}))] == ["exempt"]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_arguments_are_judged_and_no_offset_is_wrong(arguments: Any) -> None:  # noqa: ANN401 - JSON
    for argument in arguments_of([calls({"id": arguments})]):
        assert argument.path.startswith("$")
        assert all(value.text and value.verdict == "invented" for value in argument.judgement.values)


def test_the_made_up_ids_of_real_runs_are_found_and_nothing_else_is_accused() -> None:
    accused = [
        (run.id, argument.tool_name, argument.path, value.text, run.messages[argument.message + 1].text)
        for run in load_all(AIRLINE)
        for argument in audit(run, arguments=True).arguments
        for value in argument.findings
    ]
    assert sorted({text for _, _, _, text, _ in accused}) == ["credit_card_5634230", "credit_card_7334"]
    assert {path for _, _, path, _, _ in accused} == {"$.payment_id"}
    assert all(answer == "Error: payment method not found" for _, _, _, _, answer in accused)
    assert len(accused) == 4
