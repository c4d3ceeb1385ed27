"""The messages this library writes, and how everybody knows one when they see it.

A frame is known by its exact opening. A frame another system wrote is known by the compaction stamp at
`metadata.axleCompaction`, or by the lineage it carries (`foldedExempt`), which only a frame ever does. Where a person's
message happens to open like a frame it counts as one: a doubt is never resolved in favour of the person.
"""

from __future__ import annotations

from typing import Literal

from foldproof.messages.model import Message

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

_ANY_OPENING = tuple(OPENINGS.values())


def frame_kind(message: Message) -> FrameKind | None:
    """Return which frame a user or tool message is, or None when it is no frame.

    A stamped or lineage-carrying user message without an opening of ours is a `summary` written by somebody else.
    """
    if message.role not in ("user", "tool"):
        return None
    text = message.content if isinstance(message.content, str) else message.text
    if text.startswith(_ANY_OPENING):
        return next(kind for kind, opening in OPENINGS.items() if text.startswith(opening))
    if message.role == "user" and (message.folded_exempt is not None or is_stamped(message)):
        return "summary"
    return None


def is_stamped(message: Message) -> bool:
    """Whether a compactor marked this message as its own output."""
    return message.metadata is not None and isinstance(message.metadata.get(STAMP), dict)


FOLDED = "foldproof"
"""Key in a frame's metadata under which it names what it folded: `{observations: [message id, …]}`."""


def folded_observations(frame: Message) -> tuple[str, ...] | None:
    """Return the ids of the tool results that left with a frame, or None when the frame does not say.

    Whoever judges an answer without having read these is missing evidence.
    """
    note = (frame.metadata or {}).get(FOLDED)
    observations = note.get("observations") if isinstance(note, dict) else None
    if not isinstance(observations, list):
        return None
    return tuple(str(identifier) for identifier in observations)
