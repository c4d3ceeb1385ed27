"""Conversations as Claude's Messages API, Bedrock, Managed Agents, Cline and Roo Code save them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.transcripts.talk import Call, Said

from foldproof.transcripts.json_text import Json

THINKING = {"type": "thinking", "thinking": "hm", "signature": "s"}
PIXEL = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aWk="}}


def anthropic_rows(turns: Sequence[Said], *, with_ids: bool = True) -> list[Any]:
    rows: list[Any] = []
    for at, turn in enumerate(turns):
        if turn.role == "user":
            rows.append({"role": "user", "content": turn.text})
            continue
        uses = [
            {"type": "tool_use", "id": f"c{at}.{n}", "name": c.name, "input": c.args} for n, c in enumerate(turn.calls)
        ]
        results = [
            {"type": "tool_result", "tool_use_id": f"c{at}.{n}", "content": c.result} for n, c in enumerate(turn.calls)
        ]
        if not with_ids:
            uses = [{name: said for name, said in use.items() if name != "id"} for use in uses]
            results = [{name: said for name, said in result.items() if name != "tool_use_id"} for result in results]
        rows.append({"role": "assistant", "content": [THINKING, {"type": "text", "text": turn.text}, *uses]})
        if results:
            rows.append({"role": "user", "content": results})
    return rows


def anthropic_body(turns: Sequence[Said]) -> Json:
    return {"model": "claude", "max_tokens": 9, "system": "be brief", "messages": anthropic_rows(turns)}


def anthropic_without_ids(turns: Sequence[Said]) -> Json:
    return {"anthropic_version": "bedrock-2023-05-31", "messages": anthropic_rows(turns, with_ids=False)}


def anthropic_list(turns: Sequence[Said]) -> Json:
    """A bare list: a system message among the others, a picture in every word of the user's."""
    rows: list[Any] = [{"role": "system", "content": [{"type": "text", "text": "be"}, PIXEL]}]
    for row in anthropic_rows(turns):
        is_text = isinstance(row["content"], str)
        rows.append(row | {"content": [{"type": "text", "text": row["content"]}, PIXEL]} if is_text else row)
    return rows


def anthropic_exchange(turns: Sequence[Said]) -> Json:
    """A recording; results and the user's next words share a row."""
    rows: list[Any] = []
    for row in anthropic_rows(turns):
        before = rows[-1]["content"] if rows and rows[-1]["role"] == "user" == row["role"] else None
        if isinstance(before, list) and isinstance(row["content"], str):
            rows[-1] = {"role": "user", "content": [*before, {"type": "text", "text": row["content"]}]}
        else:
            rows.append(row)
    last = rows.pop() if rows and rows[-1]["role"] == "assistant" else None
    answer = {"id": "msg", "type": "message", "model": "m", "stop_reason": "end_turn", **last} if last else None
    system = [{"type": "text", "text": "be", "cache_control": {"type": "ephemeral"}}]
    return {"request": {"system": system, "messages": rows}, "response": answer}


def anthropic_compacted(turns: Sequence[Said]) -> Json:
    """A session that the service compacted after the second message."""
    rows = anthropic_rows(turns)
    at = next((at for at, row in enumerate(rows) if at and row["role"] == "assistant"), None)
    if at is not None:
        block = {"type": "compaction", "content": "what was said: 7"}
        rows[at] = rows[at] | {"content": [block, *rows[at]["content"]]}
    return {"context_management": {"edits": [{"type": "compact_20260112"}]}, "messages": rows}


def bedrock_rows(turns: Sequence[Said]) -> list[Any]:
    rows: list[Any] = []
    for at, turn in enumerate(turns):
        if turn.role == "user":
            rows.append({"role": "user", "content": [{"text": turn.text}, {"cachePoint": {"type": "default"}}]})
            continue
        blocks: list[Any] = [
            {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}},
            {"text": turn.text},
        ]
        results: list[Any] = []
        for n, call in enumerate(turn.calls):
            blocks.append({"toolUse": {"toolUseId": f"c{at}.{n}", "name": call.name, "input": call.args}})
            words = [{"text": call.result}, {"json": {"n": n}}]
            results.append({"toolResult": {"toolUseId": f"c{at}.{n}", "content": words, "status": "success"}})
            results.append({"cachePoint": {"type": "default"}})
        rows.append({"role": "assistant", "content": blocks})
        if results:
            rows.append({"role": "user", "content": results})
    return rows


def bedrock_body(turns: Sequence[Said]) -> Json:
    return {"modelId": "m", "system": [{"text": "be"}], "inferenceConfig": {}, "messages": bedrock_rows(turns)}


def bedrock_exchange(turns: Sequence[Said]) -> Json:
    rows = bedrock_rows(turns)
    last = rows.pop() if rows and rows[-1]["role"] == "assistant" else None
    request = {"system": [], "toolConfig": {"tools": []}, "messages": rows}
    return {"request": request, "response": {"output": {"message": last}, "stopReason": "end_turn"} if last else None}


def managed_session(turns: Sequence[Said]) -> Json:
    """A session whose tools the service runs, and whose words the client sends ahead of them."""
    agent = {"name": "a", "model": {"id": "claude"}, "system": "be"}
    rows: list[Any] = [["client.beta.sessions.create", {"id": "sesn", "type": "session", "agent": agent}]]

    def streamed(kind: str, **said: Json) -> str:
        event = {"id": f"sevt_{len(rows)}", "processed_at": "t", "type": kind} | said
        rows.append(["client.beta.sessions.events.stream", event])
        return str(event["id"])

    for turn in turns:
        content = [{"type": "text", "text": turn.text}]
        if turn.role == "user":
            rows.append(_sent({"type": "user.message", "content": content}))
            streamed("session.status_running")
            streamed("user.message", content=content)
            continue
        streamed("span.model_request_start")
        streamed("agent.thinking")
        streamed("agent.message", content=content)
        calls = [
            (streamed(f"agent.{_kind(n)}tool_use", name=c.name, input=c.args), c) for n, c in enumerate(turn.calls)
        ]
        streamed("span.model_request_end")
        for n, (identifier, call) in enumerate(calls):
            _answer(rows, streamed, identifier, call, n)
    return rows


def _kind(number: int) -> str:
    return ("", "custom_", "mcp_")[number % 3]


def _sent(event: Json) -> Json:
    return ["client.beta.sessions.events.send", ["sesn", {"events": [event]}]]


def _answer(rows: list[Any], streamed: Callable[..., str], identifier: str, call: Call, number: int) -> None:
    kind = _kind(number)
    said = {f"{kind}tool_use_id": identifier, "content": [{"type": "text", "text": call.result}]}
    if kind == "custom_":
        rows.append(_sent({"type": "user.custom_tool_result", **said}))
    streamed(f"{'user' if kind == 'custom_' else 'agent'}.{kind}tool_result", is_error=False, **said)


def cline_rows(turns: Sequence[Said], *, native: bool, split: bool = False) -> list[Any]:
    """A task: calls as blocks with results as blocks or as text, or calls as tags."""
    rows: list[Any] = []
    details = {"type": "text", "text": "<environment_details>\n# Current Time\nnoon\n</environment_details>"}

    def add(role: str, content: list[Any]) -> None:
        rows.append({"role": role, "content": content, "ts": 1_700_000_000_000 + len(rows)})

    for at, turn in enumerate(turns):
        if turn.role == "user":
            tag = "feedback" if rows else "task"
            add("user", [{"type": "text", "text": f"<{tag}>\n{turn.text}\n</{tag}>"}, details])
            continue
        blocks: list[Any] = [{"type": "text", "text": turn.text}]
        results: list[Any] = []
        for n, call in enumerate(turn.calls):
            name = {"search": "search_files"}.get(call.name, call.name)
            heading = f"[{name} for 'x'] Result:"
            if native:
                blocks.append({"type": "tool_use", "id": f"c{at}.{n}", "name": name, "input": call.args})
                said = f"{heading}\n{call.result}"
                results.append({"type": "tool_result", "tool_use_id": f"c{at}.{n}", "content": said})
                continue
            inside = "".join(f"<{key}>{value}</{key}>\n" for key, value in call.args.items())
            blocks[0] = {"type": "text", "text": f"{blocks[0]['text']}\n\n<{name}>\n{inside}</{name}>"}
            texts = [heading, call.result] if split else [f"{heading}\n{call.result}"]
            results += [{"type": "text", "text": text} for text in texts]
        add("assistant", [THINKING, *blocks])
        if results:
            add("user", [*results, details])
    # Roo Code keeps a provider's reasoning as a row; it is no message of anybody's.
    rows.append({"type": "reasoning", "encrypted_content": "x", "summary": [], "ts": 1_700_000_000_999})
    return rows


def cline_native(turns: Sequence[Said]) -> Json:
    return cline_rows(turns, native=True)


def cline_tags(turns: Sequence[Said]) -> Json:
    return cline_rows(turns, native=False)


def cline_old(turns: Sequence[Said]) -> Json:
    return cline_rows(turns, native=False, split=True)


def roo_condensed(turns: Sequence[Said]) -> Json:
    """A task that Roo Code condensed once, after its third row."""
    rows = cline_rows(turns, native=True)
    reasoning = rows.pop()
    if len(rows) > 3 and rows[2]["role"] != "assistant":
        rows[:3] = [row | {"condenseParent": "k"} for row in rows[:3]]
        summary = [{"type": "text", "text": "## Conversation Summary\n7"}]
        rows.insert(3, {"role": "user", "content": summary, "ts": 1, "isSummary": True, "condenseId": "k"})
    return [*rows, reasoning]


SHAPES: dict[str, tuple[str, Callable[[Sequence[Said]], Any]]] = {
    "anthropic body": ("anthropic_messages", anthropic_body),
    "anthropic without ids": ("anthropic_messages", anthropic_without_ids),
    "anthropic list": ("anthropic_messages", anthropic_list),
    "anthropic exchange": ("anthropic_messages", anthropic_exchange),
    "anthropic compacted": ("anthropic_messages", anthropic_compacted),
    "bedrock body": ("bedrock_converse", bedrock_body),
    "bedrock exchange": ("bedrock_converse", bedrock_exchange),
    "managed session": ("anthropic_managed_agents", managed_session),
    "cline native": ("cline_task", cline_native),
    "cline tags": ("cline_task", cline_tags),
    "cline old": ("cline_task", cline_old),
    "roo condensed": ("cline_task", roo_condensed),
}
