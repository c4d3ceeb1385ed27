"""OpenHands (version 0): events of a run, in a list, or under `history` in a row of an evaluation.

Checked in real files: saved trajectories (nested `args` and `extras`, ids with gaps, the app's own events) and the
output of the issue resolver (JSONL rows whose `history` has the arguments beside the action's name, and no ids). From
the library's source: condensations, delegates, recalled knowledge, and the older rows of `[action, observation]` pairs.

* An observation answers the action that `cause` names. Actions of one model response (`tool_call_metadata`, which the
  observation repeats) are one message; what the model typed is taken from there, else from the action.
* `content` is what the tool said. An `error`, and an exit code other than 0 and -1 (it still runs), is an error; what
  the person rejected never ran. `finish` and `reject` end a run: they are the agent's last words, and no call.
* `source` says who: `agent`, `user`, or the app (`environment`). The app's are also: an error that answers no call,
  recalled knowledge, what the person ran in the app, and a delegate's task. A file without sources has the person's
  words first; what speaks behind that is taken for the agent.
* A condensation with a summary is a frame, where it happened. It stands for the summary before it and for what was
  forgotten since; without a summary nothing stands for what was forgotten, and the event is passed over.
* A new summary is written as a condensation that forgets nothing more, for what it folded left the file. OpenHands
  shows the last summary only. `llm_metrics` and the rest of the row stay as they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from foldproof.messages import Message, frame_kind
from foldproof.transcripts.codec import FIELDS, Format, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, Unread, revise, revise_items
from foldproof.transcripts.openhands_rows import ACTIONS, OBSERVATIONS, Event, EventReader, args_of
from foldproof.transcripts.rows import Part, Place, Places, noted, rewritten
from foldproof.transcripts.turns import Read, finished, settled

_LISTS = ("history", "trajectory")
_ABOUT = ("metadata", "metrics", "test_result", "git_patch")
_SAMPLE = 50
_NO_ACTION = {"action": "null", "args": {}}
_NO_OBSERVATION = {"observation": "null", "content": "", "extras": {}}


class OpenhandsEvents:
    """The OpenHands event format."""

    format = Format(
        "openhands_events",
        "OpenHands events: a trajectory (JSON), or rows of an evaluation (JSONL)",
        shape="[{source, action, args} | {source, observation, content, cause}, …], or {history: […]} around it",
        compaction="an event {action: condensation, args: {forgotten_event_ids, summary}}",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value holds events."""
        if isinstance(value, list):
            return "a list of events" if _are_events(value, nested=True) else None
        name = _list_name(value)
        if name is None:
            return None
        rows = value[name]
        if not rows:
            about = ("metadata", "metrics", "test_result", "git_patch")
            return (
                "an evaluation without history" if "instance_id" in value and any(n in value for n in about) else None
            )
        return f"events under {name}" if _are_events(rows, nested=False) else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a run."""
        damage: list[Damage] = []
        reader, read = _read(*_rows(value), damage)
        extras: dict[str, Any] = {} if isinstance(value, list) else without(value, _LISTS)
        if reader.tools is not None:
            extras.setdefault("tools", reader.tools)
        damage += reader.unknown()
        return (Reading(read.messages, read.pieces, extras, _id_of(value), damage=tuple(damage), folded=read.folded),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the document with another window."""
        (edit,) = edits
        rows, path = _rows(value)
        writer = _Writer(rows, path)
        written = rewritten(rows, edit, encode=writer.encoded, shrink=writer.shrunk)

        def again(rows: list[Any]) -> tuple[Sequence[Message], Sequence[Places]]:
            _, read = _read(rows, path, [])
            return read.messages, read.pieces

        changed = revise_items(rows, writer.placed(settled(_in_order(written, rows), edit, again)))
        return changed if isinstance(value, list) else revise(value, {str(_list_name(value)): changed})


def _read(rows: list[Json], path: str, damage: list[Damage]) -> tuple[EventReader, Read]:
    reader = EventReader(damage)
    for event, place, where in _events(rows, path, damage):
        reader.read(event, place, where)
    return reader, finished(reader.turns, damage)


def _list_name(value: Json) -> str | None:
    if not isinstance(value, dict):
        return None
    return next((name for name in _LISTS if isinstance(value.get(name), list)), None)


def _rows(value: Json) -> tuple[list[Any], str]:
    name = _list_name(value)
    return (value, "$") if isinstance(value, list) or name is None else (value[name], f"$.{name}")


def _are_events(rows: list[Json], *, nested: bool) -> bool:
    """Whether these are events: one is for certain, and none is a message or a step of something else."""
    items = [item for row in rows[:_SAMPLE] for item in (row if isinstance(row, list) and not nested else [row])]
    events = [item for item in items if isinstance(item, dict) and not _is_foreign(item)]
    return 2 * len(events) > len(items) and any(_is_event(event, nested=nested) for event in events)


def _is_foreign(event: Event) -> bool:
    return "role" in event or "type" in event or ("action" in event) == ("observation" in event)


def _is_event(event: Event, *, nested: bool) -> bool:
    action, observation = event.get("action"), event.get("observation")
    if isinstance(action, str):
        return action in ACTIONS and (not nested or (isinstance(event.get("args"), dict) and "source" in event))
    if isinstance(observation, str):
        return observation in OBSERVATIONS and (not nested or "source" in event) and "content" in event
    return False


def _id_of(value: Json) -> str | None:
    if not isinstance(value, dict):
        return None
    identifier, issue = value.get("instance_id"), value.get("issue")
    if isinstance(identifier, str | int):
        return str(identifier)
    if isinstance(issue, dict) and all(name in issue for name in ("owner", "repo", "number")):
        return f"{issue['owner']}/{issue['repo']}#{issue['number']}"
    return None


def _events(rows: list[Json], path: str, damage: list[Damage]) -> Iterator[tuple[Event, Place, str]]:
    for at, row in enumerate(rows):
        inside: list[tuple[int | None, Json]] = [(None, row)]
        if isinstance(row, list):
            inside = list(enumerate(row))
        for part, event in inside:
            where = f"{path}[{at}]" if part is None else f"{path}[{at}][{part}]"
            if isinstance(event, dict):
                yield event, Place(at, part), where
            elif not isinstance(event, Unread):
                found = f"expected an event; found {type(event).__name__}; it was not read"
                damage.append(Damage(where, found))


def _in_order(written: list[Any], rows: list[Any]) -> list[Any]:
    """Return rows with those that were read in their old order: a reply and its results may stand in turns."""
    index = {id(row): at for at, row in enumerate(rows) if isinstance(row, dict | list)}

    def place(row: Json) -> int | None:
        return index.get(id(row), index.get(id(getattr(row, "source", None))))

    old = iter(sorted((row for row in written if place(row) is not None), key=lambda row: place(row) or 0))
    return [row if place(row) is None else next(old) for row in written]


class _Writer:
    """Makes events of what is new, numbered behind the last, in the layout of the others."""

    def __init__(self, rows: list[Any], path: str) -> None:
        events = [event for event, _, _ in _events(rows, path, [])]
        numbers = [event["id"] for event in events if type(event.get("id")) is int]
        self._next = max(numbers) + 1 if numbers else None
        self._nested = not events or any(isinstance(event.get("args"), dict) for event in events)
        self._pairs = any(isinstance(row, list) for row in rows)
        self._new: set[int] = set()

    def encoded(self, message: Message) -> list[Any]:
        kind = frame_kind(message)
        by_agent = message.role == "assistant" or kind == "summary"
        event: Event = {"source": "agent" if by_agent else "user", "message": message.text}
        if self._next is not None:
            event = {"id": self._next, **event}
            self._next += 1
        args: dict[str, Any]
        if kind == "summary":
            args = {"forgotten_event_ids": [], "summary": message.text, "summary_offset": 0}
        else:
            args = {"content": message.text, "image_urls": None, "wait_for_response": False}
        event["action"] = "condensation" if kind == "summary" else "message"
        event |= {"args": args} if self._nested else args
        said: dict[str, Any] = {"role": "assistant" if message.role == "assistant" else "user", "content": message.text}
        if "id" in event:
            said["id"] = str(event["id"])
        row = noted(event, said, message)
        row.setdefault(FIELDS, {})
        self._new.add(id(row))
        return [[row, dict(_NO_OBSERVATION)] if self._pairs else row]

    def shrunk(self, row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401 - a row
        if not isinstance(row, list):
            return _cleared(row, cleared[None]) if None in cleared else row
        sides = [
            _cleared(event, cleared[at]) if at in cleared else event if at in parts else _nothing(event)
            for at, event in enumerate(row)
        ]
        return revise_items(row, sides)

    def placed(self, rows: list[Any]) -> list[Any]:
        """Set where OpenHands puts a new summary: behind the events ahead of it that the model sees."""
        ahead = 0
        for event, _, _ in _events(rows, "$", []):
            if event.get("action") == "condensation":
                if id(event) in self._new:
                    args_of(event)["summary_offset"] = ahead
            else:
                ahead += 1
        return rows


def _nothing(event: Json) -> Json:
    """Return what stands for a side of a pair that left."""
    return dict(_NO_ACTION) if isinstance(event, dict) and "action" in event else dict(_NO_OBSERVATION)


def _cleared(event: Event, message: Message) -> Event:
    """Return a result with other words. What the app kept of it beside them goes too."""
    said: dict[str, Any] = {"role": "tool", "content": message.text, "toolCallId": None, "toolName": None}
    said |= {"id": None, "isError": None, "toolResultOrigin": None, "injectedBy": None}
    row = noted({"content": message.text}, said, message)
    if "extras" in event:
        row["extras"] = {}
    return revise(event, row)
