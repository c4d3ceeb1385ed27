"""ShareGPT rows as training sets have them."""

from __future__ import annotations

import json
from typing import Any

import foldproof as fp
from foldproof.messages import pair, validate_messages
from foldproof.offline import audit


def row(speaker: str, said: str) -> dict[str, str]:
    return {"from": speaker, "value": said}


def call(name: str, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"name": name, "arguments": arguments}


def read(*rows: dict[str, str], **more: Any) -> fp.Conversation:  # noqa: ANN401 - JSON
    return fp.parse({"conversations": list(rows), **more}, format="sharegpt")


def test_a_system_message_beside_the_rows_is_the_apps() -> None:
    conversation = read(row("human", "fee?"), row("gpt", "It is $4512."), system="The refund fee is $4512.")
    assert [message.role for message in conversation.messages] == ["system", "user", "assistant"]
    assert audit(conversation).totals["exempt"] == 1


def test_an_observation_answers_the_call_before_it_and_no_older_one() -> None:
    conversation = read(
        row("human", "hi"),
        row("function_call", json.dumps(call("a"))),
        row("human", "stop; fee?"),
        row("function_call", json.dumps(call("fee"))),
        row("observation", '{"fee": 4512}'),
        row("gpt", "4512"),
    )
    assert conversation.messages[4].tool_name == "fee"
    assert len(pair(conversation.messages).unanswered) == 1


def test_calls_made_together_are_one_message_and_answered_in_order() -> None:
    several = row("function_call", json.dumps([call("fee"), call("fee")]))
    rows_of_one = [row("function_call", json.dumps(call("fee"))), row("function_call", json.dumps(call("tax")))]
    for asked, names in (([several], ["fee", "fee"]), (rows_of_one, ["fee", "tax"])):
        conversation = read(row("human", "?"), *asked, row("observation", "1"), row("observation", "2"))
        validate_messages(conversation.messages)
        assert [call.name for call in conversation.messages[1].tool_calls] == names
        assert [message.text for message in conversation.messages[2:]] == ["1", "2"]


def test_calls_in_tags_are_calls_and_no_words_of_an_answer() -> None:
    asked = f"Let me see.\n<tool_call>\n{json.dumps(call('find', order='ORD-4471'))}\n</tool_call>"
    conversation = read(row("human", "order?"), row("gpt", asked), row("tool", '{"fee": 4512}'), row("gpt", "4512"))
    validate_messages(conversation.messages)
    assert conversation.messages[1].text == "Let me see."
    assert audit(conversation).totals == {**audit(conversation).totals, "invented": 0, "grounded": 1}


def test_a_row_that_cannot_be_read_is_reported_and_the_others_are_read() -> None:
    conversation = read(row("wizard", "?"), row("human", "hi"), {"from": "gpt"})
    assert [message.text for message in conversation.messages] == ["hi"]
    assert [damage.path for damage in conversation.damage] == ["$.conversations[0]", "$.conversations[2]"]
