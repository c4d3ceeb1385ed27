"""Other windows put into rows of blocks; how they are read stands in `block_rows`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from foldproof.errors import TranscriptError
from foldproof.messages import Message, frame_kind
from foldproof.transcripts.block_rows import Dialect
from foldproof.transcripts.codec import FIELDS, fields_of
from foldproof.transcripts.conversation import Edit, Entry
from foldproof.transcripts.json_text import revise, revise_items
from foldproof.transcripts.rows import Part, noted, rewritten


def written_rows(rows: list[Any], edit: Edit, dialect: Dialect, *, natively: bool) -> list[Any]:
    """Return rows with another window in them.

    Args:
        rows: the rows that were read.
        edit: the window.
        dialect: how the format spells its blocks.
        natively: a summary that opens the window is written as the format's own, where it has one.
    """
    first = next((entry.message for entry in edit.entries if entry.message.role != "system"), None)

    def encode(message: Message) -> Sequence[Any]:
        if message.role not in ("tool", "user"):
            cause = f"cannot write a new {message.role} message; only frames (user or tool messages) may be new"
            raise TranscriptError(cause)
        if natively and message is first and frame_kind(message) == "summary":
            row = dialect.summary_row(message)
            if row is not None:
                return [row]
        row = dialect.user_row(message)
        if message.role == "tool":
            return [row | {"content": [dialect.result_block(message, None)]}]
        content = row["content"]
        said = content if isinstance(content, str) else [dialect.block(block).said for block in content]
        return [noted(row | {FIELDS: {}}, {"role": "user", "content": said}, message)]

    def shrink(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401 - JSON
        content = row["content"]
        items: list[Any] = []
        if None in parts:
            return revise(row, {FIELDS: fields_of(cleared[None])})
        for part in sorted(cast("Sequence[tuple[int, ...]]", parts)):
            indices = part
            if part in cleared:
                items.append(_in_place_of(content[indices[0]], cleared[part], dialect))
                indices = tuple(index for index in indices[1:] if _says_nothing(content[index], dialect))
            items += [content[index] for index in indices]
        return revise(row, {"content": revise_items(content, items)})

    return rewritten(rows, edit._replace(entries=tuple(_with_notes(edit))), encode=encode, shrink=shrink)


def _says_nothing(block: Any, dialect: Dialect) -> bool:  # noqa: ANN401 - a block is any JSON
    try:
        return not isinstance(block, dict) or dialect.block(block).kind == "nothing"
    except TranscriptError:
        return True


def _in_place_of(block: dict[str, Any], message: Message, dialect: Dialect) -> dict[str, Any]:
    if message.role == "tool":
        return dialect.result_block(message, block)
    return revise(block, {FIELDS: {"content": message.text, **fields_of(message)}})


def _with_notes(edit: Edit) -> Iterable[Entry]:
    """Yield the entries. A summary of the format's own, some of whose originals leave, has to say what it stood for."""
    complete = True
    summaries = {span.fingerprint for span in edit.reading.folded}
    for at, entry in enumerate(edit.entries):
        complete = complete and entry.kept == at
        if not complete and entry.kept is not None and entry.message.fingerprint in summaries:
            yield Entry(entry.message, None, entry.kept)
        else:
            yield entry
