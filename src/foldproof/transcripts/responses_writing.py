"""Writing other windows into items of the OpenAI Responses API; `responses_items` reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from foldproof.errors import TranscriptError
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS
from foldproof.transcripts.conversation import Edit
from foldproof.transcripts.json_text import revise
from foldproof.transcripts.responses_items import STARTS, text_of
from foldproof.transcripts.rows import Shrink, rewritten

_IDENTITY: Final = ("type", "call_id", "id", "execution")


def encoded(message: Message, about: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the item of a new message, and the message fields that reading it gives.

    Args:
        message: a frame, or a result that stands for another one.
        about: what a reader says about a user message of these words.

    Raises:
        TranscriptError: it is the model's.
    """
    text = message.text
    if message.role == "assistant":
        raise TranscriptError("cannot write a new assistant message; only frames (user or tool messages) may be new")
    if message.role == "tool":
        call = message.tool_call_id or ""
        result = {"type": "function_call_output", "call_id": call, "output": text}
        return result, {"role": "tool", "content": text, "toolCallId": call}
    item: dict[str, Any] = {"type": "message", "role": message.role}
    item["content"] = [{"type": "input_text", "text": text}]
    return item, {"role": message.role, "content": text, **(about if message.role == "user" else {})}


def cleared(item: dict[str, Any], message: Message) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a result with the words of the one that takes its place, and the fields that reading it gives.

    Raises:
        TranscriptError: it is a screenshot; the API takes no words in the place of one.
    """
    text, kind = message.text, item["type"]
    if kind == "computer_call_output":
        raise TranscriptError(
            'a screenshot cannot be cleared, the API takes no words for it; exclude the tool "computer"'
        )
    kept = (*_IDENTITY, "status") if kind == "apply_patch_call_output" else _IDENTITY
    named: dict[str, Any] = {name: item[name] for name in kept if name in item}
    said = {"role": "tool", "content": text, "toolCallId": message.tool_call_id}
    said |= {"id": named["id"]} if "id" in named else {}
    if kind == "tool_search_output":
        return named | {"tools": []}, said | {"content": "[]"}
    if kind == "shell_call_output":
        output = [{"stdout": text, "stderr": "", "outcome": _outcome(item)}]
        return named | {"output": output}, said | {"content": text_of(output)}
    return named | {"output": text}, said


def _outcome(item: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """Return how the last command of a shell's result ended."""
    output = item.get("output")
    ends = [one.get("outcome") for one in output if isinstance(one, dict)] if isinstance(output, list) else []
    return ends[-1] if ends and ends[-1] is not None else {"type": "exit", "exit_code": 0}


class Written(NamedTuple):
    """A row to write, and its index among the rows that were read; None for a new one."""

    at: int | None
    row: Any


def rewritten_items(
    rows: Sequence[Any], edit: Edit, *, encode: Callable[[Message], Any], shrink: Shrink
) -> list[Written]:
    """Return the rows of a document with another window in them, as `rows.rewritten` does, and where each came from.

    Two replies of the model that stand side by side only now stay two: the second `starts`.
    """
    tokens = [Written(at, row) for at, row in enumerate(rows)]
    written: list[Written] = rewritten(
        tokens,
        edit,
        encode=lambda message: (Written(None, encode(message)),),
        shrink=lambda token, parts, new: Written(token.at, shrink(token.row, parts, new)),
    )
    starting = _starting(edit)
    return [Written(at, _starts(row)) if at in starting else Written(at, row) for at, row in written]


def _starts(row: dict[str, Any]) -> dict[str, Any]:
    note = row.get(FIELDS)
    return revise(row, {FIELDS: {**(note if isinstance(note, dict) else {}), STARTS: True}})


def _starting(edit: Edit) -> set[int]:
    """Return the rows of replies that follow another one, where something else stood between the two."""
    rows = sorted({place.row for places in edit.reading.pieces for place in places})
    ahead = dict(zip(rows[1:], rows, strict=False))
    found = set()
    for before, entry in pairwise(edit.entries):
        if entry.kept is None or before.kept is None or {before.message.role, entry.message.role} != {"assistant"}:
            continue
        own, last = ({place.row for place in edit.reading.pieces[one]} for one in (entry.kept, before.kept))
        if own != last and ahead.get(min(own)) not in last:
            found.add(min(own))
    return found
