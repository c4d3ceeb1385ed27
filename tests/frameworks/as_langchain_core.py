"""langchain-core: `messages_to_dict`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    messages_from_dict,
    messages_to_dict,
)
from tests.frameworks.talk import (
    ANSWER,
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

FORMAT = "langchain"
TOLD = TALK
FLAGS_ERRORS = True
KEEPS_NOTES = EVERY_KIND


def talk() -> list[Any]:
    calls = [{"id": name, "name": tool, "args": arguments, "type": "tool_call"} for name, tool, arguments in CALLS]
    return [
        SystemMessage(SYSTEM),
        HumanMessage(FIRST),
        AIMessage(LOOK, tool_calls=calls),
        ToolMessage(FOUND, tool_call_id=CALLS[0][0], name=CALLS[0][1]),
        ToolMessage(FAILED, tool_call_id=CALLS[1][0], name=CALLS[1][1], status="error"),
        AIMessage(ANSWER),
        HumanMessage(SECOND),
        AIMessage(LAST),
    ]


def written(folder: Path) -> Path:
    return _saved(talk(), folder / "messages.json")


def _saved(messages: list[Any], path: Path) -> Path:
    path.write_text(json.dumps(messages_to_dict(messages), ensure_ascii=False), encoding="utf-8")
    return path


def loaded(path: Path) -> list[Piece]:
    messages: list[Piece] = messages_from_dict(json.loads(path.read_text(encoding="utf-8")))
    return messages


def words(piece: Piece) -> str:
    return str(piece.text)


def written_again(path: Path, folder: Path) -> Path:
    return _saved(loaded(path), folder / "again.json")
