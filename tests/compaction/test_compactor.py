"""When a compactor asks, what it tells, and that complete means applied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest
from tests.compaction.talk import Heard, Says, person, talk, turn

from foldproof import (
    CompactionContext,
    CompactionError,
    Compactor,
    ConversationState,
    Gate,
    LiveConversation,
    SlidingWindow,
    SummarizeOldest,
    TokenBudget,
    UnsupportedValuesError,
    UsageError,
    validate_messages,
)
from foldproof.compaction import Ask, CompactionTrigger
from foldproof.window import Decision, Drop, RemovalPlan, Run, StrategyInput, WindowRecord, turn_trigger


def fail() -> None:
    raise OSError("down")


def test_before_a_turn_the_window_is_folded_and_the_new_message_stands_behind_it_verbatim() -> None:
    conversation = LiveConversation(talk())
    asked = person("and  ORD-4002?\n")
    record = Compactor(SummarizeOldest(0, 2)).before_turn(conversation, asked)
    assert record is not None
    assert record.outcome == "complete"
    assert conversation.messages[-1] is asked
    assert len(conversation.messages) < len(talk()) + 1
    assert conversation.state.records == (record,)
    assert conversation.state.ledger[-1] is asked
    validate_messages(conversation.messages)


def test_the_strategy_sees_the_conversation_ahead_of_the_new_message() -> None:
    seen: list[int] = []

    @dataclass(frozen=True)
    class Counts:
        name: ClassVar[str] = "counts"

        def plan(self, given: StrategyInput, /) -> Decision:
            seen.append(len(given.messages))
            return Decision(trigger=turn_trigger(given, threshold=10_000))

    conversation = LiveConversation(talk())
    assert Compactor(Counts()).before_turn(conversation, person("hello")) is None
    assert seen[-1] == len(talk())


def test_a_moment_that_is_no_trigger_asks_nobody() -> None:
    conversation = LiveConversation(talk())
    before = conversation.state
    compactor = Compactor(SlidingWindow(1), ("after_turn",))
    assert compactor.before_turn(conversation) is None
    assert conversation.state is before
    assert compactor.after_turn(conversation) is not None


def test_a_policy_declines_in_silence_and_is_told_trigger_and_usage() -> None:
    asked: list[tuple[ConversationState, Ask]] = []

    def policy(state: ConversationState, ask: Ask) -> bool:
        asked.append((state, ask))
        return False

    heard, conversation = Heard(), LiveConversation(talk())
    before = conversation.state
    compactor = Compactor(SlidingWindow(1), should_compact_on_trigger=policy, listener=heard)
    assert compactor.before_turn(conversation, measured=900) is None
    assert asked == [(before, Ask(trigger="before_turn", usage=900))]
    assert conversation.state is before
    assert heard.events == []


def test_a_strategy_below_its_threshold_declines_in_silence() -> None:
    heard, conversation = Heard(), LiveConversation(talk())
    assert Compactor(TokenBudget(10_000), listener=heard).before_turn(conversation, measured=10) is None
    assert heard.events == []
    assert conversation.state.records == ()


@pytest.mark.parametrize("answer", [None, 1, "no"])
def test_a_policy_that_answers_something_else_is_recorded(answer: object) -> None:
    conversation = LiveConversation(talk())
    compactor = Compactor(SlidingWindow(1), should_compact_on_trigger=lambda *_: answer)  # type: ignore[arg-type]
    record = compactor.before_turn(conversation)
    assert record is not None
    assert record.outcome == "error"
    assert "return True or False" in (record.error or "")
    assert list(conversation.messages) == talk()


def test_an_asynchronous_policy_is_named() -> None:
    async def policy(*_: object) -> bool:
        return True

    record = Compactor(SlidingWindow(1), should_compact_on_trigger=policy).before_turn(LiveConversation(talk()))  # type: ignore[arg-type]
    assert record is not None
    assert "make it a plain function" in (record.error or "")


def test_by_hand_neither_policy_nor_threshold_is_asked() -> None:
    conversation = LiveConversation(talk())
    compactor = Compactor(TokenBudget(10_000_000, 2), (), should_compact_on_trigger=lambda *_: False)
    record = compactor.manual(conversation, measured=1)
    assert record is not None
    assert (record.trigger, record.outcome) == ("manual", "complete")
    assert len(conversation.messages) < len(talk())


def test_by_hand_it_never_declines_without_a_reason() -> None:
    heard, conversation = Heard(), LiveConversation(talk(1))
    with pytest.raises(CompactionError, match="nothing left the window") as caught:
        Compactor(SlidingWindow(50), listener=heard).manual(conversation)
    assert heard.statuses == ["running", "error"]
    assert caught.value.record == conversation.state.records[-1]
    assert list(conversation.messages) == talk(1)


def test_a_listener_hears_running_then_updates_then_complete() -> None:
    heard, conversation = Heard(), LiveConversation(talk())
    record = Compactor(SummarizeOldest(0, 2, summarizer=Says(), model="says"), listener=heard).before_turn(conversation)
    assert record is not None
    assert heard.statuses == ["running", "complete"]
    assert {event.id for event in heard.life} == {record.id}
    progress = [event.progress for event in heard.life]
    assert progress == sorted(progress)
    assert max(progress[:-1]) <= 0.99
    assert progress[-1] == 1
    assert "messages were about orders." in (heard.life[-1].summary or "")
    assert heard.life[-1].summary in [message.text for message in conversation.messages]


def test_complete_is_told_once_it_is_applied_and_not_before() -> None:
    conversation = LiveConversation(talk())
    lengths: dict[str, int] = {}

    class Looks:
        def on_event(self, event: object, /) -> None:
            status = getattr(event, "status", None)
            if status is not None:
                lengths[status] = len(conversation.messages)

    Compactor(SlidingWindow(2), listener=Looks()).before_turn(conversation)
    assert lengths["running"] == len(talk())
    assert lengths["complete"] == len(conversation.messages) < len(talk())


@pytest.mark.parametrize("trigger", ["before_turn", "after_turn"])
def test_an_automatic_failure_is_recorded_and_the_conversation_goes_on(trigger: CompactionTrigger) -> None:
    heard, conversation = Heard(), LiveConversation(talk())
    strategy = SummarizeOldest(0, 2, summarizer=Says(fail), model="says")
    record = Compactor(strategy, (trigger,), listener=heard).attempt(conversation, CompactionContext(trigger=trigger))
    assert record is not None
    assert record.outcome == "refused"
    assert "summarizer-failed" in (record.error or "")
    assert heard.statuses == ["running", "error"]
    assert list(conversation.messages) == talk()


def test_by_hand_a_failure_raises_and_says_what_the_summarizer_said() -> None:
    conversation = LiveConversation(talk())
    strategy = SummarizeOldest(0, 2, summarizer=Says(fail), model="says")
    with pytest.raises(CompactionError, match="OSError: 'down'"):
        Compactor(strategy).manual(conversation)
    assert list(conversation.messages) == talk()
    assert conversation.state.records[-1].outcome == "error"


def test_a_refusal_without_a_summary_is_recorded_in_silence() -> None:
    heard, conversation = Heard(), LiveConversation(talk(1)[:3])
    record = Compactor(TokenBudget(0, 6), listener=heard).before_turn(conversation)
    assert record is not None
    assert record.outcome == "refused"
    assert heard.life == []
    assert isinstance(record.window, WindowRecord)
    assert record.window.refusals


@dataclass(frozen=True)
class Splits:
    """A user's strategy that made its plan by hand: it takes a result and leaves the call."""

    name: ClassVar[str] = "splits"

    def plan(self, given: StrategyInput, /) -> Decision:
        allowed = given.plan_removal(keep_recent_turns=1)
        plan = RemovalPlan((Run(3, 4, 2),), (), allowed.observations, allowed.ledger_facts)
        return Decision(trigger=turn_trigger(given, threshold=0), removal=plan if given.messages else None, how=Drop())


def test_a_result_that_breaks_a_law_is_never_applied() -> None:
    heard, conversation = Heard(), LiveConversation(talk())
    record = Compactor(Splits(), listener=heard).before_turn(conversation)
    assert record is not None
    assert record.outcome == "error"
    assert "it breaks the law pairs" in (record.error or "")
    assert list(conversation.messages) == talk()
    assert conversation.state.spans == ()
    assert heard.statuses == ["running", "error"]
    with pytest.raises(CompactionError, match="was not applied: it breaks the law pairs"):
        Compactor(Splits()).manual(conversation)
    with pytest.raises(CompactionError, match="was not applied"):
        Compactor(Splits()).compact(conversation.state)


@dataclass(frozen=True)
class LooksAtTheLast:
    """A user's strategy that takes for granted that there is a message."""

    name: ClassVar[str] = "looks-at-the-last"

    def plan(self, given: StrategyInput, /) -> Decision:
        trigger = turn_trigger(given, threshold=len(given.messages[-1].text))
        return Decision(trigger=trigger, removal=given.plan_removal(keep_recent_turns=2), how=Drop())


def test_a_strategy_need_not_know_an_empty_window() -> None:
    compactor, nothing, conversation = Compactor(LooksAtTheLast()), LiveConversation(), LiveConversation(talk())
    record = compactor.before_turn(nothing)
    assert record is not None
    assert "IndexError" in (record.error or "")
    done = compactor.before_turn(conversation)
    assert done is not None
    assert done.outcome == "complete"


def test_compact_returns_the_window_and_applies_nothing() -> None:
    state = ConversationState().appended(talk())
    done = Compactor(SummarizeOldest(10_000_000, 2)).compact(state)
    assert state.messages == tuple(talk())
    assert done.summary is not None
    assert done.summary in [message.text for message in done.messages]
    assert done.record.removed_count > 0


def test_compact_takes_messages_too_and_nobody_takes_a_list_for_a_conversation() -> None:
    compactor = Compactor(SummarizeOldest(10_000_000, 2))
    assert compactor.compact(talk()) == compactor.compact(ConversationState().appended(talk()))
    with pytest.raises(UsageError, match="pass a LiveConversation"):
        compactor.before_turn(talk())  # type: ignore[arg-type]


@pytest.mark.parametrize("at", [0, 1])
def test_a_host_may_call_it_off_before_the_work_and_before_it_is_applied(at: int) -> None:
    asked: list[None] = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) > at

    heard, conversation = Heard(), LiveConversation(talk())
    compactor = Compactor(SummarizeOldest(0, 2, summarizer=Says(), model="says"), listener=heard)
    hello = person("hello")
    record = compactor.before_turn(conversation, hello, cancelled=cancelled)
    assert record is not None
    assert record.outcome == "cancelled"
    assert heard.statuses == ["running", "error"]
    assert list(conversation.messages) == [*talk(), hello]
    with pytest.raises(CompactionError, match="called off"):
        compactor.manual(conversation, cancelled=lambda: True)


@pytest.mark.parametrize("status", ["running", "complete"])
def test_a_listener_that_raises_changes_nothing_and_is_on_the_record(status: str) -> None:
    heard = Heard(lambda event: getattr(event, "status", None) == status)
    conversation = LiveConversation(talk())
    record = Compactor(SlidingWindow(2), listener=heard).before_turn(conversation)
    assert record is not None
    assert record.outcome == "complete"
    assert record.listener_failed == "OSError: 'the screen is gone'"
    assert conversation.state.records == (record,)
    assert len(conversation.messages) < len(talk())


def test_a_measured_trigger_says_so_and_an_unmeasurable_one_is_recorded_by_name() -> None:
    conversation = LiveConversation(talk())
    compactor = Compactor(TokenBudget(100, 2, counter="reported-only"))
    record = compactor.before_turn(conversation)
    assert record is not None
    assert "CompactionUnmeasurableError" in (record.error or "")
    record = compactor.before_turn(conversation, measured=101)
    assert record is not None
    assert record.window is not None
    assert record.window.measured_by == "reported"


def test_the_gate_judges_with_what_was_folded() -> None:
    conversation = LiveConversation(talk())
    compactor = Compactor(SlidingWindow(1), gate=Gate(posture="guard"))
    folding = Compactor(SummarizeOldest(0, 2, summarizer=Says(), model="says"), gate=Gate(posture="rails"))
    folding.before_turn(conversation, person("what was the first fee?"))
    ledger = conversation.state.ledger
    assert folding.review(ledger, "It was 131.50.").outcome == "accepted"
    asked = compactor.review(ledger, "It was 977.13.")
    assert asked.outcome == "revise"
    assert asked.correction is not None
    assert compactor.review(ledger, "It was 977.13.", revision=1).outcome == "flagged"
    with pytest.raises(UnsupportedValuesError):
        folding.review(ledger, "It was 977.13.", revision=1).raise_if_refused()
    with pytest.raises(UsageError, match="has no gate"):
        Compactor(SlidingWindow()).review(ledger, "no")


def test_stamps_are_told_apart_by_role() -> None:
    from foldproof import PromptCompactor

    conversation = LiveConversation(talk(8))
    Compactor(PromptCompactor(0, 2)).before_turn(conversation)
    roles = [role for _, role in conversation.state.stamps]
    assert roles == ["summary", "appendix"]
    assert len({identifier for identifier, _ in conversation.state.stamps}) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"triggers": "before_turn"}, "pass a tuple"),
        ({"triggers": ("sometimes",)}, "there is no trigger 'sometimes'"),
        ({"strategy": "fold"}, "strategy"),
        ({"gate": "guard"}, "pass a Gate"),
        ({"listener": print}, "on_event"),
        ({"should_compact_on_trigger": True}, "pass a function"),
        ({"provider": "nobody"}, "provider"),
        ({"strategy": SummarizeOldest(0, retain="archive")}, "archive"),
    ],
)
def test_what_is_wrong_with_a_compactor_is_said_when_it_is_made(options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Compactor(**options)  # type: ignore[arg-type]


def test_what_is_no_message_is_refused_and_changes_nothing() -> None:
    conversation = LiveConversation(talk())
    before = conversation.state
    with pytest.raises(UsageError, match="not a Message"):
        Compactor(SlidingWindow(1)).before_turn(conversation, {"role": "user"})  # type: ignore[arg-type]
    assert conversation.state is before
    with pytest.raises(UsageError, match="not a Message"):
        conversation.append("hello")  # type: ignore[arg-type]
    assert conversation.state is before


def test_the_ledger_still_holds_what_two_folds_took() -> None:
    conversation, compactor = LiveConversation(talk()), Compactor(SummarizeOldest(0, 2))
    compactor.before_turn(conversation)
    conversation.append(*turn(6), *turn(7))
    compactor.before_turn(conversation)
    said = [message.text for message in conversation.state.ledger]
    for at in range(1, 8):
        for message in turn(at):
            assert message.text in said


def test_an_interrupt_in_a_listener_after_it_was_applied_leaves_one_record_and_one_end() -> None:
    heard: list[str] = []

    class Stops:
        def on_event(self, event: object) -> None:
            status = getattr(event, "status", None)
            if status is not None:
                heard.append(status)
            if status == "complete":
                raise KeyboardInterrupt

    conversation = LiveConversation(talk(6))
    with pytest.raises(KeyboardInterrupt):
        Compactor(SummarizeOldest(0, 2), listener=Stops()).manual(conversation)
    assert [record.outcome for record in conversation.state.records] == ["complete"]
    assert heard[-1] == "complete"
    assert "error" not in heard
