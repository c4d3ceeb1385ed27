"""Small conversations in logs and traces: Inspect, OpenCode, OpenTelemetry spans."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tests.transcripts.talk import Said

from foldproof.transcripts.json_text import Json

_HEADER: dict[str, Any] = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "plan": {}}


def _inspect_messages(turns: Sequence[Said], *, ids: bool) -> list[Any]:
    rows: list[Any] = [{"role": "system", "content": "be brief", **({"id": "sys"} if ids else {})}]
    for at, turn in enumerate(turns):
        own = {"id": f"m{at}"} if ids else {}
        if turn.role == "user":
            rows.append(own | {"content": turn.text, "source": "input" if at == 0 else "operator", "role": "user"})
            continue
        parts = [{"type": "reasoning", "reasoning": "hm", "signature": "s"}, {"type": "text", "text": turn.text}]
        row = own | {"content": parts if ids else turn.text, "source": "generate", "role": "assistant"}
        calls = [
            {"id": f"c{at}.{n}", "function": call.name, "arguments": call.args, "type": "function"}
            for n, call in enumerate(turn.calls)
        ]
        rows.append(row | ({"tool_calls": calls} if calls else {}))
        rows += [
            {"role": "tool", "content": call.result, "tool_call_id": f"c{at}.{n}", "function": call.name}
            for n, call in enumerate(turn.calls)
        ]
    return rows


def _inspect_sample(turns: Sequence[Said], *, ids: bool) -> dict[str, Any]:
    return {
        "id": 1,
        "epoch": 1,
        "input": "x",
        "target": "y",
        "messages": _inspect_messages(turns, ids=ids),
        "output": {"choices": []},
        "attachments": {"abc": "long"},
        "events": [{"event": "state"}],
    }


def inspect_log(turns: Sequence[Said]) -> Json:
    return _HEADER | {"samples": [_inspect_sample(turns, ids=True)]}


def inspect_sample(turns: Sequence[Said]) -> Json:
    return _inspect_sample(turns, ids=False)


def inspect_archive(turns: Sequence[Said]) -> Json:
    return {"_journal/start.json": _HEADER, "samples/1_epoch_1.json": _inspect_sample(turns, ids=False)}


def inspect_events(turns: Sequence[Said]) -> Json:
    """A sample that broke off: its messages stand in the events only, each once, in a pool."""
    pool = _inspect_messages(turns, ids=True)
    events: list[Any] = [{"event": "span_begin", "id": "a"}]
    for at, row in enumerate(pool):
        if row["role"] == "assistant":
            output = {"choices": [{"message": row}]}
            refs = [[0, 1], [1, at]] if at else []
            events.append({"event": "model", "span_id": "a", "input": [], "input_refs": refs, "output": output})
        if row["role"] == "tool":
            named = {"id": row["tool_call_id"], "function": row["function"], "result": row["content"]}
            events.append({"event": "tool", "span_id": "a", "arguments": {}} | named)
    sample = {"id": "a", "epoch": 2, "input": "x", "target": "y", "messages": [], "events": events}
    return _HEADER | {"samples": [sample | {"events_data": {"messages": pool, "calls": []}}]}


def _opencode_rows(turns: Sequence[Said], *, steps: bool) -> list[Any]:
    rows: list[Any] = []
    asked = "msg_0"

    def add(role: str, parts: list[dict[str, Any]]) -> None:
        name = f"msg_{len(rows) + 1}"
        info: dict[str, Any] = {"id": name, "sessionID": "ses", "role": role, "time": {"created": len(rows)}}
        if role == "assistant":
            info |= {"parentID": asked, "modelID": "m", "providerID": "p", "finish": "stop"}
        own = [{"id": f"prt_{len(rows)}_{n}", "messageID": name} | part for n, part in enumerate(parts)]
        rows.append({"info": info, "parts": own})

    for at, turn in enumerate(turns):
        if turn.role == "user":
            add("user", [{"type": "text", "text": turn.text}])
            asked = rows[-1]["info"]["id"]
            continue
        calls: list[dict[str, Any]] = [
            {
                "type": "tool",
                "callID": f"c{at}.{n}",
                "tool": call.name,
                "state": {"status": "completed", "input": call.args, "output": call.result, "time": {"start": 1}},
            }
            for n, call in enumerate(turn.calls)
        ]
        words: list[dict[str, Any]] = [{"type": "reasoning", "text": "hm"}, {"type": "text", "text": turn.text}]
        step = [{"type": "step-start"}, *words, *calls, {"type": "step-finish", "reason": "stop"}]
        last = rows[-1] if rows else None
        if steps and last is not None and last["info"]["role"] == "assistant":  # one row, several replies
            name = last["info"]["id"]
            start = len(last["parts"])
            last["parts"] += [{"id": f"{name}_{start + n}"} | part for n, part in enumerate(step)]
        else:
            add("assistant", step if steps else [words[1], *calls])
    return rows


def opencode_export(turns: Sequence[Said]) -> Json:
    info = {"id": "ses", "projectID": "p", "directory": "/w", "title": "t", "time": {"created": 1}}
    return {"info": info, "messages": _opencode_rows(turns, steps=False)}


def opencode_steps(turns: Sequence[Said]) -> Json:
    info = {"id": "ses", "projectID": "p", "directory": "/w", "title": "t", "time": {"created": 1}}
    return {"info": info, "messages": _opencode_rows(turns, steps=True)}


def opencode_rows(turns: Sequence[Said]) -> Json:
    aborted = {"info": {"role": "assistant", "id": "msg_", "error": {"name": "MessageAbortedError"}}, "parts": []}
    return [aborted, *_opencode_rows(turns, steps=False)]


class _Call(NamedTuple):
    """A call of a model: what went in, what came out, and the results of the tools behind it."""

    inputs: tuple[tuple[int, Said], ...]
    output: tuple[int, Said]


def _calls_of(turns: Sequence[Said]) -> list[_Call]:
    """Every reply is a call that repeats all there was ahead of it; the last one always answers."""
    numbered = list(enumerate([*turns, Said("assistant", "done")]))
    return [_Call(tuple(numbered[:at]), (at, turn)) for at, turn in numbered if turn.role == "assistant"]


def _convention(at: int, turn: Said) -> list[Any]:
    calls = [
        {"type": "tool_call", "id": f"c{at}.{n}", "name": call.name, "arguments": call.args}
        for n, call in enumerate(turn.calls)
    ]
    rows: list[Any] = [{"role": turn.role, "parts": [{"type": "text", "content": turn.text}, *calls]}]
    results = [
        {"type": "tool_call_response", "id": f"c{at}.{n}", "response": call.result} for n, call in enumerate(turn.calls)
    ]
    return rows + ([{"role": "tool", "parts": results}] if results else [])


def _chat(at: int, turn: Said) -> list[Any]:
    calls = [
        {"type": "tool-call", "toolCallId": f"c{at}.{n}", "toolName": call.name, "input": call.args}
        for n, call in enumerate(turn.calls)
    ]
    rows: list[Any] = [{"role": turn.role, "content": [{"type": "text", "text": turn.text}, *calls]}]
    results = [
        {"type": "tool-result", "toolCallId": f"c{at}.{n}", "toolName": call.name}
        | {"output": {"type": "text", "value": call.result}}
        for n, call in enumerate(turn.calls)
    ]
    return rows + ([{"role": "tool", "content": results}] if results else [])


def otel_otlp(turns: Sequence[Said]) -> Json:
    spans: list[Any] = []
    for number, call in enumerate(_calls_of(turns)):
        said = {
            "gen_ai.operation.name": "chat",
            "gen_ai.system_instructions": json.dumps([{"type": "text", "content": "be brief"}]),
            "gen_ai.input.messages": json.dumps([row for one in call.inputs for row in _convention(*one)]),
            "gen_ai.output.messages": json.dumps(_convention(*call.output)[:1]),
        }
        attributes = [{"key": key, "value": {"stringValue": value}} for key, value in said.items()]
        named = {"traceId": "ab", "spanId": f"{number:016x}", "parentSpanId": "f0", "name": "chat m"}
        spans.append(named | {"startTimeUnixNano": str(number), "attributes": attributes, "status": {}})
    outer = {"traceId": "ab", "spanId": "f0", "name": "GET /", "startTimeUnixNano": "0", "attributes": []}
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": [outer, *spans]}]}]}


def otel_vercel(turns: Sequence[Said]) -> Json:
    spans: list[Any] = []
    for number, call in enumerate(_calls_of(turns)):
        at, turn = call.output
        calls = [
            {"toolCallId": f"c{at}.{n}", "toolName": one.name, "input": json.dumps(one.args)}
            for n, one in enumerate(turn.calls)
        ]
        attributes = {
            "ai.operationId": "ai.generateText.doGenerate",
            "ai.prompt.messages": json.dumps([row for one in call.inputs for row in _chat(*one)]),
            "ai.response.text": turn.text,
        } | ({"ai.response.toolCalls": json.dumps(calls)} if calls else {})
        context = {"traceId": "t", "spanId": f"s{number}"}
        spans.append({"name": "ai.x", "spanContext": context, "attributes": attributes, "startTime": [number, 0]})
    return spans


def otel_any_agent(turns: Sequence[Said]) -> Json:
    """No ids, one call at a time, and only the first call says what went in."""
    said = [Said(turn.role, turn.text, turn.calls[:1]) for turn in turns if turn.role == "assistant"]
    spans: list[Any] = []

    def add(name: str, attributes: dict[str, Any]) -> None:
        context = {"trace_id": 7, "span_id": len(spans)}
        ids = {"context": context, "parent": {"span_id": 99}, "start_time": len(spans)}
        spans.append({"name": name, **ids, "attributes": {"gen_ai.operation.name": name} | attributes})

    first = json.dumps([{"role": "system", "content": "be brief"}, {"role": "user", "content": "go"}])
    for turn in [*said, Said("assistant", "done")]:
        calls = [{"tool.name": call.name, "tool.args": json.dumps(call.args)} for call in turn.calls]
        opening = {} if spans else {"gen_ai.input.messages": first}
        add("call_llm", opening | {"gen_ai.output": json.dumps(calls) if calls else turn.text})
        for call in turn.calls:
            ran = {"gen_ai.tool.name": call.name, "gen_ai.tool.args": json.dumps(call.args)}
            add("execute_tool", ran | {"gen_ai.output": call.result})
    return {"spans": spans, "final_output": "done"}


def otel_openinference(turns: Sequence[Said]) -> Json:
    spans: list[Any] = []
    for number, call in enumerate(_calls_of(turns)):
        attributes: dict[str, Any] = {"openinference.span.kind": "LLM"}
        for side, some in (("input", call.inputs), ("output", (call.output,))):
            rows = [row for one in some for row in _flat(*one)]
            for at, row in enumerate(rows if side == "input" else rows[:1]):
                attributes |= {f"llm.{side}_messages.{at}.message.{key}": value for key, value in row.items()}
        spans.append({"name": "LLM", "context": {"trace_id": "t", "span_id": f"s{number}"}, "attributes": attributes})
    return spans


def _flat(at: int, turn: Said) -> list[dict[str, Any]]:
    row: dict[str, Any] = {"role": turn.role, "content": turn.text}
    rows = [row]
    for n, call in enumerate(turn.calls):
        row[f"tool_calls.{n}.tool_call.id"] = f"c{at}.{n}"
        row[f"tool_calls.{n}.tool_call.function.name"] = call.name
        row[f"tool_calls.{n}.tool_call.function.arguments"] = json.dumps(call.args)
        rows.append({"role": "tool", "content": call.result, "tool_call_id": f"c{at}.{n}"})
    return rows


SHAPES: dict[str, tuple[str, Callable[[Sequence[Said]], Any]]] = {
    "inspect log": ("inspect_eval_log", inspect_log),
    "inspect sample": ("inspect_eval_log", inspect_sample),
    "inspect archive": ("inspect_eval_log", inspect_archive),
    "inspect events": ("inspect_eval_log", inspect_events),
    "opencode export": ("opencode", opencode_export),
    "opencode steps": ("opencode", opencode_steps),
    "opencode rows": ("opencode", opencode_rows),
    "otel otlp": ("otel_genai", otel_otlp),
    "otel vercel": ("otel_genai", otel_vercel),
    "otel any-agent": ("otel_genai", otel_any_agent),
    "otel openinference": ("otel_genai", otel_openinference),
}
