"""SWE-agent: a `.traj` file `{environment, trajectory, history, info, replay_config}`, of which `history` is read.

Checked in real files: runs with native calls (`tool_calls`, and a result's `tool_call_ids`), runs whose call stands in
the text (in backticks, in XML tags) and under `action`, one that a person typed, and a demonstration of `history` only.

* In text mode an assistant row's `action` is a call of `bash`, and the user row behind it is the result.
* What SWE-agent puts around an observation is not the tool's: `OBSERVATION:` ahead is left out, the state of its shell
  (`(Open file: …)` up to the prompt) stands behind `toolChars`, and so does its sentence for an empty output.
* The first user row is the task, a person's. Rows of a demonstration (`is_demo`) are the app's, and their results
  those of another run; a user row behind the agent's words that answers no call is the app's, too.
* `trajectory` repeats the actions and observations, and may repeat every message. It is written as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.transcripts.codec import Format, made_up_id, parts_from, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.role_rows import Calls, Row, openai_calls, read_rows, written_rows
from foldproof.transcripts.turns import Meaning, Read, TurnReader

APP = "sweagent"
_ROWS = "history"
_PATH = f"$.{_ROWS}"
_SAMPLE = 50
_OPENING = "OBSERVATION:\n"
_EMPTY = "Your command ran successfully and did not produce any output."
_STATE, _PROMPT = "\n(Open file: ", "bash-$"


class SweagentTraj:
    """The SWE-agent trajectory format."""

    format = Format(
        "sweagent_traj",
        "SWE-agent trajectory (.traj)",
        shape="{history: [{role, content, agent}, …], trajectory, info}",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is a trajectory."""
        rows = value.get(_ROWS) if isinstance(value, dict) else None
        if not isinstance(rows, list):
            return None
        sample = [row for row in rows[:_SAMPLE] if isinstance(row, dict)]
        ours = any("role" in row and ("agent" in row or "message_type" in row) for row in sample)
        steps = value.get("trajectory")
        first = steps[0] if isinstance(steps, list) and steps else None
        if not ours and not (isinstance(first, dict) and "action" in first and "observation" in first):
            return None
        return "a history of an agent's rows"

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a run."""
        damage: list[Damage] = []
        read = _read(value[_ROWS], damage)
        extras = without(value, (_ROWS, "trajectory"))
        return (Reading(read.messages, read.pieces, extras, damage=tuple(damage)),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the trajectory with another history."""
        (edit,) = edits
        rows = value[_ROWS]
        first = next((row for row in rows if isinstance(row, dict)), {})
        more = {"agent": first["agent"]} if isinstance(first.get("agent"), str) else {}
        return revise(value, {_ROWS: revise_items(rows, written_rows(rows, edit, _meaning, more))})


def _read(rows: list[Json], damage: list[Damage]) -> Read:
    return read_rows(rows, _PATH, damage, _Speaker().say)


def _meaning(rows: list[Any]) -> Meaning:
    read = _read(rows, [])
    return read.messages, read.pieces


class _Speaker:
    def __init__(self) -> None:
        self._spoken = False  # the agent said something

    def say(self, row: Row, path: str, reader: TurnReader) -> tuple[dict[str, Any], Calls]:
        role, is_demo = row.get("role"), row.get("is_demo") is True
        fields: dict[str, Any] = {"role": role, "content": parts_from(row.get("content"), f"{path}.content")}
        if role == "assistant":
            self._spoken = self._spoken or not is_demo
            if isinstance(row.get("thinking_blocks"), list) and row["thinking_blocks"]:
                fields["thinkingBlocks"] = row["thinking_blocks"]
            return fields, _calls(row, fields["content"], path)
        if role == "tool" or (role == "user" and reader.waits() and row.get("message_type") in (None, "observation")):
            fields = _result(fields, row, path)
            if is_demo:
                fields["toolResultOrigin"] = "not-entered"
        elif role == "user" and (is_demo or self._spoken):
            fields["injectedBy"] = APP
        return fields, ()


def _calls(row: Row, content: object, path: str) -> list[dict[str, Any]]:
    calls = openai_calls(row, path)
    for call in calls:
        if call["id"] is None:
            call["id"] = made_up_id("call", content, call["name"], call["args"])
    action = row.get("action")
    if calls or not isinstance(action, str) or not action.strip():
        return calls
    return [{"id": made_up_id("call", content, action), "name": "bash", "args": {"command": action}}]


def _result(fields: dict[str, Any], row: Row, path: str) -> dict[str, Any]:
    ids = row.get("tool_call_ids", row.get("tool_call_id"))
    first = ids[0] if isinstance(ids, list) and ids else ids
    if first is not None and not isinstance(first, str):
        raise TranscriptError(f"expected the id of a call; found {shown(ids)}", path=f"{path}.tool_call_ids")
    fields |= {"role": "tool"} | ({"toolCallId": first} if first else {})
    text = fields["content"]
    if isinstance(text, str):
        text = fields["content"] = text.removeprefix(_OPENING)
        own = 0 if text.startswith(_EMPTY) else text.rfind(_STATE) if text.endswith(_PROMPT) else -1
        if own >= 0:
            fields["toolChars"] = own
    return fields
