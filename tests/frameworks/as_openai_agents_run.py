"""openai-agents: the state of one run."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from agents import Agent, RunContextWrapper, RunState
from agents.items import MessageOutputItem, ModelResponse, ToolCallItem, ToolCallOutputItem
from agents.usage import Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage
from tests.frameworks.as_openai_agents_session import said
from tests.frameworks.talk import ANSWER, ARGUMENTS, CALLS, FAILED, FIRST, FOUND, LAST, LOOK, SECOND, TALK, Piece

FORMAT = "openai_agents"
TOLD = (*TALK[6:], *TALK[1:6])  # the instructions are the agent's; what was said before the run is its input
FLAGS_ERRORS = False
KEEPS_NOTES = ("drop-notice", "summary")  # in the input; a generated item is built anew from what it knows

_AGENT: Any = Agent(name="helper")


def written(folder: Path) -> Path:
    given = [{"role": "user", "content": SECOND}, said(LAST, "msg-0"), {"role": "user", "content": FIRST}]
    state: Any = RunState(RunContextWrapper(None), given, _AGENT)
    look, answer = (ResponseOutputMessage.model_validate(said(text, text[:3])) for text in (LOOK, ANSWER))
    calls = [
        ResponseFunctionToolCall(type="function_call", call_id=name, name=tool, arguments=text)
        for (name, tool, _), text in zip(CALLS, ARGUMENTS, strict=True)
    ]
    results = [
        ToolCallOutputItem(_AGENT, {"type": "function_call_output", "call_id": name, "output": output}, output)
        for (name, _, _), output in zip(CALLS, (FOUND, FAILED), strict=True)
    ]
    state._model_responses = [
        ModelResponse(output=[look, *calls], usage=Usage(), response_id=None),
        ModelResponse(output=[answer], usage=Usage(), response_id=None),
    ]
    state._generated_items = [
        MessageOutputItem(_AGENT, look),
        *(ToolCallItem(_AGENT, call) for call in calls),
        *results,
        MessageOutputItem(_AGENT, answer),
    ]
    path = folder / "run.json"
    path.write_text(state.to_string(), encoding="utf-8")
    return path


def _run(path: Path) -> Piece:
    return asyncio.run(RunState.from_string(_AGENT, path.read_text(encoding="utf-8")))


def loaded(path: Path) -> list[Piece]:
    run = _run(path)
    given = run._original_input
    items = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
    return items + [item.to_input_item() for item in run._generated_items]


def words(piece: Piece) -> str:
    content = piece.get("content", piece.get("output"))
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())


def written_again(path: Path, folder: Path) -> Path:
    again = folder / "again.json"
    again.write_text(json.dumps(_run(path).to_json(), ensure_ascii=False), encoding="utf-8")
    return again
