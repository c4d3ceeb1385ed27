"""inspect-ai: an evaluation log, as JSON."""

from __future__ import annotations

from pathlib import Path

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalSample,
    EvalSpec,
    read_eval_log,
    write_eval_log,
)
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
)
from inspect_ai.tool import ToolCall, ToolCallError
from tests.frameworks.talk import ANSWER, CALLS, FAILED, FIRST, FOUND, LAST, LOOK, SECOND, SYSTEM, TALK, Piece

FORMAT = "inspect_eval_log"
TOLD = TALK
FLAGS_ERRORS = True
KEEPS_NOTES = ()  # its messages ignore fields that they do not know


def log() -> EvalLog:
    (one, first, _), (two, second, _) = CALLS
    calls = [ToolCall(id=name, function=tool, arguments=arguments) for name, tool, arguments in CALLS]
    messages = [
        ChatMessageSystem(content=SYSTEM),
        ChatMessageUser(content=FIRST, source="input"),
        ChatMessageAssistant(content=LOOK, tool_calls=calls),
        ChatMessageTool(content=FOUND, tool_call_id=one, function=first),
        ChatMessageTool(
            content=FAILED, tool_call_id=two, function=second, error=ToolCallError(type="unknown", message=FAILED)
        ),
        ChatMessageAssistant(content=ANSWER),
        ChatMessageUser(content=SECOND, source="operator"),
        ChatMessageAssistant(content=LAST),
    ]
    output = ModelOutput.from_content("model", LAST)
    sample = EvalSample(id=1, epoch=1, input=FIRST, target="", messages=messages, output=output)
    created = "2026-01-01T00:00:00+00:00"
    spec = EvalSpec(created=created, task="task", dataset=EvalDataset(), model="model", config=EvalConfig())
    return EvalLog(status="success", eval=spec, samples=[sample])


def written(folder: Path) -> Path:
    return saved(log(), folder / "log.json")


def saved(of: EvalLog, path: Path) -> Path:
    write_eval_log(of, path)
    return path


def loaded(path: Path) -> list[Piece]:
    return [message for sample in read_eval_log(path).samples or () for message in sample.messages]


def words(piece: Piece) -> str:
    return str(piece.text)


def written_again(path: Path, folder: Path) -> Path:
    return saved(read_eval_log(path), folder / "again.json")
