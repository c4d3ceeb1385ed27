"""A conversation that goes on while it is compacted: what is appended stays, and what came first stands."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest
from tests.compaction.talk import Heard, Says, Slow, person, talk, turn

from foldproof import (
    CompactionError,
    Compactor,
    ConversationState,
    LiveConversation,
    PromptCompactor,
    SlidingWindow,
    SummarizeOldest,
    validate_messages,
)


def test_what_is_appended_while_a_summary_is_written_stands_behind_the_new_window() -> None:
    conversation, late = LiveConversation(talk()), person("one more thing")
    summarizer = Says(lambda: conversation.append(late))
    compactor = Compactor(SummarizeOldest(0, 2, summarizer=summarizer, model="says"))
    record = compactor.before_turn(conversation)
    assert record is not None
    assert record.outcome == "complete"
    assert record.appended == 1
    assert conversation.messages[-1] is late
    assert len(conversation.messages) < len(talk())
    assert conversation.state.ledger[-1] is late


def test_of_two_compactions_at_once_the_first_to_end_is_applied_and_the_other_says_why_not() -> None:
    heard, conversation = Heard(), LiveConversation(talk())
    inner = Compactor(SlidingWindow(2))
    summarizer = Says(lambda: inner.before_turn(conversation))
    outer = Compactor(SummarizeOldest(0, 2, summarizer=summarizer, model="says"), listener=heard)
    record = outer.before_turn(conversation)
    assert record is not None
    assert record.outcome == "error"
    assert "another compaction was applied" in (record.error or "")
    assert [one.outcome for one in conversation.state.records] == ["complete", "error"]
    assert heard.statuses == ["running", "error"]
    validate_messages(conversation.messages)
    assert "drop notice" in conversation.messages[1].text


async def _while_folding() -> tuple[LiveConversation, list[str]]:
    slow, conversation = Slow(), LiveConversation(talk())
    compactor = Compactor(SummarizeOldest(0, 2, summarizer=slow, model="slow"))
    folding = asyncio.create_task(compactor.abefore_turn(conversation, person("the new one")))
    await slow.began.wait()
    conversation.append(person("meanwhile"))
    slow.go_on.set()
    record = await folding
    assert record is not None
    return conversation, [record.outcome, *(message.text for message in conversation.messages[-2:])]


def test_an_asynchronous_summary_leaves_the_conversation_open() -> None:
    conversation, said = asyncio.run(_while_folding())
    assert said == ["complete", "meanwhile", "the new one"]
    assert len(conversation.messages) < len(talk())


async def _cancelled(trigger: str) -> LiveConversation:
    slow, heard, conversation = Slow(), Heard(), LiveConversation(talk())
    compactor = Compactor(SummarizeOldest(0, 2, summarizer=slow, model="slow"), listener=heard)
    started = compactor.amanual(conversation) if trigger == "manual" else compactor.abefore_turn(conversation)
    folding = asyncio.ensure_future(started)
    await slow.began.wait()
    folding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await folding
    assert heard.statuses == ["running", "error"]
    return conversation


@pytest.mark.parametrize("trigger", ["manual", "before_turn"])
def test_a_cancelled_task_changes_nothing_and_is_on_the_record(trigger: str) -> None:
    conversation = asyncio.run(_cancelled(trigger))
    assert list(conversation.messages) == talk()
    assert [record.outcome for record in conversation.state.records] == ["cancelled"]


def test_an_interrupt_in_a_summarizer_is_filed_and_raised() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    conversation = LiveConversation(talk())
    compactor = Compactor(SummarizeOldest(0, 2, summarizer=Says(interrupt), model="says"))
    with pytest.raises(KeyboardInterrupt):
        compactor.before_turn(conversation)
    assert list(conversation.messages) == talk()
    assert conversation.state.records[-1].outcome == "cancelled"


def test_an_asynchronous_summarizer_in_a_synchronous_turn_is_recorded() -> None:
    conversation = LiveConversation(talk())
    compactor = Compactor(SummarizeOldest(0, 2, summarizer=Slow(), model="slow"))
    record = compactor.before_turn(conversation)
    assert record is not None
    assert "call avisit" in (record.error or "")
    assert list(conversation.messages) == talk()


def test_many_threads_at_once_lose_nothing_and_leave_a_valid_window() -> None:
    conversation, compactor = LiveConversation(talk()), Compactor(SummarizeOldest(0, 3))
    start = threading.Barrier(6)

    def append(first: int) -> None:
        start.wait()
        for at in range(first, first + 10):
            conversation.append(*turn(at))

    def compact() -> None:
        start.wait()
        for _ in range(15):
            compactor.before_turn(conversation)

    threads = [threading.Thread(target=append, args=(100 * (n + 1),)) for n in range(3)]
    threads += [threading.Thread(target=compact) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    validate_messages(conversation.messages)
    said = [message.text for message in conversation.state.ledger]
    for first in (100, 200, 300):
        for at in range(first, first + 10):
            for message in turn(at):
                assert message.text in said
    outcomes = {record.outcome for record in conversation.state.records}
    assert outcomes <= {"complete", "error", "refused"}
    assert all(
        "another compaction" in (record.error or "")
        for record in conversation.state.records
        if record.outcome == "error"
    )


def _lived() -> LiveConversation:
    conversation, compactor = LiveConversation(talk()), Compactor(PromptCompactor(0, 2))
    compactor.before_turn(conversation, measured=10)
    conversation.append(*turn(6), *turn(7))
    compactor.before_turn(conversation)
    with pytest.raises(CompactionError):
        Compactor(SlidingWindow(100)).manual(conversation)
    return conversation


def test_the_state_survives_json() -> None:
    state = _lived().state
    assert len(state.spans) == 2
    assert [record.outcome for record in state.records] == ["complete", "complete", "error"]
    again = ConversationState.model_validate_json(state.model_dump_json(by_alias=True))
    assert again == state
    assert again.ledger == state.ledger
    assert again.stamps == state.stamps


_ELSEWHERE = """
import sys
from foldproof import Compactor, ConversationState, LiveConversation, Message, PromptCompactor
conversation = LiveConversation(state=ConversationState.model_validate_json(sys.stdin.read()))
Compactor(PromptCompactor(0, 1)).before_turn(conversation, Message(role="user", content="and then?"))
print(conversation.state.model_dump_json(by_alias=True))
"""


def test_another_process_goes_on_as_this_one_would() -> None:
    conversation = _lived()
    saved = conversation.state.model_dump_json(by_alias=True)
    run = [sys.executable, "-c", _ELSEWHERE]
    done = subprocess.run(run, input=saved, capture_output=True, text=True, check=True)  # noqa: S603 - our own words
    Compactor(PromptCompactor(0, 1)).before_turn(conversation, person("and then?"))
    assert ConversationState.model_validate_json(done.stdout) == conversation.state
