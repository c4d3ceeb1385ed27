"""The message that a stream of the Messages API makes: its events, as they were recorded, in one text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_DATA = "data:"
_APPENDED = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("signature", "signature"),
    "compaction_delta": ("content", "content"),
    "input_json_delta": ("partial_json", "partial_json"),
}
"""What a delta adds text to, by its type: its own member, and the block's."""


def message_of_stream(text: str) -> dict[str, Any] | None:
    """Return the message of a recorded stream, as far as it was recorded; None for a text that is none."""
    message: dict[str, Any] | None = None
    blocks: dict[int, dict[str, Any]] = {}
    for event in _events(text):
        said, index = event.get("message"), event.get("index")
        if event.get("type") == "message_start" and isinstance(said, dict):
            message = said
        elif isinstance(index, int) and isinstance(event.get("content_block"), dict):
            blocks[index] = dict(event["content_block"])
        elif isinstance(index, int) and index in blocks and isinstance(event.get("delta"), dict):
            _add(blocks[index], event["delta"])
        elif message is not None and event.get("type") == "message_delta" and isinstance(event.get("delta"), dict):
            message |= event["delta"]
    if message is None:
        return None
    return message | {"content": [_complete(blocks[index]) for index in sorted(blocks)]}


def _events(text: str) -> Iterator[dict[str, Any]]:
    for line in text.split("\n"):
        if line.startswith(_DATA):
            try:
                event = json.loads(line[len(_DATA) :])
            except (ValueError, RecursionError):
                continue
            if isinstance(event, dict):
                yield event


def _add(block: dict[str, Any], delta: dict[str, Any]) -> None:
    kind = delta.get("type")
    own, name = _APPENDED.get(kind, ("", "")) if isinstance(kind, str) else ("", "")
    added, before = delta.get(own), block.get(name)
    if isinstance(added, str):
        block[name] = (before if isinstance(before, str) else "") + added
    elif kind == "citations_delta" and isinstance(before := block.get("citations"), list | None):
        block["citations"] = [*(before or []), delta.get("citation")]


def _complete(block: dict[str, Any]) -> dict[str, Any]:
    """Return a block with the input it was given piece by piece; what is no JSON stays text."""
    if "partial_json" not in block:
        return block
    pieces = block.pop("partial_json")
    try:
        return block | {"input": json.loads(pieces or "{}")}
    except (ValueError, RecursionError):
        return block | {"input": pieces}
