"""Which messages of a window stood in another one: what stayed, and what is new."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from foldproof.messages.model import Message


def kept_indices(originals: Sequence[Message], window: Sequence[Message]) -> tuple[int | None, ...]:
    """Return, for each message of `window`, the index of the original it is, or None when it is new.

    The same object is the same message; else an equal one is, in order. Each original is found at most once.
    """
    by_identity: dict[int, list[int]] = {}
    for index in range(len(originals) - 1, -1, -1):
        by_identity.setdefault(id(originals[index]), []).append(index)
    kept = [places.pop() if (places := by_identity.get(id(message))) else None for message in window]
    if None not in kept:
        return tuple(kept)
    equal: dict[str, list[int]] = {}
    for index in sorted(index for places in by_identity.values() for index in places):
        equal.setdefault(originals[index].fingerprint, []).append(index)
    last = -1
    for position, message in enumerate(window):
        found = kept[position]
        if found is None:
            candidates = equal.get(message.fingerprint, [])
            at = bisect_right(candidates, last)
            found = kept[position] = candidates.pop(at) if at < len(candidates) else None
        last = last if found is None else found
    return tuple(kept)
