"""Why a turn did not leave: a closed set, shared by every strategy, a user's own included."""

from __future__ import annotations

from typing import Final, Literal, get_args

from foldproof.messages.base import FrozenModel

RefusalReason = Literal[
    "current-request",
    "system-envelope",
    "paused-tool",
    "pending-check-in",
    "unresolved-tool-call",
    "last-tool-result",
    "ledger-fact",
    "inside-keep-window",
    "only-existing-summary",
    "summarizer-failed",
    "summary-not-faithful",
    "replacement-not-smaller",
    "archive-failed",
]
"""The first eight refuse a turn, the others a span that was chosen."""

REFUSAL_REASONS: Final[tuple[RefusalReason, ...]] = get_args(RefusalReason)
"""The reasons in the order in which they are reported."""

_RANK: Final = {reason: rank for rank, reason in enumerate(REFUSAL_REASONS)}


class Refusal(FrozenModel):
    """One reason why one turn, or one span, stayed.

    Attributes:
        reason: which rule refused.
        turn_index: the turn in the window as it was visited; for a span, its first turn.
        message_index: the message the rule is about; for a turn or a span as a whole, its first message.
        message_id: the id of that message.
        call_ids: the tool calls the rule is about.
        detail: what a person needs to know beyond the reason; one line.
    """

    reason: RefusalReason
    turn_index: int
    message_index: int
    message_id: str
    call_ids: tuple[str, ...] = ()
    detail: str | None = None


def in_order(refusals: list[Refusal]) -> tuple[Refusal, ...]:
    """Return the refusals in the order of their reasons, and for one reason in the order of the turns."""
    return tuple(sorted(refusals, key=lambda refusal: (_RANK[refusal.reason], refusal.turn_index)))
