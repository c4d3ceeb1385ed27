"""A row that another program exported may mean something else by a name of ours: that costs the field, not the file."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.errors import TranscriptError
from foldproof.messages import Message, pair
from foldproof.transcripts import dump, parse, read_text
from foldproof.transcripts.json_text import Json

FRAME = Message(role="user", content="[foldproof drop notice] x")
OWN = {"role", "content", "tool_calls"}
NAMES = sorted(
    {name for name in Message.model_fields if name not in OWN}
    | {str(field.alias) for name, field in Message.model_fields.items() if name not in OWN}
    | {"toolCalls", "function", "text", "fingerprint", "model_extra"}
)
VALUES: st.SearchStrategy[Json] = st.sampled_from([5, 0, -1.5, True, "x", "", [], [5], ["a"], {}, {"a": 1}, None])


def test_an_integer_id_is_read_as_text_and_foreign_metadata_stays_in_the_row() -> None:
    rows = [{"role": "user", "content": "a", "id": 5, "metadata": "x"}, {"role": "assistant", "content": "b", "id": 6}]
    text = "\n".join(map(json.dumps, rows)) + "\n"
    (conversation,) = read_text(text, name="in")
    assert [message.id for message in conversation.messages] == ["5", "6"]
    assert conversation.messages[0].metadata is None
    out = io.StringIO()
    dump(conversation.replace([conversation.messages[0], FRAME]), out)
    assert json.loads(out.getvalue().splitlines()[0]) == rows[0]


@pytest.mark.parametrize("role", ["system", "user", "assistant", "tool"])
@given(fields=st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4))
def test_law_no_foreign_field_of_a_chat_row_is_fatal(role: str, fields: dict[str, Json]) -> None:
    row = {"role": role, "content": "words"} | fields
    conversation = parse({"messages": [row, {"role": "assistant", "content": "b"}]})
    message = conversation.messages[0]
    assert (message.role, message.text) == (role, "words")
    assert Message.model_validate(message.model_dump()) == message
    out = io.StringIO()
    dump(conversation.replace([message, FRAME]), out)
    assert json.loads(out.getvalue())["messages"][0] == row


@pytest.mark.parametrize("value", [5, True, {"a": 1}])
def test_a_field_of_the_right_type_beside_a_foreign_one_is_read(value: Json) -> None:
    (message,) = parse([{"role": "user", "content": "a", "model": value, "name": "ann", "finish_reason": [1]}]).messages
    assert (message.model, message.name, message.finish_reason) == (None, "ann", None)


def test_integer_call_ids_pair() -> None:
    call = {"id": 7, "type": "function", "function": {"name": "f", "arguments": "{}"}}
    conversation = parse(
        [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": 7, "name": 3, "content": "x"}]
    )
    assert not pair(conversation.messages).orphans
    assert conversation.messages[1].tool_name == "f"


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"role": 5}, "role"),
        ({"content": 5}, "content"),
        ({"tool_calls": 5, "metadata": 5}, "tool_calls"),
        ({"tool_calls": [{"function": {"name": 5}}], "id": 5}, "tool_calls[0].function"),
        ({"tool_calls": [{"id": {}, "function": {"name": "f"}}], "id": {}}, "toolCalls[0].id"),
    ],
)
def test_what_is_the_formats_own_has_to_be_right(fields: Json, place: str) -> None:
    with pytest.raises(TranscriptError) as caught:
        parse([{"role": "assistant", "content": "a"} | fields])
    assert caught.value.path == f"$[0].{place}"


def test_a_session_row_with_foreign_facts_is_read() -> None:
    said = {"role": "assistant", "id": "m", "model": 5, "stop_reason": {}}
    call = {"type": "tool_use", "id": 7, "name": "Read", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": 7, "content": "x", "is_error": "no"}
    rows = [
        {"type": "assistant", "uuid": 5, "sessionId": "s", "message": said | {"content": [call]}},
        {"type": "user", "uuid": 6, "sessionId": "s", "message": {"role": "user", "content": [answer]}},
    ]
    assistant, result = parse(rows).messages
    assert (assistant.model, assistant.finish_reason, result.is_error) == (None, None, None)
    assert (assistant.tool_calls[0].id, result.tool_call_id, result.tool_name) == ("7", "7", "Read")


def test_an_object_with_a_role_and_no_words_is_no_chat() -> None:
    row = {"id": "msg_1", "sessionID": "s", "role": "user", "time": {"created": 1}}
    with pytest.raises(TranscriptError, match="no known format"):
        parse(row)
    with pytest.raises(TranscriptError, match="no known format"):
        parse([row])
