"""Bedrock's Converse API: a request body, a bare list of messages, or a recorded `{request, response}`.

Checked in recorded traffic of Claude, DeepSeek, Llama, Mistral, Nova and Writer models; the kinds of blocks that are in
no file here are those of the service's model in botocore.

* A block is an object under the name of its kind: `{text}`, `{toolUse}`, `{toolResult}`, `{reasoningContent}` …
* The message of a response (`output.message`) is the last message of the conversation.
* `reasoningContent` goes to `thinking_blocks` as it is. Some models put their reasoning into text, which stays text.
* JSON in a result is its text, a document of text a file of text; images and other documents stay as they are.
* A tool that the service ran itself (a `toolUse` with a `type`) stays among the content, its result beside it.
* A `cachePoint` says nothing: it stays with the block ahead of it.
* The API has no compaction of its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.anthropic_messages import reminds, text_file
from foldproof.transcripts.block_document import BlockDocument, Wrapper
from foldproof.transcripts.block_rows import Block
from foldproof.transcripts.block_signs import is_bedrock
from foldproof.transcripts.codec import Format, fields_of, id_text
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.json_text import Json, revise
from foldproof.transcripts.rows import noted


class BedrockConverse:
    """The format of Bedrock's Converse API."""

    format = Format(
        "bedrock_converse",
        "Amazon Bedrock Converse API: request body, message list, recorded request and response",
        shape="{messages: [{role, content: [{text} | {toolUse} | {toolResult} | …]}], system, inferenceConfig}, "
        "the list alone, or {request, response}",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is of the Converse API."""
        return "messages with blocks under the name of their kind" if is_bedrock(value) else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a request."""
        return (BlockDocument(value, _RESPONSE).reading(ConverseBlocks(), ("id", "conversation_id", "session_id")),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the document with another conversation."""
        (edit,) = edits
        return BlockDocument(value, _RESPONSE).written(edit, ConverseBlocks(), natively=False)


def _answer(response: Json) -> dict[str, Any] | None:
    output = response.get("output") if isinstance(response, dict) else None
    message = output.get("message") if isinstance(output, dict) else None
    return message if isinstance(message, dict) else None


def _with_answer(response: Json, message: dict[str, Any]) -> Json:
    return revise(response, {"output": revise(response["output"], {"message": message})})


_RESPONSE = Wrapper(".output.message", _answer, _with_answer)


class ConverseBlocks:
    """The blocks of the Converse API."""

    def block(self, block: dict[str, Any]) -> Block:
        """Return what a block is."""
        if isinstance(block.get("text"), str):
            return Block("part", _text(block["text"]))
        if "toolUse" in block:
            return _call(block["toolUse"])
        if "toolResult" in block:
            return _result(block["toolResult"])
        if "reasoningContent" in block:
            return Block("thinking", block)
        if "cachePoint" in block:
            return Block("nothing")
        return Block("part", _words(block) or block)

    def app_of(self, texts: Sequence[str | None]) -> dict[str, str] | None:
        """Return Claude Code where all of these texts are its reminders."""
        return reminds(texts)

    def result_block(self, message: Message, replaced: dict[str, Any] | None) -> dict[str, Any]:  # noqa: ARG002
        """Return the block of a new result."""
        words = {"text": message.text}
        said: dict[str, Any] = {"role": "tool", "toolCallId": message.tool_call_id, "toolName": ...}
        said["content"] = [{"type": "text", "text": message.text}]
        result = {"toolUseId": message.tool_call_id, "content": [words]}
        if message.is_error is not None:
            result["status"] = "error" if message.is_error else "success"
            said["isError"] = message.is_error
        return noted({"toolResult": result}, said, message)

    def user_row(self, message: Message) -> dict[str, Any]:
        """Return the row of a new user message."""
        content = fields_of(message).get("content", "")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        blocks = [{"text": part["text"]} if part.keys() == {"type", "text"} else part for part in parts]
        return {"role": "user", "content": blocks}

    def summary_row(self, message: Message) -> dict[str, Any] | None:  # noqa: ARG002 - the Dialect's
        """Return None: the API has no row for a summary."""
        return None


def _call(call: Json) -> Block:
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        raise TranscriptError(f"expected a toolUse with a name; found {shown(call)}; it was not read")
    identifier = id_text(call.get("toolUseId"))
    if call.get("type") is not None and identifier is not None:
        tool = {"type": "provider-tool", "id": identifier, "name": call["name"], "input": call.get("input")}
        return Block("part", tool)
    return Block("call", {"id": identifier, "name": call["name"], "args": call.get("input", {})})


def _result(result: Json) -> Block:
    content = result.get("content") if isinstance(result, dict) else None
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise TranscriptError(f"expected a toolResult with a list of content; found {shown(result)}; it was not read")
    identifier = id_text(result.get("toolUseId"))
    parts = [_words(part) or part for part in content]
    if isinstance(result.get("type"), str) and identifier is not None:
        texts = "\n".join(part["text"] for part in parts if part.get("type") == "text")
        tool = {"type": "provider-tool-result", "id": identifier, "name": result["type"], "result": texts}
        return Block("part", tool)
    fields: dict[str, Any] = {"toolCallId": identifier, "content": parts}
    if result.get("status") in ("success", "error"):
        fields["isError"] = result["status"] == "error"
    return Block("result", fields)


def _words(block: dict[str, Any]) -> dict[str, Any] | None:
    """Return a block that holds words as a part that says them; None for any other."""
    if isinstance(block.get("text"), str) or "json" in block:
        return _text(block["text"] if "text" in block else json.dumps(block["json"], ensure_ascii=False))
    kind = next(iter(block), "")
    inside = block[kind] if block and isinstance(block[kind], dict) else {}
    source = inside.get("source")
    if kind == "citationsContent":
        return _text("\n".join(_texts(inside))) | {"citations": inside.get("citations")}
    if kind == "guardContent" and isinstance(inside.get("text"), dict):
        return _text("\n".join(_texts({"content": [inside["text"]]})))
    if kind == "searchResult":
        return text_file("\n".join(_texts(inside)), inside.get("title"), None)
    if kind == "document" and isinstance(source, dict) and isinstance(source.get("text"), str):
        return text_file(source["text"], inside.get("name"), None)
    return None


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _texts(holder: dict[str, Any]) -> list[str]:
    content = holder.get("content")
    parts = content if isinstance(content, list) else []
    first = [holder["source"]] if isinstance(holder.get("source"), str) else []
    return first + [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
