"""What a judgement says as a whole: how much of an answer is supported, and by which results of the turn."""

from __future__ import annotations

import pytest
from tests.evidence.generators import result

from foldproof.evidence import Citation, EvidenceIndex, Judgement
from foldproof.messages import Message, ToolCall


def person(text: str) -> Message:
    return Message(role="user", content=text)


def judgement(answer: str, *messages: Message) -> Judgement:
    return EvidenceIndex(messages).judge(answer)


def test_support_is_the_share_of_values_that_somebody_supplied() -> None:
    call = Message(role="assistant", tool_calls=(ToolCall(id="1", name="find", args={"order": "ORD-7777"}),))
    read = [person("order ORD-1111"), call, result("fare 282"), result("fare 443")]
    made = judgement("ORD-1111: $282 and $443 make $725. ORD-7777 and ORD-9999 too.", *read)
    assert [value.verdict for value in made.values] == [
        "exempt",
        "grounded",
        "grounded",
        "derived",
        "echoed",
        "invented",
    ]
    assert made.support == pytest.approx(4 / 6)
    assert [value.text for value in made.invented] == ["ORD-9999"]


def test_an_answer_without_values_has_no_support() -> None:
    made = judgement("Hello there.", result("fare 282"))
    assert (made.support, made.values, made.invented, made.carried_by) == (None, (), (), ())


def test_an_answer_rests_on_a_prior_turn_only_when_tools_said_some_of_it() -> None:
    read = [person("?"), result("fare 282"), person("and now?")]
    assert judgement("It is $282.", *read).is_prior_turn_evidence
    assert not judgement("It is $283.", *read).is_prior_turn_evidence
    assert not judgement("It is $282 and $443.", *read, result("fare 443")).is_prior_turn_evidence
    many = [result("fare 282") for _ in range(9)]
    assert not judgement("It is $282.", *read, *many).is_prior_turn_evidence


def test_a_citation_counts_the_values_and_those_that_no_other_result_of_the_turn_says() -> None:
    now = [result("ORD-1111 ORD-2222", call="a"), result("ORD-2222 ORD-3333", call="b"), result("none", call="c")]
    made = judgement("ORD-1111, ORD-2222, ORD-3333, ORD-1111 and ORD-9999", person("?"), *now)
    assert made.carried_by == (Citation(1, "a", 3, 2), Citation(2, "b", 2, 1))


def test_only_what_is_grounded_has_carriers_and_is_in_view() -> None:
    made = judgement("$282 and $443 make $725, not ORD-9999.", result("fare 282"), result("fare 443"))
    assert [len(value.carriers) for value in made.values] == [1, 1, 0, 0]
    assert [value.in_view for value in made.values] == [True, True, False, False]
    assert [value.latest for value in made.values] == [0, 1, None, None]
    assert [value.near is None for value in made.values] == [True, True, True, True]


def test_derivations_with_one_way_are_not_ambiguous() -> None:
    made = judgement("$282 and $443 make $725.", result("fare 282"), result("fare 443"))
    derivation = made.values[2].derivation
    assert derivation is not None
    assert (derivation.rivals, derivation.is_ambiguous) == (0, False)
