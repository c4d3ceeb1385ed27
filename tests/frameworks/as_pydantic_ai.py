"""pydantic-ai: the JSON of `ModelMessagesTypeAdapter`."""

from __future__ import annotations

from pathlib import Path

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
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

FORMAT = "pydantic_ai"
TOLD = TALK
FLAGS_ERRORS = True
KEEPS_NOTES = EVERY_KIND


def written(folder: Path) -> Path:
    (one, first, arguments), (two, second, _) = CALLS
    messages: list[ModelMessage] = [
        ModelRequest(parts=[SystemPromptPart(SYSTEM), UserPromptPart(FIRST)]),
        ModelResponse(
            parts=[TextPart(LOOK), ToolCallPart(first, arguments, one), ToolCallPart(second, ARGUMENTS[1], two)],
            model_name="model",
        ),
        ModelRequest(
            parts=[
                ToolReturnPart(first, FOUND, one),
                RetryPromptPart(FAILED, tool_name=second, tool_call_id=two),
            ]
        ),
        ModelResponse(parts=[TextPart(ANSWER)], model_name="model"),
        ModelRequest(parts=[UserPromptPart(SECOND)]),
        ModelResponse(parts=[TextPart(LAST)], model_name="model"),
    ]
    path = folder / "messages.json"
    path.write_bytes(ModelMessagesTypeAdapter.dump_json(messages))
    return path


def loaded(path: Path) -> list[Piece]:
    messages = ModelMessagesTypeAdapter.validate_json(path.read_bytes())
    return [part for message in messages for part in message.parts]


def words(piece: Piece) -> str:
    return str(getattr(piece, "content", ""))


def written_again(path: Path, folder: Path) -> Path:
    again = folder / "again.json"
    again.write_bytes(ModelMessagesTypeAdapter.dump_json(ModelMessagesTypeAdapter.validate_json(path.read_bytes())))
    return again
