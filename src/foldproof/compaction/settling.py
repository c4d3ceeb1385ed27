"""Whether what came of a visit may be applied, and what the conversation is once it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from foldproof.compaction.context import CompactionContext
from foldproof.compaction.records import CompactionError
from foldproof.compaction.state import ConversationState
from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message, frame_kind, hides_values, validate_messages
from foldproof.testing import Law, broken_laws
from foldproof.window import Provider, Visit, WindowRecord, validate_for

_HELD: Final[tuple[Law, ...]] = ("pairs", "request", "envelope", "frames", "head", "conservation")
"""The laws that every compaction has to keep, whatever its strategy."""


@dataclass(frozen=True, kw_only=True)
class Compacted:
    """A compaction that may be applied.

    Attributes:
        messages: the new window.
        summary: the text of the frame that stands for what left, or None where a drop wrote none.
        visit: all of it: the record, the spans, what to hand to the next visit.
    """

    messages: tuple[Message, ...]
    summary: str | None
    visit: Visit

    @property
    def record(self) -> WindowRecord:
        """What was done and why."""
        return self.visit.record


def settled(
    before: Sequence[Message], visit: Visit, context: CompactionContext, provider: Provider | None
) -> Compacted:
    """Return what a visit did, once it is known to be valid.

    Raises:
        CompactionError: nothing left, or the result may not be applied.
    """
    if not visit.changed:
        raise CompactionError(why_nothing_left(visit.record), window=visit.record)
    after = tuple(visit.messages)
    fault = _fault(before, after, context, provider)
    if fault is not None:
        raise CompactionError(f"the result is not valid and was not applied: {fault}", window=visit.record)
    frame = next((message for message in after if message.id is not None and message.id == visit.record.frame), None)
    return Compacted(messages=after, summary=_summary(frame, after, visit.record), visit=visit)


def merged(now: ConversationState, before: ConversationState, done: Compacted) -> ConversationState:
    """Return the state with a compaction of an earlier one in it: what was appended meanwhile stands behind it.

    Raises:
        CompactionError: the window is another one by now.
    """
    behind = now.messages[len(before.messages) :]
    ahead = now.messages[: len(before.messages)]
    if len(ahead) != len(before.messages) or any(a is not b for a, b in zip(ahead, before.messages, strict=True)):
        raise CompactionError(
            "another compaction was applied while this one ran, and this one was not; ask again where it is still over",
            window=done.record,
        )
    return now.model_copy(
        update={
            "messages": (*done.messages, *behind),
            "spans": (*now.spans, *(span for span in done.visit.spans if span not in now.spans)),
            "window": done.visit.state,
        }
    )


def _summary(frame: Message | None, after: Sequence[Message], record: WindowRecord) -> str | None:
    if frame is None and record.removed_from is not None and record.frame is not None:
        frame = next((message for message in after[record.removed_from :] if frame_kind(message) is not None), None)
    return None if frame is None else frame.text


def why_nothing_left(record: WindowRecord) -> str:
    """Return which reasons kept the window as it was, on one line."""
    reasons: dict[str, int] = {}
    for refusal in record.refusals:
        reasons[refusal.reason] = reasons.get(refusal.reason, 0) + 1
    if not reasons:
        return "nothing left the window: the strategy found nothing to remove"
    named = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
    told = next((f" ({refusal.detail})" for refusal in record.refusals if _is_told(refusal.reason, refusal.detail)), "")
    return f"nothing left the window; turns that stay, by reason: {named}{told}"


def _is_told(reason: str, detail: str | None) -> bool:
    return detail is not None and reason in ("summarizer-failed", "summary-not-faithful", "archive-failed")


def _fault(
    before: Sequence[Message], after: Sequence[Message], context: CompactionContext, provider: Provider | None
) -> str | None:
    for index, message in enumerate(after):
        if not isinstance(message, Message):
            return f"messages[{index}] is {shown(message)}, not a Message"
    hidden = any(hides_values(message) for message in after)
    for law, detail in broken_laws(before, after, request=context.request):
        if law in _HELD and not (law == "conservation" and hidden):
            return f"it breaks the law {law}: {detail}"
    return _newly_rejected(before, after, provider)


def _newly_rejected(before: Sequence[Message], after: Sequence[Message], provider: Provider | None) -> str | None:
    """Return why the new window is rejected where the old one was not."""
    was, now = _rejected(before, provider), _rejected(after, provider)
    return now if was is None else None


def _rejected(messages: Sequence[Message], provider: Provider | None) -> str | None:
    try:
        if provider is None:
            validate_messages(messages)
        else:
            validate_for(provider, messages)
    except TranscriptError as error:
        return str(error)
    return None
