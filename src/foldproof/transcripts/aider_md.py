"""Aider: `.aider.chat.history.md`, one conversation for each time it was started. It can only be read.

Checked in the history of Aider's own author (4.1 MB, 1,133 starts) and against what Aider 0.86 writes.

* `# aider chat started at <time>` opens a session; what stands ahead of the first one is the end of an older session.
* `#### ` opens a line of the user, `> ` one of Aider's own: what it did, what a command printed, what it asked. Aider
  ends each of them with two spaces, so a heading or a quotation in an answer is told apart. Right behind such a line, a
  message of Aider's of several lines may open with one `> `, and it ends with the line that ends in two spaces.
* All else is the model's answer; its edits are text. There are no calls, no ids and no times of messages.
* Aider's own lines are the app's, and so are errors that it hands on (`# Fix any errors below`), the output of a
  command (`I ran this command`), and a question to `/help`, which stands in one text with pages of the manual.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import Format, message_from
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.json_text import Json

_START: Final = "# aider chat started at "
_SESSION = re.compile(r"^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[ \r]*$", re.MULTILINE)
_USER, _TOOL, _END = "####", ">", "  "
_HANDED_ON = ("# Fix any errors below", "I ran this command:", "# Question: ")
_BLANK = "<blank>"
_APP = "aider"


class AiderMd:
    """The chat history of Aider."""

    format = Format(
        "aider_md",
        "Aider chat history (Markdown)",
        can_write=False,
        shape="a text with lines that open with `# aider chat started at`, `#### ` and `> `",
        medium="text",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a text is a chat history."""
        if not isinstance(value, str) or _START not in value:
            return None
        return "the start of a chat of aider" if _SESSION.search(value) else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of every session."""
        if not isinstance(value, str):
            raise TranscriptError(f"expected the text of a chat history; found {shown(value)}", path="$")
        starts = list(_SESSION.finditer(value))
        readings = []
        head = value[: starts[0].start()] if starts else value
        if head.strip():
            readings.append(_reading(head, {}))
        for start, following in zip(starts, [*starts[1:], None], strict=True):
            text = value[start.end() : following.start() if following else len(value)]
            readings.append(_reading(text, {"started": start[1]}))
        return tuple(readings) or (Reading((), ()),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the text as it is: a history is a log, and has no place for what a window says.

        Raises:
            TranscriptError: there is something to write.
        """
        if any(edit.changed for edit in edits):
            raise TranscriptError("a chat history of aider can only be read", path="$")
        return value


def _reading(text: str, extras: dict[str, Any]) -> Reading:
    messages = tuple(_message(kind, "\n".join(lines), place) for place, (kind, lines) in enumerate(_blocks(text)))
    # The files of the chat, which the model is shown, are not in its history.
    return Reading(messages, tuple(range(len(messages))), extras, incomplete=True)


def _message(kind: str, said: str, place: int) -> Message:
    if kind == "":
        return message_from({"role": "assistant", "content": said.strip("\n")}, f"$[{place}]")
    content = "" if kind == _USER and said == _BLANK else said.strip("\n")
    app = {"injectedBy": _APP} if kind == _TOOL or content.startswith(_HANDED_ON) else {}
    return message_from({"role": "user", "content": content} | app, f"$[{place}]")


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield who speaks (`####`, `>`, or "" for the model) and the lines; lines of nothing but space are no block."""
    kind, lines, is_open = "", [""], False
    for raw in text.split("\n"):
        line = raw.removesuffix("\r")
        ended = line.endswith(_END)
        if (
            is_open and _kind(line, ended=ended, within="") != _USER
        ):  # the rest of a message of several lines of Aider's own
            lines.append(line.rstrip())
            is_open = not ended
            continue
        found = _kind(line, ended=ended, within=kind)
        if found != kind:
            yield from _said(kind, lines)
            kind, lines = found, []
        lines.append(line if found == "" else line.removeprefix(found).removeprefix(" ").rstrip())
        is_open = found == _TOOL and not ended
    yield from _said(kind, lines)


def _said(kind: str, lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    if any(line.strip() for line in lines):
        yield kind, lines


def _kind(line: str, *, ended: bool, within: str) -> str:
    if ended and (line.startswith(f"{_USER} ") or line.rstrip() == _USER):
        return _USER
    if line.startswith(f"{_TOOL} ") and (ended or within):
        return _TOOL
    return ""
