"""The laws of the window, one test each, over valid and broken conversations and every strategy."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies.conversations import CALL_IDS, conversations, valid_conversations

from foldproof.errors import TranscriptError
from foldproof.evidence import EvidenceIndex, exempt_forms
from foldproof.messages import (
    Message,
    author_of,
    frame_kind,
    message_id,
    pair,
    turns_of,
    validate_messages,
)
from foldproof.tokens import default_counter
from foldproof.window import (
    REFUSAL_REASONS,
    CompactionUnmeasurableError,
    FoldedSpan,
    MessageCounter,
    SlidingWindow,
    SummarizeOldest,
    SummaryRequest,
    TokenBudget,
    Visit,
    WindowRecord,
    WindowState,
    WindowStrategy,
    total_characters,
)

Window = tuple[Message, ...]


def short_claim(span: Sequence[Message], _: SummaryRequest) -> str:
    return f"{len(span)} things happened around ZX-998877"


pins = {"keep_last_tool_results": st.integers(0, 2), "keep_ledger_facts": st.integers(0, 2)}
strategies: st.SearchStrategy[Any] = st.one_of(
    st.builds(SlidingWindow, st.integers(1, 3), **pins),
    st.builds(TokenBudget, st.integers(0, 60), st.integers(1, 3), **pins),
    st.builds(SummarizeOldest, st.integers(0, 60), st.integers(1, 3), **pins),
    st.builds(
        SummarizeOldest,
        st.just(0),
        st.integers(1, 3),
        summarizer=st.just(short_claim),
        model=st.just("claims-1"),
        retain=st.sampled_from(["conversation", "discard"]),
    ),
)
standings = st.dictionaries(st.sampled_from(CALL_IDS), st.sampled_from(["fact", "open", "noise", "ruled-out"]))
options = st.fixed_dictionaries(
    {"iteration": st.integers(1, 9)},
    optional={
        "measured": st.integers(0, 500),
        "paused": st.lists(st.sampled_from(CALL_IDS), max_size=1),
        "pending_check_ins": st.lists(st.sampled_from(CALL_IDS), max_size=1),
        "standings": standings,
        "request": st.sampled_from(["ok", "hello"]),
    },
)
law = given(conversations, strategies, options)


def removed_of(before: Sequence[Message], visit: Visit) -> Window:
    start = visit.record.removed_from or 0
    return tuple(before[start : start + visit.record.removed_count])


def is_valid(messages: Sequence[Message]) -> bool:
    try:
        validate_messages(messages)
    except TranscriptError:
        return False
    return True


def faults(messages: Sequence[Message]) -> Counter[str]:
    """What is wrong with a window's pairs, by the identity of the messages at fault."""
    pairing = pair(messages)
    found = Counter(f"orphan {id(messages[index])}" for index in pairing.orphans)
    found.update(f"unanswered {id(messages[at.message])}/{at.position}" for at in pairing.unanswered)
    for result, at in pairing.call_of.items():
        if any(message.role != "tool" for message in messages[at.message + 1 : result]):
            found[f"apart {id(messages[result])}"] += 1
    return found


@law
def test_law_01_pairs(messages: Window, strategy: WindowStrategy, given_options: dict[str, Any]) -> None:
    visit = strategy.visit(messages, **given_options)
    assert is_valid(visit.messages) or not is_valid(messages)
    assert faults(visit.messages) <= faults(messages)
    start = visit.record.removed_from or 0
    left = range(start, start + visit.record.removed_count)
    assert all((result in left) == (at.message in left) for result, at in pair(messages).call_of.items())


@law
def test_law_02_request(messages: Window, strategy: WindowStrategy, given_options: dict[str, Any]) -> None:
    visit = strategy.visit(messages, **given_options)
    said = [message for message in messages if author_of(message) == "person"]
    exactly = [message for message in said if message.text == given_options.get("request")]
    for request in (exactly or said)[-1:]:
        assert any(message is request for message in visit.messages)


@law
def test_law_03_envelope(messages: Window, strategy: WindowStrategy, given_options: dict[str, Any]) -> None:
    visit = strategy.visit(messages, **given_options)
    assert [m for m in visit.messages if m.role == "system"] == [m for m in messages if m.role == "system"]


@law
def test_law_04_recent(messages: Window, strategy: WindowStrategy, given_options: dict[str, Any]) -> None:
    visit = strategy.visit(messages, **given_options)
    keep: int = strategy.keep_recent_turns  # type: ignore[attr-defined]
    recent = [message for turn in turns_of(messages)[-keep:] for message in messages[turn.start : turn.stop]]
    assert not recent or list(visit.messages)[-len(recent) :] == recent


@law
def test_law_05_span(messages: Window, strategy: WindowStrategy, given_options: dict[str, Any]) -> None:
    visit = strategy.visit(messages, **given_options)
    removed, start = removed_of(messages, visit), visit.record.removed_from or 0
    frames = 0 if visit.record.frame is None else 1
    kept = (*visit.messages[:start], *visit.messages[start + frames :])
    assert tuple(map(message_id, removed)) == visit.record.removed
    assert (*kept[:start], *removed, *kept[start:]) == messages


@law
def test_law_06_frames(messages: Window, strategy: WindowStrategy, given_options: dict[str, Any]) -> None:
    visit = strategy.visit(messages, **given_options)
    new = [message for message in visit.messages if not any(message is old for old in messages)]
    assert len(new) <= 1
    assert all(frame_kind(frame) == visit.record.replacement for frame in new)
    assert all(author_of(frame) == "library" for frame in new)


@law
def test_law_07_record(messages: Window, strategy: WindowStrategy, given_options: dict[str, Any]) -> None:
    visit = strategy.visit(messages, **given_options)
    record = visit.record
    assert WindowRecord.model_validate_json(record.model_dump_json()) == record
    assert WindowState.model_validate_json(visit.state.model_dump_json()) == visit.state
    assert record.outcome == "idle" or record.over_budget
    assert record.messages_before - record.removed_count + bool(record.frame) == record.messages_after
    assert (record.messages_before, record.messages_after) == (len(messages), len(visit.messages))
    assert record.characters_before == total_characters(messages)
    assert record.characters_after == total_characters(visit.messages)
    assert list(record.refusals) == sorted(record.refusals, key=lambda r: REFUSAL_REASONS.index(r.reason))
    assert all(message_id(messages[refusal.message_index]) == refusal.message_id for refusal in record.refusals)
    if visit.folded is not None:
        assert FoldedSpan.model_validate_json(visit.folded.model_dump_json()) == visit.folded
        assert visit.folded.originals in (None, removed_of(messages, visit))
        assert visit.folded.fingerprint == visit.messages[record.removed_from or 0].fingerprint


@law
def test_law_07_every_turn_that_stays_is_accounted_for(
    messages: Window, strategy: WindowStrategy, given_options: dict[str, Any]
) -> None:
    record = strategy.visit(messages, **given_options).record
    if record.outcome == "refused":
        refused = {refusal.turn_index for refusal in record.refusals}
        runs_begin_at = [turn for turn in range(len(turns_of(messages))) if turn not in refused]
        assert all(turn > min(refused) for turn in runs_begin_at)


@law
def test_law_08_smaller(messages: Window, strategy: WindowStrategy, given_options: dict[str, Any]) -> None:
    visit = strategy.visit(messages, **given_options)
    if visit.record.frame is not None:
        frame, span = visit.messages[visit.record.removed_from or 0], removed_of(messages, visit)
        counter = MessageCounter(default_counter())
        assert len(frame.text) < total_characters(span)
        assert counter.total([frame]) < counter.total(span)


@given(valid_conversations, st.integers(1, 2))
def test_law_08_what_is_not_smaller_is_latched(messages: Window, keep: int) -> None:
    asked = []

    def verbose(span: Sequence[Message], _: SummaryRequest) -> str:
        asked.append(span)
        return "more words " * 2_000

    strategy = SummarizeOldest(0, keep, summarizer=verbose, model="verbose-1")
    first = strategy.visit(messages)
    times = len(asked)
    again = strategy.visit(messages, state=WindowState.model_validate_json(first.state.model_dump_json()))
    assert first.messages is messages
    assert again.messages is messages
    assert len(asked) == times
    assert not times or again.record.summarizer_skipped in ("latched", "no-room")


@law
def test_law_09_pure(messages: Window, strategy: WindowStrategy, given_options: dict[str, Any]) -> None:
    before = [message.model_dump_json() for message in messages]
    visit = strategy.visit(messages, **given_options)
    assert strategy.visit(list(messages), **given_options).record == visit.record
    copies = tuple(Message.model_validate_json(text) for text in before)
    assert tuple(strategy.visit(copies, **given_options).messages) == tuple(visit.messages)
    assert [message.model_dump_json() for message in messages] == before
    assert asyncio.run(strategy.avisit(messages, **given_options)) == visit


@given(conversations, st.booleans())
def test_law_10_no_op(messages: Window, as_list: bool) -> None:  # noqa: FBT001
    window: Sequence[Message] = list(messages) if as_list else messages
    for strategy in (SlidingWindow(50), TokenBudget(10**9), SummarizeOldest(10**9)):
        visit = strategy.visit(window)
        assert visit.messages is window
        assert not visit.changed
        assert visit.record.outcome == "idle"
    assert TokenBudget(0).visit(window, iteration=0).messages is window


@given(conversations, st.sampled_from(["raise", "stop", "none", "empty", "blank", "bytes", "surrogate"]))
def test_law_11_settle_is_applied(messages: Window, failure: str) -> None:
    asked: list[str] = []

    def failing(_: Sequence[Message], __: SummaryRequest) -> Any:  # noqa: ANN401 - that is the failure
        asked.append(failure)
        if failure in ("raise", "stop"):
            raise StopIteration if failure == "stop" else OSError("down")
        return {"none": None, "empty": "", "blank": " \n", "bytes": b"text", "surrogate": "\ud800"}[failure]

    strategy = SummarizeOldest(0, 1, summarizer=failing, model="failing-1")
    visit = strategy.visit(messages)
    assert visit.messages is messages
    assert visit.folded is None
    times = len(asked)
    strategy.visit(messages, state=visit.state)
    assert len(asked) == 2 * times  # a summarizer that failed is asked again
    assert WindowRecord.model_validate_json(visit.record.model_dump_json()) == visit.record


def test_law_11_a_cancellation_passes_through() -> None:
    async def cancelled(_: Sequence[Message], __: SummaryRequest) -> str:
        raise asyncio.CancelledError

    messages = tuple(Message(role="user", content="words " * 100) for _ in range(4))
    strategy = SummarizeOldest(0, 1, summarizer=cancelled, model="m")
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(strategy.avisit(messages))


@law
def test_law_12_head(messages: Window, strategy: WindowStrategy, given_options: dict[str, Any]) -> None:
    def opens(window: Sequence[Message], *roles: str) -> bool:
        return bool(window) and window[0].role in roles

    def without_envelope(window: Sequence[Message]) -> list[Message]:
        return [message for message in window if message.role != "system"]

    visit = strategy.visit(messages, **given_options)
    assert opens(visit.messages, "system", "user") or not opens(messages, "system", "user")
    assert opens(without_envelope(visit.messages), "user") or not opens(without_envelope(messages), "user")


@law
def test_law_13_progress(messages: Window, strategy: WindowStrategy, given_options: dict[str, Any]) -> None:
    state, blocked, window = WindowState(), Counter[str](), messages
    for _ in range(8):
        visit = strategy.visit(window, **given_options, state=state)
        state, window = visit.state, tuple(visit.messages)
        reasons = {refusal.reason for refusal in visit.record.refusals} if not visit.changed else set()
        for pin in ("last-tool-result", "ledger-fact"):
            blocked[pin] = blocked[pin] + 1 if pin in reasons else 0
            assert blocked[pin] <= 2


@pytest.mark.parametrize(
    "strategy", [SlidingWindow(2), TokenBudget(500, 2), SummarizeOldest(500, 2)], ids=lambda strategy: strategy.name
)
@given(st.lists(valid_conversations, min_size=1, max_size=3))
def test_law_13_a_window_does_not_grow_without_bound(strategy: WindowStrategy, rounds: list[Window]) -> None:
    state = WindowState()
    window: Window = (Message(role="system", content="policy"), Message(role="user", content="the request"))
    busy = [message for talk in rounds for message in talk if message.role in ("assistant", "tool")]
    busy.append(Message(role="assistant", content="thinking aloud " * 40))
    sizes = []
    for index in range(30):
        visit = strategy.visit((*window, *busy), state=state, iteration=index + 1)
        state, window = visit.state, tuple(visit.messages)
        sizes.append(len(window))
    assert max(sizes[10:]) <= max(sizes[:10]) + 2 * len(busy)


@law
def test_law_14_prefix(messages: Window, strategy: WindowStrategy, given_options: dict[str, Any]) -> None:
    visit = strategy.visit(messages, **given_options)
    start = visit.record.removed_from or 0
    assert all(new is old for new, old in zip(visit.messages[:start], messages[:start], strict=True))


@law
def test_law_15_counted(messages: Window, strategy: WindowStrategy, given_options: dict[str, Any]) -> None:
    record = strategy.visit(messages, **given_options).record
    if record.trigger == "turns":
        assert record.measured_by == "turns"
    elif "measured" in given_options:
        assert (record.measured_by, record.measured) == ("reported", given_options["measured"])
        assert record.tokens_before is None
    else:
        counter = MessageCounter(default_counter())
        visited = strategy.visit(messages, **given_options)
        assert record.measured_by == "tokenizer:tiktoken/o200k_base"
        assert record.tokens_before == record.measured == counter.total(messages)
        assert record.tokens_after == counter.total(visited.messages)


@given(conversations)
def test_law_15_unmeasurable(messages: Window) -> None:
    for strategy in (TokenBudget(0, counter="reported-only"), SummarizeOldest(0, counter="reported-only")):
        assert strategy.visit(messages, iteration=0).messages is messages
        assert strategy.visit(messages, measured=10).record.measured_by == "reported"
        with pytest.raises(CompactionUnmeasurableError):
            strategy.visit(messages)


@given(st.lists(conversations, min_size=1, max_size=3), st.lists(strategies, min_size=3, max_size=3), options)
def test_lineage_01_conservation(
    rounds: list[Window], visiting: list[WindowStrategy], given_options: dict[str, Any]
) -> None:
    window: Window = ()
    for talk, strategy in zip(rounds, visiting, strict=False):
        window = (*window, *talk)
        visit = strategy.visit(window, **given_options)
        restored = tuple(Message.model_validate_json(message.model_dump_json()) for message in visit.messages)
        assert exempt_forms(restored) == exempt_forms(window)
        window = restored


@given(valid_conversations)
def test_lineage_02_no_laundering(messages: Window) -> None:
    strategy = SummarizeOldest(0, 1, summarizer=short_claim, model="claims-1")
    visit = strategy.visit(messages)
    verdicts = [value.verdict for value in EvidenceIndex(visit.messages).judge("It is ZX-998877.").values]
    assert verdicts not in (["grounded"], ["exempt"])
    assert "zx-998877" not in exempt_forms(visit.messages)
