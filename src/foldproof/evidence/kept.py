"""Values that outlive the results they stood in: each with the forms it was read under, and with its carrier.

A frame may hold some of them (`carry`), and a fold that keeps the lineage alone holds all. They are data in the frame's
note and never its text: what a summary says grounds nothing.
"""

from __future__ import annotations

from pydantic import ValidationError

from foldproof.messages import Message, carry_of
from foldproof.messages.base import FrozenModel


class KeptValue(FrozenModel):
    """A value that a tool said in a message which may have left since.

    Attributes:
        text: the spelling found there.
        forms: the forms it is looked up under.
        message_id: the id of that message (`message_id`).
        tool_call_id, tool_name, part, block, path, in_key, start, end, record, column: as in `Carrier`.
    """

    text: str
    forms: tuple[str, ...]
    message_id: str
    tool_call_id: str | None = None
    tool_name: str | None = None
    part: int | None = None
    block: int | None = None
    path: str | None = None
    in_key: bool = False
    start: int
    end: int
    record: str | None = None
    column: str | None = None


def carried_by(message: Message) -> tuple[KeptValue, ...]:
    """Return the values that a frame carries. What does not read as one is none."""
    found = []
    for entry in carry_of(message):
        try:
            found.append(KeptValue.model_validate(entry))
        except ValidationError:  # a note of somebody else's under our key: it is evidence of nothing
            continue
    return tuple(found)
