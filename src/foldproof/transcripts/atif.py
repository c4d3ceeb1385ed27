"""ATIF, the Agent Trajectory Interchange Format of Harbor: `{schema_version, session_id, agent, steps, …}`.

From the format's models and its writers (versions 1.0 to 1.8); no stored trajectory has been checked.

* An agent's step holds its message, its reasoning, its calls and, under `observation`, their results. A result names
  its call by `source_call_id`; one that names none answers the first call that has no answer. Several commands may
  share one result: the other calls have an empty one, which is no observation (`toolResultOrigin: "shared"`).
* A result of an agent's step without calls is that of an action that no call stands for: the call is called `action`.
  What is observed in a step of the user or of the system is the app's.
* A system step is the system's prompt; where its `extra.context_management` is a compaction it opens a frame, whose
  words are those of the user step behind it, else its own. It stands for everything since the first user step. In a
  trajectory that continues another (`agent.extra.continuation_index`) the user steps that were copied
  (`is_copied_context`) are frames too, but for the first: what they stand for is in the other file.
* Embedded `subagent_trajectories` are conversations of their own; a result that refers to one says which call ran it.
* What is new is a step, a summary two as Harbor's own agent writes them, our fields under `extra.foldproof`. Steps are
  numbered again, for they count from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message, frame_kind
from foldproof.transcripts.atif_steps import StepReader, tucked
from foldproof.transcripts.codec import FIELDS, Format, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.rows import Part, each_object, noted, rewritten
from foldproof.transcripts.turns import Meaning, Read, finished, settled

_STEPS, _INNER, _VERSION = "steps", "subagent_trajectories", "schema_version"
_KNOWN = re.compile(r"ATIF-v1\.[0-8]")
_SAMPLE = 50
_SOURCES = {"user": "user", "assistant": "agent", "system": "system", "tool": "user"}
_HANDOFF = "Performed context summarization and handoff to continue task."


class Atif:
    """The ATIF trajectory format."""

    format = Format(
        "atif",
        "ATIF trajectory of Harbor (JSON)",
        shape="{schema_version: ATIF-v1.…, agent, steps: [{step_id, source, message, tool_calls, observation}, …]}",
        basis="the library's source",
        compaction="a system step whose extra.context_management is a compaction, and the user step behind it",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is a trajectory."""
        if not isinstance(value, dict) or not isinstance(value.get(_STEPS), list):
            return None
        version = value.get(_VERSION)
        if isinstance(version, str) and version.startswith("ATIF"):
            return f"the version {version[:40]}"
        sample = [step for step in value[_STEPS][:_SAMPLE] if isinstance(step, dict)]
        ours = any("step_id" in step and "source" in step and "message" in step for step in sample)
        return "an agent and steps with sources" if ours and isinstance(value.get("agent"), dict) else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a trajectory, and of those inside it."""
        return [_reading(one, path, side=path != "$") for one, path in _trajectories(value, "$")]

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the trajectory with other steps."""
        return _written(value, iter(edits), "$")


def _trajectories(value: Json, path: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield a trajectory and those inside it, in order."""
    if not isinstance(value, dict) or not isinstance(value.get(_STEPS), list):
        raise TranscriptError(f"expected a trajectory with steps; found {shown(value)}", path=path)
    yield value, path
    inside = value.get(_INNER) or []
    if not isinstance(inside, list):
        raise TranscriptError(f"expected a list of trajectories; found {shown(inside)}", path=f"{path}.{_INNER}")
    for at, inner in enumerate(inside):
        yield from _trajectories(inner, f"{path}.{_INNER}[{at}]")


def _reading(value: dict[str, Any], path: str, *, side: bool) -> Reading:
    damage: list[Damage] = []
    version = value.get(_VERSION)
    if version is not None and not (isinstance(version, str) and _KNOWN.fullmatch(version)):
        cause = f"unknown version {shown(version)}; expected ATIF-v1.0 to ATIF-v1.8; it was read like the last of these"
        damage.append(Damage(f"{path}.{_VERSION}", cause))
    reader, read = _read(value, path, damage)
    extras = without(value, (_STEPS, _INNER))
    agent = value.get("agent")
    if isinstance(agent, dict) and "tool_definitions" in agent:
        extras["tools"] = agent["tool_definitions"]
    names = ("trajectory_id", "session_id") if side else ("session_id", "trajectory_id")
    identifier = next((value[name] for name in names if isinstance(value.get(name), str)), None)
    return Reading(
        read.messages,
        read.pieces,
        extras,
        identifier,
        side=side,
        damage=tuple(damage),
        folded=read.folded,
        ran=reader.ran,
    )


def _read(value: dict[str, Any], path: str, damage: list[Damage]) -> tuple[StepReader, Read]:
    agent = value.get("agent")
    extra = agent.get("extra") if isinstance(agent, dict) else None
    reader = StepReader(damage, continues=isinstance(extra, dict) and bool(extra.get("continuation_index")))
    for at, step in each_object(value[_STEPS], f"{path}.{_STEPS}", damage):
        reader.read(step, at, f"{path}.{_STEPS}[{at}]")
    reader.close()
    return reader, finished(reader.turns, damage)


def _written(value: dict[str, Any], edits: Iterator[Edit], path: str) -> dict[str, Any]:
    edit = next(edits)
    changes: dict[str, Json] = {}
    if edit.changed:
        changes[_STEPS] = _steps(value, edit, path)
    if value.get(_INNER):
        changes[_INNER] = revise_items(value[_INNER], [_written(one, edits, path) for one in value[_INNER]])
    return revise(value, changes)


def _steps(value: dict[str, Any], edit: Edit, path: str) -> list[Json]:
    steps = value[_STEPS]

    def meaning(rows: list[Any]) -> Meaning:
        _, read = _read(value | {_STEPS: rows}, path, [])
        return read.messages, read.pieces

    written = rewritten(steps, edit, encode=_encoded, shrink=_shrunk)
    written = [tucked(step) for step in settled(written, edit, meaning)]
    return revise_items(steps, _numbered(written, steps))


def _numbered(written: list[Json], steps: list[Json]) -> list[Json]:
    """Return steps that count from 1, where they did."""
    numbers = [step.get("step_id") if isinstance(step, dict) else None for step in steps]
    if numbers != list(range(1, len(steps) + 1)):
        return written
    return [
        revise(step, {"step_id": at}) if step["step_id"] != at else step for at, step in enumerate(written, start=1)
    ]


def _encoded(message: Message) -> list[Any]:
    said = {"role": "user" if message.role == "tool" else message.role, "content": message.text}
    step = {"step_id": 0, "source": _SOURCES[message.role], "message": message.text}
    step = tucked({FIELDS: {}} | noted(step, said, message))
    if frame_kind(message) != "summary":
        return [step]
    about = {"context_management": {"type": "compaction", "boundary": "replace"}}
    return [{"step_id": 0, "source": "system", "message": _HANDOFF, "extra": about}, step]


def _shrunk(step: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401 - a step
    observation = step.get("observation") if isinstance(step.get("observation"), dict) else {}
    results = observation.get("results")
    results = results if isinstance(results, list) else []
    left = [
        _cleared(result, cleared[at]) if at in cleared else result
        for at, result in enumerate(results)
        if at in parts or not isinstance(result, dict)
    ]
    left += [_cleared({}, message) for part, message in cleared.items() if isinstance(part, tuple)]
    return revise(step, {"observation": revise(observation, {"results": revise_items(results, left)})})


def _cleared(result: dict[str, Any], message: Message) -> Json:
    said = {"role": "tool", "content": message.text, "toolCallId": None, "toolName": None, "toolResultOrigin": None}
    named = {"source_call_id": message.tool_call_id} if message.tool_call_id else {}
    return tucked(revise(result, {FIELDS: {}} | noted({"content": message.text, **named}, said, message)))
