"""pydantic-ai's own loop over the long run, folded for the request alone and for good."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence

import pytest
from pydantic_ai import Agent, BinaryContent, ImageUrl
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from tests.hosts.pages import run_example, run_page
from tests.hosts.pydantic_ai_runs import RUNS, Scripted, canonical, play, tools
from tests.hosts.scenario import SYSTEM, THRESHOLD, TURNS, faults, outcome

import foldproof as fp
from foldproof.messages import frame_kind
from foldproof_compactors.pydantic_ai import FoldproofCompaction

PROSE = "words that take room, once and again. " * 20


def talk(turns: int = 6) -> list[ModelMessage]:
    messages: list[ModelMessage] = []
    for at in range(turns):
        returned = {"order": f"ORD-{4400 + at}", "is": PROSE}
        messages += [
            ModelRequest([UserPromptPart(f"where is {at}?")]),
            ModelResponse([ToolCallPart("find", {"n": at}, tool_call_id=f"c{at}")]),
            ModelRequest([ToolReturnPart("find", returned, tool_call_id=f"c{at}")]),
            ModelResponse([TextPart(f"there, {at}")], metadata={"mine": at}),
        ]
    return [*messages, ModelRequest([UserPromptPart("and now?")])]


def folding(strategy: fp.SummarizeOldest | fp.ClearToolResults | None = None) -> FoldproofCompaction:
    return FoldproofCompaction(strategy or fp.SummarizeOldest(0, 3), persistent=True)


def frames(messages: Sequence[ModelMessage]) -> list[fp.Message]:
    return [message for message in canonical(messages) if frame_kind(message) is not None]


@pytest.mark.parametrize("name", [name for name in RUNS if name.startswith("foldproof")])
def test_the_long_run_ends_and_every_request_is_valid(name: str) -> None:
    run = RUNS[name]()
    assert faults(run) == ()
    assert outcome(run).largest < outcome(RUNS["none"]()).largest / 2


@pytest.mark.parametrize("persistent", [False, True])
def test_reported_usage_is_what_is_measured_and_folds_happen(*, persistent: bool) -> None:
    compaction = FoldproofCompaction(fp.SummarizeOldest(THRESHOLD, 4), persistent=persistent)
    play(compaction)
    done = [record for record in compaction.records if record.outcome == "complete"]
    assert len(done) >= 2
    assert {record.window.measured_by for record in done if record.window is not None} == {"reported"}


def test_a_request_only_fold_leaves_the_history_as_it_is() -> None:
    played = play(FoldproofCompaction(fp.SummarizeOldest(THRESHOLD, 4)))
    assert canonical(played.history) == canonical(play().history)
    assert frames(played.scripted.sent[-1])


def test_a_persistent_fold_is_what_the_next_run_starts_with() -> None:
    played = play(FoldproofCompaction(fp.SummarizeOldest(THRESHOLD, 4), persistent=True))
    assert frames(played.history)
    assert len(played.history) < len(play().history) / 2
    assert played.history[-1].kind == "response"


def test_the_messages_of_a_run_are_still_told_from_those_before_it() -> None:
    async def new() -> list[ModelMessage]:
        scripted, compaction = Scripted(), FoldproofCompaction(fp.SummarizeOldest(600, 2), persistent=True)
        agent = Agent(scripted.function_model, instructions=SYSTEM, tools=tools(), capabilities=[compaction])
        first = await agent.run(TURNS[0].request)
        second = await agent.run(TURNS[1].request, message_history=first.all_messages())
        return second.new_messages()

    said = "\n".join(message.text for message in canonical(asyncio.run(new())))
    assert TURNS[1].request in said
    assert TURNS[0].request not in said


def test_a_function_for_process_history_folds_as_the_capability_does() -> None:
    compaction = FoldproofCompaction(fp.SummarizeOldest(THRESHOLD, 4), persistent=True)
    for function in (compaction.fold, compaction.afold):
        played = play(ProcessHistory(function))
        assert frames(played.scripted.sent[-1])
        for request in played.scripted.model.requests:
            fp.validate_for("openai_chat", request)


def test_a_function_that_would_be_stored_is_not_given_for_requests_alone() -> None:
    with pytest.raises(fp.UsageError, match="persistent"):
        FoldproofCompaction().fold(talk())
    with pytest.raises(fp.UsageError, match="persistent"):
        asyncio.run(FoldproofCompaction().afold(talk()))


def test_what_stays_is_the_hosts_own_and_keeps_what_it_carries() -> None:
    messages = talk()
    thought = ThinkingPart("hm", id="th1", signature="c2lnbmVk", provider_name="x", provider_details={"deep": [1]})
    answer = ModelResponse([thought, TextPart("there", id="t1", provider_name="x")], provider_response_id="r1")
    picture = BinaryContent(b"\x00\x01", media_type="image/png")
    shown = ModelRequest([UserPromptPart(["see", picture, ImageUrl("https://shop.example/a.png")])])
    messages[-1:] = [shown, answer, ModelRequest([UserPromptPart("and now?")])]
    sent = folding().fold(messages)
    kept = [message for message in sent if any(message is one for one in messages)]
    assert len(sent) < len(messages)
    assert len(kept) == len(sent) - 1
    assert sent[-3:] == messages[-3:]
    assert sent[-2].parts[0] is thought
    (prompt,) = next(message for message in kept if message is shown).parts
    assert isinstance(prompt, UserPromptPart)
    assert prompt.content[1] is picture


def test_the_parts_of_a_request_that_changed_stay_the_hosts_own() -> None:
    mark, messages = object(), talk()
    calls = [ToolCallPart("find", {"n": at}, tool_call_id=f"p{at}") for at in range(2)]
    small = ToolReturnPart("find", "ok", tool_call_id="p0", metadata={"mine": mark})
    large = ToolReturnPart("find", {"is": PROSE}, tool_call_id="p1")
    messages[4:4] = [
        ModelResponse([*calls]),
        ModelRequest([small, large], metadata={"mine": mark}),
        ModelResponse([TextPart("done")]),
    ]
    sent = folding(fp.ClearToolResults(0, 1)).fold(messages)
    changed = sent[5]
    assert changed is not messages[5]
    assert changed.parts[0] is small
    assert changed.metadata == {"mine": mark}
    assert "[foldproof cleared result]" in str(changed.parts[1])


def test_a_frame_goes_through_the_frameworks_own_json_with_its_lineage() -> None:
    sent = folding().fold(talk())
    again = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(sent))
    state = folding().hosted.state(again)
    assert frames(again)
    assert fp.exempt_forms(state.messages) == fp.exempt_forms(canonical(talk()))


@pytest.mark.parametrize("persistent", [False, True])
def test_a_saved_state_goes_on_in_another_process(*, persistent: bool) -> None:
    compaction = FoldproofCompaction(fp.SummarizeOldest(0, 3), persistent=persistent)
    messages = talk()
    view = list(compaction.hosted.fold(messages))
    held = view if persistent else messages
    saved = compaction.hosted.state(held).model_dump_json(by_alias=True)
    elsewhere = FoldproofCompaction(fp.SummarizeOldest(10**6, 3), persistent=persistent)
    elsewhere.hosted.restore(fp.ConversationState.model_validate_json(saved))
    again = ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(held))
    assert canonical(elsewhere.hosted.fold(again)) == canonical(view)
    assert len(elsewhere.hosted.state(again).ledger) > len(view)


@pytest.mark.parametrize("persistent", [False, True])
def test_a_stream_is_folded_and_its_usage_is_measured(*, persistent: bool) -> None:
    async def streamed() -> Scripted:
        scripted = Scripted()
        agent = Agent(scripted.function_model, instructions=SYSTEM, tools=tools(), capabilities=[compaction])
        history: list[ModelMessage] = []
        for turn in TURNS[:2]:
            async with agent.run_stream(turn.request, message_history=history) as result:
                assert await result.get_output() == turn.steps[-1].text
            history = result.all_messages()
        return scripted

    compaction = FoldproofCompaction(fp.SummarizeOldest(300, 2), persistent=persistent)
    for request in asyncio.run(streamed()).model.requests:
        fp.validate_for("openai_chat", request)
    windows = [record.window for record in compaction.records if record.outcome == "complete"]
    assert windows
    assert {window.measured_by for window in windows if window is not None} == {"reported"}


def test_the_page_and_the_example_run() -> None:
    loop = asyncio.new_event_loop()  # `run_sync` makes one otherwise, and closes none
    asyncio.set_event_loop(loop)
    try:
        run_page("pydantic_ai")
    finally:
        asyncio.set_event_loop(None)
        loop.close()
    printed = run_example("pydantic_ai")
    assert "complete" in printed
    assert "invented" in printed


def test_the_framework_is_not_imported_by_the_library() -> None:
    loaded = "import sys, foldproof, foldproof_compactors; print('pydantic_ai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "False"
