"""Turns that a policy holds although they could leave, with a ceiling and a way to stand down.

Two pins: `last-tool-result` holds the turn with a tool's latest result, `ledger-fact` the turn with a result that the
model itself filed as a fact. Both look only behind the current request, so a new request releases them all; both spend
their ceiling on the newest first, one slot a turn; and a turn among the recent ones costs no slot, for it stays anyway.
A pin that blocked two visits in a row stands down for one visit.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final, Literal

from foldproof.messages.base import FrozenModel

Standing = Literal["fact", "open", "noise", "ruled-out"]
"""What the model filed a result as; the host keeps it. A result that was not filed is undeclared."""

PinName = Literal["last-tool-result", "ledger-fact"]

PIN_NAMES: Final[tuple[PinName, ...]] = ("last-tool-result", "ledger-fact")

PATIENCE: Final = 2
"""Visits in a row that a pin may block before it stands down for one."""

_WORTH: Final[dict[Standing | None, int]] = {"fact": 4, "open": 3, None: 2, "ruled-out": 1, "noise": 0}


def worth(standing: Standing | None) -> int:
    """Return how much a result is worth to the window; more is worth more: fact, open, undeclared, ruled-out, noise."""
    return _WORTH.get(standing, _WORTH[None])


def worthiest_first(ids: Collection[str], standings: Mapping[str, Standing]) -> list[str]:
    """Return tool call ids in the order of their worth: fact, open, undeclared, ruled-out, noise."""
    return sorted(ids, key=lambda identifier: -worth(standings.get(identifier)))


class Held(FrozenModel):
    """A turn that a pin holds, the tool whose result it is for, and what holding it costs in characters."""

    tool: str
    turn_index: int
    characters: int


class PinReport(FrozenModel):
    """What a pin did at a visit.

    Attributes:
        limit: how many turns it may hold.
        pinned: the turns it holds, newest first.
        yielded: how many turns it would have held past its limit or while it stood down.
        stand_down: whether it stood down at this visit.
    """

    limit: int
    pinned: tuple[Held, ...] = ()
    yielded: int = 0
    stand_down: bool = False


def spend(wanted: Mapping[int, str], *, limit: int, stand_down: bool, cost: Callable[[int], int]) -> PinReport:
    """Return what a pin holds of the turns it wants (turn to tool, newest first), within its limit."""
    room = 0 if stand_down else limit
    pinned = tuple(
        Held(tool=tool, turn_index=turn, characters=cost(turn)) for turn, tool in list(wanted.items())[:room]
    )
    return PinReport(limit=limit, pinned=pinned, yielded=len(wanted) - len(pinned), stand_down=stand_down)
