"""What was worked out about one message, kept with it.

A message never changes, so a fact about it is worked out once. The facts stand in a slot beside the fields: they are
never written, compared, copied or pickled, and they go when their message goes. Each has an owner, which is the
function to ask; what is None was not asked for yet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from foldproof.messages.authorship import Author
    from foldproof.messages.frames import FrameKind
    from foldproof.messages.model import Message, Role, ToolCall


@dataclass(slots=True, eq=False)
class Facts:
    """The facts about one message, and in brackets who owns them.

    Attributes:
        role: its role; here because a slot is read faster than a field.
        tool: whose result it is, where it says so; here for the same reason.
        plain: whether it is words and calls only: string content, no reasoning beside it.
        fingerprint: see `Message.fingerprint`.
        identifier: the id that records name it by (`message_id`).
        kind: which frame it is, "" for none (`frame_kind`).
        author: who wrote it (`author_of`).
        observed: whether it is evidence of anything (`is_observation`).
        calls: the calls it makes (`calls_of`).
        call_ids: the ids of the calls it makes, or of the one it answers (`foldproof.messages.pairing`).
        exempts: the forms it exempts (`foldproof.evidence.exempt`).
        characters: what it says, in characters (`foldproof.window.counting`).
        counted: what it says, in tokens: by which counter, at which price of a part (as above).
        cleared: what stands for it once it is cleared, behind the options that say so (`foldproof.window.frames`).
    """

    role: Role
    tool: str | None
    plain: bool
    fingerprint: str | None = None
    identifier: str | None = None
    kind: FrameKind | Literal[""] | None = None
    author: Author | None = None
    observed: bool | None = None
    calls: tuple[ToolCall, ...] | None = None
    call_ids: tuple[str | None, ...] | None = None
    exempts: frozenset[str] | None = None
    characters: int | None = None
    counted: tuple[object, int, int] | None = None
    cleared: tuple[object, Message] | None = None
