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
    yield from _originals(span, known)
    if _holds_values(span, known):
        yield _carrying(message, list(_kept(span, known)), is_all=_is_all_kept(span, known))
    else:
        yield message


def _originals(span: FoldedSpan, known: Mapping[str, FoldedSpan]) -> Iterator[Message]:
    """Yield the originals that a span holds, or those of the frames it took where it holds none itself."""
    if span.originals is not None:
        for original in span.originals:
            yield from _opened(original, known)
        return
    for frame in span.frames:
        if frame in known:
            yield from _originals(known[frame], known)


def _holds_values(span: FoldedSpan, known: Mapping[str, FoldedSpan]) -> bool:
    """Whether of some results under a span the values are all that is left."""
    return span.kept is not None or any(frame in known and _holds_values(known[frame], known) for frame in span.frames)


def _kept(span: FoldedSpan, known: Mapping[str, FoldedSpan]) -> Iterator[KeptValue]:
    """Yield the values that a span holds, and those of the frames it took; what it holds as originals is no value."""
    if span.originals is None:
        for frame in span.frames:
            if frame in known:
                yield from _kept(known[frame], known)
        yield from span.kept or ()


def _is_all_kept(span: FoldedSpan, known: Mapping[str, FoldedSpan]) -> bool:
    """Whether a span holds every value of the results that it took, and of those its frames had taken."""
    if span.originals is None and span.kept is None:
        return False
    return all(frame in known and _is_all_kept(known[frame], known) for frame in span.frames)


def _carrying(frame: Message, values: Sequence[KeptValue], *, is_all: bool) -> Message:
    note = (frame.metadata or {}).get(FOLDED)
    told: dict[str, JsonValue] = dict(note) if isinstance(note, dict) else {}
    if values:
        told["carry"] = [value.model_dump(mode="json") for value in values]
    if is_all:
        told["kept"] = True
    return frame.model_copy(update={"metadata": {**(frame.metadata or {}), FOLDED: told}})
