"""pi and its family (OpenClaw, Oh My Pi): a session file, JSONL, one entry a line behind a header `type: "session"`.

Checked in real sessions of version 1 (pi-mono: one of 1,019 rows, and one with two compactions on top of each other),
in a scrubbed one of version 3 (agent-sessions) and in one of OpenClaw; what occurs in none of them (branches, entries
of extensions) is from the library's source (`session-manager.ts`, `messages.ts`).

* Version 1 is a list of entries. From version 2 on an entry names its parent (`id`, `parentId`), and the branch of the
  last entry is the conversation; entries of a branch that was left stay in the file. A `parentId` that names no entry
  (OpenClaw names the header, or a call) stands for the entry above.
* `message` entries: `user`, `assistant` (text, `thinking`, `toolCall` blocks), `toolResult`. A `bashExecution` is what
  the person ran by themselves: the app tells the model, so it is the app's. So is what an extension says (`custom`,
  `hookMessage`, and the entry `custom_message`).
* An aborted turn may leave calls that nobody answers, and blocks of a kind that stays as it is.
* A `compaction` keeps what lies between `firstKeptEntryId` (version 1: `firstKeptEntryIndex`, counted with the header)
  and itself; it becomes a frame where it stands, and its originals are the rest of the context that it was made from.
  A `branch_summary` stands for a branch that is not this one, so it has no originals here.
* A summary frame that opens a window is written as a `compaction`. One further back is a user message: a `compaction`
  there would hide from the app what stays ahead of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, Format, id_text, message_from, parts_from, without
from foldproof.transcripts.compactions import folded_span, summary_frame_of
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage, UnknownKinds, damage_of
from foldproof.transcripts.json_text import Json, Unread, revise_items
from foldproof.transcripts.pi_writing import written
from foldproof.transcripts.rows import Place, each_object, rows_in, with_note

VERSION: Final = 3
"""The newest version of the format that is known here."""

_SILENT: Final = frozenset({"session", "model_change", "thinking_level_change", "custom", "label", "session_info"})
_SPEAKING: Final = frozenset({"message", "custom_message", "compaction", "branch_summary"})
_NOT_ENTERED: Final = (
    "Skipped due to queued user message.",
    "Tool execution was blocked",
    "Operation aborted",
    "Command aborted",
)
_OWN_ROLES = ("toolResult", "bashExecution", "hookMessage")
_SAMPLE = 50


class PiSession:
    """The pi session format."""

    format = Format(
        "pi_session",
        "pi, OpenClaw or Oh My Pi session (JSONL)",
        one_row_a_line=True,
        shape='rows {type: "session", id, cwd}, then {type: "message", message: {role, content}}',
        compaction="compaction entries {summary, firstKeptEntryId | firstKeptEntryIndex}",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why rows are a session: a header, or entries as only this family writes them."""
        rows = value if isinstance(value, list) else [value]
        found = any(map(_is_ours, rows[:_SAMPLE]))
        return "a header of type session, and entries" if found else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation on the branch of the last entry."""
        rows = rows_in(value if isinstance(value, list) else [value], "$")
        damage: list[Damage] = []
        reader = _Reader(rows, damage)
        reader.read()
        header = header_of(rows)
        version = version_of(rows)
        if version > VERSION:
            at = next(at for at, row in enumerate(rows) if row is header)
            cause = f"the version is {shown(header['version'])}; expected at most {VERSION}; it was read as {VERSION}"
            damage.insert(0, Damage(f"$[{at}].version", cause))
        return (
            Reading(
                tuple(reader.messages),
                tuple((Place(at),) for at in reader.places),
                without(header, ("type", "id")),
                id_text(header.get("id")),
                damage=tuple(damage),
                folded=tuple(reader.folded),
            ),
        )

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the session with another conversation on its branch; the entries around are linked anew."""
        (edit,) = edits
        rows = value if isinstance(value, list) else [value]
        made = written(rows, edit, path_of(rows, []), tree=is_tree(rows))
        if isinstance(value, list):
            return revise_items(value, made)
        return made[0] if len(made) == 1 else made


def _is_ours(row: Json) -> bool:
    if not isinstance(row, dict):
        return False
    kind = row.get("type")
    if kind == "session":
        return isinstance(row.get("id"), str) and "cwd" in row and "timestamp" in row and "message" not in row
    if kind == "message":
        said = row.get("message")
        return isinstance(said, dict) and (said.get("role") in _OWN_ROLES or "stopReason" in said)
    return kind == "compaction" and ("firstKeptEntryId" in row or "firstKeptEntryIndex" in row)


def header_of(rows: Sequence[Json]) -> dict[str, Any]:
    """Return the header of a session; an empty one where its line was lost."""
    return next((row for row in rows if isinstance(row, dict) and row.get("type") == "session"), {})


def version_of(rows: Sequence[Json]) -> int:
    """Return the version of a session; the first one does not say."""
    version = header_of(rows).get("version", 1)
    return version if isinstance(version, int) and not isinstance(version, bool) else 1


def is_tree(rows: Sequence[Json]) -> bool:
    """Whether the entries name their parents, as from version 2 on. They say so too where the header was lost."""
    return version_of(rows) > 1 or any(isinstance(row, dict) and isinstance(row.get("parentId"), str) for row in rows)


def path_of(rows: Sequence[Json], damage: list[Damage]) -> list[int]:
    """Return the entries on the branch of the last one, from the root; the header is no entry."""
    entries = [at for at, row in each_object(rows, "$", damage) if row.get("type") != "session"]
    if not is_tree(rows) or not entries:
        return entries
    places = {rows[at]["id"]: at for at in entries if isinstance(rows[at].get("id"), str)}
    above = dict(zip(entries[1:], entries, strict=False))
    header = header_of(rows).get("id")
    path: dict[int, None] = {}
    here: int | None = entries[-1]
    while here is not None and here not in path:
        path[here] = None
        parent = rows[here].get("parentId", "")
        if parent is None or parent == header:
            break
        here = places.get(parent, above.get(here)) if isinstance(parent, str) else above.get(here)
    return list(path)[::-1]


class _Reader:
    def __init__(self, rows: Sequence[Json], damage: list[Damage]) -> None:
        self._rows = rows
        self._damage = damage
        self._unknown = UnknownKinds("entry type")
        self._roles = UnknownKinds("role")
        self._context: list[Message] = []  # what the app gives the model at this point
        self._at: dict[int, int] = {}  # the entry of a message, by its identity
        self.messages: list[Message] = []
        self.places: list[int] = []
        self.folded: list[Any] = []

    def read(self) -> None:
        path = path_of(self._rows, self._damage)
        for at in path:
            row = self._rows[at]
            try:
                self._entry(row, at)
            except TranscriptError as error:
                self._damage.append(damage_of(error))
        on_the_path = set(path)
        for at, row in enumerate(self._rows):
            if isinstance(row, dict) and at not in on_the_path and not _is_known(row.get("type")):
                self._unknown.add(row.get("type"), f"$[{at}]")
        self._damage += [*self._unknown.damage(), *self._roles.damage()]
        if not self.messages and self._damage:
            raise TranscriptError(self._damage[0].cause, path=self._damage[0].path)

    def _entry(self, row: dict[str, Any], at: int) -> None:
        kind, path = row.get("type"), f"$[{at}]"
        if kind == "message":
            self._message(row, at)
        elif kind == "custom_message":
            fields = {"role": "user", "content": parts_from(row.get("content"), f"{path}.content")}
            self._say(row, at, fields | _named(row) | _injected(row.get("customType")))
        elif kind in ("compaction", "branch_summary"):
            self._summary(row, at)
        elif not _is_known(kind):
            self._unknown.add(kind, path)

    def _message(self, row: dict[str, Any], at: int) -> None:
        said, path = row.get("message"), f"$[{at}].message"
        if not isinstance(said, dict):
            raise TranscriptError(f"expected a message object; found {shown(said)}", path=path)
        role = said.get("role")
        if role == "assistant":
            fields = _assistant(said, path)
        elif role == "toolResult":
            fields = _result(said, path)
        elif role == "user":
            fields = {"role": "user", "content": parts_from(said.get("content"), f"{path}.content")}
        elif role in ("custom", "hookMessage"):
            fields = {"role": "user", "content": parts_from(said.get("content"), f"{path}.content")}
            fields |= _injected(said.get("customType"))
        elif role == "bashExecution":
            if said.get("excludeFromContext") is True:  # nobody told the model
                return
            fields = {"role": "user", "content": _ran(said, path), **_injected("bashExecution")}
        else:
            self._roles.add(role, f"{path}.role")
            return
        self._say(row, at, fields | _named(row))

    def _say(self, row: dict[str, Any], at: int, fields: dict[str, Any]) -> None:
        message = message_from(with_note(fields, row), f"$[{at}]")
        self._add(message, at)
        self._context.append(message)

    def _add(self, message: Message, at: int) -> None:
        self.messages.append(message)
        self.places.append(at)
        self._at[id(message)] = at

    def _summary(self, row: dict[str, Any], at: int) -> None:
        text = row.get("summary")
        if not isinstance(text, str):
            raise TranscriptError(f"expected the text of a summary; found {shown(text)}", path=f"$[{at}].summary")
        kept = self._kept(row) if row["type"] == "compaction" else []
        left = {id(message) for message in kept}
        originals = [message for message in self._context if id(message) not in left]
        is_compaction = row["type"] == "compaction" and not isinstance(row.get(FIELDS), dict)
        frame = summary_frame_of(text, originals=originals if is_compaction and originals else None, id=_id(row))
        if is_compaction and originals:
            self.folded.append(folded_span(frame, originals))
        if row["type"] == "compaction":
            self._context = [*kept]
        if isinstance(row.get(FIELDS), dict):
            fields = {"role": "user", "content": text}
            frame = message_from(with_note(fields, row), f"$[{at}]")
        self._add(frame, at)
        self._context.insert(0 if row["type"] == "compaction" else len(self._context), frame)

    def _kept(self, row: dict[str, Any]) -> list[Message]:
        """Return the messages of the context that a compaction kept."""
        named, index = row.get("firstKeptEntryId"), row.get("firstKeptEntryIndex")
        first: int | None = None
        if isinstance(named, str):
            first = self._first_of.get(named)
        elif isinstance(index, int):
            first = self._lines[index] if 0 <= index < len(self._lines) else None
        if first is None:
            return []
        later = (message for message in self._context if self._at[id(message)] >= first)
        return [message for message in later if self._rows[self._at[id(message)]]["type"] != "compaction"]

    @cached_property
    def _first_of(self) -> dict[str, int]:
        """Where the entry of an id stands; the first one, where several have it."""
        ids = ((row.get("id"), at) for at, row in enumerate(self._rows) if isinstance(row, dict))
        return dict(reversed([(name, at) for name, at in ids if isinstance(name, str)]))

    @cached_property
    def _lines(self) -> list[int]:
        """Where the lines stand that were read: a version that counts entries counts these."""
        return [at for at, row in enumerate(self._rows) if not isinstance(row, Unread)]


def _is_known(kind: object) -> bool:
    return isinstance(kind, str) and (kind in _SILENT or kind in _SPEAKING)


def _id(row: Mapping[str, Any]) -> str | None:
    return row["id"] if isinstance(row.get("id"), str) else None


def _named(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": row["id"]} if isinstance(row.get("id"), str) else {}


def _injected(reason: object) -> dict[str, Any]:
    return {"injectedBy": {"source": "pi", "reason": reason if isinstance(reason, str) else "custom"}}


def _assistant(said: dict[str, Any], path: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"role": "assistant"}
    calls: list[dict[str, Any]] = []
    thinking: list[Any] = []
    parts: list[Any] = []
    content = parts_from(said.get("content"), f"{path}.content")
    for block in [content] if isinstance(content, str) else content:
        kind = block.get("type") if isinstance(block, dict) else None
        if isinstance(block, str):
            parts = [{"type": "text", "text": block}] if block else parts
        elif kind == "thinking":
            thinking.append(block)
        elif kind == "toolCall" and isinstance(block.get("name"), str) and isinstance(block.get("id"), str):
            calls.append({"id": block["id"], "name": block["name"], "args": block.get("arguments", {})})
        else:
            parts.append(block)
    fields["content"] = parts
    if calls:
        fields["toolCalls"] = calls
    if thinking:
        fields["thinkingBlocks"] = thinking
    if isinstance(said.get("model"), str):
        fields["model"] = said["model"]
    if isinstance(said.get("stopReason"), str):
        fields["finishReason"] = said["stopReason"]
    return fields


def _result(said: dict[str, Any], path: str) -> dict[str, Any]:
    fields: dict[str, Any] = {"role": "tool", "toolCallId": id_text(said.get("toolCallId"))}
    fields["content"] = parts_from(said.get("content"), f"{path}.content")
    if isinstance(said.get("toolName"), str):
        fields["toolName"] = said["toolName"]
    if said.get("isError") is True:
        fields["isError"] = True
        texts = [block.get("text") for block in fields["content"] if isinstance(block, dict)]
        if len(texts) == 1 and texts[0] in _NOT_ENTERED:
            fields["toolResultOrigin"] = "not-entered"
    return fields


def _ran(said: dict[str, Any], path: str) -> str:
    """Return what the model is told of a command that the person ran."""
    command, output = said.get("command"), said.get("output")
    if not isinstance(command, str) or not isinstance(output, str | None):
        raise TranscriptError(f"expected a command and its output; found {shown(said)}", path=path)
    text = f"Ran `{command}`\n" + (f"```\n{output}\n```" if output else "(no output)")
    code = said.get("exitCode")
    if said.get("cancelled") is True:
        return f"{text}\n\n(command cancelled)"
    return f"{text}\n\nCommand exited with code {code}" if isinstance(code, int) and code else text
