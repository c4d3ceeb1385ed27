"""Claude's Messages API: a request body, a bare list of messages, or a recorded `{request, response}`.

Checked in recorded traffic of 2025 and 2026, also by way of Bedrock (`anthropic_version`); the names of blocks that are
in no file here are those of the Python SDK (0.x, 2026).

* `system` stands outside the messages, as text or text blocks; it is the first message here. A `system` message among
  the others, which the API takes since 2026, stays where it is.
* A user row holds the results of several calls, and then the user's words; each result is a tool message. Rows of
  the assistant's whose results stand in one row are one message: the API reads them as one turn too.
* `thinking` and `redacted_thinking` blocks go to `thinking_blocks` as they are. In which order they stood among words
  and calls is said by the row alone, which is written back as it was.
* A tool that the server ran itself (`server_tool_use` and its result in one message) stays in the content as it came.
* A `document` of text and a `search_result` inside a result are files of text here, so that what they say can be read.
* A `compaction` block is a frame: it stands for what the request holds ahead of it, which the API ignores from there
  on. One without a summary (a compaction that failed, or one that only the API can read) stays a block.
* A new summary that opens the window is a `compaction` block where the request asks for compaction
  (`context_management`) or has such a block already; elsewhere it is a user message, for the API would refuse the
  block, or ignore what is kept ahead of it.
* A user's row, or what stands behind the results in one, that holds nothing but reminders of Claude Code's
  (`<system-reminder>`) is `injectedBy` it.
* A result whose words context editing cleared says nothing (`toolChars: 0`), and the conversation is `incomplete`. The
  API clears a copy of its own, so what stands in a file of these rows was cleared by the app.
* A response that was recorded as a stream of events is the message they make.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.anthropic_stream import message_of_stream
from foldproof.transcripts.block_document import BlockDocument, Wrapper, body_in
from foldproof.transcripts.block_rows import Block
from foldproof.transcripts.block_signs import is_anthropic
from foldproof.transcripts.codec import FIELDS, Format, fields_of, id_text
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.json_text import Json
from foldproof.transcripts.rows import noted

_REMINDER, _REMINDER_END = "<system-reminder>", "</system-reminder>"
_NAMES = ("id", "conversation_id", "session_id")


class AnthropicMessages:
    """The format of Claude's Messages API."""

    format = Format(
        "anthropic_messages",
        "Anthropic Messages API: request body, message list, recorded request and response",
        shape="{messages: [{role, content: [{type: text | tool_use | tool_result | thinking, …}]}], system}, "
        "the list alone, or {request, response}",
        compaction="a block {type: compaction, content} in an assistant message",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is of Claude's Messages API."""
        return "messages with content blocks or fields of the Messages API" if is_anthropic(value) else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a request."""
        return (BlockDocument(value, _RESPONSE).reading(ClaudeBlocks(), _NAMES),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the document with another conversation."""
        (edit,) = edits
        natively = bool(edit.reading.folded) or _compacts(value)
        return BlockDocument(value, _RESPONSE).written(edit, ClaudeBlocks(), natively=natively)


def _answer(response: Json) -> dict[str, Any] | None:
    said = message_of_stream(response) if isinstance(response, str) else response
    return said if isinstance(said, dict) and said.get("role") == "assistant" and "content" in said else None


_RESPONSE = Wrapper("", _answer, lambda _, message: message)


def _compacts(value: Json) -> bool:
    body, _ = body_in(value)
    asked = body.get("context_management") if isinstance(body, dict) else None
    edits = asked.get("edits") if isinstance(asked, dict) else None
    kinds = [edit.get("type") for edit in edits if isinstance(edit, dict)] if isinstance(edits, list) else []
    return any(isinstance(kind, str) and kind.startswith("compact_") for kind in kinds)


class ClaudeBlocks:
    """The blocks of the Messages API."""

    def block(self, block: dict[str, Any]) -> Block:
        """Return what a block is."""
        kind = block.get("type")
        if kind == "tool_use":
            return Block("call", call_of(block))
        if kind == "tool_result":
            return Block("result", result_of(block))
        if kind in ("thinking", "redacted_thinking"):
            return Block("thinking", block)
        if kind == "compaction" and isinstance(block.get("content"), str):
            return Block("summary", block["content"])
        return Block("part", block)

    def app_of(self, texts: Sequence[str | None]) -> dict[str, str] | None:
        """Return Claude Code where all of these texts are its reminders."""
        return reminds(texts)

    def result_block(self, message: Message, replaced: dict[str, Any] | None) -> dict[str, Any]:  # noqa: ARG002
        """Return the block of a new result."""
        said: dict[str, Any] = {"role": "tool", "toolCallId": message.tool_call_id, "toolName": ...}
        said["content"] = fields_of(message).get("content", "")
        block = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": said["content"]}
        if message.is_error is not None:
            said["isError"] = block["is_error"] = message.is_error
        return noted(block, said, message)

    def user_row(self, message: Message) -> dict[str, Any]:
        """Return the row of a new user message."""
        return {"role": "user", "content": fields_of(message).get("content", "")}

    def summary_row(self, message: Message) -> dict[str, Any] | None:
        """Return an assistant row with the compaction block of a summary; the API takes no empty one."""
        if not message.text:
            return None
        block = {"type": "compaction", "content": message.text, FIELDS: {}}
        said = {"role": "user", "content": message.text}
        return {"role": "assistant", "content": [noted(block, said, message)]}


def reminds(texts: Sequence[str | None]) -> dict[str, str] | None:
    """Return that Claude Code said these texts as the user, where they are its reminders and nothing else."""
    said = False
    for text in texts:
        left = None if text is None else text.strip()
        while left:
            opening, _, behind = left.partition(_REMINDER)
            inside, end, rest = behind.partition(_REMINDER_END)
            left = rest.strip() if not opening and inside and end else None
            said = True
        if left is None:
            return None
    return {"source": "claude_code", "reason": "a tag of the app"} if said else None


def call_of(block: dict[str, Any]) -> dict[str, Any]:
    """Return the call in a `tool_use` block.

    Raises:
        TranscriptError: it names no tool.
    """
    name = block.get("name")
    if not isinstance(name, str):
        raise TranscriptError(f"expected a call with a name; found {shown(name)}; it was not read")
    return {"id": id_text(block.get("id")), "name": name, "args": block.get("input", {})}


def result_of(block: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the result in a `tool_result` block.

    Raises:
        TranscriptError: its content is neither text nor a list of blocks.
    """
    fields: dict[str, Any] = {"toolCallId": id_text(block.get("tool_use_id")), "content": words_of(block)}
    if isinstance(block.get("is_error"), bool):
        fields["isError"] = block["is_error"]
    return fields


def words_of(block: dict[str, Any]) -> str | list[dict[str, Any]]:
    """Return the content of a result: its text, or its blocks as parts.

    Raises:
        TranscriptError: it is neither text nor a list of blocks.
    """
    content = block.get("content")
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list) or not all(isinstance(part, dict | str) for part in content):
        raise TranscriptError(f"expected text or a list of blocks; found {shown(content)}; it was not read")
    return [part_of(part) if isinstance(part, dict) else {"type": "text", "text": part} for part in content]


def part_of(block: dict[str, Any]) -> dict[str, Any]:
    """Return a block inside a result as a part; a document of text and a search result become files of text."""
    kind = block.get("type")
    source = block.get("source")
    if kind == "document" and isinstance(source, dict) and isinstance(source.get("data"), str):
        if source.get("type") == "text":
            return text_file(source["data"], block.get("title"), source.get("media_type"))
    elif kind == "search_result" and isinstance(source, str) and isinstance(block.get("content"), list):
        said = [
            part["text"] for part in block["content"] if isinstance(part, dict) and isinstance(part.get("text"), str)
        ]
        return text_file("\n".join([source, *said]), block.get("title"), None)
    return block


def text_file(text: str, name: object, mime_type: object) -> dict[str, Any]:
    """Return a file part of text."""
    kind = mime_type if isinstance(mime_type, str) else "text/plain"
    named = name if isinstance(name, str) else "document"
    file = {"kind": "document", "mimeType": kind, "name": named, "source": {"type": "text", "content": text}}
    return {"type": "file", "file": file}
