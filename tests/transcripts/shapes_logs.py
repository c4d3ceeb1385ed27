"""Small conversations in logs and traces: Inspect, OpenCode, OpenTelemetry spans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

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


SHAPES: dict[str, tuple[str, Callable[[Sequence[Said]], Any]]] = {
    "inspect log": ("inspect_eval_log", inspect_log),
    "inspect sample": ("inspect_eval_log", inspect_sample),
    "inspect archive": ("inspect_eval_log", inspect_archive),
    "inspect events": ("inspect_eval_log", inspect_events),
    "opencode export": ("opencode", opencode_export),
    "opencode steps": ("opencode", opencode_steps),
    "opencode rows": ("opencode", opencode_rows),
}
