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


def _pydantic_request(*parts: dict[str, Any], **more: Json) -> dict[str, Any]:
    return {"parts": list(parts), "instructions": None, "kind": "request", "metadata": None, **more}


def _pydantic_rows(turns: Sequence[Said], *, text_arguments: bool) -> list[Any]:
    rows: list[Any] = [_pydantic_request({"content": "be brief", "part_kind": "system-prompt"})]
    for at, turn in enumerate(turns):
        if turn.role == "user":
            rows.append(
                _pydantic_request(
                    {"content": turn.text, "timestamp": "2026-01-01T00:00:00Z", "part_kind": "user-prompt"}
                )
            )
            continue
        parts: list[dict[str, Any]] = [
            {"content": "hm", "id": None, "signature": "s", "provider_name": "anthropic", "part_kind": "thinking"},
            {"content": turn.text, "part_kind": "text"},
        ]
        parts += [
            {
                "tool_name": call.name,
                "args": json.dumps(call.args) if text_arguments else call.args,
                "tool_call_id": f"c{at}.{n}",
                "part_kind": "tool-call",
            }
            for n, call in enumerate(turn.calls)
        ]
        rows.append({"parts": parts, "model_name": "m", "kind": "response", "usage": {"details": {}}})
        results = [
            {"tool_name": call.name, "content": call.result, "tool_call_id": f"c{at}.{n}", "part_kind": "tool-return"}
            for n, call in enumerate(turn.calls)
        ]
        rows += [_pydantic_request(*results)] if results else []
    return rows


def pydantic_ai(turns: Sequence[Said]) -> Json:
    return _pydantic_rows(turns, text_arguments=True)


def pydantic_ai_new(turns: Sequence[Said]) -> Json:
    """As versions write it in which a request may hold a summary, under a name, with instructions."""
    rows = _pydantic_rows(turns, text_arguments=False)
    rows[0] |= {"instructions": "be kind", "model_id": None}
    return {"message_history": rows, "app": [1]}


def pydantic_ai_merged(turns: Sequence[Said]) -> Json:
    """The parts of requests that follow each other in one request, as Pydantic AI merges them."""
    merged: list[Any] = []
    for row in _pydantic_rows(turns, text_arguments=True):
        if merged and row["kind"] == merged[-1]["kind"] == "request":
            merged[-1] = merged[-1] | {"parts": [*merged[-1]["parts"], *row["parts"]]}
        else:
            merged.append(row)
    return merged


def _histories(rows: list[Any], speaker: str) -> list[tuple[list[Any], Any]]:
    """What went into each call of a model, and what came out: all of it again each time."""
    calls = [(rows[:at], row) for at, row in enumerate(rows) if row[speaker] in ("ai", "assistant")]
    is_open = not rows or rows[-1][speaker] not in ("ai", "assistant")
    return [*calls, (rows, None)] if is_open else calls


def _run(number: int, kind: str, **more: Json) -> dict[str, Any]:
    order = f"20260101T000000000000Zroot.20260101T{number:018d}Zrun{number}"
    return {"id": f"run{number}", "trace_id": "root", "run_type": kind, "dotted_order": order, **more}


def langsmith_batch(turns: Sequence[Said]) -> Json:
    """What the OpenAI wrapper posts: the request, then the request and the response."""
    rows: list[Any] = [{"role": "system", "content": "be brief"}]
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
        rows += [{"role": "tool", "tool_call_id": f"c{at}.{n}", "content": c.result} for n, c in enumerate(turn.calls)]
    post, patch = [], []
    for number, (before, answer) in enumerate(_histories(rows, "role")):
        inputs = {"model": "m", "messages": before}
        run = _run(number, "llm", inputs=inputs, outputs={}, name="ChatOpenAI")
        post.append(run)
        ended = {name: run[name] for name in ("trace_id", "dotted_order")}
        outputs: Json = {"choices": [{"index": 0, "finish_reason": "stop", "message": answer}]}
        failed = {"error": "RateLimitError()", "outputs": None}
        patch.append(ended | {"inputs": inputs} | ({"outputs": outputs} if answer else failed))
    return {"post": post, "patch": patch}


def langsmith_langchain(turns: Sequence[Said]) -> Json:
    """Rows of a trace of LangChain: a chain with the runs of its model and its tools."""
    data = _langchain_data(turns)
    rows: list[Any] = [
        _run(0, "chain", name="agent", inputs={"input": "x"}, outputs={"output": "y"}, parent_run_id=None)
    ]
    for number, (before, answer) in enumerate(_histories(data, "type"), start=1):
        inputs = {"messages": [_constructed(before, "langchain", "schema", "messages")]}
        outputs: Json = {"generations": [], "llm_output": None}
        if answer is not None:
            (message,) = _constructed([answer], "langchain", "schema", "messages")
            outputs["generations"] = [[{"text": answer["content"], "type": "ChatGeneration", "message": message}]]
        rows.append(_run(number, "llm", name="ChatOpenAI", inputs=inputs, outputs=outputs, parent_run_id="run0"))
    return rows


def langsmith_graph(turns: Sequence[Said]) -> Json:
    """A graph whose model was given text: the state that comes out has the messages."""
    data = _langchain_data(turns)
    model = _run(1, "llm", inputs={"prompts": ["System: …"]}, outputs={"generations": []}, child_runs=[])
    state = {"messages": data, "step": 2}
    return {"runs": [_run(0, "chain", inputs={"messages": data[:2]}, outputs=state, child_runs=[model])]}


def langsmith_anthropic(turns: Sequence[Said]) -> Json:
    """What the Anthropic wrapper posts: blocks in, and text with the calls of the other API out."""
    rows: list[Any] = [{"role": "system", "content": "be brief"}]
    for at, turn in enumerate(turns):
        blocks: list[Any] = [{"type": "text", "text": turn.text}]
        blocks += [
            {"type": "tool_use", "id": f"c{at}.{n}", "name": call.name, "input": call.args}
            for n, call in enumerate(turn.calls)
        ]
        rows.append({"role": turn.role, "content": blocks if turn.calls else turn.text})
        results = [
            {"type": "tool_result", "tool_use_id": f"c{at}.{n}", "content": call.result}
            for n, call in enumerate(turn.calls)
        ]
        rows += [{"role": "user", "content": results}] if results else []
    runs: list[Any] = []
    for number, (before, answer) in enumerate(_histories(rows, "role")):
        outputs: Json = answer and answer | {"id": "m", "model": "claude", "stop_reason": "end_turn"}
        blocks = answer["content"] if answer and isinstance(answer["content"], list) else []
        calls = [block for block in blocks if block["type"] == "tool_use"]
        if calls:
            outputs["content"] = blocks[0]["text"]
            outputs["tool_calls"] = [
                {
                    "id": call["id"],
                    "type": "function",
                    "function": {"name": call["name"], "arguments": json.dumps(call["input"])},
                }
                for call in calls
            ]
        runs.append(_run(number, "llm", name="ChatAnthropic", inputs={"messages": before}, outputs=outputs))
    return runs


SHAPES: dict[str, tuple[str, Callable[[Sequence[Said]], Any]]] = {
    "langchain dicts": ("langchain", langchain_dicts),
    "langchain constructors": ("langchain", langchain_python),
    "langchain js": ("langchain", langchain_js),
    "langchain blocks": ("langchain", langchain_blocks),
    "langchain legacy": ("langchain", langchain_legacy),
    "langgraph state": ("langchain", langgraph_state),
    "pydantic ai": ("pydantic_ai", pydantic_ai),
    "pydantic ai, new": ("pydantic_ai", pydantic_ai_new),
    "pydantic ai, merged": ("pydantic_ai", pydantic_ai_merged),
    "langsmith batch": ("langsmith_runs", langsmith_batch),
    "langsmith langchain": ("langsmith_runs", langsmith_langchain),
    "langsmith anthropic": ("langsmith_runs", langsmith_anthropic),
    "langsmith graph": ("langsmith_runs", langsmith_graph),
}
