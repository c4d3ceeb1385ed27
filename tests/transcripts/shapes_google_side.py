"""Small conversations in the formats of Google's APIs and tools, and of Vercel's AI SDK."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.transcripts.talk import Said

from foldproof.transcripts.json_text import Json

_SNAKE = {"functionCall": "function_call", "functionResponse": "function_response"}


def _contents(turns: Sequence[Said], *, ids: bool, snake: bool = False, apart: bool = False) -> list[Any]:
    """Contents; `apart`: every call in a content of its own, as some clients replay a history."""
    call_name, result_name = (_SNAKE[name] if snake else name for name in ("functionCall", "functionResponse"))
    rows: list[Any] = []
    for at, turn in enumerate(turns):
        if turn.role == "user":
            rows.append({"role": "user", "parts": [{"text": turn.text}]})
            continue
        own = [{"id": f"c{at}.{n}"} if ids else {} for n in range(len(turn.calls))]
        said: list[Any] = [{"text": turn.text}] if turn.text or not turn.calls else []
        calls = [
            {call_name: {**own[n], "name": call.name, "args": call.args}, "thoughtSignature": f"s{at}.{n}"}
            for n, call in enumerate(turn.calls)
        ]
        groups = [said, *([one] for one in calls)] if apart and calls else [[*said, *calls]]
        rows += [{"role": "model", "parts": parts} for parts in groups if parts]
        if turn.calls:
            responses = [
                {result_name: {**own[n], "name": call.name, "response": {"output": call.result}}}
                for n, call in enumerate(turn.calls)
            ]
            rows.append({"role": "user", "parts": responses})
    return rows


def gemini_request(turns: Sequence[Said]) -> Json:
    system = {"parts": [{"text": "be short"}], "role": "user"}
    return {"contents": _contents(turns, ids=True), "systemInstruction": system, "tools": []}


def gemini_without_ids(turns: Sequence[Said]) -> Json:
    return {"contents": _contents(turns, ids=False, snake=True), "system_instruction": "be short"}


def gemini_history(turns: Sequence[Said]) -> Json:
    return {"history": _contents(turns, ids=True), "authType": "oauth-personal"}


def gemini_apart(turns: Sequence[Said]) -> Json:
    return {"contents": _contents(turns, ids=True, apart=True)}


def gemini_exchange(turns: Sequence[Said]) -> Json:
    rows = _contents(turns, ids=True)
    last = rows.pop() if rows and rows[-1]["role"] == "model" else None
    candidates = [{"content": last, "finishReason": "STOP"}] if last else []
    return {"request": {"contents": rows}, "response": {"candidates": candidates, "modelVersion": "g"}}


SHAPES: dict[str, tuple[str, Callable[[Sequence[Said]], Any]]] = {
    "gemini request": ("gemini_api", gemini_request),
    "gemini without ids": ("gemini_api", gemini_without_ids),
    "gemini history": ("gemini_api", gemini_history),
    "gemini apart": ("gemini_api", gemini_apart),
    "gemini exchange": ("gemini_api", gemini_exchange),
}
