"""The plain callback: a list of dicts in, a list of dicts out, in the three formats that clients take."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from foldproof import (
    ClearToolResults,
    CompactionError,
    Compactor,
    ConversationState,
    Message,
    OffloadLarge,
    Pipeline,
    SlidingWindow,
    SummarizeOldest,
    TranscriptError,
    UsageError,
    exempt_forms,
    validate_for,
)
from foldproof.messages import frame_kind
from foldproof.transcripts import parse_as
from foldproof.window import Provider, Strategy
from foldproof_compactors.callback import ListFormat, compactor

Row = dict[str, Any]
FORMATS: Final[dict[ListFormat, Provider]] = {
    "openai_chat": "openai_chat",
    "openai_responses": "openai_responses",
    "anthropic_messages": "anthropic",
}
every = pytest.mark.parametrize("format_", FORMATS)


def turn(number: int, format_: ListFormat = "openai_chat") -> list[Row]:
    asked, said = f"Where is order {4470 + number}?", f"It left on May {number}."
    name, found = f"call-{number}", json.dumps({"left": f"2026-05-0{number}"}) * 30
    first, last = {"role": "user", "content": asked}, {"role": "assistant", "content": said}
    if format_ == "openai_responses":
        call = {"type": "function_call", "call_id": name, "name": "find", "arguments": f'{{"n": {number}}}'}
        thought = {"type": "reasoning", "id": f"rs{number}", "summary": [], "encrypted_content": f"c2ln{number}"}
        return [first, thought, call, {"type": "function_call_output", "call_id": name, "output": found}, last]
    if format_ == "anthropic_messages":
        thought = {"type": "thinking", "thinking": "look it up", "signature": f"c2ln{number}=="}
        use = {"type": "tool_use", "id": name, "name": "find", "input": {"n": number}}
        result = {"type": "tool_result", "tool_use_id": name, "content": found}
        return [first, {"role": "assistant", "content": [thought, use]}, {"role": "user", "content": [result]}, last]
    function = {"name": "find", "arguments": f'{{"n": {number}}}'}
    calls = [{"id": name, "type": "function", "function": function}]
    calling = {"role": "assistant", "content": None, "tool_calls": calls, "reasoning": "look it up"}
    return [first, calling, {"role": "tool", "tool_call_id": name, "content": found}, last]


def messages(turns: int, format_: ListFormat = "openai_chat") -> list[Row]:
    head = [{"role": "system", "content": "You track parcels."}] if format_ == "openai_chat" else []
    return [*head, *(row for at in range(1, turns) for row in turn(at, format_))]


def read(rows: Any, format_: ListFormat = "openai_chat") -> tuple[Message, ...]:  # noqa: ANN401 - a list of rows
    names = {"openai_responses": "input", "anthropic_messages": "messages"}
    rows = list(rows)
    return parse_as({names[format_]: rows} if format_ in names else rows, format_).messages


def originals(state: ConversationState) -> list[str]:
    """Everything that is known and was no frame of ours."""
    return [message.text for message in state.ledger if frame_kind(message) is None]


@every
def test_what_stays_is_the_callers_own_objects(format_: ListFormat) -> None:
    given = messages(6, format_)
    before = json.dumps(given)
    folded = compactor(SlidingWindow(keep_recent_turns=3), format=format_).fold(given)
    assert json.dumps(given) == before
    assert len(folded) < len(given)
    kept = [row for row in folded if any(row is own for own in given)]
    assert kept[-1] is given[-1]
    assert len(kept) == len(folded) - 1
    validate_for(FORMATS[format_], read(folded, format_))


def test_the_system_message_stays() -> None:
    given = messages(6)
    assert compactor(SlidingWindow(keep_recent_turns=3)).fold(given)[0] is given[0]


@every
def test_what_comes_back_can_be_sent_and_lineage_is_kept_by_the_callback(format_: ListFormat) -> None:
    compact = compactor(SlidingWindow(keep_recent_turns=2), format=format_)
    window, everything = messages(4, format_), messages(8, format_)
    for number in (4, 5, 6, 7):
        window = list(compact.fold([*window, *turn(number, format_)]))
        frames = [row for row in window if "drop notice" in str(row.get("content"))]
        assert len(frames) == 1
        assert set(frames[0]) <= {"type", "role", "content"}
        validate_for(FORMATS[format_], read(window, format_))
    assert exempt_forms(compact.state(window).messages) == exempt_forms(read(everything, format_))


@every
def test_the_callers_own_list_is_followed_as_it_grows(format_: ListFormat) -> None:
    compact, own = compactor(SummarizeOldest(0, 2), format=format_), messages(4, format_)
    for number in (4, 5, 6, 7):
        own += turn(number, format_)
        sent = compact.fold(own)
        assert sent[-1] is own[-1]
        assert len(sent) < len(own)
        validate_for(FORMATS[format_], read(sent, format_))
    assert originals(compact.state(own)) == [message.text for message in read(own, format_)]


@every
def test_the_very_list_comes_back_when_nothing_left(format_: ListFormat) -> None:
    given = messages(2, format_)
    assert compactor(format=format_).fold(given) is given


def test_visits_are_on_the_record_and_state_is_threaded() -> None:
    compact = compactor(SlidingWindow(keep_recent_turns=2))
    window = messages(4)
    for number in (4, 5, 6):
        window = list(compact.fold([*window, *turn(number)]))
    assert [record.window.outcome for record in compact.records if record.window is not None] == ["removed"] * 3
    assert sum("drop notice" in str(row["content"]) for row in window) == 1


def test_what_cannot_be_read_goes_on_as_it_is_and_names_its_place() -> None:
    compact, given = compactor(), [{"role": "user", "content": "hi"}, {"role": "wizard", "content": "ho"}]
    assert compact.fold(given) is given
    assert "$[1].role" in (compact.records[-1].error or "")
    with pytest.raises(TranscriptError, match=r"\$\[1\]\.role"):
        compact.fold(given, trigger="manual")


def test_notices_that_read_alike_keep_their_own_lineage() -> None:
    compact = compactor(SlidingWindow(keep_recent_turns=1))
    said, window = "x y z " * 80, list[Row]()
    for number in range(1000, 1004):
        mode = {"role": "system", "content": "mode"}  # a span ends at a system message, so notices cannot join
        asked = {"role": "user", "content": f"order {number} {said}"}
        grown = [*window, asked, {"role": "assistant", "content": said}, mode]
        window = json.loads(json.dumps(compact.fold(grown)))
    given = [Message(role="user", content=f"order {number}") for number in range(1000, 1004)]
    assert exempt_forms(compact.state(window).messages) == exempt_forms(given)


@every
@pytest.mark.parametrize(
    "strategy",
    [ClearToolResults(0, keep=1, keep_last_tool_results=0), OffloadLarge(150, 40), Pipeline([ClearToolResults(0, 1)])],
    ids=lambda strategy: strategy.name,
)
def test_a_cleared_result_still_answers_its_call_and_is_not_cleared_twice(
    strategy: Strategy, format_: ListFormat
) -> None:
    compact = compactor(strategy, format=format_)
    window = list(compact.fold(messages(4, format_)))
    cleared = [row for row in window if "cleared result" in json.dumps(row)]
    assert cleared
    if format_ == "openai_chat":
        assert all(set(row) == {"role", "tool_call_id", "content"} for row in cleared)
    for number in (4, 5):
        window = list(compact.fold([*window, *turn(number, format_)]))
        validate_for(FORMATS[format_], read(window, format_))
    assert all(row in window for row in cleared)
    last = compact.records[-1].window
    assert last is not None
    assert [seam.count for seam in last.seams] == [1]


def test_the_originals_are_in_the_state() -> None:
    compact = compactor(Pipeline([ClearToolResults(0, keep=1), SummarizeOldest(0, 2)]))
    given = messages(5)
    assert "The originals were not kept." not in str(compact.fold(given))
    state = compact.state(given)
    assert state.spans
    assert originals(state) == [message.text for message in read(given)]


def test_by_hand_it_raises_where_nothing_can_leave() -> None:
    with pytest.raises(CompactionError, match="nothing left the window"):
        compactor().fold(messages(2), trigger="manual")


def test_a_wrong_format_or_strategy_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="write one of openai_chat, openai_responses, anthropic_messages"):
        compactor(format="chatml")  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        compactor("slide")  # type: ignore[arg-type]
    assert compactor(Compactor(SlidingWindow())).fold([]) == []
