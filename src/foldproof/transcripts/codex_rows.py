"""Rows of a Codex session, as messages. What was checked in which files stands in `codex_rollout`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from foldproof.messages import Message, frame_kind
from foldproof.transcripts.codec import FIELDS, made_up_id, message_from
from foldproof.transcripts.compactions import folded_span, summary_frame_of
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.responses_items import STARTS, Draft, ItemReader
from foldproof.transcripts.rows import Place, with_note
from foldproof.window import FoldedSpan

APP: Final = "codex"
"""Who delivered what a person did not write."""

SUMMARY: Final = "summary"
"""Which part of a compaction its summary is, where it stands in no item."""
BEGINS: Final = "begins"
"""Key of our note on a compaction: whether the session began with it, so that what it kept is read from it."""
ENCRYPTED: Final = ("compaction", "compaction_summary")
"""Items that hold a summary which only the provider can read."""

_OPENINGS: Final = (
    "<environment_context>",
    "<user_instructions>",
    "<instructions>",
    "# agents.md instructions for ",
    "# context from my ide setup",
    "<user_shell_command>",
    "<user_action>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<skill>",
    "<hook_prompt",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<model_switch>",
    "<personality_spec>",
    "<plugins>",
    "<subagents>",
    "another language model started to solve this problem and produced a summary",
)
_LONGEST_OPENING: Final = 80

_HEADER: Final = re.compile(
    r"(?:Chunk ID: \S*\n)?(?:Exit code: (-?\d+)\n)?Wall time: [\d.]+ seconds?\n"
    r"(?:Process exited with code (-?\d+)\n)?(?:Original token count: \d+\n)?(?:Total output lines: \d+\n)?\n?Output:\n"
)
_FAILED: Final = (
    "failed in sandbox",
    "execution error",
    "exec_command failed",
    "apply_patch verification failed",
    "err: ",
)
_NEVER_RAN: Final = re.compile(
    r"(?:exec command|patch) rejected|rejected by user|unsupported (?:custom tool )?call: "
    r"|failed to parse function arguments|(?:Wall time: [\d.]+ seconds?\n)?aborted by user|aborted\Z"
)


class RolloutReader(ItemReader):
    """Reads the items of a session: what Codex puts around a tool's words, into the person's turns, and compactions."""

    def __init__(self, damage: list[Damage], *, delegated: bool) -> None:
        """Report to `damage`; `delegated` says that another agent's model wrote what stands as the user's."""
        super().__init__(damage)
        self.folded: list[FoldedSpan] = []
        self._delegated = delegated
        self._unnamed: list[tuple[str, str]] = []  # calls that were recorded without an id, not answered yet

    def about(self, content: str | list[Any]) -> Mapping[str, Any]:
        """Return whether a user message is the app's: by how any text in it opens."""
        parts = [content] if isinstance(content, str) else [part.get("text") for part in content]
        texts = (part.lstrip()[:_LONGEST_OPENING].lower() for part in parts if isinstance(part, str))
        injected = self._delegated or any(text.startswith(_OPENINGS) for text in texts)
        return {"injectedBy": APP} if injected else {}

    def result(self, item: Mapping[str, Any], path: str) -> dict[str, Any]:
        """Return what a tool said, without what Codex puts around it."""
        output = item.get("output")
        if isinstance(output, str):
            return _said(output)
        if isinstance(output, dict) and "output" not in output:
            if isinstance(output.get("content"), str):
                failed = {"isError": True} if output.get("success") is False else {}
                return _said(output["content"]) | failed
            if isinstance(output.get("text"), str):
                return _said(output["text"])
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
        asked = [at for at, draft in enumerate(self.drafts) if _asks(draft)]
        if not asked or turns < 1:
            return 0
        first = asked[-min(turns, len(asked))]
        gone = sum(1 + len(draft.results) for draft in self.drafts[first:])
        del self.drafts[first:]
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


def _said(output: str) -> dict[str, Any]:
    """Return the words of a tool: of the JSON, or behind the lines, in which Codex says how a command ended."""
    if output.startswith('{"') and '"metadata"' in output:
        try:
            told = json.loads(output)
        except (ValueError, RecursionError):
            told = None
        about = told.get("metadata") if isinstance(told, dict) else None
        if isinstance(about, dict) and isinstance(told, dict) and isinstance(told.get("output"), str):
            return {"content": told["output"]} | _ended(about.get("exit_code"))
    if output.startswith(("Chunk ID:", "Exit code:", "Wall time:")):
        header = _HEADER.match(output)
        if header is not None:
            return {"content": output[header.end() :]} | _ended(header[1] or header[2])
    start = output[:120]
    if _NEVER_RAN.match(start if len(output) <= len(start) else start + "…"):
        return {"content": output, "isError": True, "toolResultOrigin": "not-entered"}
    return {"content": output, "isError": True} if start.startswith(_FAILED) else {"content": output}


def _ended(code: Any) -> dict[str, Any]:  # noqa: ANN401
    return {} if code in (None, 0, "0") else {"isError": True}


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
