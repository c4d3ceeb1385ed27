"""How rows of blocks are told apart: Claude's, Bedrock's and Cline's look alike, and like Chat Completions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from foldproof.transcripts.block_document import body_in
from foldproof.transcripts.codec import FIELDS
from foldproof.transcripts.json_text import Json

_SAMPLE = 50
_ROLES = ("user", "assistant", "system")
_ELSEWHERE = ("tool_calls", "function_call", "tool_call_id", "parts", "toolCalls")
_BODY = ("anthropic_version", "anthropic_beta", "context_management")
_CONVERSE = ("inferenceConfig", "toolConfig", "additionalModelRequestFields")
_PARTS = ("input_text", "output_text", "input_image", "input_file", "refusal")
_KEYED = (
    "text",
    "toolUse",
    "toolResult",
    "reasoningContent",
    "image",
    "document",
    "video",
    "audio",
    "cachePoint",
    "guardContent",
    "citationsContent",
    "searchResult",
)
"""The kinds of Bedrock's blocks: a block holds exactly one of these."""

_SHAPES: dict[str, Callable[[dict[str, Any]], bool]] = {
    "tool_use": lambda block: "input" in block and "name" in block,
    "tool_result": lambda block: "tool_use_id" in block,
    "thinking": lambda block: "thinking" in block and "signature" in block,
    "redacted_thinking": lambda block: "data" in block,
    "server_tool_use": lambda block: "input" in block,
    "mcp_tool_use": lambda block: "input" in block,
    "container_upload": lambda block: "file_id" in block,
    "compaction": lambda block: "content" in block,
    "image": lambda block: isinstance(block.get("source"), dict),
    "document": lambda block: isinstance(block.get("source"), dict),
    "search_result": lambda block: "source" in block and isinstance(block.get("content"), list),
}
"""Blocks that Claude's API has and Chat Completions has not, by type."""


def is_cline(value: Json) -> bool:
    """Whether a list is the history of a Cline or Roo Code task: rows with a time, the first words in `<task>`."""
    rows = _rows_of(value) if isinstance(value, list) else []
    if any("ts" in row and isinstance(row["ts"], int) and _may_be_clines(row) for row in rows):
        return True
    first = next((row for row in rows if row.get("role") == "user"), {})
    content = first.get("content")
    opening = content[0] if isinstance(content, list) and content else content
    text = opening.get("text") if isinstance(opening, dict) else opening
    return isinstance(text, str) and text.startswith("<task>\n") and _speak_in_blocks(rows)


def is_anthropic(value: Json) -> bool:
    """Whether a list, a body or a recording is of Claude's Messages API."""
    body, _ = body_in(value)
    stored = body.get("messages") if isinstance(body, dict) else body
    if not isinstance(stored, list) or is_cline(value) or is_bedrock(value):
        return False
    rows = _rows_of(stored)
    if not _speak_in_blocks(rows) or (stored and not rows) or any(map(_is_an_item, rows)):
        return False
    if any(map(_is_claudes, rows)):
        return True
    if not isinstance(body, dict):
        return False
    return _is_claudes_body(body) or (body is not value and _is_claudes_answer(value["response"]))


def is_bedrock(value: Json) -> bool:
    """Whether a list, a body or a recording is of Bedrock's Converse API."""
    body, _ = body_in(value)
    stored = body.get("messages") if isinstance(body, dict) else body
    if not isinstance(stored, list):
        return False
    rows = _rows_of(stored)
    if not _speak_in_blocks(rows) or (stored and not rows):
        return False
    blocks = [block for row in rows for block in _blocks_of(row)]
    if blocks and not all(map(_is_keyed, blocks)):
        return False
    if any(isinstance(row.get("content"), str) for row in rows):
        return False
    return bool(blocks) or (isinstance(body, dict) and any(isinstance(body.get(name), dict) for name in _CONVERSE))


def _rows_of(stored: list[Any]) -> list[dict[str, Any]]:
    return [row for row in stored[:_SAMPLE] if isinstance(row, dict)]


def _speak_in_blocks(rows: list[dict[str, Any]]) -> bool:
    """Whether rows may be of one of these formats: nobody else speaks, and calls stand nowhere else."""
    return all("content" in row and row.get("role") in _ROLES for row in rows) and not any(
        name in row for row in rows for name in _ELSEWHERE
    )


def _blocks_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    content = row.get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _may_be_clines(row: dict[str, Any]) -> bool:
    if row.get("type") == "reasoning":
        return True
    return row.get("role") in _ROLES[:2] and "content" in row and not any(name in row for name in _ELSEWHERE)


def _is_an_item(row: dict[str, Any]) -> bool:
    """Whether a row is a message item of OpenAI's Responses, which may carry our note too."""
    return any(block.get("type") in _PARTS for block in _blocks_of(row))


def _is_claudes(row: dict[str, Any]) -> bool:
    blocks = _blocks_of(row)
    return any(map(_is_claudes_block, blocks)) or (
        isinstance(row.get(FIELDS), dict) and not any(map(_is_keyed, blocks))
    )


def _is_claudes_block(block: dict[str, Any]) -> bool:
    kind = block.get("type")
    if not isinstance(kind, str):
        return False
    shape = _SHAPES.get(kind)
    return shape(block) if shape is not None else kind.endswith("_tool_result") and "tool_use_id" in block


def _is_claudes_body(body: dict[str, Any]) -> bool:
    system, thinking, tools = body.get("system"), body.get("thinking"), body.get("tools")
    if any(name in body for name in _BODY):
        return True
    if isinstance(system, str) or (isinstance(system, list) and all(map(_is_text, system))):
        return True
    if isinstance(thinking, dict) and "budget_tokens" in thinking:
        return True
    return isinstance(tools, list) and any(isinstance(tool, dict) and "input_schema" in tool for tool in tools)


def _is_text(block: Json) -> bool:
    return isinstance(block, dict) and block.get("type") == "text"


def _is_claudes_answer(response: Json) -> bool:
    if not isinstance(response, dict):
        return isinstance(response, str) and response.startswith("event: message_start")
    return response.get("type") == "message" and isinstance(response.get("content"), list)


def _is_keyed(block: dict[str, Any]) -> bool:
    return "type" not in block and any(name in block for name in _KEYED) and len(block.keys() - {FIELDS}) == 1
