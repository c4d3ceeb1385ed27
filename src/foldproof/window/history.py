"""The conversation as far as it is still known: each frame with what is kept of what it stands for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from pydantic import JsonValue

from foldproof.evidence.kept import KeptValue
from foldproof.messages import FOLDED, Message, frame_kind
from foldproof.window.records import FoldedSpan


def history(messages: Sequence[Message], spans: Iterable[FoldedSpan]) -> tuple[Message, ...]:
    """Return the messages with what their frames stand for: what an `EvidenceIndex` needs to judge with all of it.

    The originals that a span holds stand ahead of its frame, through any depth of folding. Where a span holds the
    values alone, the frame carries them. A frame whose span is not among `spans`, or holds nothing, stays as it is. For
    what an archive keeps, see `foldproof.archive.history`.
    """
    known = {span.fingerprint: span for span in spans}
    return tuple(chain.from_iterable(_opened(message, known) for message in messages))


def _opened(message: Message, known: Mapping[str, FoldedSpan]) -> Iterator[Message]:
    span = known.get(message.fingerprint) if frame_kind(message) is not None else None
    if span is None:
        yield message
        return
    for original in span.originals or ():
        yield from _opened(original, known)
    kept = None if span.kept is None else list(_kept(span, known))
    yield message if kept is None else _carrying(message, kept, is_all=_is_all_kept(span, known))


def _kept(span: FoldedSpan, known: Mapping[str, FoldedSpan]) -> Iterator[KeptValue]:
    for frame in span.frames:
        if frame in known:
            yield from _kept(known[frame], known)
    yield from span.kept or ()


def _is_all_kept(span: FoldedSpan, known: Mapping[str, FoldedSpan]) -> bool:
    return span.kept is not None and all(frame in known and _is_all_kept(known[frame], known) for frame in span.frames)


def _carrying(frame: Message, values: Sequence[KeptValue], *, is_all: bool) -> Message:
    note = (frame.metadata or {}).get(FOLDED)
    carry: list[JsonValue] = [value.model_dump(mode="json") for value in values]
    told: dict[str, JsonValue] = {**(note if isinstance(note, dict) else {}), "carry": carry}
    if is_all:
        told["kept"] = True
    return frame.model_copy(update={"metadata": {**(frame.metadata or {}), FOLDED: told}})
