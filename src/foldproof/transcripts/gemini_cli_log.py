"""The log of a Gemini CLI session, put in order: which row says what, once.

The app reads a log into a map of rows by id. So does this, but what a later line took out of the map by a compaction is
kept: it is still in the file.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from foldproof.errors import shown
from foldproof.transcripts.codec import FIELDS
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.gemini_cli_words import is_snapshot
from foldproof.transcripts.gemini_parts import CALL, RESPONSE, TEXT, kind_of
from foldproof.transcripts.json_text import Json, Unread, revise, revise_items

_SET, _REWIND = "$set", "$rewindTo"


@dataclass(slots=True)
class Line:
    """A row of a session as it counts now.

    Attributes:
        row: what is written for it when the window changes.
        path: where it stands.
        spoken: it may hold a message: it is no header, and was not taken back.
        id: its id.
        originals: for the summary of a compaction, the ids of the rows it stands for.
    """

    row: Any
    path: str
    spoken: bool = False
    id: str | None = None
    originals: frozenset[str] | None = None

    @property
    def text(self) -> str:
        """Its words."""
        return _text_of(self.row)


def is_header(row: Mapping[str, Any]) -> bool:
    """Whether a row is the first one of a log."""
    known = isinstance(row.get("sessionId"), str) and isinstance(row.get("projectHash"), str)
    return known and "messages" not in row and "type" not in row


def is_log(rows: list[dict[str, Any]]) -> bool:
    """Whether rows hold one that only a log of Gemini CLI holds."""
    return any(isinstance(row.get(_SET), dict) or isinstance(row.get(_REWIND), str) for row in rows)


def parts_in(content: Json) -> list[Any]:
    """Return a `PartListUnion` as a list of parts."""
    if content is None:
        return []
    return content if isinstance(content, list) else [content]


def lines_of(rows: list[Any], path: str, damage: list[Damage], *, log: bool) -> tuple[list[Line], dict[str, Any]]:
    """Return the rows of a session as they count, in order, and what its header says in the end.

    In a `log`, a row replaces an earlier one of its id.
    """
    found = _Log(damage, replaces=log)
    for at, row in enumerate(rows):
        found.add(row, f"{path}[{at}]")
    return found.settled(), found.header


class _Log:
    def __init__(self, damage: list[Damage], *, replaces: bool) -> None:
        self._damage, self._replaces = damage, replaces
        self._lines: list[Line] = []
        self._live: dict[str, Line] = {}
        self.header: dict[str, Any] = {}

    def add(self, row: Json, path: str) -> None:
        if not isinstance(row, dict):
            if not isinstance(row, Unread):
                self._damage.append(Damage(path, f"expected a row; found {shown(row)}; it was not read"))
            self._lines.append(Line(row, path))
        elif _REWIND in row:
            self._rewind(row, path)
        elif isinstance(row.get("id"), str):
            self._row(row, path)
        elif isinstance(row.get(_SET), dict):
            self._set(row, path)
        elif is_header(row):
            self.header |= row
            self._lines.append(Line(row, path))
        elif "type" in row:
            self._lines.append(Line(row, path, spoken=True))
        else:
            names = ", ".join(map(str, row)) or "nothing"
            self._damage.append(Damage(path, f"expected a row with a type; found {names}; it was not read"))
            self._lines.append(Line(row, path))

    def settled(self) -> list[Line]:
        """Return the lines without the results that a user row repeats."""
        answered: set[str] = set()
        out = []
        for line in self._lines:
            if line.spoken and isinstance(line.row.get("toolCalls"), list):
                answered.update(
                    call["id"]
                    for call in line.row["toolCalls"]
                    if isinstance(call, dict) and isinstance(call.get("id"), str) and call.get("result")
                )
            if line.spoken and line.row.get("type") == "user" and FIELDS not in line.row:
                left = _without_repeats(line.row, answered)
                if left is None:
                    continue
                line.row = left
            out.append(line)
        return out

    def _row(self, row: dict[str, Any], path: str) -> None:
        known = self._live.get(row["id"])
        if known is not None and self._replaces:
            known.row, known.path = row, path
            return
        line = Line(row, path, spoken=True, id=row["id"])
        self._live[row["id"]] = line
        self._lines.append(line)

    def _rewind(self, row: dict[str, Any], path: str) -> None:
        target = self._live.get(row[_REWIND]) if isinstance(row[_REWIND], str) else None
        if target is None:
            cause = f"expected the id of a row ahead; found {shown(row[_REWIND])}; nothing was taken back"
            self._damage.append(Damage(f"{path}.{_REWIND}", cause))
        else:
            ids = list(self._live)
            for identifier in ids[ids.index(row[_REWIND]) :]:
                self._live.pop(identifier).spoken = False
        self._lines.append(Line(row, path))

    def _set(self, row: dict[str, Any], path: str) -> None:
        changes = row[_SET]
        self.header |= {name: value for name, value in changes.items() if name != "messages"}
        stated = changes.get("messages")
        if not isinstance(stated, list):
            self._lines.append(Line(row, path))
            return
        rest = {name: value for name, value in changes.items() if name != "messages"}
        if rest:
            self._lines.append(Line({**row, _SET: rest}, path))
        ids = []
        for at, one in enumerate(stated):
            here = f"{path}.{_SET}.messages[{at}]"
            if not isinstance(one, dict) or not isinstance(one.get("id"), str):
                self._damage.append(Damage(here, f"expected a row with an id; found {shown(one)}; it was not read"))
                continue
            ids.append(one["id"])
            if one["id"] not in self._live:
                self._row(one, here)
        self._compacted(ids)

    def _compacted(self, ids: list[str]) -> None:
        """Find the summary in what was stated anew: it stands for what is ahead of it and was not kept."""
        at = next((at for at, one in enumerate(ids) if _is_summary(self._live[one].row)), None)
        if at is None or self._live[ids[at]].originals is not None:
            return
        summary = self._live[ids[at]]
        ahead = [line for line in self._lines[: _index(self._lines, summary)] if line.spoken]
        kept = {line.id for line in ahead} & set(ids)
        said: dict[str, list[Line]] = defaultdict(list)
        for line in ahead:
            said[_words(line.row)].append(line)
        for identifier in ids[at + 1 :]:
            copy = self._live[identifier]
            first = said.get(_words(copy.row))
            if first and copy not in ahead:
                kept.add(first.pop().id)
                self._lines.pop(_index(self._lines, copy))
        summary.originals = frozenset(line.id for line in ahead if line.id is not None and line.id not in kept)


def _index(lines: list[Line], wanted: Line) -> int:
    return next(at for at, line in enumerate(lines) if line is wanted)


def _is_summary(row: Mapping[str, Any]) -> bool:
    return row.get("type") == "user" and FIELDS not in row and is_snapshot(_text_of(row))


def _text_of(row: Mapping[str, Any]) -> str:
    parts = [{TEXT: part} if isinstance(part, str) else part for part in parts_in(row.get("content", row.get("parts")))]
    spoken = [part for part in parts if isinstance(part, dict) and part.get("thought") is not True]
    return "\n".join(part[TEXT] for part in spoken if isinstance(part.get(TEXT), str))


def _words(row: Mapping[str, Any]) -> str:
    """Return what a row says, however it was recorded: its words, its calls and its results by id."""
    found = [kind_of(part) for part in parts_in(row.get("content")) if isinstance(part, dict)]
    calls = row.get("toolCalls")
    named = [call.get("id") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    inside = [value.get("id") for kind, value in found if kind == CALL and isinstance(value, dict)]
    results = [value.get("id") for kind, value in found if kind == RESPONSE and isinstance(value, dict)]
    kind = "gemini" if row.get("type") == "model" else row.get("type")
    return json.dumps([kind, _text_of(row), named or inside, results])


def _without_repeats(row: dict[str, Any], answered: set[str]) -> dict[str, Any] | None:
    """Return a user row without the results that their calls hold already; None where nothing else is in it."""
    content = row.get("content")
    if not isinstance(content, list):
        return row
    left = [part for part in content if not _repeats(part, answered)]
    if len(left) == len(content):
        return row
    return revise(row, {"content": revise_items(content, left)}) if left else None


def _repeats(part: Json, answered: set[str]) -> bool:
    kind, value = kind_of(part) if isinstance(part, dict) else (None, None)
    identifier = value.get("id") if kind == RESPONSE and isinstance(value, dict) else None
    return isinstance(identifier, str) and identifier in answered
