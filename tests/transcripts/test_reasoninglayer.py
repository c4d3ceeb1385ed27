"""Stored answers of the Reasoning Layer: what is the model's, what is the tool's, and what never ran."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

import foldproof as fp
from foldproof.messages import OPENINGS, Message, author_of, calls_of, pair
from foldproof.transcripts import Conversation, dump, parse
from foldproof.transcripts.json_text import Json

CLAIM = {"span": [4, 10], "claimText": "190.00", "claimType": "kb_grounded", "confidence": 0.9}


def answer(turn: str = "t1", **more: Json) -> dict[str, Any]:
    return {
        "assistantMessage": "The fee is 190.00 €.",
        "conversationId": "c1",
        "turnId": turn,
        "intent": "query",
        "osfqlExecuted": 'MATCH booking(code -> "QX7", fee -> ?F)',
        "queryResults": [{"?F": {"type": "Float", "value": 190.0}}],
        "producedTermIds": [],
        "gateAbstained": False,
        "notices": [],
        "suggestions": ["What about QX8?"],
        "frameAmbiguities": [],
        "frameRetries": 0,
        **more,
    }


def written(conversation: Conversation) -> Json:
    out = io.StringIO()
    dump(conversation, out)
    return json.loads(out.getvalue())


def test_a_query_is_a_call_and_its_results_are_the_tools_words() -> None:
    conversation = parse(answer(modelId="m"))
    assert (conversation.format, conversation.id) == ("reasoninglayer", "c1")
    asked, found, said = conversation.messages
    assert [author_of(message) for message in conversation.messages] == ["model", "tool", "model"]
    assert [(call.name, call.args) for call in calls_of(asked)] == [("osfql", {"query": answer()["osfqlExecuted"]})]
    assert json.loads(found.text) == answer()["queryResults"]
    assert not pair(conversation.messages).unanswered
    assert (said.text, said.id, said.model) == ("The fee is 190.00 €.", "t1", "m")


def test_the_answer_is_evidence_of_nothing_and_the_results_are() -> None:
    messages = parse(answer(assistantMessage="The fee is 190.00 and the deposit 77.25.")).messages
    judgement = fp.EvidenceIndex(messages[:2]).judge(messages[2].text)
    verdicts = {value.text: value.verdict for value in judgement.values}
    assert (verdicts["190.00"], verdicts["77.25"]) == ("grounded", "invented")


def test_a_repaired_query_is_the_call_and_the_proposal_the_models_words() -> None:
    conversation = parse(answer(repaired=True, originalOsfql="MATCH boking(fee -> ?F)"))
    assert conversation.messages[0].text == "MATCH boking(fee -> ?F)"
    assert calls_of(conversation.messages[0])[0].args == {"query": answer()["osfqlExecuted"]}
    assert conversation.extras["turns"][0]["repaired"] is True


@pytest.mark.parametrize("results", [None, [], [{"?F": {"type": "Float", "value": 190.0}}]])
def test_a_query_that_the_gate_declined_never_ran(results: Json) -> None:
    _, result, _ = parse(answer(gateAbstained=True, queryResults=results)).messages
    assert (author_of(result), result.tool_result_origin) == ("library", "not-entered")
    assert "190" not in result.text


def test_terms_that_a_query_produced_are_the_tools_words_too() -> None:
    _, result, _ = parse(answer(queryResults=None, producedTermIds=["term-1"])).messages
    assert json.loads(result.text) == {"queryResults": None, "producedTermIds": ["term-1"]}


def test_an_answer_without_a_query_is_one_message() -> None:
    conversation = parse(answer(osfqlExecuted=None, queryResults=None))
    assert [message.role for message in conversation.messages] == ["assistant"]


def test_claims_are_citations_and_what_the_answer_says_of_itself_is_an_extra() -> None:
    notice = {"kind": "value_grounded", "literal": "QX7"}
    certificate = {"validityCertificateId": "v1", "validityCertificateHash": "ab" * 32}
    conversation = parse(answer(claimAnnotations=[CLAIM], notices=[notice], **certificate))
    part = conversation.messages[2].model_dump(by_alias=True)["content"][0]
    assert part["citations"] == [CLAIM]
    (facts,) = conversation.extras["turns"]
    assert facts["notices"] == [notice]
    assert facts["turnId"] == "t1"
    assert certificate.items() <= facts.items()
    assert "assistantMessage" not in facts


def test_snake_case_says_the_same() -> None:
    snake = {
        "assistant_message": answer()["assistantMessage"],
        "conversation_id": "c1",
        "turn_id": "t1",
        "intent": "query",
        "osfql_executed": answer()["osfqlExecuted"],
        "query_results": answer()["queryResults"],
        "produced_term_ids": [],
        "suggestions": [],
    }
    conversation = parse(snake)
    assert conversation.messages == parse(answer()).messages
    raw = written(conversation.replace(conversation.messages[2:]))
    assert (raw["osfql_executed"], raw["query_results"]) == (None, None)
    assert "osfqlExecuted" not in raw


def test_a_list_is_one_conversation_and_a_stranger_in_it_is_damage() -> None:
    conversation = parse([answer(), answer("t2"), answer("t3", conversationId="c2")])
    assert [message.id for message in conversation.messages if message.id] == ["t1", "t2"]
    assert [(damage.path, damage.cause[:26]) for damage in conversation.damage] == [
        ("$[2]", "expected an answer of 'c1'")
    ]


def test_a_frame_joins_one_answer_as_a_list() -> None:
    conversation = parse(answer())
    frame = Message(role="user", content=f"{OPENINGS['summary']} gist", folded_exempt=("190",))
    raw = written(conversation.replace([frame, conversation.messages[2]]))
    assert isinstance(raw, list)
    assert raw[1]["osfqlExecuted"] is None
    again = parse(raw)
    assert again.messages == (frame, conversation.messages[2])
    assert [facts["turnId"] for facts in again.extras["turns"]] == ["t1"]


def test_where_nothing_is_left_one_answer_says_nothing() -> None:
    raw = written(parse([answer(), answer("t2")]).replace([]))
    assert [row["assistantMessage"] for row in raw] == [""]
    assert (parse(raw).messages, parse(raw).id) == ((), "c1")


@pytest.mark.parametrize(
    ("name", "value"), [("osfqlExecuted", 7), ("originalOsfql", ["x"]), ("modelId", {}), ("assistantMessage", 7)]
)
def test_a_member_of_another_type_is_reported_with_its_place(name: str, value: Json) -> None:
    conversation = parse([answer(), answer("t2", **{name: value})])
    ((path, cause),) = [(damage.path, damage.cause) for damage in conversation.damage]
    assert path == f"$[1].{name}"
    assert cause.startswith("expected text; found")
    assert len(conversation.messages) == 3
