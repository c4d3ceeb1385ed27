"""autogen-core: the state of a model context."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from autogen_core import FunctionCall
from autogen_core.model_context import UnboundedChatCompletionContext
from autogen_core.models import (
    AssistantMessage,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    SystemMessage,
    UserMessage,
)
from tests.frameworks.talk import (
    ANSWER,
    ARGUMENTS,
    CALLS,
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

FORMAT = "autogen"
TOLD = TALK
FLAGS_ERRORS = True
KEEPS_NOTES = ()  # its models ignore fields that they do not know


def written(folder: Path) -> Path:
    calls = [
        FunctionCall(id=name, arguments=text, name=tool) for (name, tool, _), text in zip(CALLS, ARGUMENTS, strict=True)
    ]
    results = [
        FunctionExecutionResult(content=words, name=tool, call_id=name, is_error=words == FAILED)
        for (name, tool, _), words in zip(CALLS, (FOUND, FAILED), strict=True)
    ]
    context = UnboundedChatCompletionContext(
        initial_messages=[
            SystemMessage(content=SYSTEM),
            UserMessage(content=FIRST, source="user"),
            AssistantMessage(content=calls, thought=LOOK, source="helper"),
            FunctionExecutionResultMessage(content=results),
            AssistantMessage(content=ANSWER, source="helper"),
            UserMessage(content=SECOND, source="user"),
            AssistantMessage(content=LAST, source="helper"),
        ]
    )
    return _saved(context, folder / "context.json")


def _saved(context: Piece, path: Path) -> Path:
    path.write_text(json.dumps(asyncio.run(context.save_state()), ensure_ascii=False), encoding="utf-8")
    return path


def _context(path: Path) -> Piece:
    context = UnboundedChatCompletionContext()
    asyncio.run(context.load_state(json.loads(path.read_text(encoding="utf-8"))))
    return context


def loaded(path: Path) -> list[Piece]:
    pieces: list[Any] = []
    for message in asyncio.run(_context(path).get_messages()):
        pieces += message.content if isinstance(message, FunctionExecutionResultMessage) else [message]
    return pieces


def words(piece: Piece) -> str:
    return piece.content if isinstance(piece.content, str) else piece.thought


def written_again(path: Path, folder: Path) -> Path:
    return _saved(_context(path), folder / "again.json")
