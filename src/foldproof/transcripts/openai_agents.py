"""OpenAI Agents SDK: the state of a run that was interrupted, as `RunState.to_json` writes it.

Checked in the SDK's own compatibility states of the versions 1.0 to 1.17, and in its source at the one that writes
1.21. The items of a session are Responses items: a bare list of them is `openai_responses`.

* The conversation is the `original_input`, the items of the session and those generated in this run, and the input that
  waits. One item stands in several of these lists, and again beside a request for approval: it is read once, and leaves
  every list when it leaves. What else repeats it (`model_responses`, the last response, the interruptions) is not read
  and is left as it is.
* The text that stands for a call that was not approved is no observation.
* A newer version of the same kind (1.x) is read and reported; a state of another kind is one error, and so is one that
  holds no conversation. No value of a state that cannot be read is quoted: it may hold what is secret.
* What a fold adds is an item of the input, or an entry of the type `input_item` behind generated ones. The indexes that
  tie the lists together are written anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import FIELDS, Format, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.json_text import Json, revise, revise_items
from foldproof.transcripts.responses_items import ItemReader
from foldproof.transcripts.responses_writing import cleared, encoded, rewritten_items
from foldproof.transcripts.rows import Part, Place, noted

_VERSION: Final = "$schemaVersion"
_INPUT, _SESSION, _RUN, _WAITING = "original_input", "session_items", "generated_items", "pending_input"
_LISTS: Final = (_INPUT, _SESSION, _RUN, _WAITING)
_ENTRIES: Final = (_SESSION, _RUN)
_OWNED, _INDEXES = "nested_history_owned_session_item_refs", "generated_session_item_indexes"
_NEWEST: Final = 21
_NOT_OWN: Final = (None, "", "__fake_id__")
_APPROVAL: Final = "tool_approval_item"
_NOT_APPROVED: Final = "Tool execution was not approved."
_FAILED: Final = "An error occurred while running the tool."
_COPIES: Final = ("model_responses", "last_model_response", "last_processed_response", "current_step")


class OpenaiAgents:
    """The run state of the Agents SDK."""

    format = Format(
        "openai_agents",
        "OpenAI Agents SDK run state (JSON)",
        shape="{$schemaVersion, original_input, generated_items: [{type, raw_item}], session_items}",
        basis="fixtures",
        compaction="an encrypted compaction item, which nobody can read and the provider needs back",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value is the state of a run."""
        if not isinstance(value, dict):
            return None
        if _VERSION in value:
            return f"a {_VERSION}"
        ours = isinstance(value.get(_RUN), list) and _INPUT in value and "current_agent" in value
        return "generated_items behind an original_input" if ours else None

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a state."""
        damage: list[Damage] = []
        _check(value, damage)
        reader = _Reader(damage, _rejected(value))
        rows = _rows_of(value, damage)
        places = _read_once(rows, value)
        for at, row in enumerate(rows):
            item = _item_of(row)
            if item is None:
                damage.append(Damage(row.path, f"expected an item; found {type(row.row).__name__}; it was not read"))
            elif at in places:
                reader.add(item, Place(at), row.path, row.row.get(FIELDS))
        messages, found = reader.finished()
        copies = tuple(tuple(copy for place in one for copy in places[place.row]) for one in found)
        identifier = value.get("conversation_id")
        name = identifier if isinstance(identifier, str) else None
        return (Reading(messages, copies, without(value, (*_LISTS, *_COPIES)), name, damage=tuple(damage)),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the state with another conversation in every list that held it."""
        (edit,) = edits
        rows = _rows_of(value, [])
        holding = {row.name for row in rows}
        kept: dict[str, list[tuple[int | None, Any]]] = {name: [] for name in _LISTS}
        last = _INPUT
        written = rewritten_items([row.row for row in rows], edit, encode=_encoded, shrink=_shrunk)
        for at, item in written:
            if at is not None:
                name = rows[at].name
                last = name if _LISTS.index(name) > _LISTS.index(last) else last
                kept[name].append((rows[at].at, item))
                continue
            for name in (last,) if last not in _ENTRIES else [name for name in _ENTRIES if name in holding]:
                kept[name].append((None, _entry(item, value) if name in _ENTRIES else item))
        return revise(value, _changes(value, kept))


class _Row(NamedTuple):
    """An item: the list it stands in, its index there, and its path."""

    name: str
    at: int
    row: Any
    path: str


class _Reader(ItemReader):
    """Reads the items of a run: which calls were not approved, which the SDK says have failed."""

    def __init__(self, damage: list[Damage], rejected: frozenset[str]) -> None:
        super().__init__(damage)
        self._rejected = rejected

    def result(self, item: Mapping[str, Any], path: str) -> dict[str, Any]:
        """Return what a result says, and whether anything ran."""
        told = super().result(item, path)
        text = told["content"] if isinstance(told["content"], str) else ""
        if str(item.get("call_id")) in self._rejected or text == _NOT_APPROVED:
            return told | {"isError": True, "toolResultOrigin": "not-entered"}
        return told | {"isError": True} if text.startswith(_FAILED) else told


def _check(value: Json, damage: list[Damage]) -> None:
    """Check that a state is of a kind that can be read."""
    if not isinstance(value, dict):
        raise TranscriptError(f"expected the state of a run; found {type(value).__name__}", path="$")
    version = value.get(_VERSION)
    path = f"$.{_VERSION}"
    number = version.removeprefix("1.") if isinstance(version, str) and version.startswith("1.") else ""
    if not (number.isascii() and number.isdecimal()):
        what = shown(version) if isinstance(version, str | int | float | None) else type(version).__name__
        raise TranscriptError(f"a run state of version {what}; expected 1.0 to 1.{_NEWEST}", path=path)
    agent = value.get("current_agent")
    named = isinstance(agent, dict) and isinstance(agent.get("name"), str)
    cause = f"expected an object with the name of an agent; found {type(agent).__name__}"
    if value.keys().isdisjoint(_LISTS):
        if "current_agent" in value and not named:
            raise TranscriptError(cause, path="$.current_agent")
        raise TranscriptError(f"expected one of {', '.join(_LISTS)}; found none", path="$")
    if len(number) > len(str(_NEWEST)) or int(number) > _NEWEST:
        found = f"a newer version, 1.{number[:8]}; known are 1.0 to 1.{_NEWEST}; read as far as they agree"
        damage.append(Damage(path, found))
    if "current_agent" in value and not named:
        damage.append(Damage("$.current_agent", cause))


def _rows_of(value: dict[str, Any], damage: list[Damage]) -> list[_Row]:
    rows: list[_Row] = []
    for name in _LISTS:
        held = value.get(name)
        if held is None:
            continue
        if isinstance(held, str) and name == _INPUT:
            rows.append(_Row(name, 0, {"role": "user", "content": held}, f"$.{name}"))
        elif isinstance(held, list):
            rows += [_Row(name, at, row, f"$.{name}[{at}]") for at, row in enumerate(held)]
        else:
            damage.append(Damage(f"$.{name}", f"expected a list of items; found {type(held).__name__}"))
    return rows


def _item_of(row: _Row) -> dict[str, Any] | None:
    item = row.row
    if row.name in _ENTRIES and isinstance(item, dict):
        item = item.get("raw_item")
    return item if isinstance(item, dict) else None


def _read_once(rows: Sequence[_Row], value: dict[str, Any]) -> dict[int, tuple[Place, ...]]:
    """Return the rows to read, each with the places of its item: its own, and those that repeat it.

    An item of another list is a copy as often as that list has it, one of the input only where it has an id of its own
    or is noted as a copy. A request for approval repeats the call that it is about.
    """
    places: dict[int, list[Place]] = {}
    alike: dict[str, list[int]] = {}  # rows that are read, by what tells their items apart
    owned = _owned(value)
    taken: set[int] = set()  # rows of the session that the run has repeated
    for at, row in enumerate(rows):
        item = _item_of(row)
        if item is None:
            continue
        others = alike.setdefault(f"{item.get('type')} {item.get('id')} {item.get('call_id')}", [])
        same = None
        for other in others if row.name in _ENTRIES else ():
            first = rows[other]
            if _has_own_id(item):
                repeats = True
            elif first.name == _INPUT:
                repeats = other in taken if row.name == _RUN else owned.get(row.at) == first.at
            else:
                repeats = row.name != first.name and other not in taken
            if repeats and _item_of(first) == item:
                same = other
                break
        if same is None:
            places[at] = [Place(at)]
            others.append(at)
        else:
            places[same].append(Place(at))
            taken.add(same)
    return {at: tuple(found) for at, found in places.items()}


def _has_own_id(item: Mapping[str, Any]) -> bool:
    return item.get("id") not in _NOT_OWN or item.get("call_id") not in _NOT_OWN


def _owned(value: dict[str, Any]) -> dict[int, int]:
    """Return, for each item of the session that the input holds too, where."""
    return {at: given for _, at, given in _refs(value)}


def _refs(value: dict[str, Any]) -> list[tuple[dict[str, Any], int, int]]:
    """Return what the state says about items of the session in the input, with both places."""
    refs = value.get(_OWNED)
    told = [ref for ref in refs if isinstance(ref, dict)] if isinstance(refs, list) else []
    found = [(ref, ref.get("index"), ref.get("input_index")) for ref in told]
    return [(ref, at, given) for ref, at, given in found if isinstance(at, int) and isinstance(given, int)]


def _rejected(value: dict[str, Any]) -> frozenset[str]:
    """Return the ids of calls that were not approved."""
    context = value.get("context")
    approvals = context.get("approvals") if isinstance(context, dict) else None
    told = approvals.values() if isinstance(approvals, dict) else ()
    lists = [one["rejected"] for one in told if isinstance(one, dict) and isinstance(one.get("rejected"), list)]
    return frozenset(call for one in lists for call in one if isinstance(call, str))


def _entry(item: dict[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """Return a new item as an entry of the run's lists, our fields beside it as on any other."""
    note = {FIELDS: item[FIELDS]} if FIELDS in item else {}
    kind = "tool_call_output_item" if item["type"] == "function_call_output" else "input_item"
    return {"type": kind, "agent": value.get("current_agent"), "raw_item": without(item, (FIELDS,)), **note}


def _encoded(message: Message) -> dict[str, Any]:
    item, said = encoded(message, {})
    return noted(item, said, message)


def _shrunk(row: Any, parts: Sequence[Part], new: Mapping[Part, Message]) -> Any:  # noqa: ANN401, ARG001
    item, said = cleared(row.get("raw_item", row), new[None])
    if "raw_item" not in row:
        return noted(item, said, new[None])
    output = {"output": item["output"]} if "output" in row and "output" in item else {}
    return noted(revise(row, {"raw_item": item, **output}), said, new[None])


def _changes(value: dict[str, Any], kept: Mapping[str, list[tuple[int | None, Any]]]) -> dict[str, Any]:
    """Return the lists that changed, and the indexes from one into another."""
    changes: dict[str, Any] = {}
    for name, items in kept.items():
        held = value.get(name)
        new = [item for _, item in items]
        if isinstance(held, list):
            changes[name] = revise_items(held, new)
        elif held is not None and not isinstance(held, str) and new:
            raise TranscriptError("no list of items, so that nothing can be added to it", path=f"$.{name}")
        elif new and [at for at, _ in items] != [0]:
            changes[name] = new
    if isinstance(value.get(_INPUT), str) and not kept[_INPUT]:
        changes[_INPUT] = []
    moved = {name: {old: new for new, (old, _) in enumerate(items) if old is not None} for name, items in kept.items()}
    if isinstance(value.get(_OWNED), list):
        session, given = moved[_SESSION], moved[_INPUT]
        left = [
            revise(ref, {"index": session[at], "input_index": given[to]})
            for ref, at, to in _refs(value)
            if at in session and to in given
        ]
        changes[_OWNED] = revise_items(value[_OWNED], left)
    if isinstance(value.get(_INDEXES), list):
        changes[_INDEXES] = _indexes(value[_INDEXES], kept, moved[_SESSION])
    return changes


def _indexes(
    before: list[Any], kept: Mapping[str, list[tuple[int | None, Any]]], moved: Mapping[Any, int]
) -> list[int | None]:
    new = iter([at for at, (old, _) in enumerate(kept[_SESSION]) if old is None])
    found: list[int | None] = []
    for old, _ in kept[_RUN]:
        if old is None:
            found.append(next(new, None))
        else:
            at = before[old] if old < len(before) else None
            found.append(moved.get(at) if isinstance(at, int) else None)
    return found
