"""Calls, results and ticks of tau2-bench. What was checked in real files stands in `tau2_sim`."""

from __future__ import annotations

from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.transcripts.codec import id_text, parts_from
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.json_text import Json
from foldproof.transcripts.role_rows import Row
from foldproof.transcripts.rows import Place, each_object
from foldproof.transcripts.turns import Draft, Read, TurnReader, calls_in, finished

_SIDES = (("agent", "assistant"), ("user", "user"))


def result_of(row: Row, path: str) -> dict[str, Any]:
    """Return the fields of a result.

    Raises:
        TranscriptError: its content is neither text nor parts.
    """
    fields: dict[str, Any] = {"role": "tool", "content": parts_from(row.get("content"), f"{path}.content")}
    identifier = id_text(row.get("id"))
    return (
        fields
        | ({"toolCallId": identifier} if identifier else {})
        | ({"isError": True} if row.get("error") is True else {})
    )


def read_ticks(ticks: Json, path: str, damage: list[Damage]) -> Read:
    """Return what was said in the ticks of a voice run: what one side says tick after tick is one message."""
    if ticks is not None and not isinstance(ticks, list):
        raise TranscriptError(f"expected a list of ticks; found {shown(ticks)}", path=path)
    reader = TurnReader()
    open_sides: dict[str, Draft] = {}
    wordless = 0
    for at, tick in each_object(ticks or [], path, damage):
        where = f"{path}[{at}]"
        for side, role in _SIDES:
            chunk = tick.get(f"{side}_chunk")
            words = chunk.get("content") if isinstance(chunk, dict) else None
            wordless += not words and isinstance(chunk, dict) and chunk.get("contains_speech") is True
            _chunk(reader, open_sides, role, words, Place(at, side), where)
        try:
            if _calls(reader, tick, at, where):
                open_sides.clear()
        except TranscriptError as error:
            damage.append(damage_of(error))
    if wordless and not reader.turns:
        cause = f"{wordless:,} chunks of speech have no words; expected their text under content; nothing was read"
        damage.append(Damage(path, cause))
    return finished(reader.turns, damage)


def _chunk(reader: TurnReader, sides: dict[str, Draft], role: str, words: Json, place: Place, path: str) -> None:  # noqa: PLR0913, PLR0917 - what a chunk is
    if not words:
        sides.pop(role, None)
        return
    said = sides.get(role)
    if said is None or not isinstance(words, str):
        sides[role] = reader.add({"role": role, "content": words}, place, path)
    else:
        said.fields["content"] += words
        said.places.append(place)


def _calls(reader: TurnReader, tick: Row, at: int, path: str) -> bool:
    """Read what the agent called in a tick, and what came back; the simulator's own tools are its own."""
    results = tick.get("agent_tool_results") or []
    if not results and not tick.get("agent_tool_calls"):
        return False
    calls = calls_in(tick.get("agent_tool_calls"), path)
    if calls:
        reader.add({"role": "assistant", "content": ""}, Place(at, "agent_tool_calls"), path, calls)
    for number, result in each_object(results if isinstance(results, list) else [results], path, []):
        where = f"{path}.agent_tool_results[{number}]"
        reader.add(result_of(result, where), Place(at, f"agent_tool_results.{number}"), where)
    return bool(calls or results)
