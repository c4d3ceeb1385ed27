"""What agent-framework-core folds itself is read as a frame, and it takes a frame of ours for a summary."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.frameworks.talk import ANSWER, FIRST, LAST, SECOND, SYSTEM

import foldproof as fp
from foldproof.messages import frame_kind

pytestmark = pytest.mark.filterwarnings("ignore")

SUMMARY = "QX7 costs 190.00 €."


class Summarizer:
    """Stands in for a chat client."""

    async def get_response(self, *_: object, **__: object) -> Any:  # noqa: ANN401
        from agent_framework import ChatResponse, Message

        return ChatResponse(messages=[Message("assistant", [SUMMARY])])


def summarizer() -> Any:  # noqa: ANN401 - the framework asks for more of a client than its strategy does
    return Summarizer()


def compacted(folder: Path) -> Path:
    from agent_framework import AgentSession, SummarizationStrategy, annotate_message_groups
    from tests.frameworks.as_agent_framework_core import talk

    messages = talk()
    annotate_message_groups(messages)
    assert asyncio.run(SummarizationStrategy(client=summarizer(), target_count=2, threshold=0)(messages))
    session = AgentSession(session_id="session-1")
    session.state["in_memory"] = {"messages": messages}
    path = folder / "session.json"
    path.write_text(json.dumps(session.to_dict(), ensure_ascii=False), encoding="utf-8")
    return path


def test_a_summary_of_its_own_is_a_frame_behind_what_it_stands_for(tmp_path: Path) -> None:
    conversation = fp.load(compacted(tmp_path), strict=True)
    texts = [message.text for message in conversation.messages]
    frame = conversation.messages[texts.index(SUMMARY)]
    assert frame_kind(frame) == "summary"
    assert texts[0] == SYSTEM
    assert [texts.index(text) for text in (FIRST, ANSWER, SUMMARY, SECOND, LAST)] == [1, 5, 6, 7, 8]
    (span,) = conversation.folded
    assert span.originals == conversation.messages[1:6]
    assert conversation.extras["excluded"] == 4  # rows: the two results stand in one
    assert fp.exempt_forms([frame]) == fp.exempt_forms(span.originals or ())


def test_leaving_out_the_originals_keeps_its_summary_as_it_was_read(tmp_path: Path) -> None:
    from agent_framework import AgentSession, included_messages

    path = compacted(tmp_path)
    conversation = fp.load(path)
    window = [conversation.messages[0], *conversation.messages[6:]]
    fp.dump(conversation.replace(window), path)
    assert fp.load(path).messages == tuple(window)
    session = AgentSession.from_dict(json.loads(path.read_text(encoding="utf-8")))
    held = session.state["in_memory"]["messages"]
    assert [message.text for message in included_messages(held)] == [SYSTEM, SUMMARY, SECOND, LAST]


def test_its_own_strategies_go_on_over_a_frame_of_ours(tmp_path: Path) -> None:
    from agent_framework import AgentSession, SummarizationStrategy, annotate_message_groups, included_messages
    from tests.frameworks.as_agent_framework_core import written

    path = written(tmp_path)
    conversation = fp.load(path)
    visit = fp.SummarizeOldest(threshold_tokens=1, keep_recent_turns=1).visit(conversation.messages)
    fp.dump(conversation.replace(visit.messages), path)
    session = AgentSession.from_dict(json.loads(path.read_text(encoding="utf-8")))
    held = session.state["in_memory"]["messages"]
    annotate_message_groups(held)
    assert visit.messages[1].text in [message.text for message in included_messages(held)]
    assert asyncio.run(SummarizationStrategy(client=summarizer(), target_count=1, threshold=0)(held))
    path.write_text(json.dumps(session.to_dict(), ensure_ascii=False), encoding="utf-8")
    again = fp.load(path)
    assert visit.messages[1] in again.messages  # it stays in the ledger, with its note, ahead of the new summary
    (span,) = again.folded
    assert visit.messages[1] in (span.originals or ())
