"""The laws that can be seen from a window before and after a compaction, each as one check.

What stayed is found by identity, else by equality, in order. A tool result that a frame with its call's id replaces in
its place was cleared: its call is still answered, and nothing left between its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple

from foldproof.evidence import exempt_forms
from foldproof.messages import Message, author_of, check_message, frame_kind, kept_indices, pair, turns_of
from foldproof.window.counting import has_wordless, total_characters

Law = Literal["pairs", "request", "envelope", "recent", "span", "frames", "smaller", "head", "conservation"]


class BrokenLaw(NamedTuple):
    """A law that a compaction broke, and what shows it (indices count from 0)."""

    law: Law
    detail: str


@dataclass(frozen=True)
class _Case:
    before: Sequence[Message]
    after: Sequence[Message]
    kept: tuple[int | None, ...]  # for each message of `after`, its index in `before`
    keep_recent_turns: int
    request: str | None

    @cached_property
    def removed(self) -> list[int]:
        return sorted(set(range(len(self.before))) - set(self.kept))

    @cached_property
    def cleared(self) -> dict[int, int]:
        """For each cleared result in `after`, the index of the result in `before` whose place it has."""
        found: dict[int, int] = {}
        following = 0
        for index, kept in enumerate(self.kept):
            if kept is not None:
                following = kept + 1
            elif frame_kind(self.after[index]) == "cleared-result":
                origin = self._result_from(following, self.after[index].tool_call_id)
                if origin is not None:
                    found[index], following = origin, origin + 1
        return found

    def _result_from(self, start: int, call_id: str | None) -> int | None:
        """Return the first result of a call among what left from `start` on, up to what stayed."""
        for index in range(start, len(self.before)):
            if index in self._kept:
                return None
            if self.before[index].role == "tool" and self.before[index].tool_call_id == call_id:
                return index
        return None

    @cached_property
    def _kept(self) -> frozenset[int | None]:
        return frozenset(self.kept)

    @property
    def new(self) -> list[Message]:
        return [message for message, index in zip(self.after, self.kept, strict=True) if index is None]


def broken_laws(
    before: Sequence[Message],
    after: Sequence[Message],
    *,
    keep_recent_turns: int = 0,
    request: str | None = None,
) -> tuple[BrokenLaw, ...]:
    """Return the laws that turning `before` into `after` breaks, at most once each, in this order.

    * `pairs`: no result lost its call, and no call its results.
    * `request`: the current request is there, verbatim: the latest thing the person said, or the text `request`.
    * `envelope`: no system message left.
    * `recent`: the last `keep_recent_turns` turns are an untouched suffix.
    * `span`: what left is one contiguous span, and what stayed keeps its order. A cleared result is no gap: results may
      be cleared in as many places as there are.
    * `frames`: whatever is new is a frame.
    * `smaller`: what is new has fewer characters than what left, where that was words and no picture.
    * `head`: the window still opens on a system or user message.
    * `conservation`: nothing that the person or the app supplied was lost or granted.

    Raises:
        UsageError: something in a window is no `Message`.
    """
    for window in (before, after):
        for index, message in enumerate(window):
            check_message(message, index)
    case = _Case(before, after, kept_indices(before, after), keep_recent_turns, request)
    found = ((law, check(case)) for law, check in _CHECKS.items())
    return tuple(BrokenLaw(law, detail) for law, detail in found if detail is not None)


def _pairs(case: _Case) -> str | None:
    old, new = pair(case.before), pair(case.after)
    known = set(old.orphans)
    for index in new.orphans:
        if case.cleared.get(index, case.kept[index]) not in known:
            return f"after[{index}] answers no call"
    waiting = {call.message for call in old.unanswered}
    for call in new.unanswered:
        if case.kept[call.message] not in waiting:
            return f"a call of after[{call.message}] has no result"
    return None


def _request(case: _Case) -> str | None:
    said = [message.text for message in case.before if author_of(message) == "person"]
    wanted = case.request if case.request in said else next(reversed(said), None)
    stays = (message.text for message in case.after if author_of(message) == "person")
    return None if wanted is None or wanted in stays else f"the current request is gone: {wanted[:60]!r}"


def _envelope(case: _Case) -> str | None:
    gone = [index for index in case.removed if case.before[index].role == "system"]
    return f"the system message before[{gone[0]}] left" if gone else None


def _recent(case: _Case) -> str | None:
    turns = turns_of(case.before)[-case.keep_recent_turns :] if case.keep_recent_turns else ()
    start = turns[0].start if turns else len(case.before)
    suffix = tuple(range(start, len(case.before)))
    return None if case.kept[len(case.kept) - len(suffix) :] == suffix else f"before[{start}:] is not the end of after"


def _span(case: _Case) -> str | None:
    order = [index for index in case.kept if index is not None]
    if order != sorted(order):
        return "what stayed changed its order"
    cleared = set(case.cleared.values())
    gone = [index for index in case.removed if index not in cleared]
    gaps = [(left, right) for left, right in pairwise(gone) if right != left + 1]
    return f"before[{gaps[0][0]}] and before[{gaps[0][1]}] left, and what is between them stayed" if gaps else None


def _frames(case: _Case) -> str | None:
    strangers = [message for message in case.new if frame_kind(message) is None]
    return f"a new {strangers[0].role} message is no frame: {strangers[0].text[:60]!r}" if strangers else None


def _smaller(case: _Case) -> str | None:
    gone = [case.before[index] for index in case.removed]
    new, left = total_characters(case.new), total_characters(gone)
    if not case.new or new < left or any(map(has_wordless, gone)):
        return None
    return f"{new} characters came for {left}"


def _head(case: _Case) -> str | None:
    if not case.after or not case.before or case.before[0].role not in ("system", "user"):
        return None
    role = case.after[0].role
    return None if role in ("system", "user") else f"the window opens on a {role} message"


def _conservation(case: _Case) -> str | None:
    had, has = exempt_forms(case.before), exempt_forms(case.after)
    if had == has:
        return None
    lost, granted = sorted(had - has), sorted(has - had)
    return f"lost {lost[:5]}" if lost else f"granted {granted[:5]}"


_CHECKS: dict[Law, Callable[[_Case], str | None]] = {
    "pairs": _pairs,
    "request": _request,
    "envelope": _envelope,
    "recent": _recent,
    "span": _span,
    "frames": _frames,
    "smaller": _smaller,
    "head": _head,
    "conservation": _conservation,
}
