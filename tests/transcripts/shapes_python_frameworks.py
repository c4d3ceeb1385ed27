"""Small conversations as LangChain, Pydantic AI and LangSmith write them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.transcripts.talk import Said

from foldproof.transcripts.json_text import Json

_CLASSES = {"system": "SystemMessage", "human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}


def _langchain_data(turns: Sequence[Said]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{"type": "system", "content": "be brief", "additional_kwargs": {}, "id": None}]
    for at, turn in enumerate(turns):
        if turn.role == "user":
            rows.append({"type": "human", "content": turn.text, "additional_kwargs": {}, "id": f"h{at}"})
            continue
        calls = [
            {"name": call.name, "args": call.args, "id": f"c{at}.{n}", "type": "tool_call"}
            for n, call in enumerate(turn.calls)
        ]
        rows.append({"type": "ai", "content": turn.text, "tool_calls": calls, "invalid_tool_calls": [], "id": f"a{at}"})
        rows += [
            {
                "type": "tool",
                "content": call.result,
                "name": call.name,
                "tool_call_id": f"c{at}.{n}",
                "status": "success",
            }
            for n, call in enumerate(turn.calls)
        ]
    return rows


def langchain_dicts(turns: Sequence[Said]) -> Json:
    return [{"type": row["type"], "data": row} for row in _langchain_data(turns)]


def _constructed(rows: list[dict[str, Any]], *package: str) -> list[Any]:
    return [{"lc": 1, "type": "constructor", "id": [*package, _CLASSES[row["type"]]], "kwargs": row} for row in rows]


def langchain_python(turns: Sequence[Said]) -> Json:
    return {"messages": _constructed(_langchain_data(turns), "langchain", "schema", "messages"), "llm_calls": 3}


def langchain_js(turns: Sequence[Said]) -> Json:
    return _constructed(_langchain_data(turns), "langchain_core", "messages")


def langgraph_state(turns: Sequence[Said]) -> Json:
    config = {"configurable": {"thread_id": "t"}}
    return {"values": {"messages": _langchain_data(turns), "step": 1}, "next": [], "config": config}


def langchain_blocks(turns: Sequence[Said]) -> Json:
    """Content of blocks, the calls a second time among them, and as the provider's API has them."""
    rows = _langchain_data(turns)
    for row in rows:
        if row["type"] == "ai":
            blocks: list[Any] = [{"type": "thinking", "thinking": "hm", "signature": "s"}]
            blocks.append({"type": "text", "text": row["content"]})
            blocks += [
                {"type": "tool_use", "id": call["id"], "name": call["name"], "input": call["args"]}
                for call in row["tool_calls"]
            ]
            row["content"] = blocks
            row["additional_kwargs"] = {
                "tool_calls": [
                    {
                        "id": call["id"],
                        "type": "function",
                        "function": {"name": call["name"], "arguments": json.dumps(call["args"])},
                    }
                    for call in row["tool_calls"]
                ]
            }
    return {"messages": [{"type": row["type"], "data": row} for row in rows]}


def langchain_legacy(turns: Sequence[Said]) -> Json:
    """Calls and results without ids, from before tools had any."""
    rows: list[Any] = [{"type": "system", "data": {"content": "be brief"}}]
    for turn in turns:
        beside: dict[str, Any] = {}
        for call in turn.calls[:1]:
            beside["function_call"] = {"name": call.name, "arguments": json.dumps(call.args)}
        kind = {"user": "human", "assistant": "ai"}[turn.role]
        rows.append({"type": kind, "data": {"content": turn.text, "additional_kwargs": beside}})
        rows += [{"type": "function", "data": {"content": c.result, "name": c.name}} for c in turn.calls[:1]]
    return rows


SHAPES: dict[str, tuple[str, Callable[[Sequence[Said]], Any]]] = {
    "langchain dicts": ("langchain", langchain_dicts),
    "langchain constructors": ("langchain", langchain_python),
    "langchain js": ("langchain", langchain_js),
    "langchain blocks": ("langchain", langchain_blocks),
    "langchain legacy": ("langchain", langchain_legacy),
    "langgraph state": ("langchain", langgraph_state),
}
