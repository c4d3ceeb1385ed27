"""Small conversations in each saved format, for Hypothesis: raw JSON built from the same list of turns.

A file `shapes_*.py` beside this one adds the shapes of other formats: its `SHAPES`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.transcripts.talk import Said

from foldproof.transcripts.json_text import Json


def openai_messages(turns: Sequence[Said]) -> list[Any]:
    rows: list[Any] = []
    for at, turn in enumerate(turns):
        row: dict[str, Any] = {"role": turn.role, "content": turn.text}
        if turn.calls:
            row["tool_calls"] = [
                {
                    "id": f"c{at}.{n}",
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.dumps(call.args)},
                }
                for n, call in enumerate(turn.calls)
            ]
        rows.append(row)
        rows += [
            {"role": "tool", "tool_call_id": f"c{at}.{n}", "content": call.result} for n, call in enumerate(turn.calls)
        ]
    return rows


def openai_body(turns: Sequence[Said]) -> Json:
    return {"model": "m", "messages": openai_messages(turns), "reward": 1.0}


def openai_legacy(turns: Sequence[Said]) -> Json:
    rows: list[Any] = []
    for turn in turns:
        row: dict[str, Any] = {"role": turn.role, "content": turn.text}
        for call in turn.calls[:1]:
            row |= {"content": None, "function_call": {"name": call.name, "arguments": json.dumps(call.args)}}
        rows.append(row)
        rows += [{"role": "function", "name": call.name, "content": call.result} for call in turn.calls[:1]]
    return {"messages": rows}


def openai_exchange(turns: Sequence[Said]) -> Json:
    rows = openai_messages(turns)
    last = rows.pop() if rows and rows[-1]["role"] == "assistant" else None
    return {"request": {"messages": rows}, "response": {"choices": [{"message": last}] if last else []}}


def openai_display(turns: Sequence[Said]) -> Json:
    lines = []
    for turn in turns:
        lines.append(f"{turn.role}: " + ("None" if turn.calls else turn.text))
        lines += [f"tool: {call.result}" for call in turn.calls]
    return {"messages_display": "\n".join(lines), "kept": [1]}


def agentfootprint(turns: Sequence[Said]) -> Json:
    history: list[Any] = []
    for at, turn in enumerate(turns):
        row: dict[str, Any] = {"role": turn.role, "content": turn.text}
        if turn.role == "assistant":
            row["toolCalls"] = [{"id": f"c{at}.{n}", "name": c.name, "args": c.args} for n, c in enumerate(turn.calls)]
        history.append(row)
        history += [
            {"role": "tool", "content": c.result, "toolCallId": f"c{at}.{n}", "toolName": c.name, "toolChars": 1}
            for n, c in enumerate(turn.calls)
        ]
    return {"format": "conversation-v1", "data": {"version": 1, "runId": "r", "history": history}, "savedAt": 1}


def agentfootprint_dump(turns: Sequence[Said]) -> Json:
    history = agentfootprint(turns)["data"]["history"]
    state = {
        "history": history,
        "llmLatestContent": "the final answer",
        "systemPromptInjections": [{"rawContent": "be"}],
    }
    return {"runId": "r", "commits": [], "finalState": state, "events": [1]}


def axle(turns: Sequence[Said]) -> Json:
    messages: list[Any] = []
    for at, turn in enumerate(turns):
        if turn.role == "user":
            messages.append({"role": "user", "content": turn.text})
            continue
        parts: list[Any] = [{"type": "thinking", "text": "hm", "continuity": {"provider": "openai", "encrypted": "x"}}]
        parts += [{"type": "text", "text": turn.text}]
        parts += [
            {"type": "tool-call", "id": f"c{at}.{n}", "name": call.name, "parameters": call.args}
            for n, call in enumerate(turn.calls)
        ]
        messages.append({"role": "assistant", "id": f"m{at}", "content": parts, "finishReason": "stop"})
        if turn.calls:
            results = [{"id": f"c{at}.{n}", "name": c.name, "content": c.result} for n, c in enumerate(turn.calls)]
            messages.append({"role": "tool", "id": f"t{at}", "content": results})
    return {"sessionId": "s", "messages": messages}


def axle_agent(turns: Sequence[Said]) -> Json:
    return {"definition": {"name": "agent"}, "session": axle(turns)}


def _claude_rows(turns: Sequence[Said], *, many_rows: bool) -> list[Any]:
    """A session as the app writes it: one row a block, or one a message; results together in one row, or one each."""
    rows: list[Any] = [{"type": "summary", "summary": "a title", "leafUuid": "x"}]
    last: list[str | None] = [None]

    def add(kind: str, message: dict[str, Any], **more: Json) -> None:
        row = {"parentUuid": last[0], "isSidechain": False, "sessionId": "s", "cwd": "/w", "version": "2", "type": kind}
        rows.append(row | {"message": message, "uuid": f"u{len(rows)}", "timestamp": "t"} | more)
        last[0] = rows[-1]["uuid"]

    for at, turn in enumerate(turns):
        if turn.role == "user":
            add("user", {"role": "user", "content": turn.text})
            rows.append({"type": "file-history-snapshot", "n": at})
            continue
        blocks: list[Any] = [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "text", "text": turn.text},
        ]
        blocks += [
            {"type": "tool_use", "id": f"c{at}.{n}", "name": call.name, "input": call.args}
            for n, call in enumerate(turn.calls)
        ]
        for group in [[block] for block in blocks] if many_rows else [blocks]:
            add("assistant", {"role": "assistant", "id": f"m{at}", "model": "claude", "content": group})
        results = [
            {"type": "tool_result", "tool_use_id": f"c{at}.{n}", "content": call.result}
            for n, call in enumerate(turn.calls)
        ]
        for group in [[block] for block in results] if many_rows else [results] if results else []:
            add("user", {"role": "user", "content": group}, toolUseResult="…")
        add("system", {}, subtype="turn_duration")
    return rows


def claude_one_row(turns: Sequence[Said]) -> Json:
    return _claude_rows(turns, many_rows=False)


def claude_many_rows(turns: Sequence[Said]) -> Json:
    return _claude_rows(turns, many_rows=True)


def claude_unlinked(turns: Sequence[Said]) -> Json:
    return {
        "loglines": [
            {name: row[name] for name in ("type", "timestamp", "message") if name in row}
            for row in _claude_rows(turns, many_rows=False)
            if row["type"] in ("user", "assistant")
        ]
    }


def claude_results_and_text(turns: Sequence[Said]) -> Json:
    """Results and the person's next words in one row, as an interruption leaves them."""
    rows: list[Any] = []
    for row in _claude_rows(turns, many_rows=False):
        content = row.get("message", {}).get("content")
        if rows and row["type"] == "user" and isinstance(content, list):
            rows.append(row | {"message": {"role": "user", "content": [*content, {"type": "text", "text": "go on"}]}})
        else:
            rows.append(row)
    return rows


BUILDERS: dict[str, tuple[str, Callable[[Sequence[Said]], Any]]] = {
    "openai list": ("openai_chat", openai_messages),
    "openai body": ("openai_chat", openai_body),
    "openai legacy": ("openai_chat", openai_legacy),
    "openai exchange": ("openai_chat", openai_exchange),
    "openai display": ("openai_chat", openai_display),
    "agentfootprint": ("agentfootprint", agentfootprint),
    "agentfootprint dump": ("agentfootprint", agentfootprint_dump),
    "axle": ("axle", axle),
    "axle agent": ("axle", axle_agent),
    "claude one row": ("claude_code", claude_one_row),
    "claude many rows": ("claude_code", claude_many_rows),
    "claude unlinked": ("claude_code", claude_unlinked),
    "claude results and text": ("claude_code", claude_results_and_text),
}


def sharegpt(turns: Sequence[Said]) -> Json:
    rows: list[Any] = []
    for turn in turns:
        rows.append({"from": {"user": "human", "assistant": "gpt"}[turn.role], "value": turn.text})
        for call in turn.calls:
            rows.append({"from": "function_call", "value": json.dumps({"name": call.name, "arguments": call.args})})
            rows.append({"from": "observation", "value": call.result})
    return {"id": "x", "conversations": rows}


BUILDERS["sharegpt"] = ("sharegpt", sharegpt)

for found in sorted(Path(__file__).parent.glob("shapes_*.py")):
    BUILDERS |= import_module(f"tests.transcripts.{found.stem}").SHAPES
