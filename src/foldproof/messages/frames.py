"""The messages this library writes, and how everybody knows one when they see it.

A frame is known by its exact opening, and by the note in its metadata that says what it folded. A frame of another
system is known by the compaction stamp at `metadata.axleCompaction`, or by the lineage it carries (`foldedExempt`),
which only a frame ever does. Where a person's message happens to open like a frame it counts as one: a doubt is never
resolved in favour of the person. A message that quotes a frame behind its first character is the person's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

from pydantic import JsonValue

from foldproof.messages.model import Message
from foldproof.messages.tool_text import tool_cut

FrameKind = Literal["summary", "drop-notice", "cleared-result", "evidence-check"]

OPENINGS: dict[FrameKind, str] = {
    "summary": "[foldproof summary frame]",
    "drop-notice": "[foldproof drop notice]",
    "cleared-result": "[foldproof cleared result]",
    "evidence-check": "[foldproof evidence check]",
}
"""What the text of each kind of frame starts with."""

STAMP = "axleCompaction"
"""Key in `Message.metadata` under which a compactor marks its own output: `{id, role: "summary" | "appendix"}`."""

FOLDED = "foldproof"
"""Key in a frame's metadata for what it folded.

* `messages`: how many; `observations`: the ids of the tool results among them; `span`: a digest of all of it.
* `carry`: values that tools said in it, with their carriers (`foldproof.evidence.kept`); `kept`: true if these are all.
* `archived`: the address under which an archive keeps the originals.
* `hidden`: how many forms were hidden before the fold, so that evidence is missing.
"""

_ANY_OPENING = tuple(OPENINGS.values())
_WHOLE_FRAME = re.compile(
    r"\[foldproof drop notice\] \d+ messages? left the window \(.{1,80}\)\."
    r"(?: The current request is kept\.)?(?: Results left: [\w., -]{1,200}\.)?\Z"
    r"|\[foldproof summary frame\] (?:\d+ messages? folded at iteration \d+ by .{1,80}\. "
    r"The originals were [a-z\d ]{1,60}\. (?:Values of theirs, as tools said them: .{1,4000}\. )?"
    r"The text below is a claim about them:"
    r"|Appendix: the last \d+ of \d+ messages of the person among those folded, )"
    r"|\[foldproof evidence check\]",
    re.ASCII,
)
"""The words of a frame of ours, as they read when a host kept nothing of it but its text."""


def frame_kind(message: Message) -> FrameKind | None:
    """Return which frame a user or tool message is, or None when it is no frame.

    A stamped, noted or lineage-carrying user message without an opening of ours is a `summary` written by somebody
    else. What a tool said may be anything, our words included: only the library's own note makes a tool message a
    cleared result, and the library's words stand behind the `toolChars` cut, where the tool may have kept a head.
    """
    facts = message.facts
    if facts.kind is None:
        facts.kind = _kind(message) or ""
    return facts.kind or None


def frames_of(messages: Iterable[Message]) -> list[Message]:
    """Return the messages that are frames, of any kind."""
    return [message for message in messages if message.facts.kind != "" and frame_kind(message) is not None]


def _kind(message: Message) -> FrameKind | None:
    if message.role == "user":
        text = message.content if isinstance(message.content, str) else message.text
        if text.startswith(_ANY_OPENING):
            return next(kind for kind, opening in OPENINGS.items() if text.startswith(opening))
        noted = message.folded_exempt is not None or is_stamped(message) or _is_noted(message)
        return "summary" if noted else None
    if message.role == "tool" and _is_noted(message):
        ours = message.text[tool_cut(message) or 0 :]
        return "cleared-result" if ours.lstrip().startswith(OPENINGS["cleared-result"]) else None
    return None


def is_stamped(message: Message) -> bool:
    """Whether a compactor marked this message as its own output."""
    return message.metadata is not None and isinstance(message.metadata.get(STAMP), dict)


def _is_noted(message: Message) -> bool:
    return message.metadata is not None and isinstance(message.metadata.get(FOLDED), dict)


def may_quote_a_frame(message: Message) -> bool:
    """Whether a user message opens like a frame, but not in all the words of one, and carries nothing that one does.

    Such a message is taken for a frame where it could exempt a value, and for the person's where it could be a request.
    """
    text = message.text
    if not text.startswith(_ANY_OPENING) or message.injected_by is not None:
        return False
    carries = message.folded_exempt is not None or is_stamped(message) or _is_noted(message)
    return not carries and not _WHOLE_FRAME.match(text)


def folded_observations(frame: Message) -> tuple[str, ...] | None:
    """Return the ids of the tool results that left with a frame, or None when the frame does not say.

    Whoever judges an answer without having read these is missing evidence.
    """
    observations = _note(frame).get("observations")
    if not isinstance(observations, list):
        return None
    return tuple(str(identifier) for identifier in observations)


def carry_of(frame: Message) -> list[JsonValue]:
    """Return the values that a frame carries as data, as they stand in its note. What is no frame carries none."""
    carry = _note(frame).get("carry") if frame.metadata and frame_kind(frame) is not None else None
    return carry if isinstance(carry, list) else []


def keeps_every_value(frame: Message) -> bool:
    """Whether a frame carries every value of the results it took, so that none of them is missing."""
    return _note(frame).get("kept") is True


def hides_values(frame: Message) -> bool:
    """Whether something was hidden in what a frame stands for, before it was folded."""
    return _note(frame).get("hidden") not in (None, 0)


def archived_at(frame: Message) -> str | None:
    """Return the address under which an archive keeps what a frame stands for, or None."""
    address = _note(frame).get("archived")
    return address if isinstance(address, str) else None


def folded_messages(frame: Message) -> int:
    """Return how many messages a frame stands for, itself when it does not say. Its text is not asked: text can lie."""
    count = _note(frame).get("messages")
    return count if isinstance(count, int) and not isinstance(count, bool) and count >= 0 else 1


def _note(frame: Message) -> dict[str, JsonValue]:
    note = (frame.metadata or {}).get(FOLDED)
    return note if isinstance(note, dict) else {}
