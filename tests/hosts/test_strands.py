"""Strands' own loop over the long run, its sessions, its retries, and the gate."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from strands import Agent
from strands.agent.conversation_manager import ProactiveCompressionConfig
from strands.session import FileSessionManager
from strands.types.exceptions import ContextWindowOverflowException, EventLoopException
from tests.hosts.pages import run_example, run_page
from tests.hosts.scenario import SYSTEM, THRESHOLD, TURNS, Run, ScriptedModel, Step, faults, outcome
from tests.hosts.strands_runs import RUNS, ScriptedService, agent_of, bedrock, canonical, known, play, text_of

import foldproof as fp
from foldproof.evidence import Posture
from foldproof.messages import frame_kind
from foldproof.transcripts import parse_as
from foldproof.window import Strategy
from foldproof_compactors.strands import FoldproofConversationManager

PROSE = "words that take room, once and again. " * 20


def talk(turns: int = 6) -> list[Any]:
    messages: list[Any] = []
    for at in range(turns):
        call = {"toolUse": {"toolUseId": f"c{at}", "name": "find", "input": {"n": at}}}
        said = {"text": f'{{"order": "ORD-{4400 + at}", "is": "{PROSE}"}}'}
        found = {"toolResult": {"toolUseId": f"c{at}", "status": "success", "content": [said]}}
        messages += [
            {"role": "user", "content": [{"text": f"where is {at}?"}]},
            {"role": "assistant", "content": [call], "metadata": {"custom": {"mine": at}}},
            {"role": "user", "content": [found]},
            {"role": "assistant", "content": [{"text": f"there, {at}"}]},
        ]
    return messages


def manager_of(
    given: fp.Compactor | Strategy | None = None, *, proactive: ProactiveCompressionConfig | None = None
) -> FoldproofConversationManager:
    return FoldproofConversationManager(given or fp.SummarizeOldest(0, 3), proactive_compression=proactive)


def holding(
    manager: FoldproofConversationManager, messages: list[Any], service: object = None, tools: list[Any] | None = None
) -> Agent:
    model = bedrock(service)
    return Agent(model, messages=messages, conversation_manager=manager, callback_handler=None, tools=tools)


class Says(ScriptedModel):
    """A model with a script of its own."""

    def __init__(self, *texts: str) -> None:
        super().__init__()
        self._texts = iter(texts)

    def step(self) -> Step:
        return Step(next(self._texts))


class Narrow(ScriptedService):
    """A service that takes no more than so many messages."""

    most = 10

    def converse_stream(self, **request: Any) -> dict[str, Any]:  # noqa: ANN401 - the service's
        if len(request["messages"]) > self.most:
            error = {"Error": {"Code": "ValidationException", "Message": "Input is too long for requested model"}}
            raise ClientError(error, "ConverseStream")
        return super().converse_stream(**request)


class Failing(ScriptedService):
    """A service that is gone when it is asked the fifteenth time."""

    def converse_stream(self, **request: Any) -> dict[str, Any]:  # noqa: ANN401 - the service's
        if len(self.sent) == 14:
            raise OSError("the service is gone")
        return super().converse_stream(**request)


@pytest.mark.parametrize("name", [name for name in RUNS if name.startswith("foldproof")])
def test_the_long_run_ends_and_every_request_is_valid(name: str) -> None:
    run = RUNS[name]()
    assert faults(run) == ()
    assert outcome(run).largest < outcome(RUNS["none"]()).largest / 2


def test_it_folds_inside_the_tool_loop_on_what_the_provider_reported() -> None:
    manager = manager_of(fp.SummarizeOldest(THRESHOLD, 4))
    played = play(manager)
    measured = [record.window.measured_by for record in manager.records if record.window is not None]
    assert len(measured) == len(manager.records) > len(TURNS)
    assert set(measured) == {"reported"}
    assert [record.outcome for record in manager.records] == ["complete"] * len(manager.records)
    assert faults(played.run) == ()


def test_a_session_goes_on_in_another_process_with_the_window_and_all_that_left(tmp_path: Path) -> None:
    model = ScriptedModel()
    answers, windows, manager = [], [], manager_of()
    for turn in TURNS:
        session = FileSessionManager("s", storage_dir=str(tmp_path))
        manager = manager_of(fp.SummarizeOldest(THRESHOLD, 4))
        agent = agent_of(manager, ScriptedService(model), session_manager=session)
        windows.append(list(agent.messages))
        assert windows[-1] == (windows[-2] if len(windows) > 1 else [])
        answers.append(text_of(agent(turn.request).message))
        windows[-1] = list(agent.messages)
    ledger = known(manager, windows[-1])
    run = Run(requests=tuple(model.requests), answers=tuple(answers), kept=ledger, provider="bedrock")
    assert faults(run) == ()
    assert [message for message in windows[-1] if frame_kind(canonical({"messages": [message]})[0]) is not None]


def test_a_session_that_broke_off_inside_a_tool_loop_goes_on_where_it_was(tmp_path: Path) -> None:
    def started(service: ScriptedService) -> tuple[FoldproofConversationManager, Agent]:
        manager = manager_of(fp.SummarizeOldest(THRESHOLD, 4))
        return manager, agent_of(manager, service, session_manager=FileSessionManager("s", storage_dir=str(tmp_path)))

    model = ScriptedModel()
    manager, agent = started(Failing(model))
    for turn in TURNS[:2]:
        agent(turn.request)
    with pytest.raises(EventLoopException, match="gone"):
        agent(TURNS[2].request)
    assert manager.records
    elsewhere, again = started(ScriptedService(model))
    assert again.messages == agent.messages
    assert known(elsewhere, again.messages) == known(manager, agent.messages)
    again()
    again(TURNS[-1].request)
    for request in model.requests:
        fp.validate_for("bedrock", request)


def test_a_state_survives_json_and_another_managers_is_refused() -> None:
    manager, messages = manager_of(), talk()
    agent = holding(manager, messages)
    manager.reduce_context(agent)
    saved = json.loads(json.dumps(manager.get_state()))
    elsewhere = manager_of()
    assert elsewhere.restore_from_session(saved) == agent.messages
    assert elsewhere.hosted.state(agent.messages) == manager.hosted.state(agent.messages)
    assert elsewhere.get_state() == saved
    assert saved["removed_message_count"] == len(talk())
    with pytest.raises(ValueError, match="Invalid conversation manager state"):
        elsewhere.restore_from_session({**saved, "__name__": "NullConversationManager"})
    fresh = manager_of()
    assert fresh.restore_from_session(manager_of().get_state()) is None


def test_a_snapshot_of_the_frameworks_brings_back_what_left() -> None:
    manager, elsewhere = manager_of(), manager_of()
    agent, other = holding(manager, talk()), holding(elsewhere, [])
    manager.reduce_context(agent)
    other.load_snapshot(agent.take_snapshot(preset="session"))
    assert other.messages == agent.messages
    assert known(elsewhere, other.messages) == known(manager, agent.messages)
    assert len(known(elsewhere, other.messages)) > len(other.messages)


def test_what_stays_is_the_hosts_own_and_keeps_what_it_carries() -> None:
    messages, manager = talk(), manager_of()
    thinking = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2lnbmVk"}}}
    picture = {"image": {"format": "png", "source": {"bytes": b"\x89PNG\xff"}}}
    messages[-1]["content"].insert(0, thinking)
    messages[-4]["content"] += [picture, {"cachePoint": {"type": "default"}}]
    agent = holding(manager, messages)
    own, held = list(agent.messages), agent.messages
    manager.reduce_context(agent)
    assert agent.messages is held
    assert [message for message in held if not any(message is one for one in own)] == held[:1]
    assert held[0]["role"] == "user"
    assert held[0]["tracking_id"]
    assert held[-1]["content"][0] is thinking
    assert held[-4]["content"][1] is picture
    assert held[-3]["metadata"] == {"custom": {"mine": 5}}
    restored = manager_of().restore_from_session(json.loads(json.dumps(manager.get_state())))
    assert restored == held


def test_a_cleared_result_stays_in_its_message_beside_its_neighbours() -> None:
    messages, manager = talk(), manager_of(fp.ClearToolResults(0, 1))
    agent = holding(manager, messages)
    manager.reduce_context(agent)
    assert len(agent.messages) == len(talk())
    cleared = [at for at, message in enumerate(agent.messages) if "cleared result" in str(message)]
    assert cleared == [2, 6, 10, 14, 18]
    assert f"ORD-{4400}" in "\n".join(message.text for message in known(manager, agent.messages))


def test_a_context_that_is_too_long_is_folded_and_sent_again() -> None:
    manager = manager_of(fp.SummarizeOldest(1_000_000, 2))
    service = Narrow(Says("All is well."))
    agent = holding(manager, talk(), service)
    assert text_of(agent("and now?").message) == "All is well."
    assert manager.records[-1].trigger == "manual"
    assert len(service.sent) == 1
    fp.validate_for("bedrock", canonical(service.sent[0]))


def test_a_context_that_cannot_get_shorter_is_the_frameworks_own_error() -> None:
    service, manager = Narrow(Says()), manager_of(fp.SummarizeOldest(0, 50))
    agent = holding(manager, talk(), service)
    with pytest.raises(ContextWindowOverflowException, match="could not be folded"):
        agent("and now?")
    assert len(agent.messages) == len(talk()) + 1


def test_proactive_compression_folds_as_in_the_frameworks_own_managers() -> None:
    manager = manager_of(fp.SummarizeOldest(1_000_000, 2), proactive={"compression_threshold": 0.01})
    agent = holding(manager, talk(), ScriptedService(Says("Well.")))
    agent("and now?")
    assert [record.trigger for record in manager.records] == ["manual"]
    with pytest.raises(ValueError, match="compression_threshold"):
        manager_of(proactive={"compression_threshold": 2})


def test_it_folds_at_the_end_of_an_invocation_where_it_is_told_to() -> None:
    manager = manager_of(fp.Compactor(fp.SummarizeOldest(0, 2), ("after_turn",)))
    agent = holding(manager, talk(), ScriptedService(Says("Well.")))
    agent("and now?")
    assert [record.trigger for record in manager.records] == ["after_turn"]
    assert len(agent.messages) < len(talk())


def gated(posture: Posture, *texts: str, tools: list[Any] | None = None) -> tuple[Agent, ScriptedService]:
    service = ScriptedService(Says(*texts))
    manager = manager_of(fp.Compactor(fp.SummarizeOldest(0, 2), gate=fp.Gate(posture=posture)))
    return holding(manager, talk(), service, tools), service


def test_guard_asks_once_with_the_correction_and_takes_the_next_answer() -> None:
    agent, service = gated("guard", "It is ORD-9977.", "It is ORD-4400.")
    assert text_of(agent("which was the first?").message) == "It is ORD-4400."
    last = canonical(service.sent[-1])[-1]
    assert frame_kind(last) is not None
    assert fp.author_of(last) != "person"
    assert len(service.sent) == 2
    fp.validate_for("bedrock", canonical(service.sent[-1]))


def test_guard_asks_once_and_no_more() -> None:
    agent, service = gated("guard", "It is ORD-9977.", "It is ORD-9977.")
    assert text_of(agent("which was the first?").message) == "It is ORD-9977."
    assert len(service.sent) == 2


def test_rails_refuses_what_is_still_invented_and_lets_the_rest_pass() -> None:
    agent, _ = gated("rails", "It is ORD-4400.", "It is ORD-9977.", "It is ORD-9977.")
    assert text_of(agent("which was the first?").message) == "It is ORD-4400."
    with pytest.raises(fp.UnsupportedValuesError):
        agent("and the second?")


def test_the_async_surface_folds_too() -> None:
    service, manager = ScriptedService(Says("Well.")), manager_of()
    agent = holding(manager, talk(), service)
    asyncio.run(agent.invoke_async("and now?"))
    assert [record.outcome for record in manager.records] == ["complete"]
    assert parse_as(list(agent.messages), "bedrock_converse").messages[-1].text == "Well."


def test_the_page_and_the_example_run() -> None:
    run_page("strands")
    printed = run_example("strands")
    assert "complete" in printed
    assert "invented" in printed


def test_the_framework_is_not_imported_by_the_library() -> None:
    loaded = "import sys, foldproof, foldproof_compactors; print('strands' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "False"


def test_the_system_prompt_goes_beside_the_list_and_grounds_nothing_new() -> None:
    played = play(manager_of(fp.SummarizeOldest(THRESHOLD, 4)))
    assert {request["system"][0]["text"] for request in played.service.sent} == {SYSTEM}
