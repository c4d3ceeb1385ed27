"""Compactions that a file holds already: a summary becomes a frame, with its lineage where the originals are there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foldproof.messages import FOLDED, STAMP, Message, frames_of, message_id
from foldproof.transcripts.codec import made_up_id
from foldproof.window import FoldedSpan
from foldproof.window.frames import lineage, span_note


def summary_frame_of(text: str, *, originals: Sequence[Message] | None, id: str | None = None) -> Message:  # noqa: A002
    """Return the frame for a summary that a compactor of the format's own wrote.

    Args:
        text: the summary, verbatim.
        originals: the messages it stands for, where the document still holds them, in order; they make its lineage.
            None where they are gone: such a frame exempts nothing, and whoever judges knows that evidence is missing.
        id: the compaction's own id, where the format has one.
    """
    metadata: dict[str, Any] = {STAMP: {"id": id or made_up_id("compaction", text), "role": "summary"}}
    frame = Message(role="user", content=text)
    if originals is None:
        return frame.model_copy(update={"metadata": metadata})
    metadata[FOLDED] = span_note(originals)
    return frame.model_copy(update={"metadata": metadata, "folded_exempt": lineage(originals)})


def folded_span(frame: Message, originals: Sequence[Message], *, model: str | None = None) -> FoldedSpan:
    """Return what a frame that `summary_frame_of` made stands for; it is joined to the frame by fingerprint."""
    return FoldedSpan(
        fingerprint=frame.fingerprint,
        iteration=0,
        model=model,
        message_count=len(originals),
        removed=tuple(map(message_id, originals)),
        frames=tuple(inner.fingerprint for inner in frames_of(originals)),
        retain="conversation",
        originals=tuple(originals),
    )
