"""What each wire rejects. Expected values come from the providers' own errors; each is named in `WireRules`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, cast, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies.conversations import conversations, valid_conversations
from tests.window.builders import call, plain, result, system, user

from foldproof.errors import TranscriptError, UsageError
from foldproof.messages import Message, pair_server_tools, turns_of, validate_messages
from foldproof.window.providers import (
    ANY_PLACE,
    WIRE_RULES,
    Provider,
    WireRules,
    message_fault,
    seam_fault,
    validate_for,
)

PROVIDERS: tuple[Provider, ...] = get_args(Provider)
SIGNED = {"type": "thinking", "thinking": "hm", "signature": "EqQB"}
REDACTED = {"type": "redacted_thinking", "data": "EmwK"}
UNSIGNED = {"type": "thinking", "thinking": "hm"}
TEXT = {"type": "text", "text": "so it is"}
SEARCH = {"type": "provider-tool", "id": "s1", "name": "web_search"}
FOUND = {"type": "provider-tool-result", "id": "s1", "name": "web_search", "result": {"type": "success"}}


def says(role: str, *parts: object, **fields: object) -> Message:
    return Message.model_validate({"role": role, "content": list(parts), **fields})


def thinks(*blocks: object, text: str = "", calls: tuple[str, ...] = ()) -> Message:
    """An assistant message as Claude Code's rows are read: the thinking beside the content."""
    asked = [{"id": name, "name": "search"} for name in calls]
    return Message.model_validate(
        {"role": "assistant", "content": text, "thinkingBlocks": list(blocks), "toolCalls": asked}
    )


def rejecting(*messages: Message) -> set[Provider]:
    """The providers that do not take these messages."""
    return {provider for provider in PROVIDERS if fault_of(provider, messages) is not None}


def fault_of(provider: Provider, messages: tuple[Message, ...] | list[Message]) -> TranscriptError | None:
    try:
        validate_for(provider, messages)
    except TranscriptError as error:
        return error
    return None


def spoken_faults(rules: WireRules, messages: tuple[Message, ...]) -> list[str]:
    """Every fault of the messages and the seams of a window."""
    spoken = [message for message in messages if message.role != "system"]
    seams = [seam_fault(rules, before, after) for before, after in pairwise([None, *spoken, None])]
    return [fault for fault in [*seams, *(message_fault(rules, message) for message in spoken)] if fault]


def is_paired(messages: tuple[Message, ...]) -> bool:
    try:
        validate_messages(messages)
    except TranscriptError:
        return False
    return True


def test_every_provider_has_a_row_and_rows_cannot_be_changed() -> None:
    assert tuple(WIRE_RULES) == PROVIDERS
    with pytest.raises(TypeError):
        cast("dict[Provider, WireRules]", WIRE_RULES)["mistral"] = WireRules()


@pytest.mark.parametrize("name", ["antropic", "", None, ["anthropic"]])
def test_an_unknown_provider_is_told_which_there_are(name: Any) -> None:  # noqa: ANN401 - a mistake may be anything
    with pytest.raises(UsageError, match="expected one of openai_chat, openai_responses, anthropic, gemini"):
        validate_for(name, [user()])


def test_every_wire_takes_an_agents_run_with_parallel_calls() -> None:
    run = [system(), user(), call("a", "b"), result("a"), result("b"), call("c"), result("c"), plain(), user()]
    assert rejecting(*run) == set()


def test_every_wire_wants_results_right_behind_their_call() -> None:
    assert rejecting(user(), call("a"), user(), result("a")) == set(PROVIDERS)
    assert rejecting(user(), result("a")) == set(PROVIDERS)
    assert rejecting(user(), call("a")) == set(PROVIDERS)


def test_which_role_a_window_ends_on_is_no_rule() -> None:
    assert rejecting(user(), plain()) == set()
    assert rejecting(user(), call("a"), result("a")) == set()


@pytest.mark.parametrize("opening", [[plain()], [call("a"), result("a"), plain()]])
def test_some_windows_must_open_on_a_user_message(opening: list[Message]) -> None:
    strict = {"anthropic", "gemini", "bedrock", "chat_template"}
    assert rejecting(*opening, user()) == strict
    assert rejecting(system(), *opening, user()) == strict
    assert rejecting(system(), user(), plain(), user()) == set()


def test_a_window_of_system_messages_alone_has_no_message_where_they_are_sent_apart() -> None:
    assert rejecting(system()) == rejecting() == {"anthropic", "gemini", "bedrock", "chat_template"}
    error = fault_of("anthropic", [])
    assert error is not None
    assert error.path == "$"


def test_only_a_strict_template_wants_the_roles_to_take_turns() -> None:
    assert rejecting(user(), user()) == {"chat_template"}  # W53: a summary in front of the request
    assert rejecting(user(), plain(), plain(), user()) == {"chat_template"}


def test_a_user_message_behind_tool_results_is_not_for_mistral() -> None:
    assert rejecting(user(), call("a"), result("a"), user()) == {"mistral", "chat_template"}
    assert rejecting(user(), call("a"), result("a"), plain(), user()) == set()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_frame_may_stand_in_any_place_of_most_wires(provider: Provider) -> None:
    rules, ends = WIRE_RULES[provider], (user(), plain(), call("a"), result("a"))
    takes = not any(seam_fault(rules, *seam) for end in ends for seam in ((end, user()), (user(), end)))
    assert (provider in ANY_PLACE) == takes


def test_a_gemini_call_follows_a_user_message_or_results() -> None:
    assert rejecting(user(), plain(), call("a"), result("a")) == {"gemini", "chat_template"}
    inside = says("assistant", TEXT, {"type": "tool-call", "id": "a", "name": "search"})
    assert rejecting(user(), plain(), inside, result("a")) == {"gemini", "chat_template"}
    assert rejecting(user(), inside, result("a")) == set()


def test_system_messages_are_no_neighbours() -> None:
    between = (user(), call("a"), result("a"), system(), user())
    assert rejecting(*between) == {"mistral", "chat_template"}
    error = fault_of("mistral", between)
    assert error is not None
    assert error.path == "$[4]"


@pytest.mark.parametrize("alone", [thinks(SIGNED), thinks(REDACTED, text=" "), says("assistant", SIGNED, REDACTED)])
def test_thinking_alone_stands_only_in_front_of_what_it_led_to(alone: Message) -> None:
    strict = {"openai_responses", "anthropic", "bedrock"}
    assert rejecting(user(), alone) == strict
    assert rejecting(user(), alone, user()) == strict
    assert rejecting(user(), alone, plain()) == {"chat_template"}
    assert rejecting(user(), alone, call("a"), result("a")) == {"gemini", "chat_template"}


def test_thinking_with_an_answer_or_a_call_is_whole() -> None:
    assert rejecting(user(), thinks(SIGNED, text="yes"), user()) == set()
    assert rejecting(user(), thinks(SIGNED, calls=("a",)), result("a")) == set()
    assert rejecting(user(), says("assistant", SIGNED, TEXT), user()) == set()


@pytest.mark.parametrize(
    ("thought", "signed"),
    [
        (SIGNED, True),
        ({**SIGNED, "thinking": ""}, True),
        (REDACTED, True),
        (UNSIGNED, False),
        ({**UNSIGNED, "signature": ""}, False),
        ({**UNSIGNED, "signature": None}, False),
        ({"type": "redacted_thinking"}, False),
        ({"type": "redacted_thinking", "signature": "EqQB"}, False),
        ("hm", False),
    ],
)
def test_anthropic_takes_no_thinking_without_its_signature_or_data(thought: object, signed: object) -> None:
    assert rejecting(user(), thinks(thought, text="yes"), user()) == (set() if signed else {"anthropic"})


@pytest.mark.parametrize(
    ("continuity", "signed"),
    [
        ({"provider": "anthropic", "signature": "EqQB"}, True),
        ({"provider": "anthropic", "redactedData": "EmwK"}, True),
        ({"provider": "anthropic"}, False),
        (None, False),
        ({"provider": "openai", "encrypted": "gAAA"}, True),  # Anthropic's adapter leaves it out
    ],
)
def test_a_thinking_part_is_signed_by_its_continuity(continuity: object, signed: object) -> None:
    part = {"type": "thinking", "text": "hm", "continuity": continuity}
    assert rejecting(user(), says("assistant", part, TEXT), user()) == (set() if signed else {"anthropic"})


def test_an_empty_user_message_is_rejected_where_content_is_demanded() -> None:
    strict = {"anthropic", "gemini", "bedrock"}
    for empty in (user(""), user(" \n"), says("user"), says("user", {"type": "text", "text": ""})):
        assert rejecting(user(), plain(), empty) == strict
    image = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    assert rejecting(user(), plain(), says("user", image)) == set()


def test_an_empty_answer_may_only_be_the_last_message() -> None:
    strict = {"anthropic", "gemini", "bedrock", "mistral", "chat_template"}
    for empty in (plain(""), plain(" "), says("assistant"), says("assistant", {"type": "text", "text": "\n"})):
        assert rejecting(user(), empty, user()) == strict
        assert rejecting(user(), empty) == set()
    assert rejecting(user(), call("a"), result("a", text=""), plain()) == set()


def test_a_server_tool_keeps_its_call_and_its_result_in_one_turn() -> None:
    asked, answered = says("assistant", SEARCH), says("assistant", FOUND, TEXT)
    assert rejecting(user(), says("assistant", SEARCH, FOUND, TEXT), user()) == set()
    assert rejecting(user(), asked, user()) == {"anthropic"}
    assert rejecting(user(), answered, user()) == {"anthropic"}
    assert rejecting(user(), asked, user(), answered) == {"anthropic"}
    assert rejecting(user(), answered, asked, user()) == {"anthropic", "chat_template"}
    assert rejecting(user(), asked) == set()  # a paused turn goes on where it ended
    assert pair_server_tools((user(), says("assistant", SEARCH, FOUND), user())) == ((), ())
    assert pair_server_tools((user(), asked, answered)) == (((1, 2),), ())
    assert pair_server_tools((user(), asked, user(), answered)) == ((), (1, 3))


def test_a_server_tool_that_waits_for_a_call_beside_it_is_answered_behind_the_result() -> None:
    both = says("assistant", SEARCH, toolCalls=[{"id": "a", "name": "search"}])
    window = (user(), both, result("a"), says("assistant", FOUND, TEXT), user())
    assert rejecting(*window) == set()
    assert pair_server_tools(window).pairs == ((1, 3),)
    error = fault_of("anthropic", (*window[:3], user()))
    assert error is not None
    assert error.path == "$[1]"


@pytest.mark.parametrize(
    ("half", "other"),
    [
        (
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
            {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
        ),
        (
            {"type": "mcp_tool_use", "id": "mcptoolu_1", "name": "echo", "server_name": "s", "input": {}},
            {"type": "mcp_tool_result", "tool_use_id": "mcptoolu_1", "is_error": False, "content": []},
        ),
    ],
)
def test_server_tools_are_known_in_anthropics_own_blocks(half: object, other: object) -> None:
    assert rejecting(user(), says("assistant", half, other, TEXT), user()) == set()
    assert rejecting(user(), says("assistant", half, TEXT), user()) == {"anthropic"}
    assert rejecting(user(), says("assistant", other, TEXT), user()) == {"anthropic"}


@pytest.mark.parametrize(
    "whole",
    [
        {**SEARCH, "result": {"type": "success", "output": "found"}},
        {**SEARCH, "continuity": {"provider": "openai", "item": {}}},
    ],
)
def test_a_server_tool_with_its_result_inside_or_of_another_provider_is_no_half(whole: object) -> None:
    assert rejecting(user(), says("assistant", whole, TEXT), user()) == set()


def test_a_fault_names_the_provider_the_place_and_what_to_do() -> None:
    error = fault_of("mistral", [user(), call("a"), result("a"), user()])
    assert str(error) == (
        "$[3]: mistral rejects this: a user message follows a tool result; "
        "it expects the model's answer first; keep or put one between them"
    )
    ended = fault_of("openai_responses", [user(), thinks(SIGNED)])
    assert ended is not None
    assert ended.path == "$[1]"


@given(st.sampled_from(PROVIDERS), conversations)
def test_a_window_is_valid_exactly_when_its_messages_seams_and_pairs_are(
    provider: Provider, messages: tuple[Message, ...]
) -> None:
    rules = WIRE_RULES[provider]
    halves = pair_server_tools(messages).halves if rules.server_tools_whole else ()
    expected = is_paired(messages) and not spoken_faults(rules, messages) and not halves
    assert (fault_of(provider, messages) is None) == expected


_SERVER_RUNS = st.lists(
    st.sampled_from(["user", "plain", "exchange", "asked", "answered", "both"]), min_size=1, max_size=10
)


def _window(kinds: list[str]) -> tuple[Message, ...]:
    shapes = {
        "user": [user("go on")],
        "plain": [plain("well")],
        "exchange": [call("c"), result("c")],
        "asked": [says("assistant", SEARCH)],
        "answered": [says("assistant", FOUND)],
        "both": [says("assistant", SEARCH, toolCalls=[{"id": "a", "name": "search"}]), result("a")],
    }
    return (user("hello"), *(message for kind in kinds for message in shapes[kind]))


@given(st.sampled_from(PROVIDERS), st.one_of(valid_conversations, _SERVER_RUNS.map(_window)), st.data())
def test_a_removal_whose_one_seam_is_sound_and_that_splits_no_pair_keeps_a_window_valid(
    provider: Provider, messages: tuple[Message, ...], data: st.DataObject
) -> None:
    if fault_of(provider, messages) is not None:
        return
    starts = [turn.start for turn in turns_of(messages)] + [len(messages)]
    first, last = sorted(data.draw(st.tuples(st.sampled_from(starts), st.sampled_from(starts))))
    leaves = {index for index in range(first, last) if messages[index].role != "system"}
    before = [message for message in messages[:first] if message.role != "system"]
    after = [message for message in messages[last:] if message.role != "system"]
    seam = seam_fault(WIRE_RULES[provider], before[-1] if before else None, after[0] if after else None)
    split = any((one in leaves) != (other in leaves) for one, other in pair_server_tools(messages).pairs)
    if seam is None and not split:
        validate_for(provider, [message for index, message in enumerate(messages) if index not in leaves])
