from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from tests.strategies.conversations import conversations

from foldproof.evidence import Carrier, Derivation, EvidenceIndex, EvidenceOptions, Operand, ValueVerdict
from foldproof.messages import Message
from foldproof.offline import FINDINGS, VERDICTS, AuditReport, answers_of, audit
from foldproof.offline.audit import _audited
from foldproof.transcripts import Conversation, load_all, parse

AIRLINE = Path(__file__).parent.parent / "data" / "tau_bench_airline" / "runs.jsonl"


def asks(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def says(text: str, **call: Any) -> dict[str, Any]:  # noqa: ANN401 - arguments of a call
    if not call:
        return {"role": "assistant", "content": text}
    function = {"name": "get_fare", "arguments": json.dumps(call)}
    return {
        "role": "assistant",
        "content": text,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }


def result(**fields: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"role": "tool", "tool_call_id": "c1", "name": "get_fare", "content": json.dumps(fields)}


def conversation(*rows: dict[str, Any]) -> Conversation:
    return parse(list(rows), format="openai_chat")


def verdicts(report: AuditReport) -> list[tuple[int, str, str]]:
    return [(answer.message, value.text, value.verdict) for answer in report.answers for value in answer.values]


def test_an_answer_is_judged_against_what_came_before_it() -> None:
    report = audit(
        conversation(
            asks("What is the fee?"),
            says("It is $190.00.", flight="HAT170"),
            result(fee=190.0),
            says("It is $190.00."),
        )
    )
    assert verdicts(report) == [(1, "$190.00", "invented"), (3, "$190.00", "grounded")]


def test_what_an_answer_only_told_its_own_tools_is_echoed() -> None:
    report = audit(
        conversation(asks("Hello"), says("I look at HAT170.", flight="HAT170"), result(fee=1), says("Done."))
    )
    assert verdicts(report) == [(1, "HAT170", "echoed")]


def test_an_answer_is_every_assistant_message_that_says_something() -> None:
    report = audit(
        conversation(
            asks("A 12345 question"), says("", flight="HAT170"), result(fee=190), says(" \n"), says("No digits.")
        )
    )
    assert [(answer.message, answer.values) for answer in report.answers] == [(4, ())]


def test_a_report_says_where_it_comes_from_and_lists_every_verdict() -> None:
    given_one = conversation(asks("Hello"), says("Nothing to report."))
    report = audit(given_one, path="run.json")
    assert (report.path, report.conversation, report.format, report.messages) == (
        "run.json",
        given_one.id,
        "openai_chat",
        2,
    )
    assert report.totals == dict.fromkeys(VERDICTS, 0)
    assert set(VERDICTS) == {"grounded", "exempt", "derived", "echoed", "invented", "undecidable"}
    assert set(FINDINGS) < set(VERDICTS)


def test_an_invented_value_comes_with_what_the_tool_really_said() -> None:
    report = audit(conversation(asks("Hello"), says("", a=1), result(fee="$190.00"), says("It is $109.00.")))
    (value,) = report.answers[0].findings
    assert value.verdict == "invented"
    assert value.near is not None
    assert (value.near.text, value.near.carriers[0].message, value.near.carriers[0].path) == ("$190.00", 2, "$.fee")


def test_options_reach_the_judgement() -> None:
    rows = (asks("Hello"), says("Ask Alice about 4417 and 99123."))
    options = EvidenceOptions(shapes=("alice",), exempt=("99123",), min_digits=5)
    assert verdicts(audit(conversation(*rows), options=options)) == [(1, "Alice", "invented"), (1, "99123", "exempt")]


def test_a_report_survives_json() -> None:
    report = audit(
        conversation(asks("Hello"), says("", a=1), result(fee="$190.00"), says("It is $109.00, or $190.00."))
    )
    plain = json.loads(json.dumps(report.model_dump()))
    assert list(plain) == ["path", "conversation", "format", "messages", "answers", "totals"]
    assert list(plain["answers"][0]["values"][0]) == [
        "text", "start", "end", "kind", "verdict", "how", "carriers", "near", "derivation",
        "latest", "folded", "elsewhere",
    ]  # fmt: skip
    assert AuditReport.model_validate(plain) == report


def test_a_report_says_how_a_derived_value_follows_and_from_what() -> None:
    fee = Carrier(message=2, path="$.fee", block=0, start=0, end=3, text="103")
    derivation = Derivation("sum", (Operand("$152", 4, 8), Operand("103", _source=(fee,))), rivals=1)
    value = _audited(ValueVerdict("$255", 20, 24, "money", "derived", "ambiguous", derivation=derivation))
    assert value.model_dump()["derivation"] == {
        "operation": "sum",
        "operands": (
            {"text": "$152", "start": 4, "end": 8, "carriers": ()},
            {"text": "103", "start": None, "end": None, "carriers": (fee.model_dump(),)},
        ),
        "rivals": 1,
    }
    assert type(value).model_validate(json.loads(value.model_dump_json())) == value


@given(conversations)
def test_judging_as_it_goes_is_judging_what_came_before(messages: tuple[Message, ...]) -> None:
    before = [message.fingerprint for message in messages]
    for position, judgement in answers_of(messages):
        assert judgement == EvidenceIndex(messages[: position + 1]).judge(messages[position].text)
    assert [message.fingerprint for message in messages] == before


@pytest.fixture(scope="module")
def airline() -> list[tuple[Conversation, AuditReport]]:
    return [(run, audit(run)) for run in load_all(AIRLINE)]


def test_every_carrier_of_real_runs_leads_to_what_it_names(airline: list[tuple[Conversation, AuditReport]]) -> None:
    followed = 0
    for run, report in airline:
        for answer in report.answers:
            for value in answer.values:
                for carrier in (*value.carriers, *(value.near.carriers if value.near else ())):
                    assert carrier.resolve(run.messages) == carrier.text
                    assert carrier.message < answer.message
                    followed += 1
    assert followed > 1_000


def test_every_value_of_real_runs_stands_where_the_report_says(airline: list[tuple[Conversation, AuditReport]]) -> None:
    for run, report in airline:
        for answer in report.answers:
            text = run.messages[answer.message].text
            assert all(text[value.start : value.end] == value.text for value in answer.values)
        found = Counter(value.verdict for answer in report.answers for value in answer.values)
        assert {verdict: count for verdict, count in report.totals.items() if count} == found
        assert all(
            value.carriers for answer in report.answers for value in answer.values if value.verdict == "grounded"
        )
