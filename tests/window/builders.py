"""Short ways to write the windows of these tests."""

from __future__ import annotations

from foldproof.messages import Message
from foldproof.window import RefusalReason, WindowRecord

PROSE = "there is a lot to be said about this and so it is said at length, once and again, until it is long. " * 3


def system(text: str = "be kind") -> Message:
    return Message(role="system", content=text)


def user(text: str = PROSE) -> Message:
    return Message(role="user", content=text)


def plain(text: str = PROSE) -> Message:
    return Message(role="assistant", content=text)


def call(*ids: str, tool: str = "search") -> Message:
    calls = [{"id": name, "name": tool, "args": {"q": name}} for name in ids]
    return Message.model_validate({"role": "assistant", "content": "", "toolCalls": calls})


def result(name: str, text: str = PROSE, tool: str = "search") -> Message:
    return Message(role="tool", tool_call_id=name, tool_name=tool, content=text)


def loop(count: int, text: str = PROSE) -> list[Message]:
    return [message for index in range(count) for message in (call(f"c{index}"), result(f"c{index}", text))]


def reasons(record: WindowRecord) -> set[RefusalReason]:
    return {refusal.reason for refusal in record.refusals}
