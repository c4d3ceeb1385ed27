"""Steps of ATIF, as messages. What the format says stands in `atif`."""

from __future__ import annotations

import json
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.transcripts.codec import FIELDS, id_text, made_up_id, parts_from
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.json_text import Json, revise
from foldproof.transcripts.rows import Place, with_note
from foldproof.transcripts.turns import Draft, Turn, calls_in

APP = "atif"
Step = dict[str, Any]

_FEEDBACK = "Previous response had parsing errors:"


def is_compaction(step: Step) -> bool:
    """Whether a step says that the history before it was compacted."""
    extra = step.get("extra")
    managed = extra.get("context_management") if isinstance(extra, dict) else None
    if isinstance(managed, dict):
        return managed.get("type") == "compaction"
    says = step.get("message")  # older files say it in words only
    return isinstance(says, str) and says.startswith("Performed context summarization and handoff")


def tucked(row: Any) -> Any:  # noqa: ANN401 - a step, or what stands in its place
    """Return a step or a result with our fields under `extra`, where the format has room for those of others."""
    if not isinstance(row, dict) or FIELDS not in row:
        return row
    extra = row.get("extra")
    extra = extra if isinstance(extra, dict) else {}
    changed = dict(row) | {"extra": extra | {FIELDS: row[FIELDS]}}
    del changed[FIELDS]
    source = getattr(row, "source", None)
    return changed if source is None else revise(source, changed)


def _note(row: Step) -> Step:
    """Return our fields of a step or a result, as `with_note` looks for them."""
    extra = row.get("extra")
    found = extra.get(FIELDS) if isinstance(extra, dict) else None
    found = row.get(FIELDS, found)
    return {FIELDS: found} if isinstance(found, dict) else {}


class StepReader:
    """Reads steps in order."""

    def __init__(self, damage: list[Damage], *, continues: bool) -> None:
        """Collect damage there; `continues` says that the steps go on where another file ended."""
        self.turns: list[Turn] = []
        self.ran: dict[str, str] = {}
        self._damage = damage
        self._continues = continues
        self._boundary: Draft | None = None  # a compaction whose words may come with the next step
        self._asked = False  # a user step was there
        self._window: list[Turn] = []  # what a compaction would stand for

    def read(self, step: Step, at: int, path: str) -> None:
        """Read the next step."""
        try:
            self._step(step, at, path)
        except TranscriptError as error:
            self._damage.append(damage_of(error))

    def close(self) -> None:
        """Say that no step follows."""
        boundary, self._boundary = self._boundary, None
        if boundary is not None:
            self._frame(boundary)

    def _step(self, step: Step, at: int, path: str) -> None:
        source = step.get("source")
        content = parts_from(step.get("message"), f"{path}.message")
        note = _note(step)
        if source == "user" and self._boundary is not None:
            self._continued(content, note, at)
        elif source == "system" and is_compaction(step):
            self.close()
            self._boundary = Draft({"role": "user", "content": content, **note}, [Place(at)], path)
        elif source == "agent":
            self.close()
            self._agent(step, content, at, path)
            return
        elif source in ("user", "system"):
            self.close()
            self._said(step, {"role": source, "content": content}, note, at, path)
        else:
            raise TranscriptError(
                f"unknown source {shown(source)}; expected system, user or agent", path=f"{path}.source"
            )
        for number, result in self._results(step, path):
            words = _content(result, f"{path}.observation.results[{number}]")
            if words:
                fields = with_note({"role": "user", "content": words, "injectedBy": APP}, _note(result))
                self._add(Turn(Draft(fields, [Place(at, number)], path)))

    def _continued(self, content: str | list[Any], note: Step, at: int) -> None:
        boundary, self._boundary = self._boundary, None
        if boundary is None:
            return
        boundary.fields["content"] = content
        boundary.fields |= note
        boundary.places.append(Place(at))
        self._frame(boundary)

    def _frame(self, draft: Draft) -> None:
        note = {FIELDS: draft.fields.pop(FIELDS)} if FIELDS in draft.fields else {}
        if note:
            draft.fields = with_note(draft.fields, note)
        elif isinstance(draft.fields["content"], str):
            draft.is_frame = True
            draft.forgets = [one for turn in self._window for one in turn.drafts()] or None
        else:
            draft.fields["injectedBy"] = APP
        turn = Turn(draft)
        self._window = [turn]
        self.turns.append(turn)

    def _said(self, step: Step, fields: dict[str, Any], note: Step, at: int, path: str) -> None:
        draft = Draft(with_note(fields, note), [Place(at)], path)
        by_user = fields["role"] == "user" and not note
        copied = self._continues and step.get("is_copied_context") is True and by_user and self._asked
        draft.is_frame = copied and isinstance(fields["content"], str)
        turn = Turn(draft)
        first = by_user and not self._asked
        self._asked = self._asked or by_user
        if first or fields["role"] == "system":
            self.turns.append(turn)  # Harbor's agents keep it through a compaction
        else:
            self._add(turn)

    def _add(self, turn: Turn) -> None:
        self.turns.append(turn)
        self._window.append(turn)

    def _agent(self, step: Step, content: str | list[Any], at: int, path: str) -> None:
        fields: dict[str, Any] = {"role": "assistant", "content": content}
        thought = step.get("reasoning_content")
        if isinstance(thought, str) and thought:
            words = [{"type": "text", "text": content}] if isinstance(content, str) else content
            fields["content"] = [{"type": "thinking", "text": thought}, *words]
        if isinstance(step.get("model_name"), str):
            fields["model"] = step["model_name"]
        note = _note(step)
        turn = Turn(Draft(with_note(fields, note), [Place(at)], path))
        results = list(self._results(step, path))
        calls = calls_in(step.get("tool_calls"), path, name="function_name", identifier="tool_call_id")
        origin = None
        if not calls and results:
            if str(results[0][1].get("content")).startswith(_FEEDBACK):
                origin = "not-entered"
            calls = [{"id": made_up_id("action", content, results[0][1].get("content")), "name": "action", "args": {}}]
        for call in calls:
            turn.call(call)
        self._add(turn)
        for number, result in results:
            self._answer(turn, result, origin, Place(at, number), f"{path}.observation.results[{number}]")
        if results:
            self._share(turn, at, path)

    def _answer(self, turn: Turn, result: Step, origin: str | None, place: Place, path: str) -> None:
        named = id_text(result.get("source_call_id"))
        same = [n for n, call in enumerate(turn.calls) if call["id"] == named]
        waiting = [n for n, answers in enumerate(turn.answers) if not answers]
        free = [n for n in same if n in waiting] or same or waiting or [len(turn.calls) - 1]
        call = turn.calls[free[0]]
        fields: dict[str, Any] = {"role": "tool", "content": _content(result, path), "toolCallId": call["id"]}
        fields["toolName"] = call["name"]
        if origin is not None:
            fields["toolResultOrigin"] = origin
        turn.answers[free[0]].append(Draft(with_note(fields, _note(result)), [place], path))
        refs = result.get("subagent_trajectory_ref")
        for ref in refs if isinstance(refs, list) else [refs]:
            ids = [ref.get(name) for name in ("trajectory_id", "session_id")] if isinstance(ref, dict) else []
            for identifier in ids:
                if isinstance(identifier, str):
                    self.ran.setdefault(identifier, call["id"])

    @staticmethod
    def _share(turn: Turn, at: int, path: str) -> None:
        """Answer the calls whose output is part of another's result."""
        for number, call in enumerate(turn.calls):
            if not turn.answers[number]:
                fields = {"role": "tool", "content": "", "toolCallId": call["id"], "toolName": call["name"]}
                fields["toolResultOrigin"] = "shared"
                turn.answers[number].append(Draft(fields, [Place(at, ("shared", number))], path))

    def _results(self, step: Step, path: str) -> list[tuple[int, Step]]:
        observation = step.get("observation")
        if observation is None:
            return []
        results = observation.get("results") if isinstance(observation, dict) else observation
        if not isinstance(results, list):
            cause = f"expected results; found {shown(observation)}; they were not read"
            self._damage.append(Damage(f"{path}.observation", cause))
            return []
        found = []
        for number, result in enumerate(results):
            if isinstance(result, dict):
                found.append((number, result))
            else:
                cause = f"expected a result; found {shown(result)}; it was not read"
                self._damage.append(Damage(f"{path}.observation.results[{number}]", cause))
        return found


def _content(result: Step, path: str) -> str | list[dict[str, Any]]:
    content: Json = result.get("content")
    if isinstance(content, dict | int | float | bool):
        return json.dumps(content, ensure_ascii=False)
    return parts_from(content, f"{path}.content")
