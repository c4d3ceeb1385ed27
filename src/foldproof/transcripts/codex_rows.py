"""Rows of a Codex session, as messages. What was checked in which files stands in `codex_rollout`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from foldproof.messages import Message, frame_kind
from foldproof.transcripts.codec import FIELDS, made_up_id, message_from
from foldproof.transcripts.codex_words import APP, is_injected, told
from foldproof.transcripts.compactions import folded_span, summary_frame_of
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.responses_items import STARTS, Draft, ItemReader
from foldproof.transcripts.rows import Place, with_note
from foldproof.window import FoldedSpan

SUMMARY: Final = "summary"
"""Which part of a compaction its summary is, where it stands in no item."""
BEGINS: Final = "begins"
"""Key of our note on a compaction: whether the session began with it, so that what it kept is read from it."""
ENCRYPTED: Final = ("compaction", "compaction_summary")
"""Items that hold a summary which only the provider can read."""


class RolloutReader(ItemReader):
    """Reads the items of a session: what Codex puts around a tool's words, into the person's turns, and compactions."""

    def __init__(self, damage: list[Damage], *, delegated: bool) -> None:
        """Report to `damage`; `delegated` says that another agent's model wrote what stands as the user's."""
        super().__init__(damage)
        self.folded: list[FoldedSpan] = []
        self._delegated = delegated
        self._unnamed: list[tuple[str, str]] = []  # calls that were recorded without an id, not answered yet
        self._asking: list[int] = []  # the drafts in which the person asks, among those looked at
        self._looked_at = 0

    def about(self, content: str | list[Any]) -> Mapping[str, Any]:
        """Return whether a user message is the app's, with no word of the person's in it."""
        return {"injectedBy": APP} if self._delegated or is_injected(content) else {}

    def result(self, item: Mapping[str, Any], path: str) -> dict[str, Any]:
        """Return what the model read of a call: the tool's words, with what Codex puts around them."""
        output = item.get("output")
        if isinstance(output, str):
            return told(output)
        if isinstance(output, dict) and "output" not in output:
            if isinstance(output.get("content"), str):
                failed = {"isError": True} if output.get("success") is False else {}
                return told(output["content"]) | failed
            if isinstance(output.get("text"), str):
                return told(output["text"])
        return super().result(item, path)

    def add(self, item: dict[str, Any], place: Place, path: str, note: Any = None) -> None:  # noqa: ANN401
        """Read the next item; one without an id, or in older words, is read as what it says."""
        kind = item.get("type")
        if kind == "agent_message":
            self._from_agent(item, place, path, note)
        elif kind in ("tool_call", "tool_result", "function_result") or (
            kind == "function_call" and item.get("call_id") is None
        ):
            super().add(self._with_id(item), place, path, note)
        else:
            super().add(item, place, path, note)

    def compacted(self, payload: Mapping[str, Any], row: int, path: str, note: Any) -> None:  # noqa: ANN401
        """Read a compaction: its summary, or what it kept where the session begins with it."""
        text = payload.get("message") if isinstance(payload.get("message"), str) else ""
        items = kept_items(payload)
        hidden = [at for at, item in items if item.get("type") in ENCRYPTED]
        beside: Mapping[str, Any] = note if isinstance(note, dict) else {}
        self.ends_reply()
        if isinstance(note, dict) and beside.keys().isdisjoint((BEGINS, STARTS)):
            self._summary(str(text), Place(row), path, note)
        elif beside.get(BEGINS, bool(items) and not self.drafts):
            self._history(str(text), items, row, path)
        elif text:
            self._summary(str(text), Place(row), path, None)
        elif hidden:
            for at, item in items:
                if at in hidden:
                    self.add(item, Place(row), f"{path}.replacement_history[{at}]")
        else:
            cause = "expected a summary or a compaction item; found neither; it was not read"
            self.damage.append(Damage(f"{path}.message", cause))
        self.ends_reply()

    def knows(self, call: str) -> bool:
        """Whether a call of this id was read."""
        return call in self._asked

    def rolled_back(self, turns: int) -> int:
        """Take the person's last turns away, as Codex does, and return how many messages left."""
        new = range(self._looked_at, len(self.drafts))
        self._asking += [at for at in new if _asks(self.drafts[at])]
        self._looked_at = len(self.drafts)
        if not self._asking or turns < 1:
            return 0
        left = max(0, len(self._asking) - turns)
        first = self._asking[left]
        gone = sum(1 + len(draft.results) for draft in self.drafts[first:])
        del self._asking[left:]
        del self.drafts[first:]
        self._looked_at = first
        self.ends_reply()
        return gone

    def message(self, draft: Draft, before: Sequence[Message]) -> Message:
        """Return the message of a draft; a summary stands for all between the one before it and itself."""
        if draft.last != SUMMARY:
            return super().message(draft, before)
        if FIELDS in draft.fields:
            return message_from(with_note(_frame(draft.fields["text"]), draft.fields), draft.path)
        start = next((at for at in range(len(before) - 1, -1, -1) if frame_kind(before[at]) == "summary"), 0)
        originals = [message for message in before[start:] if message.role != "system"]
        if draft.places[0].part is not None:  # what it kept stands ahead of it, not what it stands for
            originals = []
        frame = summary_frame_of(draft.fields["text"], originals=originals or None)
        if originals:
            self.folded.append(folded_span(frame, originals))
        return frame

    def _summary(self, text: str, place: Place, path: str, note: Any) -> None:  # noqa: ANN401
        fields = {"role": "user", "text": text} | ({FIELDS: note} if isinstance(note, dict) else {})
        self.drafts.append(Draft(fields, [place], path, last=SUMMARY))

    def _history(self, text: str, items: list[tuple[int, Any]], row: int, path: str) -> None:
        """Read what a compaction kept: the session begins with it, so that nothing of it stands elsewhere."""
        for at, item in items:
            if is_summary(item, text):
                self._summary(text, Place(row, at), path, None)
            else:
                self.add(item, Place(row, at), f"{path}.replacement_history[{at}]", item.get(FIELDS))
        self.ends_reply()
        if text and not any(is_summary(item, text) for _, item in items):
            self._summary(text, Place(row, SUMMARY), path, None)

    def _from_agent(self, item: dict[str, Any], place: Place, path: str, note: Any) -> None:  # noqa: ANN401
        """Read what one agent wrote to another: for who reads it, the app delivers it."""
        as_message: dict[str, Any] = {key: item[key] for key in ("id", "content") if key in item}
        as_message |= {"type": "message", "role": "user"}
        count = len(self.drafts)
        super().add(as_message, place, path, note)
        for draft in self.drafts[count:]:
            draft.fields.setdefault("injectedBy", APP)

    def _with_id(self, item: dict[str, Any]) -> dict[str, Any]:
        """Return a call or a result in today's words; those without an id pair by order and name."""
        function = item.get("function")
        name = item.get("name", function.get("name") if isinstance(function, dict) else None)
        if item.get("type") in ("tool_call", "function_call"):
            call = str(item.get("call_id") or made_up_id("call", name, item.get("arguments"), item.get("id")))
            self._unnamed.append((call, str(name)))
            return item | {"type": "function_call", "name": name, "call_id": call}
        waiting = [call for call, called in self._unnamed if name in (None, called)]
        answered = item.get("call_id") or (waiting[0] if waiting else made_up_id("function", name))
        self._unnamed = [(call, called) for call, called in self._unnamed if call != answered]
        said = {"output": item["result"]} if "result" in item else {}
        return item | said | {"type": "function_call_output", "call_id": answered}


def _asks(draft: Draft) -> bool:
    return draft.fields["role"] == "user" and draft.last != SUMMARY and "injectedBy" not in draft.fields


def _frame(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def kept_items(payload: Mapping[str, Any]) -> list[tuple[int, Any]]:
    """Return the items of the history that a compaction left, each with its index."""
    history = payload.get("replacement_history")
    return (
        [(at, item) for at, item in enumerate(history) if isinstance(item, dict)] if isinstance(history, list) else []
    )


def is_summary(item: Mapping[str, Any], text: str) -> bool:
    """Whether an item of such a history says the summary."""
    content = item.get("content")
    only = content[0] if isinstance(content, list) and len(content) == 1 else None
    return bool(text) and item.get("role") == "user" and isinstance(only, dict) and only.get("text") == text
