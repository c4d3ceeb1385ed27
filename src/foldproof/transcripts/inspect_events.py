"""The events of an Inspect sample: what went into each call of a model, and what came out.

What was checked in real files stands in `inspect_eval_log`.
"""

from __future__ import annotations

from typing import Any

from foldproof.errors import TranscriptError
from foldproof.transcripts.codec import message_from
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.inspect_rows import RowReader
from foldproof.transcripts.json_text import Json


class EventReader:
    """Reads the messages of events. What is wrong with one that every later event repeats is reported once."""

    def __init__(self, rows: RowReader, damage: list[Damage]) -> None:
        """Read rows with this reader, and report damage there."""
        self._rows, self._damage = rows, damage
        self._reported: set[str] = set()
        self._read_before: dict[int, tuple[Json, dict[str, Any] | None]] = {}  # by the row, which stays alive here

    def fields(self, rows: list[Any], path: str) -> list[dict[str, Any]]:
        """Return the fields of the messages that can be read."""
        return [fields for at, row in enumerate(rows) if (fields := self._once(row, path, at)) is not None]

    def _once(self, row: Json, path: str, at: int) -> dict[str, Any] | None:
        """Return the fields of a message, read once where it names its call: events refer to the same rows."""
        known = self._read_before.get(id(row))
        if known is None:
            fields = self._read(row, f"{path}[{at}]")
            if isinstance(row, dict) and (
                row.get("role") != "tool" or (row.get("tool_call_id") and row.get("function"))
            ):
                self._read_before[id(row)] = (row, fields)
            return fields
        if known[1] is not None:
            self._rows.repeated(known[1])
        return known[1]

    def _read(self, row: Json, path: str) -> dict[str, Any] | None:
        try:
            fields = self._rows.fields(row if isinstance(row, dict) else {"role": row}, path)
            message_from(fields, path)
        except TranscriptError as error:
            if error.cause not in self._reported:
                self._damage.append(damage_of(error))
            self._reported.add(error.cause)
            return None
        return fields


def input_of(event: dict[str, Any], pool: list[Any]) -> list[Any]:
    """Return the rows that went into a call of a model, from the pool where the event refers to it."""
    rows = event.get("input")
    if isinstance(rows, list) and rows:
        return rows
    spans = event.get("input_refs")
    found: list[Any] = []
    for span in spans if isinstance(spans, list) else ():
        if isinstance(span, list) and len(span) == 2 and all(isinstance(end, int) for end in span):  # noqa: PLR2004
            found += pool[max(0, span[0]) : span[1]]
    return found


def output_of(event: dict[str, Any]) -> list[Any]:
    """Return the row that came out of a call of a model."""
    output = event.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return [first["message"]] if isinstance(first, dict) and "message" in first else []
