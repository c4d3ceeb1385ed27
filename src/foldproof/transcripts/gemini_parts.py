"""Parts of Gemini contents, in both spellings (`functionCall` and `function_call`), as the parts of messages.

The formats of Google's APIs and tools share them: `gemini_api`, `google_adk`, `gemini_cli_session`.

* A thought (`thought: true`) is a thinking part. A signature stands beside a part and goes back unchanged: under
  `continuity` of a thought, `providerMetadata` of a text, `providerMeta` of a call.
* A response is an object. Where it holds nothing but `output`, `result` or `return_value`, the model was given that
  value in the name of the tool, and it is what the tool said; otherwise the object is, as JSON. `error` marks a
  failure, by convention only.
* Code that the model ran (`executableCode`, `codeExecutionResult`) and tools that the server ran (`toolCall`,
  `toolResponse`) are provider tools.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from foldproof.transcripts.codec import made_up_id
from foldproof.transcripts.json_text import Json

CALL, RESPONSE, TEXT, CODE, CODE_RESULT, SERVER_CALL, SERVER_RESPONSE, INLINE, FILE = (
    "functionCall",
    "functionResponse",
    "text",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
    "inlineData",
    "fileData",
)
_SNAKE = {
    "function_call": CALL,
    "function_response": RESPONSE,
    "executable_code": CODE,
    "code_execution_result": CODE_RESULT,
    "tool_call": SERVER_CALL,
    "tool_response": SERVER_RESPONSE,
    "inline_data": INLINE,
    "file_data": FILE,
}
_KINDS = _SNAKE | {kind: kind for kind in (TEXT, *_SNAKE.values())}
_BESIDE = {
    "thought",
    "thoughtSignature",
    "thought_signature",
    "videoMetadata",
    "video_metadata",
    "mediaResolution",
    "media_resolution",
    "partMetadata",
    "part_metadata",
}
_WRAPPED = ("output", "result", "return_value")
_CANCELLED = "[Operation Cancelled]"
_REFUSED = re.compile(r"(?:Unknown tool name: |\d+ validation errors?:).*Fix the errors and try again\.\Z", re.DOTALL)
"""What Pydantic AI answers in the place of a tool that it did not run."""


def kind_of(part: Mapping[str, Any]) -> tuple[str | None, Any]:
    """Return which kind of part it is, with its value; None where nothing in it is known. A null is nothing."""
    for name, value in part.items():
        kind = _KINDS.get(name)
        if kind is not None and value is not None:
            return kind, value
    return None, None


def is_part(value: Json) -> bool:
    """Whether a value is a part of a Gemini content: other formats' parts name their `type`."""
    return isinstance(value, dict) and "type" not in value and (kind_of(value)[0] is not None or not _unknown(value))


def unknown_names(part: Mapping[str, Any]) -> list[str]:
    """Return the names in a part of which nothing is known."""
    return _unknown(part) if kind_of(part)[0] is None else []


def _unknown(part: Mapping[str, Any]) -> list[str]:
    return [name for name, value in part.items() if name not in _BESIDE and name not in _KINDS and value is not None]


def either(value: Mapping[str, Any], camel: str, snake: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return a member under either of its spellings."""
    found = value.get(camel)
    return value.get(snake) if found is None else found


def signature_of(part: Mapping[str, Any]) -> str | None:
    """Return the signature that stands beside a part."""
    found = either(part, "thoughtSignature", "thought_signature")
    return found if isinstance(found, str) else None


def text_part(part: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the message part of a text or a thought."""
    signature = signature_of(part)
    if part.get("thought") is True:
        kept = {} if signature is None else {"continuity": {"provider": "google", "thoughtSignature": signature}}
        return {"type": "thinking", "text": text, **kept}
    beside = {} if signature is None else {"providerMetadata": {"google": {"thoughtSignature": signature}}}
    return {"type": "text", "text": text, **beside}


def media_part(part: dict[str, Any], kind: str, value: Json) -> dict[str, Any]:
    """Return the message part of a file. Sound, film and what has no type stay as they are."""
    if not isinstance(value, dict):
        return part
    mime = either(value, "mimeType", "mime_type")
    source = value.get("data") if kind == INLINE else either(value, "fileUri", "file_uri")
    if not isinstance(mime, str) or not isinstance(source, str):
        return part
    if not mime.startswith("image/") and mime != "application/pdf":
        return part
    name = either(value, "displayName", "display_name")
    origin = {"type": "base64", "data": source} if kind == INLINE else {"type": "url", "url": source}
    file = {"mimeType": mime, "name": name if isinstance(name, str) else "", "source": origin}
    return {"type": "file", "file": file | {"kind": "image" if mime.startswith("image/") else "document"}}


def provider_result(kind: str, value: Mapping[str, Any]) -> Json:
    """Return what a tool that the provider ran gave back; a failure says that it is one."""
    if kind == SERVER_RESPONSE:
        return value.get("response")
    outcome = value.get("outcome")
    output = value.get("output")
    if outcome in (None, "OUTCOME_OK", "OUTCOME_UNSPECIFIED"):
        return output if isinstance(output, str) else ""
    return {"type": "error", "outcome": outcome, "output": output}


def call_fields(call: Mapping[str, Any], part: Mapping[str, Any], apart: object) -> dict[str, Any] | None:
    """Return a call as a message holds it, or None where it has no name.

    A call recorded without an id gets one made of its name, its arguments, its signature, and of what tells equal calls
    `apart`: it stays the same when another row leaves.
    """
    name, args = call.get("name"), call.get("args")
    if not isinstance(name, str):
        return None
    signature = signature_of(part)
    identifier = call.get("id")
    if not isinstance(identifier, str) or not identifier:
        identifier = made_up_id("call", name, args, signature, apart)
    beside = {} if signature is None else {"providerMeta": {"google": {"thoughtSignature": signature}}}
    return {"id": identifier, "name": name, "args": {} if args is None else args, **beside}


def result_fields(response: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a function response says: content, whether it failed, and whether the tool ran at all."""
    said = response.get("response")
    fields = words_of(said)
    more = response.get("parts")
    if isinstance(more, list) and more:
        pieces = [piece for piece in more if isinstance(piece, dict)]
        files = [media_part(piece, *_known(piece)) for piece in pieces]
        fields["content"] = [{"type": "text", "text": fields["content"]}, *files]
    return fields


def _known(part: dict[str, Any]) -> tuple[str, Any]:
    kind, value = kind_of(part)
    return kind or "", value


def words_of(said: Json) -> dict[str, Any]:
    """Return what the response of a tool says, and whether it says that the tool failed or never ran."""
    if not isinstance(said, dict):
        return {"content": "" if said is None else _text(said)}
    error = said.get("error")
    failed = error not in (None, "", False) or said.get("isError") is True
    inside = next(iter(said.values())) if len(said) == 1 and next(iter(said)) in (*_WRAPPED, "error") else said
    fields: dict[str, Any] = {"content": _text(inside)}
    if failed:
        fields["isError"] = True
        if isinstance(error, str) and (error.startswith(_CANCELLED) or _REFUSED.match(error)):
            fields["toolResultOrigin"] = "not-entered"
    return fields


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def as_parts(content: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - text or parts
    """Return content as parts: an empty text is none."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return list(content)


def content_of(parts: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """Return parts as content: one text with nothing beside it is a string."""
    if not parts:
        return ""
    only = parts[0]
    return only["text"] if len(parts) == 1 and only.keys() == {"type", "text"} and only["type"] == "text" else parts


def text_of(content: Any) -> str:  # noqa: ANN401 - text or parts
    """Return the words of content."""
    if isinstance(content, str):
        return content
    return "\n".join(
        part["text"] for part in content if part.get("type") == "text" and isinstance(part.get("text"), str)
    )
