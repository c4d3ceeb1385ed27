"""What a recall gives back, as text that goes through any host: a mark, then one message a line, as JSON.

A recalled tool result is evidence again, and nothing else is: what the model or a frame had said comes back with it,
and grounds no more than it did. So a result that opens with the mark counts only for the tool results inside it. A line
that was cut off, by a host that shortens results, is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from pydantic import ValidationError

from foldproof.messages.authorship import is_observation
from foldproof.messages.model import Message
from foldproof.messages.tool_text import tool_segments

RECALLED = "[foldproof recalled]"
"""What the text of a recall opens with."""


def recalled_text(messages: Iterable[Message], *, about: str = "") -> str:
    """Return messages as the text of a recall. `about` is said on the first line, behind the mark.

    Bytes that are no Unicode (half of a surrogate pair) are written as JSON escapes, so the text can always be sent.
    """
    first = f"{RECALLED} {' '.join(about.split())}".rstrip()
    return "\n".join((first, *map(_line, messages)))


def recalled_messages(text: str) -> tuple[Message, ...] | None:
    """Return the messages in the text of a recall, or None when it is none. Lines that are no message are left out."""
    if not text.startswith(RECALLED):
        return None
    found = []
    for line in text.split("\n")[1:]:
        try:
            found.append(Message.model_validate(json.loads(line)))
        except (ValidationError, ValueError, RecursionError):  # cut off, or a note that a host put behind it
            continue
    return tuple(found)


def results_in(message: Message) -> list[Message]:
    """Return the tool results that a result brought back, those in recalls of recalls among them."""
    found: list[Message] = []
    if is_observation(message):
        for segment in tool_segments(message):
            inside = [one for one in recalled_messages(segment.text) or () if one.role == "tool"]
            found += inside
            found += [deeper for one in inside for deeper in results_in(one)]
    return found


def _line(message: Message) -> str:
    said = message.model_dump(mode="python")
    line = json.dumps(said, default=str, ensure_ascii=False)
    return line if line.isascii() or line.encode(errors="replace").decode() == line else json.dumps(said, default=str)
