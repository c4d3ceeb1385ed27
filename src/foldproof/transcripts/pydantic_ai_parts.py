"""Parts of Pydantic AI's requests and responses, as fields of messages. `pydantic_ai` says what was checked."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import OPENINGS
from foldproof.transcripts.json_text import Json

APP = "pydantic_ai"
"""Who is named for what no person wrote."""

Part = dict[str, Any]
Fields = dict[str, Any]

SILENT = ("tool-availability-delta", "capability-load-delta", "model-settings-delta", "instruction-baseline")
"""Kinds of parts that record what was set up, and say nothing to the model."""

_ENDED = "Final result processed."
_STATUS = (
    _ENDED,
    "Tool not executed - ",
    "Output tool not used - ",
    "Output tool processed, but its value will not be the final result",
    "Output not used as the final result - ",
)
_NEVER_ENTERED = ("validation_error", "unknown_tool", "unavailable_tool")
_SYNTHESIZED = "pydantic_ai_synthesized_tool_return"
_CORRECTION = OPENINGS["evidence-check"]  # a validator of a tool's output asked again; it quotes what was made up
_TEXTS = ("text-content", "structured-content")
_FILES = ("image-url", "audio-url", "document-url", "video-url", "binary", "uploaded-file")


def request_fields(part: Part, path: str) -> Fields | None:
    """Return the message fields of a part of a request; None for a part that says nothing, or of an unknown kind.

    Raises:
        TranscriptError: it is not what its kind promises, and where.
    """
    fields: Fields | None = None
    match part.get("part_kind"):
        case "user-prompt":
            fields = {"role": "user", "content": _prompt(part.get("content"), f"{path}.content")}
        case "tool-return":
            fields = _returned(part, path)
        case "retry-prompt" if part.get("tool_name") is not None:
            fields = _retried(part, path)
        case "retry-prompt" | "retry-feedback":
            fields = {"role": "user", "content": json_text(_present(part, "content", path)), "ephemeral": True}
        case "system-prompt":
            fields = {"role": "system", "content": _str(part, "content", path)}
        case "instruction-delta" if part.get("content") is not None:
            fields = {"role": "system", "content": _str(part, "content", path)}
        case "speech":
            transcript = part.get("transcript")
            fields = {"role": "user", "content": transcript if isinstance(transcript, str) else ""}
        case "compaction":
            fields = {"role": "user", "content": _str(part, "content", path)}
    return fields


def ends_a_run(parts: Iterable[Part]) -> bool:
    """Whether a request closes a run, and no tool ran for it: what else it holds is what the person said next."""
    returned = [part.get("content") for part in parts if part.get("part_kind") == "tool-return"]
    return _ENDED in returned and all(isinstance(content, str) and content.startswith(_STATUS) for content in returned)


def is_summary(part: Part) -> bool:
    """Whether a part is the summary of a compaction that can be read."""
    content = part.get("content")
    return part.get("part_kind") == "compaction" and isinstance(content, str) and content != ""


def json_text(value: Json) -> str:
    """Return a value as the model is shown it: a text as it is, any other as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def parsed(arguments: Json) -> Json:
    """Return the arguments of a call: they are an object, or JSON in a string, which may be none and is kept then."""
    if not isinstance(arguments, str):
        return {} if arguments is None else arguments
    try:
        return json.loads(arguments) if arguments else {}
    except (ValueError, RecursionError):
        return arguments


def _returned(part: Part, path: str) -> Fields:
    said = _answer(part) | {"content": _result(_present(part, "content", path))}
    outcome = part.get("outcome")
    if outcome in ("failed", "retried"):
        said["isError"] = True
    retry = part.get("retry")
    cause = retry.get("cause") if isinstance(retry, dict) else None
    about = part.get("metadata")
    content = part["content"]
    if (
        outcome in ("denied", "interrupted")
        or cause in _NEVER_ENTERED
        or (outcome == "retried" and (not isinstance(content, str) or content.startswith(_CORRECTION)))
        or (isinstance(content, str) and content.startswith(_STATUS))
        or (isinstance(about, dict) and about.get(_SYNTHESIZED) is True)
    ):
        said["toolResultOrigin"] = "not-entered"
    return said


def _retried(part: Part, path: str) -> Fields:
    """Return a retry of before 2.60: error details quote the arguments, which never got as far as the tool."""
    content = _present(part, "content", path)
    said = _answer(part) | {"content": json_text(content), "isError": True}
    entered = isinstance(content, str) and not content.startswith("Unknown tool name: ")
    return said if entered else said | {"toolResultOrigin": "not-entered"}


def _answer(part: Part) -> Fields:
    said: Fields = {"role": "tool", "toolCallId": part.get("tool_call_id")}
    return said | ({"toolName": part["tool_name"]} if isinstance(part.get("tool_name"), str) else {})


def _result(content: Json) -> str | list[Part]:
    if isinstance(content, str):
        return content
    items = content if isinstance(content, list) else [content]
    if not any(isinstance(item, dict) and item.get("kind") in _FILES for item in items):
        return json_text(content)
    return [file_part(item) or {"type": "text", "text": json_text(item)} for item in items]


def _prompt(content: Json, path: str) -> str | list[Part]:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise TranscriptError(f"expected text or a list of content; found {shown(content)}", path=path)
    parts: list[Part] = []
    for at, item in enumerate(content):
        if isinstance(item, str):
            parts.append({"type": "text", "text": item})
        elif not isinstance(item, dict):
            raise TranscriptError(f"expected text or an object; found {shown(item)}", path=f"{path}[{at}]")
        elif item.get("kind") in _TEXTS and isinstance(item.get("content"), str):
            parts.append({"type": "text", "text": item["content"]})
        elif item.get("kind") != "cache-point":
            parts.append(file_part(item) or item)
    return parts


def file_part(item: Json) -> Part | None:
    """Return a file of a prompt or a result as a part; None for what is none."""
    if not isinstance(item, dict) or item.get("kind") not in _FILES:
        return None
    kind, media = item["kind"], item.get("media_type")
    if kind == "binary":
        source = {"type": "base64", "data": item.get("data")}
    elif kind == "uploaded-file":
        source = {"type": "reference", "id": item.get("file_id"), "provider": item.get("provider_name")}
    else:
        source = {"type": "url", "url": item.get("url")}
    media = media if isinstance(media, str) else "image/*" if kind == "image-url" else "application/octet-stream"
    name = item.get("identifier")
    file = {"kind": "image" if media.startswith("image/") else "document", "mimeType": media, "source": source}
    return {"type": "file", "file": file | {"name": name if isinstance(name, str) else ""}}


@dataclass(slots=True)
class Spoken:
    """What the parts of a response say: its content, in order, and its calls, whose id may be None."""

    content: list[Part] = field(default_factory=list)
    calls: list[Fields] = field(default_factory=list)

    def fields(self) -> Fields:
        """Return the message fields; a text that stands alone is a string."""
        content: str | list[Part] = self.content or ""
        if len(self.content) == 1 and self.content[0].keys() == {"type", "text"} and self.content[0]["type"] == "text":
            content = self.content[0]["text"]
        return {"role": "assistant", "content": content} | ({"toolCalls": self.calls} if self.calls else {})


def spoken_part(part: Part, spoken: Spoken, returns: dict[Any, Part], path: str) -> bool:
    """Take over a part of a response; False when its kind is not known.

    Args:
        part: the part.
        spoken: what is said so far.
        returns: the results of tools that the provider ran, by the id of their call, in the same response.
        path: the place of the part.

    Raises:
        TranscriptError: it is not what its kind promises, and where.
    """
    match part.get("part_kind"):
        case "text":
            spoken.content.append({"type": "text", "text": _str(part, "content", path)})
        case "thinking":
            spoken.content.append(_thinking(part, path))
        case "tool-call":
            call = {"id": part.get("tool_call_id"), "name": _str(part, "tool_name", path)}
            spoken.calls.append(call | {"args": parsed(part.get("args"))})
        case "builtin-tool-call":
            result = returns.get(part.get("tool_call_id"))
            spoken.content.append(_ran(part, path) | ({} if result is None else {"result": result.get("content")}))
        case "builtin-tool-return":
            if part.get("tool_call_id") not in {one.get("id") for one in spoken.content if "result" in one}:
                ran = _ran(part, path)
                del ran["input"]
                spoken.content.append(ran | {"type": "provider-tool-result", "result": part.get("content")})
        case "file":
            spoken.content.append(file_part(part.get("content")) or part | {"type": "file"})
        case "speech":
            transcript = part.get("transcript")
            spoken.content.append({"type": "text", "text": transcript if isinstance(transcript, str) else ""})
        case "compaction":  # that nobody can read; the provider wants it back
            spoken.content.append(part | {"type": "compaction"})
        case _:
            return False
    return True


def _thinking(part: Part, path: str) -> Part:
    thought: Part = {"type": "thinking", "text": _str(part, "content", path)}
    if part.get("id") == "redacted_thinking":
        thought["redacted"] = True
    elif isinstance(part.get("id"), str):
        thought["id"] = part["id"]
    names = ("provider_name", "signature")
    bound = {name.removesuffix("_name"): part[name] for name in names if part.get(name) is not None}
    return thought | {"continuity": bound} if bound else thought


def _ran(part: Part, path: str) -> Part:
    identifier, name = _str(part, "tool_call_id", path), _str(part, "tool_name", path)
    ran: Part = {"type": "provider-tool", "id": identifier, "name": name, "input": parsed(part.get("args"))}
    provider = part.get("provider_name")
    return ran | ({"continuity": {"provider": provider}} if isinstance(provider, str) else {})


def _str(part: Part, name: str, path: str) -> str:
    value = part.get(name)
    if isinstance(value, str):
        return value
    raise TranscriptError(f"expected text; found {shown(value)}", path=f"{path}.{name}")


def _present(part: Part, name: str, path: str) -> Json:
    if name in part:
        return part[name]
    raise TranscriptError(f"expected {name}; found an object with {shown(list(part)[:8])}", path=path)
