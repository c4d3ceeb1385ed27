"""Conversations to fold, and folds that agents made: what foldproof reads, and four formats read for structure only.

Every JSON file below a folder is tried. What holds no conversation is counted, not read.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import foldproof as fp

_SUFFIXES = (".json", ".jsonl", ".traj")


@dataclass(frozen=True)
class Run:
    """A conversation that a file holds, and which half of the conversations of its format it belongs to."""

    format: str
    name: str
    messages: tuple[fp.Message, ...]
    half: int = 0


@dataclass(frozen=True)
class RecordedFold:
    """What an agent summarised, in what words, and what came after."""

    format: str
    name: str
    span: tuple[fp.Message, ...]
    summary: str
    later: tuple[fp.Message, ...]


@dataclass(frozen=True)
class Found:
    """What a folder holds."""

    runs: tuple[Run, ...]
    recorded: tuple[RecordedFold, ...]
    files: int
    unread: int


def find(folder: Path) -> Found:
    """Read every conversation below a folder. Every other one of a format, in order of path, is the second half."""
    runs: list[Run] = []
    recorded: list[RecordedFold] = []
    seen: dict[str, int] = {}
    paths = sorted(path for path in folder.rglob("*") if path.suffix in _SUFFIXES and path.is_file())
    unread = 0
    for path in paths:
        conversations = list(_conversations(path))
        folds = list(_recorded(path))
        unread += not conversations and not folds
        recorded += folds
        for format_, messages in conversations:
            place = seen[format_] = seen.get(format_, -1) + 1
            runs.append(Run(format_, f"{path.name} {place}", messages, place % 2))
    return Found(tuple(runs), tuple(recorded), len(paths), unread)


def _conversations(path: Path) -> Iterator[tuple[str, tuple[fp.Message, ...]]]:
    rows = _rows(path)
    entry = rows[0] if len(rows) == 1 and isinstance(rows[0], dict) else {}
    if "history" in entry:
        yield "sweagent_traj", tuple(_chat(entry["history"]))
    elif "answer_generation" in entry:
        told = entry["answer_generation"].get("train_messages")
        if told:
            yield "toolbench", tuple(_chat(told[-1]))
    elif _is_pi(rows):
        yield "pi_session", tuple(_pi(rows))
    elif _is_kimi(rows):
        yield "kimi", tuple(_kimi(rows))
    else:
        try:
            read = list(fp.load_all(path))
        except fp.TranscriptError:
            return  # counted as unread
        yield from ((conversation.format, conversation.messages) for conversation in read)


def _recorded(path: Path) -> Iterator[RecordedFold]:
    """Yield the summaries in a file whose words can be read; an encrypted one says nothing."""
    rows = _rows(path)
    claude = isinstance(rows[0], dict) and isinstance(rows[0].get("loglines"), list) if len(rows) == 1 else False
    rows = rows[0]["loglines"] if claude else rows
    for place, row in enumerate(rows):
        if not isinstance(row, dict):
            continue
        before, after = rows[:place], rows[place + 1 :]
        if row.get("type") == "compaction" and _is_pi(rows):
            yield RecordedFold("pi_session", path.name, tuple(_pi(before)), row["summary"], tuple(_pi(after)))
        elif row.get("type") == "context.apply_compaction":
            yield RecordedFold("kimi", path.name, tuple(_kimi(before)), row["summary"], tuple(_kimi(after)))
        elif row.get("isCompactSummary"):
            summary = _text(row["message"]["content"])
            yield RecordedFold("claude_code", path.name, tuple(_claude(before)), summary, tuple(_claude(after)))
        elif isinstance(row.get("request"), dict):
            yield from _anthropic(path, row["request"].get("messages") or ())


def _rows(path: Path) -> list[Any]:
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        whole = json.loads(text)
    except ValueError:
        return [row for line in text.splitlines() if line.strip() for row in _row(line)]
    return [whole]


def _row(line: str) -> Iterator[Any]:
    try:
        yield json.loads(line)
    except ValueError:
        return  # a line of something else than JSON is no row


def _message(**fields: object) -> fp.Message:
    return fp.Message.model_validate({name: value for name, value in fields.items() if value is not None})


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, dict) and part.get("text") is not None)


def _arguments(given: object) -> dict[str, Any]:
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return {"text": given}
    return given if isinstance(given, dict) else {"value": given}


def _chat(rows: Iterable[dict[str, Any]]) -> Iterator[fp.Message]:
    """Chat messages with a list of answered ids (SWE-agent), or with one call and none (ToolBench)."""
    last = "0"
    for place, row in enumerate(rows):
        text = _text(row.get("content"))
        if row["role"] in ("function", "tool"):
            last = (row.get("tool_call_ids") or [last])[0]
            yield _message(role="tool", content=text, toolCallId=last)
            continue
        given = [(call["id"], call["function"]) for call in row.get("tool_calls") or ()]
        if row.get("function_call"):
            last = str(place)
            given = [(last, row["function_call"])]
        calls = [{"id": name, "name": each["name"], "args": _arguments(each["arguments"])} for name, each in given]
        yield _message(role=row["role"], content=text, toolCalls=calls or None)


def _is_pi(rows: list[Any]) -> bool:
    return bool(rows) and isinstance(rows[0], dict) and rows[0].get("type") == "session" and "cwd" in rows[0]


def _pi(rows: Iterable[dict[str, Any]]) -> Iterator[fp.Message]:
    for row in rows:
        said = row.get("message")
        if row.get("type") != "message" or not isinstance(said, dict):
            continue
        content = said.get("content") or ()
        if said["role"] == "toolResult":
            failed = said.get("isError") or None
            yield _message(role="tool", content=_text(content), toolCallId=said["toolCallId"], isError=failed)
            continue
        parts = content if isinstance(content, list) else ()
        called = [part for part in parts if part.get("type") == "toolCall"]
        calls = [{"id": part["id"], "name": part["name"], "args": _arguments(part["arguments"])} for part in called]
        yield _message(role=said["role"], content=_text(content), toolCalls=calls or None)


def _is_kimi(rows: list[Any]) -> bool:
    return any(isinstance(row, dict) and str(row.get("type")).startswith("context.append") for row in rows)


def _kimi(rows: Iterable[dict[str, Any]]) -> Iterator[fp.Message]:
    for row in rows:
        if row.get("type") == "context.append_message":
            yield _message(role=row["message"]["role"], content=_text(row["message"]["content"]))
        event = row.get("event") or {}
        if row.get("type") != "context.append_loop_event":
            continue
        if event.get("type") == "tool.call":
            call = {"id": event["toolCallId"], "name": event["name"], "args": _arguments(event["args"])}
            yield _message(role="assistant", content="", toolCalls=[call])
        elif event.get("type") == "tool.result":
            said = event["result"]
            text = said["output"] if isinstance(said["output"], str) else _text(said["output"])
            failed = said.get("isError") or None
            yield _message(role="tool", content=text, toolCallId=event["toolCallId"], isError=failed)
        elif (event.get("part") or {}).get("type") == "text":
            yield _message(role="assistant", content=event["part"]["text"])


def _claude(rows: Iterable[dict[str, Any]]) -> Iterator[fp.Message]:
    for row in rows:
        said = row.get("message")
        if row.get("type") not in ("user", "assistant") or not isinstance(said, dict):
            continue
        blocks = said["content"] if isinstance(said["content"], list) else ()
        for block in blocks:
            if block.get("type") == "tool_result" and "tool_use_id" in block:
                yield _message(role="tool", content=_text(block.get("content")), toolCallId=block["tool_use_id"])
        calls = [
            {"id": block["id"], "name": block["name"], "args": block["input"]}
            for block in blocks
            if block.get("type") == "tool_use" and "id" in block
        ]
        text = _text(said["content"])
        if text or calls:
            yield _message(role=row["type"], content=text, toolCalls=calls or None)


def _anthropic(path: Path, messages: Iterable[dict[str, Any]]) -> Iterator[RecordedFold]:
    rows = [{"type": row["role"], "message": row} for row in messages]
    for place, row in enumerate(rows):
        blocks = row["message"].get("content")
        for block in blocks if isinstance(blocks, list) else ():
            if block.get("type") == "compaction" and block.get("content"):
                span, later = tuple(_claude(rows[:place])), tuple(_claude(rows[place + 1 :]))
                yield RecordedFold("anthropic_messages", path.name, span, _text(block["content"]), later)
