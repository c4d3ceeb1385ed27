"""One conversation that every framework can hold, and what each of their sides here offers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeAlias

from foldproof.messages import FrameKind

SYSTEM = "Be brief. Prices are in €."
FIRST = "What is the fee of QX7, and of «naïve 🎉»?"
LOOK = "Let me look both up."
FOUND = "The fee of QX7 is 190.00 €." + "".join(f"\nSeat {row}A: {row}.50 €" for row in range(1, 40))
FAILED = "There is no booking «naïve 🎉»."
ANSWER = "QX7 costs 190.00 €; the other booking does not exist."
SECOND = "And how heavy may a bag be?"
LAST = "A bag may weigh 23 kg." + " What is heavier travels as freight." * 20
CALLS = (("call-1", "find_fee", {"booking": "QX7"}), ("call-2", "find_booking", {"name": "naïve 🎉", "exact": True}))
ARGUMENTS = tuple(json.dumps(arguments, ensure_ascii=False) for _, _, arguments in CALLS)


EVERY_KIND: tuple[FrameKind, ...] = ("drop-notice", "summary", "cleared-result")

Piece: TypeAlias = Any
"""What a framework holds of a conversation: a message, an item or a part, of a class of its own."""


class Said(NamedTuple):
    """One message of the conversation: who, what, and which tool result it is."""

    role: str
    words: str
    call: int | None = None


TALK = (
    Said("system", SYSTEM),
    Said("user", FIRST),
    Said("assistant", LOOK),
    Said("tool", FOUND, 0),
    Said("tool", FAILED, 1),
    Said("assistant", ANSWER),
    Said("user", SECOND),
    Said("assistant", LAST),
)


class Side(Protocol):
    """What a module `as_*` offers: a framework's own way to write and to load the conversation.

    `FORMAT` is the format it is read in, `TOLD` what of the conversation this kind of file can hold, `FLAGS_ERRORS`
    whether it says that a result is an error, and `KEEPS_NOTES` the kinds of frames whose fields are still there once
    the framework has loaded and written a file.
    """

    FORMAT: str
    TOLD: tuple[Said, ...]
    FLAGS_ERRORS: bool
    KEEPS_NOTES: tuple[FrameKind, ...]

    def written(self, folder: Path) -> Path:
        """Return the file that the framework writes of the conversation."""

    def loaded(self, path: Path) -> list[Piece]:
        """Return what the framework holds once it has loaded a file: messages, items or parts, in order."""

    def words(self, piece: Piece) -> str:
        """Return the words of one of them."""

    def written_again(self, path: Path, folder: Path) -> Path:
        """Return the file that the framework writes of what it loaded."""
