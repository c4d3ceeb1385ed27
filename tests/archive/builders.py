"""Short ways to write what these tests archive."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import JsonValue

from foldproof.archive import SqliteArchive
from foldproof.messages import FOLDED, Message
from foldproof.window import span_address


def kept(archive: SqliteArchive, *messages: Message) -> str:
    """Keep one span, and return its address."""
    address = span_address(messages)
    archive.keep({address: messages})
    return address


def said(*texts: str) -> list[Message]:
    return [Message(role="user", content=text) for text in texts]


def frame_of(address: str, text: str = "[foldproof summary frame] of a span.") -> Message:
    """A frame that says its span was archived, as a visit writes it."""
    note: JsonValue = {"messages": 1, "observations": [], "span": address[:16], "archived": address}
    return Message(role="user", content=text, metadata={FOLDED: note})


def texts(messages: Iterable[Message]) -> list[str]:
    return [message.text for message in messages]


def bytes_of(path: Path) -> bytes:
    """Everything that the files of an archive hold."""
    return b"".join(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")))


def conversation(turns: int, *, start: int = 0) -> Sequence[Message]:
    """Turns of a call and its long result, and what the person asked; each says which it is."""
    return [message for index in range(start, start + turns) for message in turn(index)]


def turn(index: int) -> list[Message]:
    """The messages of one turn: all that they say follows from the index."""
    call = {"id": f"c{index}", "name": "find_order", "args": {"order": f"ORD-{index:06}"}}
    filler = " ".join(f"line {index}.{line} costs ${index}.{line:02}" for line in range(12))
    return [
        Message(role="user", content=f"Where is order ORD-{index:06}? {filler[:120]}"),
        Message.model_validate({"role": "assistant", "content": "", "toolCalls": [call]}),
        Message(role="tool", tool_call_id=f"c{index}", tool_name="find_order", content=f"ORD-{index:06}: {filler}"),
        Message(role="assistant", content=f"Order ORD-{index:06} is on its way. {filler[:200]}"),
    ]
