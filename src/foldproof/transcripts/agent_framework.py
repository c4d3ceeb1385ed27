"""Microsoft Agent Framework: sessions, threads, responses and history files of agent-framework-core.

From the source of agent-framework-core 1.23.0, 1.0.0 and two betas (1.0.0b251001, 1.0.0b251120), and from what these
wrote; no published session was at hand.

* A message is `{"type": "message", "role", "contents": [...]}`; in the betas `{"type": "chat_message", "role": {"type":
  "role", "value"}}`. It stands in the state of a session (`state.<provider>.messages`), in the store of a thread
  (`chat_message_store_state.messages`), in an agent's or a chat's response, alone in a list, or one a line in a history
  file. Each list of a session is a conversation.
* Contents: text, `text_reasoning`, `function_call` (arguments as JSON text or an object), `function_result` (text in
  `result`, more than text in `items`; the betas keep any JSON in `result`). What a provider ran itself
  (`mcp_server_tool_call`, `code_interpreter_tool_call`, … and their results) is a provider tool. `usage` is no content.
  Everything else stays as it is.
* `exception` says that a call failed. A result in the framework's own words, for a call that was rejected or that it
  could not make, is no observation.
* A context provider's message (`_attribution`) is the app's.
* **Compaction**: a summary is an assistant message whose `_group` names what it stands for; the originals stay behind
  it as `_excluded`, and name it. It is read as a frame right behind the last of them. Excluded messages without a
  summary are read like any other; how many there are is said in `extras`.
* What we add goes to `additional_properties`, which the framework keeps and sends to nobody: a frame's fields come back
  also from what it writes again. A summary frame is marked as its own summaries are, but spoken by the user, as every
  frame is: a model should not take it for what it said itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.agent_framework_rows import History, Style, encode, marked, shrink
from foldproof.transcripts.codec import Format, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.json_text import Json, revise_items
from foldproof.transcripts.nested import Steps, at, path_of, with_lists
from foldproof.transcripts.rows import rewritten

_ROWS, _STORE, _STATE = "messages", "chat_message_store_state", "state"
_WRAPPERS = ("agent_response", "agent_run_response", "chat_response", "chat_message_store_state")
_SAMPLE = 50


class AgentFramework:
    """The format of Microsoft Agent Framework."""

    format = Format(
        "agent_framework",
        "Microsoft Agent Framework session, thread, response or history (JSON, JSONL)",
        shape='{type: "session", session_id, state}, {chat_message_store_state}, or messages [{role, contents}, …]',
        basis="the library's source",
        compaction="an assistant message with _group._summary_of_message_ids; the originals stay, _excluded",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value holds messages with contents."""
        if isinstance(value, list):
            return "messages with role and contents" if _are_rows(value) else None
        if not isinstance(value, dict):
            return None
        if value.get("type") == "session" and isinstance(value.get("session_id"), str):
            return "a session with its state" if isinstance(value.get(_STATE), dict) else None
        if isinstance(value.get(_STORE), dict) and "service_thread_id" in value:
            return "a thread with its store of messages"
        kind = value.get("type")
        if isinstance(kind, str) and kind in _WRAPPERS and isinstance(value.get(_ROWS), list):
            return f"messages of type {kind}"
        return "messages with role and contents" if _are_rows(value.get(_ROWS)) else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return a conversation for each list of messages."""
        readings = [_reading(value, steps) for steps in _lists(value)]
        if not readings and not isinstance(at(value, (_STATE,)), dict) and not isinstance(at(value, (_STORE,)), dict):
            raise TranscriptError(f"expected a list of messages; found {shown(value)}", path="$")
        return readings or [Reading((), (), without(value, (_STORE, _STATE)), _id_of(value, ()))]

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the document with other conversations."""
        lists: dict[Steps, list[Any]] = {}
        if not _lists(value) and any(edit.entries for edit in edits):
            raise TranscriptError(
                "this session keeps its messages elsewhere; there is no list to put them in", path="$"
            )
        for steps, edit in zip(_lists(value), edits, strict=False):
            rows = at(value, steps)
            style = Style.of(rows)

            def encoded(message: Message, style: Style = style, edit: Edit = edit) -> list[Any]:
                return [encode(message, style, edit)]

            lists[steps] = revise_items(rows, rewritten(marked(rows, edit), edit, encode=encoded, shrink=shrink))
        return with_lists(value, lists)


def _is_row(row: Json) -> bool:
    if not isinstance(row, dict) or "role" not in row or not isinstance(row.get("contents"), list):
        return False
    first = row["contents"][0] if row["contents"] else {"type": ""}
    if isinstance(first, dict):
        return isinstance(first.get("type"), str)
    return isinstance(first, str) and row.get("type") in ("message", "chat_message")  # which stands for a text


def _are_rows(rows: Json) -> bool:
    return isinstance(rows, list) and any(map(_is_row, rows[:_SAMPLE]))


def _lists(value: Json) -> list[Steps]:
    """Return the steps to every list of messages of a document, in order."""
    if isinstance(value, list):
        return [()]
    if isinstance(value.get(_STORE), dict):
        return [(_STORE, _ROWS)] if isinstance(value[_STORE].get(_ROWS), list) else []
    if isinstance(value.get(_ROWS), list):
        return [(_ROWS,)]
    state = value.get(_STATE)
    if not isinstance(state, dict):
        return []
    own = [(_STATE, _ROWS)] if isinstance(state.get(_ROWS), list) else []
    return [*own, *((_STATE, name, _ROWS) for name in state if isinstance(at(state, (name, _ROWS)), list))]


def _reading(value: Json, steps: Steps) -> Reading:
    history = History(path_of(steps))
    history.read(at(value, steps))
    extras: Mapping[str, Any] = {} if isinstance(value, list) else without(value, (_ROWS, _STORE, _STATE))
    excluded = {"excluded": history.excluded} if history.excluded else {}
    return Reading(
        tuple(history.messages),
        tuple(history.places),
        {**extras, **excluded},
        _id_of(value, steps),
        damage=tuple(history.damage),
        folded=tuple(history.folded),
    )


def _id_of(value: Json, steps: Steps) -> str | None:
    """Return the id of a session, with the name of the provider where it keeps several lists."""
    known = value.get("session_id") if isinstance(value, dict) else None
    if not isinstance(known, str):
        return None
    return known if len(_lists(value)) == 1 else "/".join((known, *steps[1:-1]))
