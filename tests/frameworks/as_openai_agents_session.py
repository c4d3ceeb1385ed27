"""openai-agents: the items of a session."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from agents import SQLiteSession
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter
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

FORMAT = "openai_responses"
TOLD = TALK
FLAGS_ERRORS = False
KEEPS_NOTES = EVERY_KIND

_ITEMS = TypeAdapter(list[ResponseInputItemParam])


def talk() -> list[dict[str, Any]]:
    calls = [
        {"type": "function_call", "call_id": name, "name": tool, "arguments": text}
        for (name, tool, _), text in zip(CALLS, ARGUMENTS, strict=True)
    ]
    results = [
        {"type": "function_call_output", "call_id": name, "output": output}
        for (name, _, _), output in zip(CALLS, (FOUND, FAILED), strict=True)
    ]
    return [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": FIRST},
        said(LOOK, "msg-1"),
        *calls,
        *results,
        said(ANSWER, "msg-2"),
        {"role": "user", "content": SECOND},
        said(LAST, "msg-3"),
    ]


def said(text: str, name: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"id": name, "type": "message", "role": "assistant", "status": "completed", "content": [part]}


def written(folder: Path) -> Path:
    return _saved(talk(), folder / "items.json")


def _saved(items: list[Any], path: Path) -> Path:
    path.write_text(json.dumps(_through_a_session(items), ensure_ascii=False), encoding="utf-8")
    return path


def _through_a_session(items: list[Any]) -> list[Any]:
    async def stored() -> list[Any]:
        session = SQLiteSession("session-1")
        await session.add_items(items)
        kept: list[Any] = list(await session.get_items())
        session.close()
        return kept

    return asyncio.run(stored())


def loaded(path: Path) -> list[Piece]:
    items = json.loads(path.read_text(encoding="utf-8"))
    _ITEMS.validate_python(items)  # a session takes anything; the API's own types do not
    return _through_a_session(items)


def words(piece: Piece) -> str:
    content = piece.get("content", piece.get("output"))
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content or ())


def written_again(path: Path, folder: Path) -> Path:
    return _saved(json.loads(path.read_text(encoding="utf-8")), folder / "again.json")
