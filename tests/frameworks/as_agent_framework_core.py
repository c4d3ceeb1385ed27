"""agent-framework-core: a session with its history."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agent_framework import AgentSession, Content, Message
from tests.frameworks.talk import (
    ANSWER,
    ARGUMENTS,
    CALLS,
    EVERY_KIND,
    FAILED,
    FIRST,
    FOUND,
    LAST,
    LOOK,
    SECOND,
    SYSTEM,
    TALK,
    Piece,
)

FORMAT = "agent_framework"
TOLD = TALK
FLAGS_ERRORS = True
KEEPS_NOTES = EVERY_KIND


def talk() -> list[Message]:
    first, second = (
        Content.from_function_call(name, tool, arguments=text)
        for (name, tool, _), text in zip(CALLS, ARGUMENTS, strict=True)
    )
    return [
        Message("system", [SYSTEM]),
        Message("user", [FIRST]),
        Message("assistant", [Content.from_text(LOOK), first, second]),
        Message(
            "tool",
            [
                Content.from_function_result(CALLS[0][0], result=FOUND),
                Content.from_function_result(CALLS[1][0], result=FAILED, exception="KeyError"),
            ],
        ),
        Message("assistant", [ANSWER]),
        Message("user", [SECOND]),
        Message("assistant", [LAST]),
    ]


def written(folder: Path) -> Path:
    session = AgentSession(session_id="session-1")
    session.state["in_memory"] = {"messages": talk()}
    return _saved(session, folder / "session.json")


def _saved(session: AgentSession, path: Path) -> Path:
    path.write_text(json.dumps(session.to_dict(), ensure_ascii=False), encoding="utf-8")
    return path


def _session(path: Path) -> AgentSession:
    return AgentSession.from_dict(json.loads(path.read_text(encoding="utf-8")))


def loaded(path: Path) -> list[Piece]:
    return pieces_of(_session(path).state["in_memory"]["messages"])


def pieces_of(messages: list[Message]) -> list[Any]:
    """The contents of the messages, each with its role: a window may leave out one result of a message."""
    return [(message.role, content.to_dict()) for message in messages for content in message.contents]


def words(piece: Piece) -> str:
    _, content = piece
    return str(content.get("text") or content.get("result") or "")


def written_again(path: Path, folder: Path) -> Path:
    return _saved(_session(path), folder / "again.json")
