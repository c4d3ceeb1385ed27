r"""Dialogues rendered to text in one string, `{"messages_display": "user: …\\nassistant: None\\ntool: …"}`.

Checked in tau-bench's few-shot file (19 dialogues). A message starts at a line that opens with a role and a colon.
`assistant: None` ahead of `tool:` is a call whose name and arguments were not recorded: each result gets a call named
`unknown`, under an id made from the result's words, so that pairs hold.

Text has no place for a frame's fields. They stand beside it, under `foldproof`, by the number of the message; and a
line of a new message that would open like a message is indented by one space.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, fields_of, made_up_id, message_from
from foldproof.transcripts.conversation import Entry

DISPLAY = "messages_display"
"""The member that holds the text."""

_START = re.compile(r"^(user|assistant|tool|system): ?", re.MULTILINE)
_NO_CALL_RECORDED = "unknown"


class Line(NamedTuple):
    """One message of the text: its source, who speaks, what is said, and the fields kept beside the text."""

    source: str
    role: str
    text: str
    fields: Mapping[str, Any] | None


def lines_of(value: dict[str, Any]) -> tuple[Line, ...]:
    """Return the messages of a rendered dialogue.

    Raises:
        TranscriptError: it is no text, or text that opens with no role.
    """
    text = value[DISPLAY]
    if not isinstance(text, str):
        raise TranscriptError(f"expected text; found {shown(text)}", path=f"$.{DISPLAY}")
    starts = tuple(_START.finditer(text))
    if text and (not starts or starts[0].start()):
        raise TranscriptError(f"expected text that opens with a role; found {shown(text)}", path=f"$.{DISPLAY}")
    beside = value.get(FIELDS)
    beside = beside if isinstance(beside, dict) else {}
    ends = [*(start.start() - 1 for start in starts[1:]), len(text)]
    return tuple(
        Line(text[start.start() : end], start[1], text[start.end() : end], beside.get(str(index)))
        for index, (start, end) in enumerate(zip(starts, ends, strict=False))
    )


def read_display(value: dict[str, Any]) -> tuple[Message, ...]:
    """Return the messages of a rendered dialogue."""
    lines = lines_of(value)
    messages: list[Message] = []
    ids: list[str] = []  # of the results of the turn being read
    for index, line in enumerate(lines):
        if line.role != "tool":
            ids = _result_ids(lines[index + 1 :]) if line.role == "assistant" else []
            messages.append(_spoken(line, ids, index))
        elif line.fields is not None:
            ids = ids[1:]
            messages.append(_kept_beside(line, index))
        else:
            identifier, ids = (ids[0], ids[1:]) if ids else (made_up_id("call", line.text, 0), [])
            messages.append(
                Message(role="tool", content=line.text, tool_call_id=identifier, tool_name=_NO_CALL_RECORDED)
            )
    return tuple(messages)


def _result_ids(following: Sequence[Line]) -> list[str]:
    results = tuple(takewhile(lambda line: line.role == "tool", following))
    ids: list[str] = []
    for line in results:
        recorded = (line.fields or {}).get("toolCallId")
        ids.append(recorded if isinstance(recorded, str) else made_up_id("call", line.text, 0))
    return [identifier if identifier not in ids[:at] else f"{identifier}-{at}" for at, identifier in enumerate(ids)]


def _spoken(line: Line, ids: Sequence[str], index: int) -> Message:
    if line.fields is not None:
        return _kept_beside(line, index)
    content = "" if ids and line.text == "None" else line.text
    fields: dict[str, Any] = {"role": line.role, "content": content}
    if ids:
        fields["toolCalls"] = [{"id": identifier, "name": _NO_CALL_RECORDED} for identifier in ids]
    return message_from(fields, f"$.{DISPLAY}[{index}]")


def _kept_beside(line: Line, index: int) -> Message:
    return message_from(line.fields or {}, f"$.{FIELDS}[{index}]")


def write_display(value: dict[str, Any], entries: Sequence[Entry]) -> dict[str, Any]:
    """Return what to set in a rendered dialogue for it to hold other messages."""
    lines = lines_of(value)
    texts: list[str] = []
    beside: dict[str, Any] = {}
    for index, entry in enumerate(entries):
        if entry.kept is None:
            texts.append(_rendered(entry.message))
            beside[str(index)] = fields_of(entry.message)
        else:
            texts.append(lines[entry.kept].source)
            fields = lines[entry.kept].fields
            beside |= {} if fields is None else {str(index): fields}
    return {DISPLAY: "\n".join(texts)} | ({FIELDS: beside} if beside or FIELDS in value else {})


def _rendered(message: Message) -> str:
    return f"{message.role}: " + _START.sub(r" \g<0>", message.text)
