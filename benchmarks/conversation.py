"""The conversation that the window is timed on: a person, a call, its result, an answer, of 400 characters each."""

from __future__ import annotations

from functools import cache

from foldproof.messages import Message

BYTES = 400


def padded(text: str) -> str:
    return (text + " and so on, as these things go, until the line is full" * 10)[:BYTES]


@cache
def window(size: int) -> list[Message]:
    """A window of `size` messages, each text its own, one value in four of them."""
    found: list[Message] = [Message(role="system", content=padded("be kind"))]
    for turn in range(size // 4):
        name, tool = f"call-{turn}", f"tool_{turn % 7}"
        calls = [{"id": name, "name": tool, "args": {"row": turn}}]
        found += [
            Message(role="user", content=padded(f"please look at order ORD-{turn}")),
            Message.model_validate({"role": "assistant", "content": padded(f"looking {turn}"), "toolCalls": calls}),
            Message(role="tool", tool_call_id=name, tool_name=tool, content=padded(f"row {turn} is fine")),
            Message(role="assistant", content=padded(f"order {turn} is fine")),
        ]
    return found[:size]
