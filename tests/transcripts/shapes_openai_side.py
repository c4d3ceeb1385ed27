"""Shapes of what OpenAI's own API, Codex and Agents SDK save."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.transcripts.talk import Said

from foldproof.transcripts.json_text import Json


def response_items(turns: Sequence[Said]) -> list[Any]:
    """Items as the API takes them: some messages without a type, reasoning ahead of calls, results out of order."""
    items: list[Any] = []
    for at, turn in enumerate(turns):
        if turn.role == "user":
            items.append({"role": "user", "content": turn.text})
            continue
        if turn.calls:
            items.append({"type": "reasoning", "id": f"rs_{at}", "summary": [], "encrypted_content": "x"})
        part = {"type": "output_text", "text": turn.text, "annotations": []}
        items.append({"type": "message", "id": f"msg_{at}", "role": "assistant", "content": [part]})
        for n, call in enumerate(turn.calls):
            said = {"call_id": f"c{at}.{n}", "name": call.name}
            items.append({"type": "function_call", "id": f"fc_{at}.{n}", "arguments": json.dumps(call.args), **said})
        results = [
            {"type": "function_call_output", "call_id": f"c{at}.{n}", "output": call.result}
            for n, call in enumerate(turn.calls)
        ]
        items += reversed(results) if at % 2 else results
    return items


def responses_body(turns: Sequence[Said]) -> Json:
    return {"model": "m", "instructions": "be brief", "input": response_items(turns), "store": False}


def responses_list(turns: Sequence[Said]) -> Json:
    """A bare list, which the results of a custom tool and of the provider's own search tell from a chat."""
    items: list[Any] = [{"type": "mcp_list_tools", "id": "l", "server_label": "s", "tools": []}]
    for item in response_items(turns):
        if item.get("type") == "function_call":
            said = {"call_id": item["call_id"], "name": item["name"], "input": item["arguments"]}
            items.append({"type": "web_search_call", "id": f"ws_{len(items)}", "action": {"query": "q"}})
            items.append({"type": "custom_tool_call", **said})
        elif item.get("type") == "function_call_output":
            items.append(item | {"type": "custom_tool_call_output", "output": [{"type": "input_text", "text": "é"}]})
        else:
            items.append(item)
    return items


def responses_exchange(turns: Sequence[Said]) -> Json:
    items = response_items(turns)
    start = len(items)
    while start and items[start - 1].get("type", "") in ("message", "reasoning", "function_call"):
        start -= 1
    body = {"model": "m", "instructions": "be brief", "input": items[:start]}
    return {"request": body, "response": {"object": "response", "id": "resp_1", "output": items[start:]}}


def responses_answer(turns: Sequence[Said]) -> Json:
    return {"object": "response", "id": "resp_1", "instructions": None, "output": response_items(turns)}


def responses_stream(turns: Sequence[Said]) -> Json:
    whole = responses_exchange(turns)
    event = {"type": "response.completed", "response": whole["response"], "sequence_number": 2}
    text = f"event: response.created\ndata: {{}}\n\nevent: response.completed\ndata: {json.dumps(event)}\n\n"
    return {"request": whole["request"], "response": text}


def codex_session(turns: Sequence[Said]) -> Json:
    """A session with its events, which repeat what was said, and both ways in which it says how a command ended."""
    about = {"id": "t1", "cwd": "/w", "cli_version": "0.146.0", "source": "cli"}
    rows: list[Any] = [{"timestamp": "0", "type": "session_meta", "payload": about}]
    for item in response_items(turns):
        said = {"type": "message", **item}
        if "output" in said and len(rows) % 2:
            said["output"] = json.dumps(
                {"output": said["output"], "metadata": {"exit_code": 1, "duration_seconds": 0.1}}
            )
        elif "output" in said:
            said["output"] = f"Exit code: 0\nWall time: 0.5 seconds\nOutput:\n{said['output']}"
        rows.append({"timestamp": f"{len(rows)}", "type": "response_item", "payload": said})
        event = {"type": "token_count", "info": {"total_token_usage": {"input_tokens": len(rows)}}}
        rows.append({"timestamp": f"{len(rows)}", "type": "event_msg", "payload": event})
    return rows


def codex_legacy(turns: Sequence[Said]) -> Json:
    items = [{"type": "message", **item} for item in response_items(turns)]
    for item in items:
        if item.get("role") == "user":
            item["content"] = [{"type": "input_text", "text": item["content"]}]
    return [{"id": "t1", "timestamp": "0", "instructions": None}, {"record_type": "state"}, *items]


def codex_compacted(turns: Sequence[Said]) -> Json:
    """A session that was compacted half way, once by the CLI and once by the provider, and taken back a turn."""
    rows = codex_session(turns)
    half = 1 + (len(rows) // 4) * 2
    kept = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a copy"}]}
    hidden = {"type": "compaction", "encrypted_content": "x"}
    item = {"timestamp": "5", "type": "response_item", "payload": kept}
    back = {"timestamp": "5", "type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}
    inside: list[Any] = [
        {"timestamp": "5", "type": "compacted", "payload": {"message": "so far", "replacement_history": [kept]}},
        {"timestamp": "5", "type": "compacted", "payload": {"message": "", "replacement_history": [kept, hidden]}},
    ]
    return [*rows[:half], *inside[0 if half > 1 else 1 :], item, back, *rows[half:]]


def codex_resumed(turns: Sequence[Said]) -> Json:
    """A session that begins with what a compaction kept of another one."""
    rows = codex_session(turns)
    history = [{"type": "message", **item} for item in response_items(turns[:2])]
    payload = {"message": "so far", "replacement_history": history}
    return [rows[0], {"timestamp": "0", "type": "compacted", "payload": payload}, *rows[1:]]


_ENTRY = {
    "message": "message_output_item",
    "function_call": "tool_call_item",
    "function_call_output": "tool_call_output_item",
    "reasoning": "reasoning_item",
}


def run_state(turns: Sequence[Said]) -> Json:
    """A run: the last thing that the person said and all before it is the input, the rest was generated."""
    items = response_items(turns)
    users = [at for at, item in enumerate(items) if item.get("role") == "user"]
    start = users[-1] + 1 if users else 0
    entries = []
    for item in items[start:]:
        entries.append({"type": _ENTRY[item["type"]], "agent": {"name": "a"}, "raw_item": item})
        if item["type"] == "function_call":
            entries.append({"type": "tool_approval_item", "agent": {"name": "a"}, "raw_item": dict(item)})
    return {
        "$schemaVersion": "1.17",
        "current_agent": {"name": "a"},
        "original_input": items[0]["content"] if start == 1 else items[:start],
        "generated_items": entries,
        "session_items": [],
        "model_responses": [{"output": [item for item in items[start:] if "output" not in item]}],
    }


def run_state_with_session(turns: Sequence[Said]) -> Json:
    state = run_state(turns)
    entries = json.loads(json.dumps(state["generated_items"]))
    indexes = list(range(len(entries)))
    return state | {"session_items": entries, "generated_session_item_indexes": indexes, "pending_input": []}


SHAPES: dict[str, tuple[str, Callable[[Sequence[Said]], Any]]] = {
    "responses body": ("openai_responses", responses_body),
    "responses list": ("openai_responses", responses_list),
    "responses exchange": ("openai_responses", responses_exchange),
    "responses answer": ("openai_responses", responses_answer),
    "responses stream": ("openai_responses", responses_stream),
    "run state": ("openai_agents", run_state),
    "run state with session": ("openai_agents", run_state_with_session),
    "codex session": ("codex_rollout", codex_session),
    "codex legacy": ("codex_rollout", codex_legacy),
    "codex compacted": ("codex_rollout", codex_compacted),
    "codex resumed": ("codex_rollout", codex_resumed),
}
