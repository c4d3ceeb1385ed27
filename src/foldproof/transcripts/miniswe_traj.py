"""mini-swe-agent: `{info, messages, trajectory_format}`, or the bare list of messages of its first version.

Checked in real files: two bare lists of version 0 (one bash block in the text, its output in the next user message, the
submission last). From the library's source: the wrapper, `tool_calls` and the rows of OpenAI's Responses of version 2,
`exit` rows, and what `extra` says.

* The one block of bash in an assistant's text (in backticks or in a `mswea_bash_command` tag) is a call of `bash`; the
  next row is its result, also where that is the `exit` row of a submission.
* `<returncode>` and `<output>`, or the JSON object around them, are the app's words; what stands inside is the tool's.
  Of an output that was too long its head and its tail are two parts. A return code other than 0 is an error; an action
  that was not executed never ran.
* The first user row is the task, a person's. Other user rows that are no result (a format error, an interruption, a
  command typed in the app) are the app's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.transcripts.codec import Format, id_text, made_up_id, parts_from, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.role_rows import Calls, Row, arguments_of, openai_calls, read_rows, written_rows
from foldproof.transcripts.turns import Meaning, Read, TurnReader

APP = "miniswe"
_ROWS, _VERSION = "messages", "trajectory_format"
_KNOWN = ("mini-swe-agent-1", "mini-swe-agent-1.1")
_SAMPLE = 50
_FENCES = ("```mswea_bash_command", "```bash")
_TAGS = ("<mswea_bash_command>", "</mswea_bash_command>")
_CODE = re.compile(r"(?:<exception>[^<]*</exception>\s*)?<returncode>(-?\d+)</returncode>\s*")
_THE_END = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_NEVER_RAN = "action was not executed"


class MinisweTraj:
    """The mini-swe-agent trajectory format."""

    format = Format(
        "miniswe_traj",
        "mini-swe-agent trajectory (JSON)",
        shape="{info, messages, trajectory_format: mini-swe-agent-…}, or a list whose user rows hold <returncode>",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is a trajectory."""
        if isinstance(value, list):
            return "messages with return codes" if _are_ours(value[:_SAMPLE]) else None
        if not isinstance(value, dict) or not isinstance(value.get(_ROWS), list):
            return None
        version, info = value.get(_VERSION), value.get("info")
        if isinstance(version, str) and version.startswith("mini-swe-agent"):
            return f"the version {version[:40]}"
        return "a mini_version" if isinstance(info, dict) and "mini_version" in info else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a run."""
        damage: list[Damage] = []
        rows, path = _rows(value)
        version = value.get(_VERSION, _KNOWN[-1]) if isinstance(value, dict) else _KNOWN[-1]
        if version not in _KNOWN:
            cause = f"unknown version {shown(version)}; expected one of {', '.join(_KNOWN)}; it was read like the last"
            damage.append(Damage(f"$.{_VERSION}", cause))
        read = _read(rows, path, damage)
        extras = {} if isinstance(value, list) else without(value, (_ROWS,))
        identifier = value.get("instance_id") if isinstance(value, dict) else None
        return (Reading(read.messages, read.pieces, extras, id_text(identifier), damage=tuple(damage)),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the trajectory with other messages."""
        (edit,) = edits
        rows, path = _rows(value)

        def meaning(rows: list[Any]) -> Meaning:
            read = _read(rows, path, [])
            return read.messages, read.pieces

        written = revise_items(rows, written_rows(rows, edit, meaning, {}))
        if isinstance(value, list) and not _are_ours(written[:_SAMPLE]):
            raise TranscriptError("nothing that is left of this list says that it is one of mini-swe-agent", path="$")
        return written if isinstance(value, list) else revise(value, {_ROWS: written})


def _rows(value: Json) -> tuple[list[Any], str]:
    return (value, "$") if isinstance(value, list) else (value[_ROWS], f"$.{_ROWS}")


def _read(rows: list[Json], path: str, damage: list[Damage]) -> Read:
    return read_rows(rows, path, damage, _Speaker().say)


def _are_ours(rows: list[Json]) -> bool:
    """Whether a bare list is of mini-swe-agent: its prompt says how to end, or an output follows a block of bash."""
    said = [
        (row["role"], row["content"])
        for row in rows
        if isinstance(row, dict) and isinstance(row.get("role"), str) and isinstance(row.get("content"), str)
    ]
    return any(role == "system" and _THE_END in text for role, text in said) or any(
        (first, second) == ("assistant", "user") and output.startswith("<returncode>") and _command(text) is not None
        for (first, text), (second, output) in pairwise(said)
    )


class _Speaker:
    def __init__(self) -> None:
        self._spoken = False  # the agent said something

    def say(self, row: Row, path: str, reader: TurnReader) -> tuple[dict[str, Any], Calls] | None:
        if "role" not in row and ("output" in row or "type" in row):
            return self._response(row, path)
        role = row.get("role")
        content = parts_from(row.get("content"), f"{path}.content")
        extra: Row = row["extra"] if isinstance(row.get("extra"), dict) else {}
        fields: dict[str, Any] = {"role": role, "content": content}
        if role == "assistant":
            self._spoken = True
            return fields, _calls(row, content, path)
        if role == "tool":
            return _result(content) | {"toolCallId": id_text(row.get("tool_call_id"))}, ()
        if role == "exit":
            submitted = reader.waits() and extra.get("exit_status", "Submitted") == "Submitted"
            return (_result(content) if submitted else {"role": "user", "content": content, "injectedBy": APP}), ()
        if role == "user" and reader.waits() and "interrupt_type" not in extra:
            return _result(content), ()
        if role == "user" and self._spoken:
            fields["injectedBy"] = APP
        return fields, ()

    def _response(self, row: Row, path: str) -> tuple[dict[str, Any], Calls] | None:
        """Read a row of the Responses API: a whole response, or what answers one of its calls."""
        if row.get("type") == "function_call_output":
            said = parts_from(row.get("output"), f"{path}.output")
            return _result(said) | {"toolCallId": id_text(row.get("call_id"))}, ()
        if not isinstance(row.get("output"), list):
            raise TranscriptError(f"expected a message or a response; found {shown(list(row)[:8])}", path=path)
        self._spoken = True
        content: list[Any] = []
        calls = []
        for at, item in enumerate(row["output"]):
            kind = item.get("type") if isinstance(item, dict) else None
            if kind == "function_call" and isinstance(item.get("name"), str):
                arguments = item.get("arguments", {})
                identifier = id_text(item.get("call_id")) or made_up_id("call", item["name"], arguments)
                calls.append({"id": identifier, "name": item["name"], "args": arguments_of(arguments)})
            elif kind == "message":
                words = parts_from(item.get("content"), f"{path}.output[{at}].content")
                content += [{"type": "text", "text": words}] if isinstance(words, str) else words
            elif isinstance(item, dict):
                content.append(item)
        return {"role": "assistant", "content": content}, calls


def _calls(row: Row, content: object, path: str) -> list[dict[str, Any]]:
    calls = openai_calls(row, path)
    for call in calls:
        if call["id"] is None:
            call["id"] = made_up_id("call", content, call["name"], call["args"])
    command = None if calls else _command(content)
    if command is None:
        return calls
    return [{"id": made_up_id("call", content), "name": "bash", "args": {"command": command}}]


def _command(content: object) -> str | None:
    """Return the one command of a text; several, or none, are a format error that the app answers."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "\n".join(text for text in texts if isinstance(text, str))
    if not isinstance(content, str):
        return None
    blocks = [rest for fence in _FENCES for rest in content.split(fence)[1:]]
    tagged = content.split(_TAGS[0])[1:]
    if len(blocks) + len(tagged) != 1:
        return None
    if tagged:
        command, end, _ = tagged[0].partition(_TAGS[1])
    else:
        rest, _, lines = blocks[0].partition("\n")
        command, end, _ = lines.partition("```")
        end = "" if rest.strip() else end
    return command.strip() if end else None


def _result(content: str | list[dict[str, Any]]) -> dict[str, Any]:
    """Return a result without what the app put around it, where that is what its own templates write."""
    fields: dict[str, Any] = {"role": "tool", "content": content}
    if not isinstance(content, str):
        return fields
    code = _CODE.match(content)
    said = _object(content) if code is None else None
    if code is not None:
        inside = _inside(content[code.end() :].rstrip())
        if inside is not None:
            fields["content"] = inside
            return fields | ({"isError": True} if code[1] != "0" else {})
    if said is None:
        return fields
    whole = said.get("output")
    fields["content"] = whole if isinstance(whole, str) else _two(said["output_head"], said["output_tail"])
    if said.get("exception_info") == _NEVER_RAN:
        fields["toolResultOrigin"] = "not-entered"
    return fields | ({"isError": True} if said["returncode"] != 0 else {})


def _inside(wrapped: str) -> str | list[dict[str, Any]] | None:
    """Return what stands inside the tags of an output: all of it, or its head and its tail."""
    if wrapped.startswith("<output>") and wrapped.endswith("</output>"):
        return wrapped[len("<output>") : -len("</output>")].removeprefix("\n")
    _, opened, rest = wrapped.partition("<output_head>")
    head, closed, rest = rest.partition("</output_head>")
    _, reopened, tail = rest.partition("<output_tail>")
    if wrapped.startswith("<warning>") and opened and closed and reopened and tail.endswith("</output_tail>"):
        return _two(head.strip("\n"), tail.removesuffix("</output_tail>").strip("\n"))
    return None


def _two(head: str, tail: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": head}, {"type": "text", "text": tail}]


def _object(content: str) -> Row | None:
    if not content.startswith("{") or '"returncode"' not in content:
        return None
    try:
        said = json.loads(content)
    except (ValueError, RecursionError):
        return None
    whole = isinstance(said.get("output"), str)
    cut = isinstance(said.get("output_head"), str) and isinstance(said.get("output_tail"), str)
    return said if "returncode" in said and (whole or cut) else None
