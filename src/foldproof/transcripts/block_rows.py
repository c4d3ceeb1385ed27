"""Conversations of rows `{role, content}`, where content is text or a list of blocks: Claude's, Bedrock's, Cline's.

A row of the model's may hold reasoning, words and calls; a user row may hold results of several calls, and words. What
a block is, each format says in its `Dialect`; how rows become messages and how other windows go in is decided here.

* A result is a tool message; the words of a user row stand behind its results.
* Rows of the model's that follow one another are one message where the results behind them answer more than the last.
* A summary of the format's own is a frame. It stands for what was said before it, back to the last one, as far as the
  document has it.
* A block that says nothing (a mark for a cache, one that cannot be read) stays with the block ahead of it.
* What we write keeps what its format has no place for under `foldproof`: in a row of ours, or in a block of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, made_up_id, message_from
from foldproof.transcripts.compactions import folded_span, summary_frame_of
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Unread
from foldproof.transcripts.rows import Place, Places, with_note
from foldproof.window import FoldedSpan

Kind = Literal["part", "call", "result", "thinking", "summary", "nothing"]

_ROLES = ("user", "assistant", "system")
_CLEARED = ("[cleared to save context]", "[old tool result content cleared]")
"""What stands in the place of a result that context editing cleared, by the API, and by agents on top of it."""


class Block(NamedTuple):
    """What a block is.

    Attributes:
        kind: a part of the content, a call, a result, reasoning, a summary of a compaction, or nothing that was said.
        said: the part; the call (`id`, `name`, `args`); the fields of the result; the block itself; the summary.
    """

    kind: Kind
    said: Any = None


class Dialect(Protocol):
    """How a format spells its blocks."""

    def block(self, block: dict[str, Any]) -> Block:
        """Return what a block is.

        Raises:
            TranscriptError: it is none of the format's.
        """

    def app_of(self, texts: Sequence[str | None]) -> dict[str, str] | None:
        """Return which app said all of these texts as the user, if one did; None among them is no text."""

    def result_block(self, message: Message, replaced: dict[str, Any] | None) -> dict[str, Any]:
        """Return the block of a new result, which may stand in the place of another."""

    def user_row(self, message: Message) -> dict[str, Any]:
        """Return the row of a new user message, without our fields."""

    def summary_row(self, message: Message) -> dict[str, Any] | None:
        """Return the format's own row for a summary, with our fields; None where it has none for it."""


@dataclass(slots=True)
class _Draft:
    fields: dict[str, Any]
    places: list[Place]
    parts: list[Any] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    thinking: list[Any] = field(default_factory=list)
    indices: list[int] = field(default_factory=list)


class BlockReader:
    """Reads rows in order.

    Attributes:
        messages, places, folded, damage: what was read.
        lacks_results: whether results were cleared before, so that nobody knows what the tools had said.
        waiting: the calls of the last assistant message that have no answer yet.
        path_of: names a row in errors.
    """

    def __init__(self, dialect: Dialect, path_of: Callable[[int], str]) -> None:
        """Read blocks as `dialect` says; `path_of` names a row in errors."""
        self._dialect, self.path_of = dialect, path_of
        self._names: dict[str, str] = {}
        self._since = 0  # where the last summary stands
        self.waiting: list[dict[str, Any]] = []
        self.messages: list[Message] = []
        self.places: list[Places] = []
        self.folded: list[FoldedSpan] = []
        self.damage: list[Damage] = []
        self.lacks_results = False

    def read(self, rows: Sequence[Any]) -> None:
        """Read every row."""
        continues = _continued(rows, self._dialect)
        open_draft: _Draft | None = None
        for at, row in enumerate(rows):
            if open_draft is not None and at not in continues:
                self._say(open_draft)
                open_draft = None
            if (isinstance(row, dict) and self.is_special(rows, at)) or not self._is_readable(row, at):
                continue
            if row["role"] == "assistant":
                open_draft = self._assistant(row, at, open_draft)
            else:
                self.user(row, at)
        if open_draft is not None:
            self._say(open_draft)

    def is_special(self, rows: Sequence[Any], at: int) -> bool:  # noqa: ARG002 - for formats with rows of their own
        """Read a row that is no message of anybody's; False where it is one."""
        return False

    def _is_readable(self, row: Any, at: int) -> bool:  # noqa: ANN401 - a row is any JSON
        if not isinstance(row, dict):
            if not isinstance(row, Unread):
                cause = f"expected an object; found {type(row).__name__}; it was not read"
                self.damage.append(Damage(self.path_of(at), cause))
            return False
        if row.get("role") not in _ROLES:
            cause = f"unknown role {shown(row.get('role'))}; expected one of {', '.join(_ROLES)}; it was not read"
            self.damage.append(Damage(f"{self.path_of(at)}.role", cause))
            return False
        content = row.get("content")
        if content is not None and not isinstance(content, str | list):
            cause = f"expected text or a list of blocks; found {shown(content)}; it was not read"
            self.damage.append(Damage(f"{self.path_of(at)}.content", cause))
            return False
        return True

    def blocks(self, row: dict[str, Any], at: int) -> Iterator[tuple[int, Block, dict[str, Any]]]:
        """Yield the blocks of a row: the index, what it is, and the block."""
        content = row.get("content")
        for index, block in enumerate(content if isinstance(content, list) else ()):
            known = {"type": "text", "text": block} if isinstance(block, str) else block
            try:
                found = self._dialect.block(known) if isinstance(known, dict) else None
                cause = "" if found else f"expected a block; found {shown(known)}; it was not read"
            except TranscriptError as error:
                found, cause = None, error.cause
            if found is not None:
                yield index, found, known
                continue
            self.damage.append(Damage(f"{self.path_of(at)}.content[{index}]", cause))
            yield index, Block("nothing"), {}

    def _assistant(self, row: dict[str, Any], at: int, draft: _Draft | None) -> _Draft | None:
        if draft is None:
            draft = _Draft(_facts_of(row), [])
            self.waiting = []
        content = row.get("content")
        if not isinstance(content, list):
            draft.places.append(Place(at))
            self._speak(draft, content or "")
            return draft
        whole = True
        for index, (kind, said), block in self.blocks(row, at):
            if kind == "summary":
                if draft.indices or draft.places:
                    self._say(_cut(draft, at))
                    draft = _Draft(_facts_of(row), [])
                self.frame(said, block, Place(at, (index,)), self.originals())
                whole = False
                continue
            draft.indices.append(index)
            self._take(draft, kind, said, block)
        if whole:
            draft.indices.clear()
            draft.places.append(Place(at))
        else:
            draft = _cut(draft, at)
        return draft if draft.places else None

    def _take(self, draft: _Draft, kind: Kind, said: Any, block: dict[str, Any]) -> None:  # noqa: ANN401 - by kind
        if kind == "part":
            self._speak(draft, said)
        elif kind == "thinking":
            draft.thinking.append(said)
        elif kind == "call":
            draft.calls.append(self._call(said, draft.calls))
        elif kind == "result":  # of a tool that the provider ran itself
            draft.parts.append(block)

    def _speak(self, draft: _Draft, said: str | dict[str, Any]) -> None:
        words, calls = self.words(said)
        draft.parts += words
        for call in calls:
            draft.calls.append(self._call(call, draft.calls))

    def words(self, said: str | dict[str, Any]) -> tuple[list[str | dict[str, Any]], list[dict[str, Any]]]:
        """Return the words in what the model said, and the calls, for formats whose calls stand among the words."""
        return [said], []

    def _call(self, said: dict[str, Any], beside: Sequence[dict[str, Any]]) -> dict[str, Any]:
        call = dict(said)
        if call["id"] is None:
            same = sum(other["name"] == call["name"] and other["args"] == call["args"] for other in beside)
            call["id"] = made_up_id("call", call["name"], call["args"], same)
        self._names[call["id"]] = call["name"]
        self.waiting.append(call)
        return call

    def user(self, row: dict[str, Any], at: int) -> None:
        """Read a row of the user's."""
        role, content, note = row["role"], row.get("content"), row.get(FIELDS)
        if not isinstance(content, list):
            fields = {"role": role, "content": content or ""}
            said = with_note(fields, row) if isinstance(note, dict) else fields | self._whose(role, [content])
            self.add(said, (Place(at),))
            return
        if isinstance(note, dict):
            parts = [block.said for _, block, _ in self.blocks(row, at) if block.kind == "part"]
            self.add(with_note({"role": role, "content": parts}, row), (Place(at),))
            return
        results: list[tuple[list[int], dict[str, Any]]] = []
        spoken: list[int] = []
        parts, last = [], spoken
        for index, (kind, said), block in self.blocks(row, at):
            if kind == "result":
                last = [index]
                results.append((last, self.result(said, block)))
                continue
            last = last if kind == "nothing" else spoken
            last.append(index)
            if kind != "nothing":
                parts.append(said if kind == "part" else block)
        for indices, fields in results:
            self.add(fields, (Place(at, tuple(indices)),))
        if parts or not results:
            place = Place(at, tuple(spoken)) if results else Place(at)
            said = {"role": role, "content": parts}
            self.add(said | self._whose(role, [part.get("text") for part in parts]), (place,))

    def _whose(self, role: str, texts: Sequence[Any]) -> dict[str, Any]:
        """Return who delivered a user message, by what its parts hold as text."""
        known = [text if isinstance(text, str) else None for text in texts]
        app = self._dialect.app_of(known) if role == "user" else None
        return {} if app is None else {"injectedBy": app}

    def result(self, said: dict[str, Any], block: dict[str, Any]) -> dict[str, Any]:
        """Return the fields of a result: which call it answers is known by its id, else by its place."""
        fields = {"role": "tool", **said}
        identifier = fields["toolCallId"]
        if identifier is None:
            identifier = self.waiting[0]["id"] if self.waiting else made_up_id("result", fields["content"])
            fields["toolCallId"] = identifier
        self.waiting = [call for call in self.waiting if call["id"] != identifier]
        name = self._names.get(identifier)
        if name is not None:
            fields["toolName"] = name
        if FIELDS in block:
            return with_note(fields, block)
        if _is_cleared(fields["content"]):
            self.lacks_results = True
            fields["toolChars"] = 0
        return fields

    def frame(self, text: str, noted_in: Mapping[str, Any], place: Place, originals: Sequence[Message]) -> None:
        """Add the frame for a summary: as its note says, where we wrote one, else with the lineage of its originals."""
        self._since = len(self.messages)
        if isinstance(noted_in.get(FIELDS), dict):
            fields = with_note({"role": "user", "content": text}, noted_in)
            self.add(fields, (place,))
            return
        frame = summary_frame_of(text, originals=originals or None)
        self.messages.append(frame)
        self.places.append((place,))
        if originals:
            self.folded.append(folded_span(frame, originals))

    def originals(self) -> list[Message]:
        """Return what a summary that comes now stands for: the last summary, and what was said since."""
        return [message for message in self.messages[self._since :] if message.role != "system"]

    def _say(self, draft: _Draft) -> None:
        fields = draft.fields
        texts = [part for part in draft.parts if isinstance(part, str)]
        fields["content"] = texts[0] if len(texts) == len(draft.parts) == 1 else [_as_part(one) for one in draft.parts]
        if draft.calls:
            fields["toolCalls"] = draft.calls
        if draft.thinking:
            fields["thinkingBlocks"] = draft.thinking
        self.add(fields, tuple(draft.places))

    def add(self, fields: dict[str, Any], places: Places) -> None:
        """Add the message of these fields, or report why they make none."""
        try:
            message = message_from(fields, "")
        except TranscriptError as error:
            at, part = places[0]
            block = f".content[{part[0]}]" if isinstance(part, tuple) else ""
            self.damage.append(Damage(f"{self.path_of(at)}{block}{error.path}", f"{error.cause}; it was not read"))
            return
        self.messages.append(message)
        self.places.append(places)


def _is_cleared(content: Any) -> bool:  # noqa: ANN401 - text or parts
    """Whether a result says only that its words were cleared."""
    if isinstance(content, list):
        content = content[0].get("text") if len(content) == 1 else None
    return isinstance(content, str) and content.strip().lower() in _CLEARED


def _facts_of(row: dict[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {"role": "assistant"}
    for name, ours in (("id", "id"), ("model", "model"), ("stop_reason", "finishReason")):
        if isinstance(row.get(name), str):
            fields[ours] = row[name]
    return fields


def _as_part(part: str | dict[str, Any]) -> dict[str, Any]:
    return {"type": "text", "text": part} if isinstance(part, str) else part


def _cut(draft: _Draft, at: int) -> _Draft:
    """Return a draft that holds only some blocks of its row."""
    if draft.indices:
        draft.places.append(Place(at, tuple(draft.indices)))
        draft.indices.clear()
    return draft


def _continued(rows: Sequence[Any], dialect: Dialect) -> set[int]:
    """Return the rows of the model's that continue the one before: results behind them answer an earlier one too."""
    roles = [row.get("role") if isinstance(row, dict) else None for row in rows]
    continues: set[int] = set()
    for at in range(1, len(rows)):
        if roles[at] != "assistant" or roles[at - 1] != "assistant" or at in continues:
            continue
        end = next((stop for stop in range(at, len(rows)) if roles[stop] != "assistant"), len(rows))
        answered = set(_ids(rows[end], dialect, "result")) if end < len(rows) and roles[end] else set()
        run = range(at - 1, end - 1)
        first = next((one for one in run if not answered.isdisjoint(_ids(rows[one], dialect, "call"))), None)
        if first is not None and not any(_summarises(rows[one], dialect) for one in range(first, end)):
            continues.update(range(first + 1, end))
    return continues


def _known_blocks(row: dict[str, Any], dialect: Dialect) -> Iterator[Block]:
    content = row.get("content")
    for block in content if isinstance(content, list) else ():
        try:
            if isinstance(block, dict):
                yield dialect.block(block)
        except TranscriptError:
            continue


def _ids(row: dict[str, Any], dialect: Dialect, kind: Kind) -> Iterator[str]:
    name = "id" if kind == "call" else "toolCallId"
    return (said[name] for found, said in _known_blocks(row, dialect) if found == kind)


def _summarises(row: dict[str, Any], dialect: Dialect) -> bool:
    return any(block.kind == "summary" for block in _known_blocks(row, dialect))
