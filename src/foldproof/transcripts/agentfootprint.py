"""agentfootprint: the `conversation-v1` checkpoint, and the recorder's dump of one run.

* Checkpoint `{format: "conversation-v1", data: {version: 1, runId, history: [LLMMessage], folded?, …}, savedAt}`: from
  the library's source (hosting/envelope.ts, core/runCheckpoint.ts, at commit ead3055); no stored one has been checked.
  Like it, a format that is not known is refused by name.
* Recorder dump `{runId, commits, finalState: {history, systemPromptInjections, llmLatestContent, …}, events}`: checked
  in a real one. The composed system prompt and the final answer stand beside the history.
* `toolChars` counts UTF-16 units there and code points here; it is converted at the door, and back for what is new.
* Frames of versions that did not write `foldedExempt` yet open with `[compacted history` or `[dropped history`
  (core/agent/window/summarize.ts and notice.ts); they are stamped at the door so that nobody takes them for a person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import STAMP, Message
from foldproof.transcripts.codec import Format, each_message, fields_of, message_from, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, Place, rewritten

_CHECKPOINT = "conversation-v1"
_FAMILY = ("conversation-", "flowchart-")
_OLD_FRAMES = ("[compacted history", "[dropped history")


class Agentfootprint:
    """The agentfootprint formats."""

    format = Format(
        "agentfootprint",
        "agentfootprint conversation-v1 checkpoint or recorder dump (JSON)",
        shape='{format: "conversation-v1", data: {history: […]}} or {runId, finalState: {history: […]}}',
        basis="real files",
        compaction="user messages with foldedExempt in the history; what they stand for under data.folded",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is a checkpoint envelope (of whatever version) or a recorder dump."""
        if not isinstance(value, dict):
            return None
        if isinstance(value.get("format"), str) and _is_envelope(value):
            return "an envelope with format and data"
        if isinstance(value.get("finalState"), dict) and "runId" in value:
            return "a run with a finalState"
        return None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the one conversation of an envelope or a dump."""
        if not isinstance(value, dict):
            raise TranscriptError(f"expected an agentfootprint envelope; found {shown(value)}", path="$")
        return (_read_dump(value),) if _is_dump(value) else (_read_checkpoint(value),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the envelope or dump with another history."""
        (edit,) = edits
        if _is_dump(value):
            return _write_dump(value, edit)
        history = value["data"]["history"]
        items = _written(history, edit)
        return revise(value, {"data": revise(value["data"], {"history": revise_items(history, items)})})


def _is_envelope(value: dict[str, Any]) -> bool:
    """Whether this is an envelope of agentfootprint's: a name of the family, or a history where it has to be."""
    data = value.get("data")
    holds = isinstance(data, dict) and isinstance(data.get("history"), list)
    return holds or ("data" in value and value["format"].startswith(_FAMILY))


def _is_dump(value: dict[str, Any]) -> bool:
    return isinstance(value.get("finalState"), dict) and "format" not in value


def _read_checkpoint(value: dict[str, Any]) -> Reading:
    name = value.get("format")
    if name != _CHECKPOINT:
        hint = "a paused run; finish it and load the conversation-v1 it saves" if name == "flowchart-v1" else "unknown"
        raise TranscriptError(f"the format is {shown(name)} ({hint}); expected {_CHECKPOINT!r}", path="$.format")
    data = value.get("data")
    if not isinstance(data, dict):
        raise TranscriptError(f"expected a checkpoint object; found {shown(data)}", path="$.data")
    if data.get("version", 1) != 1:
        raise TranscriptError(f"the version is {shown(data['version'])}; expected 1", path="$.data.version")
    damage: list[Damage] = []
    read = list(each_message(data.get("history"), "$.data.history", _decoded, damage))
    messages, places = tuple(message for _, message in read), tuple((Place(at),) for at, _ in read)
    extras = without(data, ("history",)) | without(value, ("data", "format"))
    run = data.get("runId")
    return Reading(messages, places, extras, run if isinstance(run, str) else None, damage=tuple(damage))


def _read_dump(value: dict[str, Any]) -> Reading:
    state = value["finalState"]
    damage: list[Damage] = []
    read = list(each_message(state.get("history"), "$.finalState.history", _decoded, damage))
    messages = [message for _, message in read]
    places = [(Place(at + 1),) for at, _ in read]  # behind the prompt
    prompt = _prompt_of(state)
    answer = state.get("llmLatestContent")
    if isinstance(answer, str) and answer and not _is_said_last(answer, messages):
        messages.append(Message(role="assistant", content=answer))
        places.append((Place(len(state["history"]) + 1),))
    if prompt:
        messages.insert(0, Message(role="system", content=prompt))
        places.insert(0, (Place(0),))
    extras = without(value, ("finalState", "commits", "subflowResults", "events"))
    run = value.get("runId")
    name = run if isinstance(run, str) else None
    return Reading(tuple(messages), tuple(places), extras, name, damage=tuple(damage))


def _prompt_of(state: dict[str, Any]) -> str:
    injections = state.get("systemPromptInjections")
    items = injections if isinstance(injections, list) else []
    found = (item.get("rawContent") for item in items if isinstance(item, dict))
    return "\n\n".join(text for text in found if isinstance(text, str) and text)


def _is_said_last(answer: str, messages: Sequence[Message]) -> bool:
    last = next((message for message in reversed(messages) if message.role == "assistant"), None)
    return last is not None and last.text == answer


def _written(rows: list[Any], edit: Edit) -> list[Any]:
    def shrink(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401, ARG001
        return _encoded(cleared[None])

    return rewritten(rows, edit, encode=lambda message: [_encoded(message)], shrink=shrink)


def _write_dump(value: dict[str, Any], edit: Edit) -> dict[str, Any]:
    """Write the history between the prompt and the answer, which stand elsewhere in the dump."""
    state = value["finalState"]
    read = {place.row for places in edit.reading.pieces for place in places}
    prompt: dict[str, Any] = {}
    answer = {"role": "assistant", "content": state.get("llmLatestContent")}
    has_answer = len(state["history"]) + 1 in read
    items = _written([prompt, *state["history"], *([answer] if has_answer else [])], edit)
    changes: dict[str, Any] = {}
    if 0 in read and not any(item is prompt for item in items):
        changes["systemPromptInjections"] = []
    if items and items[-1] is answer:
        items.pop()
    elif has_answer:
        changes["llmLatestContent"] = ""
    changes["history"] = revise_items(state["history"], [item for item in items if item is not prompt])
    return revise(value, {"finalState": revise(state, changes)})


def _decoded(row: dict[str, Any], path: str) -> list[Message]:
    fields = dict(row)
    content = row.get("content")
    if isinstance(content, str):
        if "toolChars" in row:
            fields["toolChars"] = _to_code_points(row["toolChars"], content)
        if _is_old_frame(row, content):
            known = row.get("metadata")
            stamp = {STAMP: {"id": "agentfootprint", "role": "summary"}}
            fields["metadata"] = stamp if known is None else {**known, **stamp} if isinstance(known, dict) else known
    return [message_from(fields, path)]


def _is_old_frame(row: dict[str, Any], content: str) -> bool:
    return row.get("role") == "user" and row.get("foldedExempt") is None and content.startswith(_OLD_FRAMES)


def _encoded(message: Message) -> dict[str, Any]:
    row = fields_of(message)
    if isinstance(message.content, str) and message.tool_chars is not None:
        row["toolChars"] = _to_utf16(message.tool_chars, message.content)
    return row


def _is_count(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


def _to_code_points(units: Json, content: str) -> Json:
    """Return a UTF-16 offset in code points; one inside a surrogate pair is half a code point, which never applies."""
    if not _is_count(units) or units % 1:
        return units
    before = 0
    for index, character in enumerate(content):
        if before >= units:
            return index if before == units else index - 0.5
        before += 1 + (ord(character) > 0xFFFF)  # noqa: PLR2004 - the last code point of one UTF-16 unit
    past = int(units) - before
    return len(content) + past if past >= 0 else len(content) - 0.5


def _to_utf16(points: Json, content: str) -> Json:
    """Return a code point offset in UTF-16 units: the inverse of `_to_code_points`."""
    if not _is_count(points):
        return points
    whole = int(points)
    units = len(content[:whole].encode("utf-16-le", "surrogatepass")) // 2 + max(0, whole - len(content))
    if points == whole:
        return units
    inside_a_pair = points - whole == 0.5 and ord(content[whole : whole + 1] or "a") > 0xFFFF  # noqa: PLR2004
    return units + 1 if inside_a_pair else points
