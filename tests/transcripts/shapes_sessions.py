"""Sessions of coding agents: pi and Claude Code, with branches, sub-agents, and compactions of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.transcripts.talk import Said

from foldproof.transcripts.json_text import Json


def _pi_messages(turns: Sequence[Said]) -> list[Any]:
    said: list[Any] = []
    for at, turn in enumerate(turns):
        if turn.role == "user":
            said.append({"role": "user", "content": [{"type": "text", "text": turn.text}], "timestamp": at})
            continue
        blocks: list[Any] = [
            {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"},
            {"type": "text", "text": turn.text},
        ]
        blocks += [
            {"type": "toolCall", "id": f"c{at}.{n}", "name": call.name, "arguments": call.args}
            for n, call in enumerate(turn.calls)
        ]
        said.append({"role": "assistant", "content": blocks, "model": "m", "stopReason": "stop", "usage": {"input": 1}})
        said += [
            {
                "role": "toolResult",
                "toolCallId": f"c{at}.{n}",
                "toolName": call.name,
                "content": [{"type": "text", "text": call.result}],
                "isError": n == 1,
                "timestamp": at,
            }
            for n, call in enumerate(turn.calls)
        ]
    return said


def pi_first(turns: Sequence[Said]) -> Json:
    """Version 1: a list."""
    rows: list[Any] = [{"type": "session", "id": "s", "timestamp": "t", "cwd": "/w", "provider": "p", "modelId": "m"}]
    for at, said in enumerate(_pi_messages(turns)):
        rows.append({"type": "message", "timestamp": f"t{at}", "message": said})
        if at % 3 == 0:
            rows.append({"type": "thinking_level_change", "timestamp": "t", "thinkingLevel": "off"})
    return rows


def pi_third(turns: Sequence[Said]) -> Json:
    """Version 3: a tree, with a branch that was left behind the first entry of each three."""
    rows: list[Any] = [{"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/w"}]
    last: str | None = None

    def add(kind: str, **more: Json) -> str:
        rows.append({"type": kind, "id": f"e{len(rows)}", "parentId": last, "timestamp": "t", **more})
        return str(rows[-1]["id"])

    last = add("model_change", provider="p", modelId="m")
    for at, said in enumerate(_pi_messages(turns)):
        last = add("message", message=said)
        if at % 3 == 0:
            add("message", message={"role": "user", "content": "never mind"})
            last = add("branch_summary", fromId="x", summary="") if at % 2 else add("label", targetId=last, label="l")
    add("custom", customType="x", data=1)
    return rows


def pi_compacted(turns: Sequence[Said]) -> Json:
    """Version 1 with a compaction that keeps the last turn ahead of it."""
    rows = pi_first(turns)
    if turns:
        kept = max(at for at, row in enumerate(rows) if row["type"] == "message")
        rows.append({"type": "compaction", "timestamp": "t", "summary": "so far", "firstKeptEntryIndex": kept})
        rows.append({"type": "message", "timestamp": "t", "message": {"role": "user", "content": "go on"}})
    return rows


def pi_compacted_tree(turns: Sequence[Said]) -> Json:
    """Version 3 with two compactions on top of each other."""
    rows = pi_third(turns)
    for number in range(2):
        last, first = rows[-1]["id"], rows[-2]["id"]
        rows.append({"type": "compaction", "id": f"k{number}", "parentId": last, "timestamp": "t"})
        rows[-1] |= {"summary": f"so far {number}", "firstKeptEntryId": first, "tokensBefore": 9}
    return rows


def _claude_rows(turns: Sequence[Said], **about: Json) -> list[Any]:
    rows: list[Any] = []

    def add(kind: str, content: Json, **more: Json) -> None:
        parent = rows[-1]["uuid"] if rows else None
        row = {"parentUuid": parent, "isSidechain": False, "sessionId": "s", "version": "2.1", **about, "type": kind}
        said = {"role": kind, "content": content} | ({"id": f"m{len(rows)}"} if kind == "assistant" else {})
        rows.append(row | {"message": said, "uuid": f"u{len(rows)}", "timestamp": "t"} | more)

    for at, turn in enumerate(turns):
        if turn.role == "user":
            add("user", turn.text)
            continue
        uses = [
            {"type": "tool_use", "id": f"c{at}.{n}", "name": call.name, "input": call.args}
            for n, call in enumerate(turn.calls)
        ]
        add("assistant", [{"type": "text", "text": turn.text}, *uses])
        for n, call in enumerate(turn.calls):
            block = {"type": "tool_result", "tool_use_id": f"c{at}.{n}", "content": call.result}
            add("user", [block], toolUseResult={"stdout": call.result})
    return rows


def claude_compacted(turns: Sequence[Said]) -> Json:
    """A session with a compaction behind its turns, and one more that preserved the last row ahead of it."""
    rows = [{"type": "summary", "summary": "a title", "leafUuid": "x"}, *_claude_rows(turns)]
    for number in range(2):
        last = rows[-1].get("uuid")
        facts: dict[str, Any] = {"trigger": "auto", "preTokens": 9}
        if number:
            facts["preservedSegment"] = {"headUuid": last, "anchorUuid": f"s{number}", "tailUuid": last}
        about = {"isSidechain": False, "sessionId": "s", "timestamp": "t"}
        rows.append({"parentUuid": None, "logicalParentUuid": last, **about, "type": "system", "uuid": f"b{number}"})
        rows[-1] |= {"subtype": "compact_boundary", "content": "Conversation compacted", "compactMetadata": facts}
        rows.append({"parentUuid": f"b{number}", **about, "type": "user", "uuid": f"s{number}"})
        rows[-1] |= {"isCompactSummary": True, "message": {"role": "user", "content": f"so far {number}"}}
        rows.append({"parentUuid": f"s{number}", **about, "type": "user", "uuid": f"g{number}"})
        rows[-1] |= {"message": {"role": "user", "content": "go on"}}
    return rows


def claude_agent(turns: Sequence[Said]) -> Json:
    """The file of a sub-agent, as from 2.0 on."""
    title = {"type": "summary", "summary": "a title", "leafUuid": "x"}
    return [title, *_claude_rows(turns, isSidechain=True, agentId="a1")]


def claude_stream(turns: Sequence[Said]) -> Json:
    """What print mode prints: no links, and a row of every block."""
    about = {"session_id": "s"}
    rows: list[Any] = [{"type": "system", "subtype": "init", "model": "m", "tools": [], "mcp_servers": [], **about}]

    def add(kind: str, content: Json, **said: Json) -> None:
        row = {"type": kind, "message": {"role": kind, "content": content, **said}, "parent_tool_use_id": None}
        rows.append({**row, **about, "uuid": f"u{len(rows)}"})

    for at, turn in enumerate(turns):
        if turn.role == "user":
            add("user", turn.text)
            continue
        blocks: list[Any] = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": turn.text}]
        for n, call in enumerate(turn.calls):
            blocks.append({"type": "tool_use", "id": f"c{at}.{n}", "name": call.name, "input": call.args})
        for block in blocks:
            add("assistant", [block], id=f"m{at}")
        for n, call in enumerate(turn.calls):
            add("user", [{"type": "tool_result", "tool_use_id": f"c{at}.{n}", "content": call.result}])
    add("assistant", [{"type": "text", "text": "done"}], id="last")
    return [*rows, {"type": "result", "subtype": "success", "is_error": False, "result": "done", **about}]


SHAPES: dict[str, tuple[str, Callable[[Sequence[Said]], Any]]] = {
    "pi first version": ("pi_session", pi_first),
    "pi third version": ("pi_session", pi_third),
    "pi compacted": ("pi_session", pi_compacted),
    "pi compacted tree": ("pi_session", pi_compacted_tree),
    "claude compacted": ("claude_code", claude_compacted),
    "claude sub-agent": ("claude_code", claude_agent),
    "stream of claude": ("claude_stream", claude_stream),
}
