"""The wire: fields that only libraries read are removed; a message never is, and nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.messages.generators import Object, canonical, message_objects, says

from foldproof.errors import UsageError
from foldproof.messages import FOLDED, FRAMEWORK_FIELDS, OPENINGS, Message, to_wire

NEVER_SENT = {"ephemeral", "injectedBy", "notDispatched", "toolChars", "foldedExempt", "toolResultOrigin"}
SENT = ["toolArgumentsFailure", "replay", "toolCallId", "toolName", "thinkingBlocks", "metadata", "id", "isError"]


@given(st.lists(message_objects, max_size=4))
def test_the_wire_keeps_length_and_index_and_strips_exactly_the_framework_fields(objects: list[Object]) -> None:
    messages = [Message.model_validate(each) for each in objects]
    wire = to_wire(messages)
    sent = [{name: value for name, value in each.items() if name not in NEVER_SENT} for each in objects]
    assert [canonical(message.model_dump(mode="json")) for message in wire] == list(map(canonical, sent))
    assert list(wire) == list(map(Message.model_validate, sent))
    assert [canonical(message.model_dump(mode="json")) for message in messages] == list(map(canonical, objects))


@given(st.lists(message_objects, max_size=4))
def test_a_message_with_nothing_to_strip_is_the_same_object(objects: list[Object]) -> None:
    messages = [Message.model_validate(each) for each in objects]
    for fields, message, sent in zip(objects, messages, to_wire(messages), strict=True):
        assert (sent is message) == NEVER_SENT.isdisjoint(fields)
    once = to_wire(messages)
    assert all(again is sent for again, sent in zip(to_wire(once), once, strict=True))


@pytest.mark.parametrize("name", sorted(NEVER_SENT))
def test_each_framework_field_goes_whatever_it_holds(name: str) -> None:
    value: object = {"ephemeral": True, "foldedExempt": ["4417"]}.get(name, 5)
    for held in (value, None):
        message = says("tool", "42", toolCallId="1", **{name: held})
        (sent,) = to_wire([message])
        assert sent.model_dump(mode="json") == {"role": "tool", "content": "42", "toolCallId": "1"}
        assert sent.fingerprint == says("tool", "42", toolCallId="1").fingerprint


@pytest.mark.parametrize("name", SENT)
def test_what_adapters_read_stays(name: str) -> None:
    value = {"thinkingBlocks": [{"a": 1}], "metadata": {"a": 1}, "isError": True}.get(name, "1")
    (sent,) = to_wire([says("tool", "42", ephemeral=True, **{name: value})])
    assert sent.model_dump(mode="json") == {"role": "tool", "content": "42", name: value}


@pytest.mark.parametrize("name", ["text", "fingerprint", "model_dump", "_fields_set", "copy", ""])
def test_an_unknown_field_keeps_its_value_whatever_its_name(name: str) -> None:
    message = Message.model_validate({"role": "tool", "content": "42", "toolChars": 2, name: {"a": 1}})
    assert message.fingerprint
    (sent,) = to_wire([message])
    assert sent.model_dump(mode="json") == {"role": "tool", "content": "42", name: {"a": 1}}
    assert sent.fingerprint != message.fingerprint


def test_the_provider_s_own_on_a_call_rides_back() -> None:
    call = {"id": "1", "name": "n", "args": {}, "providerMeta": {"thoughtSignature": "x"}}
    (sent,) = to_wire([says("assistant", toolCalls=[call], injectedBy={"injectionId": "note"})])
    assert sent.model_dump(mode="json")["toolCalls"] == [call]


def test_the_framework_fields_are_those_of_the_design() -> None:
    assert {Message.model_fields[name].alias for name in FRAMEWORK_FIELDS} == NEVER_SENT
    assert to_wire([]) == ()


def test_a_frames_note_of_what_it_folded_is_not_sent_and_the_hosts_metadata_is() -> None:
    frame = Message(role="user", content="x", metadata={FOLDED: {"observations": ["1"]}, "shown": True})
    bare = Message(role="user", content="x", metadata={FOLDED: {"observations": ["1"]}})
    assert [message.model_dump() for message in to_wire([frame, bare])] == [
        {"role": "user", "content": "x", "metadata": {"shown": True}},
        {"role": "user", "content": "x"},
    ]


SIGNED = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
REASONED = says("assistant", [{"type": "thinking", "text": "hm"}, {"type": "text", "text": "so"}])


def test_thinking_stays_unless_a_frame_stands_ahead_of_it() -> None:
    beside = says("assistant", "so", thinkingBlocks=[SIGNED])
    frame = says("user", f"{OPENINGS['drop-notice']} 2 messages left the window (x).")
    window = [beside, says("user", "and?"), frame, beside, REASONED, says("tool", "4417", toolCallId="1")]
    assert to_wire(window)[3:] == tuple(window[3:])
    sent = to_wire(window, thinking="drop-behind-frames")
    assert sent[0] is beside
    assert "thinkingBlocks" not in sent[3].model_dump()
    assert sent[4].text == "so"
    assert len(sent[4].content) == 1
    assert sent[5] is window[5]
    assert to_wire(window[:2], thinking="drop-behind-frames") == tuple(window[:2])


def test_another_word_for_thinking_says_what_to_write() -> None:
    with pytest.raises(UsageError, match='write "keep" or "drop-behind-frames"'):
        to_wire([], thinking="drop")  # type: ignore[arg-type]


def test_a_message_that_only_reasoned_is_not_sent_empty() -> None:
    frame = says("user", f"{OPENINGS['drop-notice']} 2 messages left the window (x).")
    only = [says("assistant", "", thinkingBlocks=[SIGNED]), says("assistant", [{"type": "thinking", "text": "hm"}])]
    sent = to_wire([frame, *only], thinking="drop-behind-frames")
    assert [message.text for message in sent[1:]] == ["…", "…"]
