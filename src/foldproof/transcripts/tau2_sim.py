"""tau2-bench: a simulation `{id, task_id, messages | ticks, mode, …}`, or results `{info, tasks, simulations}` of them.

Checked in real files: voice runs (`mode: full_duplex`), of which the words were taken out, and the results of an
experiment whose simulations lie in files of their own. From the library's source: text runs, results that hold their
simulations, and the words of ticks.

* The person is a user simulator. Its words are a person's; tools that it calls itself (`requestor: user`) and their
  results are its own: the agent never saw them. They are no messages here, and stay where they are.
* A tool row has the call's id under `id`. `error` is an error.
* A voice run has its words in ticks, chunk by chunk: what one speaker says tick after tick is one message, and a tick
  may hold calls and results. Such a run can be read only. Speech without any words is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.transcripts.codec import Format, id_text, parts_from, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.role_rows import Calls, Row, read_rows, written_rows
from foldproof.transcripts.tau2_rows import read_ticks, result_of
from foldproof.transcripts.turns import Meaning, Read, TurnReader, calls_in

_ROWS, _TICKS, _RUNS = "messages", "ticks", "simulations"
_ABOUT = frozenset(("termination_reason", "duration", "start_time", "end_time", "reward_info"))
_FEW = 2


class Tau2Sim:
    """The tau2-bench simulation format."""

    format = Format(
        "tau2_sim",
        "tau2-bench simulation, or results with simulations (JSON)",
        shape="{id, task_id, messages | ticks, termination_reason, duration}, or {info, tasks, simulations}",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is a simulation, or results."""
        if not isinstance(value, dict):
            return None
        if "task_id" in value and len(_ABOUT & value.keys()) >= _FEW and (_ROWS in value or _TICKS in value):
            return "a simulation of a task"
        info = value.get("info")
        if "tasks" in value and isinstance(info, dict) and "user_info" in info and "agent_info" in info:
            return "the results of simulations"
        return None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of each simulation."""
        if "task_id" in value:
            return (_reading(value, "$"),)
        runs = value.get(_RUNS) or []
        if not isinstance(runs, list):
            raise TranscriptError(f"expected a list of simulations; found {shown(runs)}", path=f"$.{_RUNS}")
        about = without(value, (_RUNS,))
        if not runs:
            return (Reading((), (), about),)
        return tuple(_reading(run, f"$.{_RUNS}[{at}]") for at, run in enumerate(runs))

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the simulations with other messages."""
        if "task_id" in value:
            return _written(value, edits[0], "$")
        runs = value.get(_RUNS) or []
        if not runs:
            return value
        pairs = zip(runs, edits, strict=True)
        written = [_written(run, edit, f"$.{_RUNS}[{at}]") for at, (run, edit) in enumerate(pairs)]
        return revise(value, {_RUNS: revise_items(runs, written)})


def _reading(run: Json, path: str) -> Reading:
    if not isinstance(run, dict):
        raise TranscriptError(f"expected a simulation; found {shown(run)}", path=path)
    damage: list[Damage] = []
    rows = run.get(_ROWS)
    if rows is not None and not isinstance(rows, list):
        raise TranscriptError(f"expected a list of messages; found {shown(rows)}", path=f"{path}.{_ROWS}")
    read = _read(rows, f"{path}.{_ROWS}", damage) if rows else read_ticks(run.get(_TICKS), f"{path}.{_TICKS}", damage)
    extras = without(run, (_ROWS, _TICKS))
    return Reading(read.messages, read.pieces, extras, id_text(run.get("id")), damage=tuple(damage))


def _written(run: Row, edit: Edit, path: str) -> Row:
    if not edit.changed:
        return run
    rows = run.get(_ROWS)
    if not rows:
        raise TranscriptError("a voice run can only be read; its words are spread over ticks", path=f"{path}.{_TICKS}")

    def meaning(rows: list[Any]) -> Meaning:
        read = _read(rows, path, [])
        return read.messages, read.pieces

    return revise(run, {_ROWS: revise_items(rows, written_rows(rows, edit, meaning, {}))})


def _read(rows: list[Json], path: str, damage: list[Damage]) -> Read:
    return read_rows(rows, path, damage, _say)


def _say(row: Row, path: str, _: TurnReader) -> tuple[dict[str, Any], Calls] | None:
    role = row.get("role")
    if role == "tool":
        if "tool_messages" in row:
            raise TranscriptError("expected one result a row; found several under tool_messages", path=path)
        return None if row.get("requestor") == "user" else (result_of(row, path), ())
    content = parts_from(row.get("content"), f"{path}.content")
    calls = calls_in(row.get("tool_calls"), path)
    if role == "user" and calls:
        return ({"role": role, "content": content}, ()) if content else None
    return {"role": role, "content": content}, calls if role == "assistant" else ()
