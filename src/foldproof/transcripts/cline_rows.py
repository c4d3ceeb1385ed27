"""Rows of a Cline or Roo Code task, as messages. What was checked in their sources stands in `cline_task`.

Calls are `tool_use` blocks, or XML tags in the model's text; results are `tool_result` blocks, or text blocks that open
with a heading (`[read_file for 'x'] Result:`), which is the app's and not the tool's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from foldproof.messages import PERSON_SAID, Message
from foldproof.transcripts.anthropic_messages import ClaudeBlocks
from foldproof.transcripts.block_rows import Block, BlockReader
from foldproof.transcripts.codec import FIELDS, fields_of, made_up_id, without
from foldproof.transcripts.rows import Place

NOTICE: Final = "[NOTE] Some previous conversation history with the user has been removed"
"""What Cline writes in the place of what it left out."""

_TOOLS = (
    "access_mcp_resource",
    "act_mode_respond",
    "apply_diff",
    "apply_patch",
    "ask_followup_question",
    "attempt_completion",
    "browser_action",
    "codebase_search",
    "condense",
    "execute_command",
    "fetch_instructions",
    "focus_chain",
    "generate_explanation",
    "insert_content",
    "list_code_definition_names",
    "list_files",
    "load_mcp_documentation",
    "new_rule",
    "new_task",
    "plan_mode_respond",
    "read_file",
    "replace_in_file",
    "report_bug",
    "search_and_replace",
    "search_files",
    "summarize_task",
    "switch_mode",
    "update_todo_list",
    "use_mcp_tool",
    "use_skill",
    "use_subagents",
    "web_fetch",
    "web_search",
    "write_to_file",
)
_CALL = re.compile(rf"^[ \t]*<({'|'.join(_TOOLS)})>", re.MULTILINE)
_PARAMETER = re.compile(r"<([a-z_]{1,40})>")
_LONG = ("content", "diff")  # these hold whatever is written, tags too: they end at their last closing tag
_HEADING = re.compile(r"\[([A-Za-z_][\w-]{0,80})(?: for .*?|: [^\]\n]{0,200})?\] Result:(?:\n| |\Z)", re.DOTALL)
_PERSONS = re.compile(
    r"(?:The user (?:has )?provided (?:the following )?feedback[^\n]{0,200}\n"
    r"|New (?:instructions|message)[^\n]{0,200}\n)?"
    r"<(task|feedback|user_message|user_feedback)>\n"
)
_SKIPPED = (
    "Skipping tool",
    "Skipping MCP tool",
    "Tool was interrupted and not executed",
    "MCP tool ",
    "Tool [",
)
_NOT_RUN = re.compile(r"due to user rejecting a previous tool|was not executed because")
_SKIPPED_WITHIN = 2_000  # characters of such a text in which it says so
_DENIED = ("The user denied this operation", '{"status":"denied"', "Skipping ", "The user denied")
_FEEDBACK = re.compile(r"<feedback>\n?(.*)</feedback>", re.DOTALL)
_FAILED = ("The tool execution failed with the following error:", '{"status":"error"')
_SUMMARISES = ("summarize_task", "condense")


class ClineBlocks(ClaudeBlocks):
    """The blocks of a task: those of the Messages API, and a notice of what was left out."""

    def block(self, block: dict[str, Any]) -> Block:
        """Return what a block is."""
        if block.get("type") == "reasoning":
            return Block("thinking", block)
        text = block.get("text")
        if isinstance(text, str) and text.startswith(NOTICE):
            return Block("summary", text)
        return super().block(block)

    def result_block(self, message: Message, replaced: dict[str, Any] | None) -> dict[str, Any]:
        """Return the block of a new result, as the file has results; it says all of it under our name too."""
        beside = {FIELDS: {"content": "", **without(fields_of(message), ("role",))}}
        if replaced is None or replaced.get("type") == "tool_result":
            return super().result_block(message, replaced) | beside
        return {"type": "text", "text": f"[{message.tool_name or 'tool'}] Result:\n{message.text}"} | beside


class ClineReader(BlockReader):
    """Reads the rows of a task in order."""

    def __init__(self, rows: Sequence[Any], path_of: Callable[[int], str]) -> None:
        """Read the calls of these rows as blocks where there is one, else as tags."""
        super().__init__(ClineBlocks(), path_of)
        self._tags = not any(map(_calls_in_blocks, rows))

    def is_special(self, rows: Sequence[Any], at: int) -> bool:
        """Read the summary of a compaction, or the mark of a truncation; other rows that nobody speaks are passed."""
        row = rows[at]
        if row.get("type") == "reasoning" and "role" not in row:
            return True
        if row.get("isSummary") is not True and row.get("isTruncationMarker") is not True:
            return False
        text = _text_of(row.get("content"))
        if text is None:
            return False
        named = ("condenseParent", row.get("condenseId")), ("truncationParent", row.get("truncationId"))
        hidden = [
            message
            for message, places in zip(self.messages, self.places, strict=True)
            if any(key is not None and rows[places[0].row].get(name) == key for name, key in named)
        ]
        self.frame(text, row, Place(at), hidden)
        return True

    def originals(self) -> list[Message]:
        """Return nothing: what a notice stands for was left out of the file, or is not named."""
        return []

    def words(self, said: str | dict[str, Any]) -> tuple[list[str | dict[str, Any]], list[dict[str, Any]]]:
        """Return the words of a text, and the calls that stand in it as tags."""
        text = said if isinstance(said, str) else said.get("text") if said.get("type") == "text" else None
        if not self._tags or not isinstance(text, str) or "<" not in text:
            return [said], []
        words, calls = _tagged(text)
        return (words, calls) if calls else ([said], [])

    def user(self, row: dict[str, Any], at: int) -> None:
        """Read a row of the user's: results, words of the person, words of the app."""
        content = row.get("content")
        if isinstance(row.get(FIELDS), dict) or not isinstance(content, str | list):
            super().user(row, at)
            return
        found = _UserRow()
        if isinstance(content, str):
            is_person, content = _heard(content)
            found.says(None, content, is_person=is_person)
        for index, block, known in self.blocks(row, at):
            found.takes(index, block, known, self._answered(block, known))
        for indices, fields in found.results:
            self.add(fields, (Place(at, tuple(indices)),))
        for is_person, indices, parts in found.runs or ([] if found.results else [_NOBODYS]):
            injected = {} if is_person or row["role"] != "user" else {"injectedBy": "cline"}
            said = content if isinstance(content, str) else parts
            self.add({"role": row["role"], "content": said, **injected}, (Place(at, tuple(indices) or None),))

    def _answered(self, block: Block, known: dict[str, Any]) -> dict[str, Any] | None:
        """Return the fields of a result; None for a block that is none."""
        if block.kind == "result":
            return self.result(_native(block.said, known), known)
        text, note = _text_in(known), known.get(FIELDS)
        if text is None:
            return None
        if isinstance(note, dict):
            self.waiting = [call for call in self.waiting if call["id"] != note.get("toolCallId")]
            return {"role": "tool", **note}
        heading = _HEADING.match(text) if text.startswith("[") else None
        if heading is not None:
            return self._result_of(heading[1], text[heading.end() :])
        if text.startswith(_SKIPPED) and self.waiting and _NOT_RUN.search(text, 0, _SKIPPED_WITHIN):
            return self._result_of(None, text) | {"toolResultOrigin": "not-entered"}
        return None

    def _result_of(self, name: str | None, text: str) -> dict[str, Any]:
        called = next((call for call in self.waiting if call["name"] == name), None)
        called = called or next(iter(self.waiting), None)
        if called is None:
            identifier = made_up_id("result", name, text)
            return {"role": "tool", "toolCallId": identifier, "toolName": name, **_outcome({"content": text})}
        self.waiting.remove(called)
        origin = {"toolResultOrigin": "not-entered"} if called["name"] in _SUMMARISES else {}
        fields = {"role": "tool", "toolCallId": called["id"], "toolName": called["name"]}
        return fields | _outcome({"content": text}) | origin


class _Run(NamedTuple):
    """Blocks of a user row that one hand wrote, the person's or the app's."""

    is_person: bool
    indices: list[int]
    parts: list[Any]


_NOBODYS = _Run(is_person=False, indices=[], parts=[])


class _UserRow:
    """The blocks of one user row, told apart."""

    def __init__(self) -> None:
        self.results: list[tuple[list[int], dict[str, Any]]] = []
        self.runs: list[_Run] = []
        self._after_result = self._after_heading = False

    def takes(self, index: int, block: Block, known: dict[str, Any], answer: dict[str, Any] | None) -> None:
        """Take the next block, and the result it is."""
        text = _text_in(known)
        if answer is not None:
            self.results.append(([index], answer))
            self._after_result, self._after_heading = True, text is not None and text.endswith("] Result:")
        elif self._after_heading and not (text is not None and _is_nobodys_result(text)):
            self._continues(index, _outcome({"content": [block.said] if text is None else text}))
        elif self._after_result and text is None:
            before = self.results[-1][1]["content"]
            whole = [{"type": "text", "text": before}] if isinstance(before, str) else before
            self._continues(index, {"content": [*whole, block.said] if block.kind == "part" else before})
        else:
            said = block.said if block.kind == "part" else known
            is_person = bool(self.runs) and self.runs[-1].is_person
            if text is not None:
                is_person, words = _heard(text)
                said = said if words == text else {**known, "text": words}
            self.says(index, said if block.kind != "nothing" else None, is_person=is_person)

    def _continues(self, index: int, changes: dict[str, Any]) -> None:
        indices, fields = self.results[-1]
        indices.append(index)
        fields.update(changes)
        self._after_heading = False

    def says(self, index: int | None, part: Any, *, is_person: bool) -> None:  # noqa: ANN401 - a part
        """Take what somebody said."""
        self._after_result = self._after_heading = False
        if not self.runs or self.runs[-1].is_person != is_person:
            self.runs.append(_Run(is_person, [], []))
        if index is not None:
            self.runs[-1].indices.append(index)
        if part is not None:
            self.runs[-1].parts.append(part)


def _text_in(block: object) -> str | None:
    text = block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None
    return text if isinstance(text, str) else None


def _native(said: dict[str, Any], block: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a `tool_result` block without the app's heading."""
    content = said["content"]
    first = content if isinstance(content, str) else _text_in(content[0]) if content else None
    if FIELDS in block or first is None:
        return said
    heading = _HEADING.match(first) if first.startswith("[") else None
    text = first if heading is None else first[heading.end() :]
    words = text if isinstance(content, str) else [{**content[0], "text": text}, *content[1:]]
    return said | _outcome({"content": words})


def _outcome(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the content of a result, with what its words say of how it went."""
    content = fields["content"]
    text = content if isinstance(content, str) else _text_in(content[0]) if content else None
    if text is not None:
        if text.startswith(_DENIED):
            said = _feedback(text)
            return fields | {"toolResultOrigin": "not-entered"} | ({"metadata": {PERSON_SAID: said}} if said else {})
        if text.startswith(_FAILED):
            return fields | {"isError": True}
    return fields


def _feedback(text: str) -> str:
    """Return what the person said when they denied a call: between tags, or (Roo Code) in a JSON object."""
    if text.startswith("{"):
        try:
            told = json.loads(text)
        except (ValueError, RecursionError):
            return ""
        said = told.get("feedback") if isinstance(told, dict) else None
        return said if isinstance(said, str) else ""
    found = _FEEDBACK.search(text)
    return found[1].strip() if found else ""


def _heard(text: str) -> tuple[bool, str]:
    """Return whether a person speaks in a text, and its words.

    The tags around their words are left out. Where the app put something behind these, the text stays as it is, and
    counts as the person's: their request may not get lost.
    """
    opening = _PERSONS.match(text)
    if opening is None:
        return False, text
    inside, closing, behind = text[opening.end() :].partition(f"</{opening[1]}>")
    if not closing:
        return False, text
    return True, text if behind.strip() else inside.removesuffix("\n")


def _is_nobodys_result(text: str) -> bool:
    return _heard(text)[0] or text.startswith(("<environment_details>", "<hook_context"))


def _calls_in_blocks(row: object) -> bool:
    content = row.get("content") if isinstance(row, dict) else None
    blocks = content if isinstance(content, list) else []
    return any(isinstance(block, dict) and block.get("type") == "tool_use" for block in blocks)


def _text_of(content: object) -> str | None:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    texts = [block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str)]
    return "\n".join(texts) if texts else None


def _tagged(text: str) -> tuple[list[str | dict[str, Any]], list[dict[str, Any]]]:
    """Return the words around the calls that stand in a text as tags, and the calls."""
    words: list[str] = []
    calls: list[dict[str, Any]] = []
    at = 0
    while (opening := _CALL.search(text, at)) is not None:
        closing = f"</{opening[1]}>"
        end = text.find(closing, opening.end())
        inside = text[opening.end() : end if end >= 0 else len(text)]
        for name in _LONG:
            if f"<{name}>" in inside:
                last = text.rfind(f"</{name}>")
                end = text.find(closing, last) if last >= opening.end() else end
                inside = text[opening.end() : end if end >= 0 else len(text)]
                break
        words.append(text[at : opening.start()])
        calls.append({"id": None, "name": opening[1], "args": _parameters(inside)})
        at = len(text) if end < 0 else end + len(closing)
    words.append(text[at:])
    return [{"type": "text", "text": said} for said in words if said.strip() or not calls], calls


def _parameters(inside: str) -> dict[str, str]:
    found: dict[str, str] = {}
    at = 0
    while (opening := _PARAMETER.search(inside, at)) is not None:
        closing = f"</{opening[1]}>"
        end = inside.rfind(closing, opening.end()) if opening[1] in _LONG else inside.find(closing, opening.end())
        stop = len(inside) if end < 0 else end
        found[opening[1]] = inside[opening.end() : stop].strip("\n")
        at = stop + len(closing)
    return found
