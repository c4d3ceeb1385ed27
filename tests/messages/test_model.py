"""The message: it reads the JSON of agentfootprint and Axle and gives it back; equal ones have one fingerprint."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError
from tests.messages.generators import Object, canonical, message_objects, messages, says

from foldproof.messages import Message, ToolCall, message_id

read = Message.model_validate


@given(message_objects)
def test_round_trip(message: Object) -> None:
    text = canonical(message)
    assert canonical(read(message).model_dump(mode="json")) == text
    assert canonical(read(message).model_dump()) == text
    assert canonical(json.loads(read(message).model_dump_json())) == text
    assert canonical(Message.model_validate_json(text).model_dump(mode="json")) == text


@given(message_objects)
def test_reading_what_was_written_gives_an_equal_message(message: Object) -> None:
    assert read(read(message).model_dump(mode="json")) == read(message)


@pytest.mark.parametrize(
    ("name", "attribute", "value"),
    [
        # LLMMessage
        ("ephemeral", "ephemeral", True),
        ("foldedExempt", "folded_exempt", ["4417"]),
        ("injectedBy", "injected_by", {"flavor": "fact", "injectionId": "note", "iteration": 1}),
        ("notDispatched", "not_dispatched", {"pausedCall": {"toolCallId": "1", "toolName": "ask"}}),
        ("replay", "replay", {"layout": []}),
        ("thinkingBlocks", "thinking_blocks", [{"signature": "x"}]),
        ("toolArgumentsFailure", "tool_arguments_failure", {"reason": "invalid-json"}),
        ("toolCallId", "tool_call_id", "1"),
        ("toolChars", "tool_chars", 4),
        ("toolName", "tool_name", "look"),
        ("toolResultOrigin", "tool_result_origin", "not-entered"),
        # AxleMessage, and the result inside its tool message
        ("id", "id", "m-1"),
        ("name", "name", "Ada"),
        ("model", "model", "claude"),
        ("finishReason", "finish_reason", "stop"),
        ("metadata", "metadata", {"axleCompaction": {"id": "1", "role": "summary"}}),
        ("isError", "is_error", False),
    ],
)
def test_each_field_of_the_seeds_is_camel_case_in_json_and_snake_case_in_python(
    name: str,
    attribute: str,
    value: Any,  # noqa: ANN401 - any JSON
) -> None:
    message = says("assistant", "a", **{name: value})
    assert list(message.model_extra or ()) == []
    found = getattr(message, attribute)
    assert (list(found) if isinstance(found, tuple) else found) == value
    assert read({"role": "assistant", "content": "a", attribute: value}) == message


def test_each_field_of_a_call_of_the_seed() -> None:
    call = {"id": "1", "name": "look", "args": {"of": "z"}, "providerMeta": {"thoughtSignature": "x"}}
    message = says("assistant", toolCalls=[call])
    assert message.tool_calls == (
        ToolCall(id="1", name="look", args={"of": "z"}, provider_meta={"thoughtSignature": "x"}),
    )
    assert message.tool_calls[0].model_extra == {}


def test_only_what_was_set_is_written() -> None:
    assert Message(role="user").model_dump(mode="json") == {"role": "user"}
    assert read({"role": "user", "id": None}).model_dump(mode="json") == {"role": "user", "id": None}
    assert Message(role="tool", tool_call_id="1").model_dump(mode="json") == {"role": "tool", "toolCallId": "1"}


def test_thinking_blocks_and_arguments_keep_the_order_of_their_members() -> None:
    blocks: list[Any] = [{"z": 1, "a": {"y": 2, "b": "\u0000é"}}]
    message = says("assistant", thinkingBlocks=blocks, toolCalls=[{"id": "1", "name": "n", "args": blocks[0]}])
    dumped = message.model_dump(mode="json")
    assert json.dumps(dumped["thinkingBlocks"]) == json.dumps(blocks)
    assert json.dumps(dumped["toolCalls"][0]["args"]) == json.dumps(blocks[0])


@pytest.mark.parametrize("role", ["developer", "function", "User", "model", "", None, 5])
def test_an_unknown_role_is_refused(role: object) -> None:
    with pytest.raises(ValidationError) as refused:
        read({"role": role, "content": "a"})
    assert [error["loc"] for error in refused.value.errors()] == [("role",)]


def test_a_message_without_a_role_is_refused() -> None:
    with pytest.raises(ValidationError) as refused:
        read({"content": "a"})
    assert [error["loc"] for error in refused.value.errors()] == [("role",)]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("content", 5),
        ("content", None),
        ("content", {"type": "text", "text": "a"}),
        ("id", 5),
        ("toolCallId", 5),
        ("toolCalls", [{"name": "look"}]),
        ("toolCalls", {"id": "1", "name": "look"}),
        ("foldedExempt", "4417"),
        ("foldedExempt", [4417]),
        ("metadata", []),
        ("isError", "no"),
        ("isError", 1),
        ("ephemeral", "false"),
        ("ephemeral", 0),
    ],
)
def test_a_field_of_the_wrong_type_is_refused_and_never_changed_into_the_right_one(field: str, value: object) -> None:
    with pytest.raises(ValidationError) as refused:
        read({"role": "assistant", "content": "a", field: value})
    assert {error["loc"][0] for error in refused.value.errors()} == {field}


def test_arguments_a_hundred_levels_deep_survive() -> None:
    args: Object = {}
    for level in range(100):
        args = {"level": level, "below": [args]} if level % 2 else {"below": args}
    message: Object = {"role": "assistant", "content": "", "toolCalls": [{"id": "1", "name": "n", "args": args}]}
    assert canonical(read(message).model_dump(mode="json")) == canonical(message)
    assert canonical(Message.model_validate_json(json.dumps(message)).model_dump(mode="json")) == canonical(message)
    assert read(message).fingerprint == read(message).fingerprint


@pytest.mark.parametrize("number", [12345678901234567890, -98765432109876543210, 2**53 + 1])
def test_integers_are_exact(number: int) -> None:
    call = {"id": "1", "name": "n", "args": {"n": number}}
    text = json.dumps({"role": "assistant", "content": "", "toolCalls": [call], "metadata": {"n": number}, "x": number})
    message = Message.model_validate_json(text)
    assert message.model_dump(mode="json") == json.loads(text)
    assert message.model_dump_json().count(f":{number}") == 3
    assert message.tool_calls[0].args == {"n": number}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "a\ud83d"},
        {"role": "user", "content": [{"type": "text", "text": "\udc00a"}]},
        {"role": "user", "content": "", "metadata": {"\ud83d": "\ud83d"}},
        {"role": "user", "content": "", "unknown": ["\ud83d"]},
        {"role": "assistant", "content": "", "toolCalls": [{"id": "1", "name": "n", "args": {"a": "\ud83d"}}]},
    ],
)
def test_a_lone_surrogate_survives(message: Object) -> None:
    assert canonical(read(message).model_dump()) == canonical(message)
    assert len(read(message).fingerprint) == 64


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("a\nb", "a\nb"),
        ([], ""),
        ([{"type": "text", "text": "a"}, {"type": "thinking", "text": "x"}, {"type": "text", "text": "b"}], "a\nb"),
        ([{"type": "hologram", "text": "x"}], ""),
    ],
)
def test_the_text_of_a_message_is_its_string_or_its_text_parts_one_a_line(content: object, text: str) -> None:
    assert says("assistant", content).text == text


def test_a_message_is_frozen() -> None:
    message = says("user", "a", unknown=1)
    for name in ("content", "id", "unknown", "new"):
        with pytest.raises(ValidationError, match="frozen"):
            setattr(message, name, "b")


def test_a_message_is_hashable_only_while_it_holds_no_json_object_or_array() -> None:
    # So nothing may use messages as keys: the fingerprint is the key.
    assert hash(says("user", "a")) == hash(says("user", "a"))
    for unhashable in (says("user", metadata={}), says("assistant", toolCalls=[{"id": "1", "name": "n"}])):
        with pytest.raises(TypeError, match="unhashable"):
            hash(unhashable)


_CALL = {"id": "1", "name": "n"}
_TEXT = {"type": "text", "text": "a"}
_PLAIN: list[tuple[str, list[Any]]] = [
    ("role", ["user", "assistant"]),
    (
        "content",
        ["", "a", [], [_TEXT], [_TEXT | {"citations": None}], [_TEXT | {"citations": []}], [_TEXT | {"x": None}]],
    ),
    ("content", [[{"type": "tool-call"} | _CALL], [{"type": "tool-call"} | _CALL | {"parameters": {}}], [_CALL]]),
    ("id", [None, "", "1"]),
    ("toolCalls", [[], [_CALL], [_CALL | {"args": {}}], [_CALL | {"args": None}], [_CALL | {"providerMeta": None}]]),
    ("thinkingBlocks", [None, [], [None]]),
    ("foldedExempt", [None, [], [""]]),
    ("metadata", [None, {}, {"a": None}]),
    ("toolCallId", [None, "1", "2"]),
    ("tool_call_id", ["3"]),
    ("x", [None, [], "1"]),
]
_changes = st.sampled_from([(name, value) for name, values in _PLAIN for value in values])


@given(st.lists(_changes, max_size=4), st.lists(_changes, max_size=2), st.lists(_changes, max_size=2))
def test_fingerprints_are_equal_iff_messages_are(
    shared: list[tuple[str, Any]], ours: list[tuple[str, Any]], theirs: list[tuple[str, Any]]
) -> None:
    one, other = (read({"role": "user"} | dict(shared) | dict(changes)) for changes in (ours, theirs))
    assert (one.fingerprint == other.fingerprint) == (one == other)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({}, {"id": None}, True),
        ({}, {"x": None}, False),
        ({"foldedExempt": []}, {}, False),
        ({"thinkingBlocks": []}, {}, False),
        ({"toolCalls": []}, {}, True),
        ({"content": ""}, {}, True),
        ({"content": []}, {"content": ""}, False),
        ({"content": [_TEXT]}, {"content": [_TEXT | {"citations": None}]}, True),
        ({"content": [_TEXT]}, {"content": [_TEXT | {"x": None}]}, False),
        ({"toolCalls": [_CALL]}, {"toolCalls": [_CALL | {"args": {}}]}, True),
        ({"toolCalls": [_CALL]}, {"toolCalls": [_CALL | {"args": None}]}, False),
        ({"toolCallId": "1", "tool_call_id": "3"}, {"toolCallId": "2", "tool_call_id": "3"}, False),
        ({"metadata": {"a": 1, "b": 2}}, {"metadata": {"b": 2, "a": 1}}, True),
        ({"metadata": {"a": 1}}, {"metadata": {"a": 1.0}}, False),
        ({"metadata": {"a": 1}}, {"metadata": {"a": True}}, False),
    ],
)
def test_what_tells_fingerprints_apart(one: Object, other: Object, *, same: bool) -> None:
    prints = {read({"role": "user"} | fields).fingerprint for fields in (one, other)}
    assert len(prints) == (1 if same else 2)


@given(messages, message_objects)
def test_a_fingerprint_is_of_the_json_and_not_of_the_order_of_its_members(message: Message, other: Object) -> None:
    turned = {name: other[name] for name in reversed(other)}
    assert read(turned).fingerprint == read(other).fingerprint
    same = canonical(message.model_dump(mode="json")) == canonical(other)
    assert same <= (message.fingerprint == read(other).fingerprint)


def test_a_field_that_a_later_version_adds_leaves_fingerprints_as_they_are() -> None:
    class Later(Message):
        added: JsonValue = None

    # Records are stored with the fingerprints of frames, and outlive the version that wrote them.
    assert Later(role="user", content="a").fingerprint == says("user", "a").fingerprint
    assert Later(role="user", content="a", added=1).fingerprint != says("user", "a").fingerprint


@pytest.mark.parametrize("deep", [False, True])
def test_a_changed_copy_has_the_fingerprint_of_what_it_says(*, deep: bool) -> None:
    message = says("user", "a", metadata={"k": 1}, unknown=1)
    before = message.fingerprint
    assert message.model_copy(deep=deep).fingerprint == before
    changed = message.model_copy(update={"content": "b"}, deep=deep)
    assert changed.fingerprint == says("user", "b", metadata={"k": 1}, unknown=1).fingerprint
    extended = message.model_copy(update={"unknown": 2}, deep=deep)
    assert extended.fingerprint == says("user", "a", metadata={"k": 1}, unknown=2).fingerprint
    assert len({before, changed.fingerprint, extended.fingerprint}) == 3
    assert message.fingerprint == before


@given(message_objects)
def test_asking_for_a_fingerprint_changes_nothing(fields: Object) -> None:
    message, untouched = read(fields), read(fields)
    fingerprint = message.fingerprint
    assert message == untouched
    assert message.model_dump() == untouched.model_dump()
    assert message.model_dump_json() == untouched.model_dump_json()
    for twin in (copy.copy(message), copy.deepcopy(message), pickle.loads(pickle.dumps(message))):  # noqa: S301 - ours
        assert twin == untouched
        assert twin.fingerprint == fingerprint


def test_a_message_is_named_by_its_own_id_or_by_what_it_says() -> None:
    assert message_id(says("user", "a", id="m-1")) == "m-1"
    for unnamed in (says("user", "a"), says("user", "a", id=""), says("user", "a", id=None)):
        assert message_id(unnamed) == f"sha256:{unnamed.fingerprint[:16]}"
    assert message_id(says("user", "a")) != message_id(says("user", "b"))


def test_an_unknown_field_may_hold_anything_and_the_message_still_has_a_fingerprint() -> None:
    one, other = (Message.model_validate({"role": "user", "content": "x", "at": at}) for at in (b"1", b"2"))
    assert one.fingerprint != other.fingerprint
