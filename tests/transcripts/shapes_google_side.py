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


def _adk_events(turns: Sequence[Said], *, ids: bool, camel: bool) -> list[Any]:
    events: list[Any] = []
    contents = _contents(turns, ids=ids, snake=not camel)
    for at, content in enumerate(contents):
        author = "user" if "text" in content["parts"][0] and content["role"] == "user" else "helper"
        event = {"id": f"e{at}", "invocationId" if camel else "invocation_id": "i", "author": author}
        events.append({**event, "content": content, "actions": {"stateDelta": {}}, "timestamp": 100.5 + at})
        events.append({**event, "id": f"s{at}", "author": "helper", "actions": {}, "timestamp": 100.7 + at})
    return events


def adk_session(turns: Sequence[Said]) -> Json:
    return {"id": "s", "appName": "a", "userId": "u", "state": {}, "events": _adk_events(turns, ids=True, camel=True)}


def adk_old_session(turns: Sequence[Said]) -> Json:
    return {"id": "s", "app_name": "a", "user_id": "u", "events": _adk_events(turns, ids=False, camel=False)}


def _adk_turns(turns: Sequence[Said], *, results: bool) -> list[Any]:
    found: list[Any] = []
    for at, turn in enumerate(turns):
        content = {
            "parts": [{"text": turn.text, "function_call": None}],
            "role": {"user": "user"}.get(turn.role, "model"),
        }
        spoken: dict[str, Any] = {"user_content": {"parts": [], "role": "user"}, "final_response": None}
        spoken["user_content" if turn.role == "user" else "final_response"] = content
        uses = [{"id": None, "name": call.name, "args": call.args} for call in turn.calls]
        between: dict[str, Any] = {"tool_uses": uses, "intermediate_responses": []}
        if results:
            for n, call in enumerate(uses):
                call["id"] = f"c{at}.{n}"
            between["tool_responses"] = [
                {"id": f"c{at}.{n}", "name": call.name, "response": {"result": call.result}}
                for n, call in enumerate(turn.calls)
            ]
        found.append({"invocation_id": f"i{at}", **spoken, "intermediate_data": between})
    return found


def adk_eval_set(turns: Sequence[Said]) -> Json:
    return {"eval_set_id": "s", "eval_cases": [{"eval_id": "e", "conversation": _adk_turns(turns, results=False)}]}


def adk_eval_set_with_results(turns: Sequence[Said]) -> Json:
    case = {"eval_id": "e", "conversation": _adk_turns(turns, results=True), "session_input": None}
    return {"eval_set_id": "s", "eval_cases": [case], "name": None}


def adk_eval_events(turns: Sequence[Said]) -> Json:
    events = [{"author": "a", "content": content} for content in _contents(turns, ids=True, snake=True)]
    turn = {"invocation_id": "i", "user_content": {"parts": [{"text": "go"}], "role": "user"}}
    conversation = [{**turn, "intermediate_data": {"invocation_events": events}}]
    return {"eval_set_id": "s", "eval_cases": [{"eval_id": "e", "conversation": conversation}]}


def adk_old_case(turns: Sequence[Said]) -> Json:
    said = [
        {
            "query": turn.text if turn.role == "user" else "",
            "expected_tool_use": [{"tool_name": call.name, "tool_input": call.args} for call in turn.calls],
            "expected_intermediate_agent_responses": [],
            "reference": turn.text if turn.role == "assistant" else "",
        }
        for turn in turns
    ]
    first = {"query": "go", "expected_tool_use": [], "reference": ""}
    return {"name": "c", "data": [first, *said], "initial_session": {"state": {}}}


def _cli_rows(turns: Sequence[Said], *, modern: bool) -> list[Any]:
    """Rows of a session; `modern`: every part of a reply in its content, and results repeated in a user row."""
    rows: list[Any] = []
    for at, turn in enumerate(turns):
        row: dict[str, Any] = {"id": f"r{at}", "timestamp": f"t{at}"}
        if turn.role == "user":
            rows.append({**row, "type": "user", "content": [{"text": turn.text}] if modern else turn.text})
            rows.append({"id": f"n{at}", "timestamp": "t", "type": "info", "content": "a notice"})
            continue
        calls = [{"id": f"c{at}.{n}", "name": call.name, "args": call.args} for n, call in enumerate(turn.calls)]
        results = [
            {"functionResponse": {"id": f"c{at}.{n}", "name": call.name, "response": {"output": call.result}}}
            for n, call in enumerate(turn.calls)
        ]
        records = [
            {**call, "status": "success", "result": [result]} for call, result in zip(calls, results, strict=True)
        ]
        parts = [{"text": "hm", "thought": True}, {"text": turn.text}, *({"functionCall": call} for call in calls)]
        thoughts = [{"subject": "S", "description": "hm", "timestamp": "t"}]
        said = {"content": parts} if modern else {"content": turn.text, "thoughts": thoughts}
        rows.append({**row, "type": "gemini", "model": "g", **said, **({"toolCalls": records} if records else {})})
        if results and modern:
            rows.append({"id": f"a{at}", "timestamp": "t", "type": "user", "content": results})
    return rows


def gemini_cli_session(turns: Sequence[Said]) -> Json:
    return {"sessionId": "s", "projectHash": "h", "startTime": "t", "messages": _cli_rows(turns, modern=False)}


def gemini_cli_log(turns: Sequence[Said]) -> Json:
    rows: list[Any] = [{"sessionId": "s", "projectHash": "h", "startTime": "t", "kind": "main"}]
    for row in _cli_rows(turns, modern=True):
        if "toolCalls" in row:
            rows.append({name: value for name, value in row.items() if name != "toolCalls"})  # before its calls ran
        rows += [row, {"$set": {"lastUpdated": "t"}}]
    return rows


def _vercel_parts(turn: Said, at: int) -> list[Any]:
    tools = [
        {
            "type": f"tool-{call.name}" if n % 2 == 0 else "dynamic-tool",
            **({} if n % 2 == 0 else {"toolName": call.name}),
            "toolCallId": f"c{at}.{n}",
            "state": "output-available",
            "input": call.args,
            "output": call.result,
        }
        for n, call in enumerate(turn.calls)
    ]
    return [{"type": "step-start"}, {"type": "text", "text": turn.text, "state": "done"}, *tools]


def vercel_ui(turns: Sequence[Said]) -> Json:
    """Replies that follow one another stand in one row, as steps."""
    rows: list[Any] = []
    for at, turn in enumerate(turns):
        if turn.role == "user":
            rows.append({"id": f"u{at}", "role": "user", "parts": [{"type": "text", "text": turn.text}]})
        elif rows and rows[-1]["role"] == "assistant":
            rows[-1]["parts"] += _vercel_parts(turn, at)
        else:
            rows.append({"id": f"a{at}", "role": "assistant", "metadata": {}, "parts": _vercel_parts(turn, at)})
    return {"id": "chat", "messages": [{"role": "system", "parts": [{"type": "text", "text": "be"}]}, *rows]}


def vercel_ui_4(turns: Sequence[Said]) -> Json:
    rows: list[Any] = [{"id": "first", "role": "system", "content": "be", "parts": [{"type": "text", "text": "be"}]}]
    for at, turn in enumerate(turns):
        invocations = [
            {"state": "result", "toolCallId": f"c{at}.{n}", "toolName": c.name, "args": c.args, "result": c.result}
            for n, c in enumerate(turn.calls)
        ]
        beside = {"toolInvocations": invocations} if invocations else {}
        rows.append({"id": f"m{at}", "role": turn.role, "content": turn.text, **beside})
    return {"messages": rows}


def vercel_model(turns: Sequence[Said]) -> Json:
    called = {"toolCallId": "c", "toolName": "hello"}
    rows: list[Any] = [
        {"role": "system", "content": "be", "providerOptions": {"anthropic": {}}},
        {"role": "assistant", "content": [{"type": "tool-call", **called, "input": {}}]},
        {"role": "tool", "content": [{"type": "tool-result", **called, "output": {"type": "json", "value": 7}}]},
    ]
    for at, turn in enumerate(turns):
        calls = [
            {"type": "tool-call", "toolCallId": f"c{at}.{n}", "toolName": call.name, "input": call.args}
            for n, call in enumerate(turn.calls)
        ]
        words = [{"type": "text", "text": turn.text}]
        rows.append({"role": turn.role, "content": [*words, *calls] if calls else turn.text})
        results = [
            {
                "type": "tool-result",
                "toolCallId": f"c{at}.{n}",
                "toolName": call.name,
                "output": {"type": "text", "value": call.result},
            }
            for n, call in enumerate(turn.calls)
        ]
        rows += [{"role": "tool", "content": results}] if results else []
    return rows


SHAPES: dict[str, tuple[str, Callable[[Sequence[Said]], Any]]] = {
    "gemini request": ("gemini_api", gemini_request),
    "gemini without ids": ("gemini_api", gemini_without_ids),
    "gemini history": ("gemini_api", gemini_history),
    "gemini apart": ("gemini_api", gemini_apart),
    "gemini exchange": ("gemini_api", gemini_exchange),
    "adk session": ("google_adk", adk_session),
    "adk old session": ("google_adk", adk_old_session),
    "adk eval set": ("google_adk", adk_eval_set),
    "adk eval set with results": ("google_adk", adk_eval_set_with_results),
    "adk eval events": ("google_adk", adk_eval_events),
    "adk old case": ("google_adk", adk_old_case),
    "gemini cli session": ("gemini_cli_session", gemini_cli_session),
    "gemini cli log": ("gemini_cli_session", gemini_cli_log),
    "vercel ui": ("vercel_ui_message", vercel_ui),
    "vercel ui 4": ("vercel_ui_message", vercel_ui_4),
    "vercel model": ("vercel_ui_message", vercel_model),
}
