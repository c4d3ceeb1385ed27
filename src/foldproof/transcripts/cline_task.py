"""Cline and Roo Code: `api_conversation_history.json` of a task, a list of `{role, content, ts}` rows.

No shared file was at hand. Checked against the sources of Cline (the last version before its SDK, of 2026) and of Roo
Code (2026), which write such rows: Claude's blocks, with a time and facts of the model beside them.

* A task opens with the person's words in `<task>`, later ones stand in `<feedback>` or `<user_message>`. A text that is
  that and nothing else is the person's, without the tags. Where the app put files they mention into the same text it is
  the person's as it stands. Every other word of a user row is the app's.
* Calls are `tool_use` blocks, or XML tags in the text of a task that has no such block. A result is a `tool_result`
  block, or a text that opens with a heading (`[read_file for 'x'] Result:`): it answers the first call of that name
  that waits, and the heading is the app's. An older version puts the heading into a block of its own.
* A call that the person denied, or that was skipped after one, never ran; what they said with it stands in the metadata
  of its result. What `summarize_task` and `condense` give
  back are the model's own words: they are no evidence.
* Roo's `isSummary` and `isTruncationMarker` rows are frames, and stand for the rows that name them (`condenseParent`,
  `truncationParent`). Cline marks in another file what it left out; a notice among the rows is a frame without
  originals.
* A new summary that opens the window is an `isSummary` row, which Roo takes for the beginning and Cline for a message.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.block_signs import is_cline
from foldproof.transcripts.block_writing import written_rows
from foldproof.transcripts.cline_rows import ClineBlocks, ClineReader
from foldproof.transcripts.codec import FIELDS, Format, fields_of, made_up_id
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.json_text import Json, revise_items
from foldproof.transcripts.rows import noted


class ClineTask:
    """The format of Cline's and Roo Code's tasks."""

    format = Format(
        "cline_task",
        "Cline or Roo Code task: api_conversation_history.json",
        shape="[{role, content: [{type: text, text: <task>…}], ts}, …]",
        basis="the library's source",
        compaction="a row with isSummary, and condenseParent on the rows it stands for (Roo Code)",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is the history of a task."""
        return "rows with a role and a ts, or a first message in <task>" if is_cline(value) else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a task."""
        if not isinstance(value, list):
            raise TranscriptError(f"expected the rows of a task; found {shown(value)}", path="$")
        reader = ClineReader(value, "$[{}]".format)
        reader.read(value)
        messages, places = tuple(reader.messages), tuple(reader.places)
        return (Reading(messages, places, damage=tuple(reader.damage), folded=tuple(reader.folded)),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the history with another conversation."""
        (edit,) = edits
        return revise_items(value, written_rows(value, edit, _Writing(value), natively=True))


class _Writing(ClineBlocks):
    """Writes rows with a time, as the app does."""

    def __init__(self, rows: Sequence[Any]) -> None:
        times = (row.get("ts") for row in rows if isinstance(row, dict))
        self._time = next((time for time in times if isinstance(time, int)), 0)

    def user_row(self, message: Message) -> dict[str, Any]:
        """Return the row of a new user message."""
        return super().user_row(message) | {"ts": self._time}

    def summary_row(self, message: Message) -> dict[str, Any] | None:
        """Return the row of a summary, which Roo knows as its own."""
        words = [{"type": "text", "text": message.text}]
        row = self.user_row(message) | {"content": words, "isSummary": True, FIELDS: {}}
        row["condenseId"] = made_up_id("condense", fields_of(message))
        return noted(row, {"role": "user", "content": message.text}, message)
