"""Records of single model calls, each of which repeats the history: joined to the conversations that they are of.

A trace and a log of events hold the same message many times over: in the input of every call behind it. It is read
once. Messages are dicts of fields, named as in the JSON of a `Message`.

* A call belongs to the conversation with the same system messages that was held in the same group (the span that ran
  it), or that opens with the same message. Else it opens a conversation of its own.
* Of the input of a call, what the conversation does not hold yet, in this order, is new and comes last; so what a
  compaction took out of the input stays, and the summary it put there is one more message.
* A result that was recorded beside the calls goes behind the call that it answers, unless an input says it too.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

Fields = dict[str, Any]


@dataclass(slots=True)
class Thread:
    """A conversation that was put together.

    Attributes:
        rows: its messages.
        groups: the groups its calls came from, in order.
        calls: how many calls it was made of.
    """

    rows: list[Fields] = field(default_factory=list)
    groups: list[Hashable] = field(default_factory=list)
    calls: int = 0
    keys: list[Hashable] = field(default_factory=list, repr=False)
    system: tuple[Hashable, ...] = field(default=(), repr=False)
    opening: Hashable = field(default=None, repr=False)

    def add(self, row: Fields) -> None:
        """Put a message at the end."""
        self.rows.append(row)
        self.keys.append(_key(row))

    def answer(self, row: Fields) -> int | None:
        """Put a result behind its call, and return its place. None where no call of that id waits for one."""
        at = self.waiting(row.get("toolCallId"))
        if at is None:
            return None
        at += 1
        while at < len(self.rows) and self.rows[at]["role"] == "tool":
            at += 1
        self.rows.insert(at, row)
        self.keys.insert(at, _key(row))
        return at

    def waiting(self, identifier: object) -> int | None:
        """Return the index of the message whose call of this id has no answer yet, the last such one."""
        for at in range(len(self.rows) - 1, -1, -1):
            row = self.rows[at]
            if row["role"] == "tool" and row.get("toolCallId") == identifier:
                return None
            if any(call["id"] == identifier for call in row.get("toolCalls", ())):
                return at
        return None

    def repeat(self, inputs: Sequence[Fields]) -> None:
        """Add what the input of a call says that is not there yet."""
        held, before = 0, len(self.rows)
        for row in inputs:
            key = _key(row)
            at = next((at for at in range(held, before) if self.keys[at] == key), None)
            if at is None:
                at = self.answer(row) if row["role"] == "tool" else None
                if at is None:
                    self.add(row)
                    continue
                before += 1
            elif row["role"] == "tool":  # what the model was shown is what counts
                self.rows[at] = row
            held = at + 1


class Threads:
    """Conversations that calls are joined to, in the order in which they were opened."""

    def __init__(self) -> None:
        """Know of none yet."""
        self.all: list[Thread] = []

    def call(self, inputs: Sequence[Fields], output: Sequence[Fields], group: Hashable) -> Thread:
        """Add a call: what went in, and what came out."""
        thread = self._thread(inputs, group)
        if group not in thread.groups:
            thread.groups.append(group)
        thread.calls += 1
        thread.repeat(inputs)
        for row in output:
            thread.add(row)
        return thread

    def result(self, row: Fields) -> bool:
        """Add a result that stands beside the calls. False where no call waits for it."""
        return any(thread.answer(row) is not None for thread in reversed(self.all))

    def _thread(self, inputs: Sequence[Fields], group: Hashable) -> Thread:
        system = tuple(_key(row) for row in inputs if row["role"] == "system")
        opening = next((_key(row) for row in inputs if row["role"] != "system"), None)
        for thread in reversed(self.all):
            same = thread.opening is not None and thread.opening == opening
            if thread.system == system and (group in thread.groups or same):
                return thread
            if not inputs and group in thread.groups:
                return thread
        made = Thread(system=system, opening=opening)
        self.all.append(made)
        return made


def _key(row: Fields) -> Hashable:
    """Return what makes two rows one message: what they say, and not the ids that each record gives anew."""
    if row["role"] == "tool" and row.get("toolCallId") is not None:
        return ("tool", row["toolCallId"])
    calls = [(call["name"], call.get("args")) for call in row.get("toolCalls", ())]
    content = row.get("content") or ""
    said = content if isinstance(content, str) and not calls else json.dumps([content, calls], default=str)
    return (row["role"], said)
