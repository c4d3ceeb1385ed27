"""Pairs: a result answers the nearest call of its id; a valid conversation answers every call once, right after it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from tests.messages.generators import answers, calls, conversations, says, valid_conversations

from foldproof.errors import TranscriptError
from foldproof.messages import (
    CallAt,
    Message,
    ToolCall,
    ToolCallPart,
    calls_of,
    is_tidy,
    pair,
    turns_of,
    validate_messages,
)

GO_ON = says("user", "go on")


def ids_of(message: Message) -> list[str]:
    """The ids a generated message calls under: it makes its calls beside its content or inside it, never both."""
    if message.role != "assistant":
        return []
    inside = [] if isinstance(message.content, str) else message.content
    return [call.id for call in message.tool_calls] + [part.id for part in inside if isinstance(part, ToolCallPart)]


def call_answered(messages: Sequence[Message], index: int) -> CallAt | None:
    """By looking back: the nearest message that called under the id, and there one call further a result."""
    wanted = messages[index].tool_call_id
    for owner in range(index - 1, -1, -1):
        places = [place for place, identifier in enumerate(ids_of(messages[owner])) if identifier == wanted]
        if places:
            between = messages[owner + 1 : index]
            earlier = sum(message.role == "tool" and message.tool_call_id == wanted for message in between)
            return CallAt(owner, places[min(earlier, len(places) - 1)])
    return None


@given(conversations)
@example([calls(""), answers(None)])
@example([calls("a", "a"), answers("a"), answers("a"), answers("a")])
def test_a_result_answers_the_nearest_earlier_call_of_its_id(messages: list[Message]) -> None:
    pairing = pair(messages)
    tools = [index for index, message in enumerate(messages) if message.role == "tool"]
    expected = {index: call_answered(messages, index) for index in tools}
    assert pairing.call_of == {index: call for index, call in expected.items() if call is not None}
    assert pairing.orphans == tuple(index for index, call in expected.items() if call is None)


@given(conversations)
def test_every_call_is_listed_once_in_order_with_the_results_that_answer_it(messages: list[Message]) -> None:
    pairing = pair(messages)
    made = [CallAt(index, place) for index, message in enumerate(messages) for place, _ in enumerate(ids_of(message))]
    assert list(pairing.results) == made
    for call, results in pairing.results.items():
        assert list(results) == [index for index in sorted(pairing.call_of) if pairing.call_of[index] == call]
    assert pairing.unanswered == tuple(call for call in made if call not in pairing.call_of.values())


@given(valid_conversations)
def test_a_valid_conversation_pairs_one_to_one(messages: list[Message]) -> None:
    pairing = pair(messages)
    assert pairing.orphans == ()
    assert pairing.unanswered == ()
    assert all(len(results) == 1 for results in pairing.results.values())


@given(conversations)
def test_in_a_tidy_conversation_no_call_waits_and_no_pair_stands_apart(messages: list[Message]) -> None:
    pairing = pair(messages)
    turn_of = {index: turn for turn in turns_of(messages) for index in range(turn.start, turn.stop)}
    apart = [index for index, call in pairing.call_of.items() if turn_of[index] != turn_of[call.message]]
    again = [results for results in pairing.results.values() if len(results) > 1]
    out_of_order = list(pairing.call_of.values()) != sorted(pairing.call_of.values())
    faults = [*apart, *again, *pairing.unanswered, *pairing.orphans]
    assert is_tidy(messages) == (not faults and not out_of_order)


def test_what_is_tidy() -> None:
    pairs = [GO_ON, calls("a", "b"), answers("a"), answers("b"), calls("a"), answers("a"), GO_ON]
    assert is_tidy(pairs)
    assert is_tidy([])
    for index in range(1, 6):
        assert not is_tidy(pairs[:index] + pairs[index + 1 :])
    for untidy in ([calls("a")], [answers("a")], [calls("a"), answers("a"), answers("a")], [calls(""), answers(None)]):
        assert not is_tidy(untidy)


def test_an_id_used_again_pairs_with_the_later_call() -> None:
    messages = [calls("a"), answers("a"), GO_ON, calls("a", "b"), answers("b"), answers("a")]
    assert pair(messages).call_of == {1: CallAt(0, 0), 4: CallAt(3, 1), 5: CallAt(3, 0)}


def test_an_id_used_again_before_its_answer_leaves_the_earlier_call_unanswered() -> None:
    pairing = pair([calls("a"), calls("a"), answers("a")])
    assert pairing.call_of == {2: CallAt(1, 0)}
    assert pairing.unanswered == (CallAt(0, 0),)


def test_parallel_calls_with_one_id_are_answered_in_order() -> None:
    messages = [calls("a", "b", "a"), answers("a"), answers("a"), answers("b"), answers("a")]
    pairing = pair(messages)
    assert pairing.call_of == {1: CallAt(0, 0), 2: CallAt(0, 2), 3: CallAt(0, 1), 4: CallAt(0, 2)}
    assert pairing.results == {CallAt(0, 0): (1,), CallAt(0, 1): (3,), CallAt(0, 2): (2, 4)}


def test_a_final_result_after_a_pending_notice_answers_the_same_call() -> None:
    assert pair([calls("a"), answers("a"), GO_ON, answers("a")]).results == {CallAt(0, 0): (1, 3)}


@pytest.mark.parametrize("called", ["", "a"])
def test_a_result_that_names_no_call_is_an_orphan(called: str) -> None:
    assert pair([calls(called), answers(None)]).orphans == (1,)


def test_only_the_model_calls() -> None:
    asked = {"toolCalls": [{"id": "a", "name": "look"}]}
    for role in ("user", "system", "tool"):
        assert calls_of(says(role, [{"type": "tool-call", "id": "b", "name": "look", "parameters": {}}], **asked)) == ()


def test_calls_are_read_beside_the_content_and_inside_it_and_one_id_only_once() -> None:
    content = [
        {"type": "text", "text": "let me look"},
        {"type": "tool-call", "id": "a", "name": "look", "parameters": {"of": "inside"}},
        {"type": "tool-call", "id": "b", "name": "find", "parameters": {"of": "inside"}},
        {"type": "provider-tool", "id": "c", "name": "web_search"},
        {"type": "tool-call", "name": "look"},
    ]
    message = says("assistant", content, toolCalls=[{"id": "a", "name": "look", "args": {"of": "beside"}}])
    assert calls_of(message) == (
        ToolCall(id="a", name="look", args={"of": "beside"}),
        ToolCall(id="b", name="find", args={"of": "inside"}),
    )


def is_obviously_valid(messages: Sequence[Message]) -> bool:
    """What follows each message that is no result: results under exactly the ids that it called, in some order."""
    if messages and messages[0].role == "tool":
        return False
    for index, message in enumerate(messages):
        if message.role == "tool":
            continue
        following: list[str | None] = []
        for later in messages[index + 1 :]:
            if later.role != "tool":
                break
            following.append(later.tool_call_id)
        called = ids_of(message)
        if None in following or sorted(map(str, following)) != sorted(called) or len(set(called)) != len(called):
            return False
    return True


def fault(messages: Sequence[Message]) -> TranscriptError | None:
    try:
        validate_messages(messages)
    except TranscriptError as found:
        return found
    return None


@given(conversations)
@example([calls(""), answers(None)])
@example([calls(""), answers("")])
@example([says("user", "hi"), answers(None)])
def test_what_is_accepted_is_exactly_what_is_obviously_valid(messages: list[Message]) -> None:
    found = fault(messages)
    assert (found is None) == is_obviously_valid(messages)
    if found is not None:
        place = int((found.path or "").removeprefix("$[").removesuffix("]"))
        heads = [index for index, message in enumerate(messages) if message.role != "tool"]
        start = max((head for head in heads if head <= place), default=0)
        stop = min((head for head in heads if head > place), default=len(messages))
        assert is_obviously_valid(messages[:start])
        assert not is_obviously_valid(messages[start:stop])


@given(valid_conversations)
def test_a_valid_conversation_is_accepted(messages: list[Message]) -> None:
    assert fault(messages) is None


@pytest.mark.parametrize(
    ("messages", "path", "names"),
    [
        pytest.param([GO_ON, answers("a")], "$[1]", "'a'", id="a result without a call"),
        pytest.param([answers("a"), calls("a")], "$[0]", "'a'", id="a result before its call"),
        pytest.param([calls("a"), answers("a"), answers("b")], "$[2]", "'b'", id="a result of another id"),
        pytest.param([calls("a"), answers("a"), answers("a")], "$[2]", "second time", id="a call answered twice"),
        pytest.param([calls("a"), answers(None)], "$[1]", "toolCallId", id="a result that names no call"),
        pytest.param(
            [calls("a"), answers("a"), GO_ON, answers("a")], "$[3]", "right before it", id="a result that comes late"
        ),
        pytest.param([GO_ON, calls("a")], "$[1]", "the end", id="a call unanswered at the end"),
        pytest.param([GO_ON, calls("a", "b"), answers("a")], "$[1]", "'b'", id="one call of a batch unanswered"),
        pytest.param([GO_ON, calls("a"), GO_ON, answers("a")], "$[1]", "$[2]", id="a message between"),
        pytest.param([calls("a"), says("system", "s"), answers("a")], "$[0]", "$[1]", id="a system message between"),
        pytest.param([calls("a"), calls("b"), answers("a"), answers("b")], "$[0]", "$[1]", id="a call between"),
        pytest.param([GO_ON, calls("a", "a"), answers("a")], "$[1]", "'a'", id="an unanswered id repeated in a batch"),
        pytest.param([calls("a"), calls("a"), answers("a")], "$[0]", "'a'", id="an unanswered id repeated later"),
        pytest.param([GO_ON, calls("a", in_content=True)], "$[1]", "'a'", id="a call inside the content"),
    ],
)
def test_each_fault_is_refused_at_its_place(messages: list[Message], path: str, names: str) -> None:
    found = fault(messages)
    assert found is not None
    assert found.path == path
    assert names in found.cause
    assert "\n" not in str(found)


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param([], id="nothing"),
        pytest.param([GO_ON], id="no calls"),
        pytest.param(
            [calls("a", "b", "c"), answers("c"), answers("a"), answers("b")], id="several results of one batch"
        ),
        pytest.param([calls("a"), answers("a"), calls("a"), answers("a")], id="an id used again once it is answered"),
        pytest.param([calls("a", in_content=True), answers("a")], id="a call inside the content"),
        pytest.param([says("user", toolCalls=[{"id": "a", "name": "n"}])], id="what a person writes is no call"),
    ],
)
def test_what_is_paired_and_adjacent_is_accepted(messages: list[Message]) -> None:
    assert fault(messages) is None
