"""The laws of a compaction, over any conversation and any strategy: valid ones, broken ones, a user's own."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from tests.compaction.talk import Heard, person
from tests.strategies.conversations import broken_conversations, valid_conversations
from tests.strategies.visits import strategies
from tests.window.builders import is_valid

from foldproof import CompactionError, Compactor, ConversationState, LiveConversation, exempt_forms
from foldproof.compaction import begun, followed, list_digests, list_words
from foldproof.messages import Message, frame_kind
from foldproof.testing import broken_laws
from foldproof.window import Strategy

Window = tuple[Message, ...]
conversations = st.one_of(valid_conversations, broken_conversations)


@given(conversations, strategies)
def test_law_an_automatic_compaction_never_raises_and_is_applied_or_changes_nothing(
    messages: Window, strategy: Strategy
) -> None:
    conversation, asked = LiveConversation(messages), person("and now?")
    record = Compactor(strategy).before_turn(conversation, asked)
    assert conversation.messages[-1] is asked
    window = conversation.messages[:-1]
    if record is None or record.outcome != "complete":
        assert window == messages
        assert all(a is b for a, b in zip(window, messages, strict=True))
        return
    kept_laws = {law for law, _ in broken_laws(messages, window)}
    assert kept_laws.isdisjoint({"pairs", "request", "envelope", "frames", "head", "conservation"})
    assert is_valid(window) or not is_valid(messages)
    assert exempt_forms(window) == exempt_forms(messages)


@given(conversations, strategies)
def test_law_by_hand_it_is_applied_or_raises_and_changes_nothing(messages: Window, strategy: Strategy) -> None:
    conversation, heard = LiveConversation(messages), Heard()
    raised = None
    try:
        Compactor(strategy, listener=heard).manual(conversation)
    except CompactionError as error:
        raised = error.record
    assert heard.statuses == ["running", "complete" if raised is None else "error"]
    assert (conversation.messages == messages) == (raised is not None)
    assert raised in (None, conversation.state.records[-1])


@given(conversations, strategies)
def test_law_a_lifecycle_is_running_and_then_exactly_one_of_complete_or_error(
    messages: Window, strategy: Strategy
) -> None:
    heard = Heard()
    record = Compactor(strategy, listener=heard).before_turn(LiveConversation(messages))
    assert heard.statuses in ([], ["running", "complete"], ["running", "error"])
    assert (heard.statuses[-1:] == ["complete"]) == (record is not None and record.outcome == "complete")
    assert sum(event.status != "running" for event in heard.life) <= 1


@given(conversations, strategies)
def test_law_the_state_survives_json(messages: Window, strategy: Strategy) -> None:
    conversation = LiveConversation(messages)
    Compactor(strategy).before_turn(conversation)
    saved = conversation.state.model_dump_json(by_alias=True)
    again = ConversationState.model_validate_json(saved)
    assert json.loads(again.model_dump_json(by_alias=True)) == json.loads(saved)
    assert [message.fingerprint for message in again.messages] == [
        message.fingerprint for message in conversation.messages
    ]


@given(conversations, st.integers(0, 12))
def test_law_a_list_that_grew_is_followed_and_one_that_changed_begins_anew(messages: Window, cut: int) -> None:
    ahead = messages[:cut]
    if not ahead:
        return
    words = [list_words(message) for message in messages]
    digests = list_digests(words)
    state = begun(ahead, words[:cut], digests[len(ahead) - 1], {})
    assert state.host is not None
    assert state.host.digest == digests[len(ahead) - 1]
    grown = followed(state, messages, words, digests[-1], {})
    assert grown.messages == messages
    assert grown.host is not None
    assert grown.host.places == tuple(range(len(messages)))
    changed = (ahead[0].model_copy(update={"content": ahead[0].text + " and more"}), *ahead[1:])
    assert state.host.digest not in list_digests([list_words(message) for message in changed])


@given(conversations, strategies)
def test_law_a_frame_keeps_its_lineage_wherever_a_host_puts_its_words(messages: Window, strategy: Strategy) -> None:
    conversation = LiveConversation(messages)
    Compactor(strategy).before_turn(conversation)
    state = conversation.state
    frames = {list_words(message): state for message in state.messages if frame_kind(message) is not None}
    told = [_bare(message) for message in state.messages]
    words = [list_words(message) for message in told]
    again = begun(told, words, "elsewhere", frames)
    assert exempt_forms(again.messages) == exempt_forms(state.messages)
    first = begun(told[:1], words[:1], "elsewhere", {})
    grown = followed(first, told, words, "elsewhere", frames)
    assert exempt_forms(grown.messages[1:]) == exempt_forms(state.messages[1:])
    kept = {span.fingerprint for span in again.spans}
    assert kept == ({span.fingerprint for span in state.spans} if frames else set())


def _bare(message: Message) -> Message:
    """A message as a host has it that keeps nothing of a frame but its words."""
    if frame_kind(message) is None:
        return message
    return Message(role=message.role, content=message.content, tool_call_id=message.tool_call_id)
