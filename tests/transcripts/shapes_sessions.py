"""Sessions of coding agents: pi in both versions, with branches, and with compactions of its own."""

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


SHAPES: dict[str, tuple[str, Callable[[Sequence[Said]], Any]]] = {
    "pi first version": ("pi_session", pi_first),
    "pi third version": ("pi_session", pi_third),
    "pi compacted": ("pi_session", pi_compacted),
    "pi compacted tree": ("pi_session", pi_compacted_tree),
}
