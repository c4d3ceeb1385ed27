"""Attachments of a Claude Code session: rows of the chain that put something before the model.

Their types were checked in the scrubbed session of 2.1 (agent-sessions), which holds most of them without their words.

* `queued_command` is what a person typed while the model worked. Where its origin is not human, or its mode is not
  `prompt`, it is the app's.
* Every other one is the app's: a file named by `@`, a file that changed, what a hook added, memory, reminders. Its
  words are the text it holds, behind the name of its file; where it holds none, all it says, as JSON.
* What a hook in the background printed is sent without the event around it.
* Some are for the app alone, and some only say which of its fixed texts the app sends: they say nothing here.
"""

from __future__ import annotations

import json
from typing import Any

from foldproof.transcripts.claude_threads import ATTACHMENT, Row
from foldproof.transcripts.codec import without
from foldproof.transcripts.json_text import Json

_APPS_OWN = (
    "command_permissions",
    "dynamic_skill",
    "hook_cancelled",
    "hook_error_during_execution",
    "hook_non_blocking_error",
    "hook_permission_decision",
    "hook_system_message",
    "structured_output",
)
_FLAGS = (
    "type",
    "reminderType",
    "isInitial",
    "isSubAgent",
    "planExists",
    "showConcurrencyNote",
    "displayPath",
    "itemCount",
)
_SAYS = ("content", "snippet", "text", "banner", "prompt")
_NAMES = ("filename", "path", "filePath")


def spoken(row: Row) -> Row | None:
    """Return an attachment as the user row that the model saw in its place; None for one that says nothing."""
    held = row.get(ATTACHMENT)
    content = _content(held) if isinstance(held, dict) else ""
    if not content:
        return None
    return row | {"type": "user", "message": {"role": "user", "content": content}}


def why_injected(row: Row) -> str | None:
    """Return why an attachment is the app's; None for a person's."""
    held = row[ATTACHMENT]
    origin = held.get("origin")
    human = origin is None or (isinstance(origin, dict) and origin.get("kind") == "human")
    if held.get("type") == "queued_command" and held.get("commandMode", "prompt") == "prompt" and human:
        return "isMeta" if held.get("isMeta") is True else None
    return f"attachment {held.get('type')}"


def _content(held: dict[str, Any]) -> str | list[dict[str, Any]]:
    """Return what an attachment says; nothing is an empty string."""
    kind = held.get("type")
    if kind in _APPS_OWN:
        return ""
    prompt = held.get("prompt")
    if kind == "queued_command" and isinstance(prompt, list) and all(isinstance(part, dict) for part in prompt):
        return prompt
    if kind in ("queued_command", "hook_success"):  # of a hook, what it printed is sent only where it stands here
        return _words(prompt if kind == "queued_command" else held.get("content"))
    if kind == "async_hook_response" and isinstance(held.get("response"), dict):
        return _of_hook(held["response"])
    picture = _picture(held.get("content"))
    return [picture] if picture is not None else _text(held)


def _of_hook(response: dict[str, Any]) -> str:
    """Return what of a hook's answer is sent: its message, and what it adds."""
    own = response.get("hookSpecificOutput")
    said = (response.get("systemMessage"), own.get("additionalContext") if isinstance(own, dict) else None)
    return "\n".join(words for words in said if isinstance(words, str) and words)


def _text(held: dict[str, Any]) -> str:
    said = next((words for name in _SAYS if (words := _words(held.get(name)))), "")
    if said:
        named = next((held[name] for name in _NAMES if isinstance(held.get(name), str)), None)
        return said if named is None else f"{named}\n{said}"
    beside = without(held, _FLAGS)
    left = {name: said for name, said in beside.items() if said not in (None, "", [], {}) and said is not False}
    return json.dumps(left, ensure_ascii=False) if left else ""


def _words(said: Json) -> str:
    """Return the text that a value holds; "" for one that holds something else."""
    if isinstance(said, str):
        return said
    if isinstance(said, list):
        each = [_words(one) for one in said]
        return "\n".join(each) if all(each) else ""
    if not isinstance(said, dict):
        return ""
    file = said.get("file")
    inner = file if isinstance(file, dict) else said
    return next((inner[name] for name in ("content", "text") if isinstance(inner.get(name), str)), "")


def _picture(content: Json) -> dict[str, Any] | None:
    """Return a file that is no text as the block that the model saw."""
    file = content.get("file") if isinstance(content, dict) else None
    data = file.get("base64") if isinstance(file, dict) else None
    if not isinstance(content, dict) or not isinstance(file, dict) or not isinstance(data, str):
        return None
    is_image = content.get("type") == "image"
    medium = file.get("type") if isinstance(file.get("type"), str) else "image/png" if is_image else "application/pdf"
    source = {"type": "base64", "media_type": medium, "data": data}
    return {"type": "image" if is_image else "document", "source": source}
