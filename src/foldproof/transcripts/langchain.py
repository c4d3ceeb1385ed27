"""LangChain and LangGraph: messages as `messages_to_dict`, `dumpd` or LangGraph's API write them, alone or in a state.

Checked in six files of real conversations (tau-bench) that langchain-core 1.8.3 wrote in both encodings; the rest in
the source of langchain-core, langchain, langgraph and deepagents, the id paths of LangChain.js in its mapping.

* A list of messages, or one under `messages` of a state (in `values` or `channel_values` too), or of a prompt value. A
  streamed chunk is read as a message that is complete; a stream of them is not joined.
* A `RemoveMessage` is no message: `extras["removed"]` lists the ids. What it removes stays, where the file has it.
* A summary that LangChain's middleware wrote (`lc_source` is `summarization`) is a frame. What it stands for is gone
  from such a state. A summary frame of ours is marked in the same way.
* A human message with an agent's name, or another `lc_source`, or marked as an example, is the app's: such messages
  hold what other agents and features said. Where no message without a name is a person's, the names are people's.
* What a person answered in the place of a tool, what the framework says of a call that never ran, and `[cleared]` are
  no words of the tool's. A tool that failed is quoted together with its arguments: none of that counts as the tool's.
* A call without an id gets one from its words; a result without one answers by order and name.
* Our fields stand in `additional_kwargs`, which the loaders of langchain-core keep and its models do not send.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from foldproof.errors import TranscriptError, shown
from foldproof.messages import Message
from foldproof.transcripts.codec import Format, without
from foldproof.transcripts.conversation import Edit, Reading
from foldproof.transcripts.damage import Damage, damage_of
from foldproof.transcripts.json_text import Json, Unread, revise, revise_items
from foldproof.transcripts.langchain_rows import (
    RowReader,
    encode_row,
    is_certain,
    names_people,
    stored,
    style_of,
    with_author,
)
from foldproof.transcripts.rows import Part, Place, Places, rewritten

_SAMPLE = 50
_STATES = (
    ("messages",),
    ("values", "messages"),
    ("channel_values", "messages"),
    ("checkpoint", "channel_values", "messages"),
    ("kwargs", "messages"),
)
_IDS = ("thread_id", "id", "session_id")


class Langchain:
    """The LangChain message formats."""

    format = Format(
        "langchain",
        "LangChain messages: messages_to_dict, dumpd, LangGraph states (JSON, JSONL)",
        shape="[{type, data: {content}}, …], [{lc, type: constructor, id, kwargs}, …], [{type: human, content}, …], "
        "or such a list under messages or values.messages",
        compaction="additional_kwargs.lc_source is summarization",
    )

    def recognise(self, value: Json) -> str | None:
        """Return why a value holds LangChain messages."""
        if isinstance(value, list):
            return "LangChain messages" if _are_rows(value) else None
        found = _under(value)
        return None if found is None else f"LangChain messages under {'.'.join(found[0])}"

    def read(self, value: Json) -> Sequence[Reading]:
        """Return the conversation of a list or of a state."""
        steps, rows = _rows(value)
        path = ".".join(("$", *steps))
        reader = RowReader(named_are_people=names_people(rows))
        messages: list[Message] = []
        places: list[Places] = []
        damage: list[Damage] = []
        removed: list[Any] = []
        for at, row in enumerate(rows):
            if isinstance(row, Unread):
                continue
            try:
                message = reader.message(row, f"{path}[{at}]")
            except TranscriptError as error:
                damage.append(damage_of(error))
                continue
            if message is None:
                known = stored(row)
                removed.append(known.fields.get("id") if known else None)
                continue
            messages.append(message)
            places.append((Place(at),))
        extras = without(value, (steps[0],)) if steps else {}
        extras |= {"removed": removed} if removed else {}
        return (Reading(tuple(messages), tuple(places), extras, _id_of(value), damage=tuple(damage)),)

    def write(self, value: Json, edits: Sequence[Edit]) -> Json:
        """Return the list or the state with other messages."""
        (edit,) = edits
        steps, rows = _rows(value)
        style = style_of(rows)

        def encode(message: Message) -> list[Any]:
            return [encode_row(message, style)]

        def shrink(row: Any, parts: Sequence[Part], cleared: Mapping[Part, Message]) -> Any:  # noqa: ANN401, ARG001
            return encode_row(cleared[None], style_of([row]), row)

        out = rewritten(rows, edit, encode=encode, shrink=shrink)
        people = names_people(rows)
        if names_people(out) != people:
            kept = set(map(id, rows))
            out = [with_author(row, people=people) if id(row) in kept else row for row in out]
        return _with(value, steps, revise_items(rows, out))


def _are_rows(items: list[Json]) -> bool:
    """Whether these are messages: one is for certain, and most of the others may be."""
    sample = [item for item in items[:_SAMPLE] if isinstance(item, dict)]
    return any(map(is_certain, sample)) and 2 * sum(stored(item) is not None for item in sample) >= len(sample)


def _lists(value: Json) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Yield the lists of a state that may hold the messages, with the names that lead there."""
    for steps in _STATES if isinstance(value, dict) else ():
        inner = value
        for step in steps:
            inner = inner.get(step) if isinstance(inner, dict) else None
        if isinstance(inner, list):
            yield steps, inner


def _under(value: Json) -> tuple[tuple[str, ...], list[Any]] | None:
    return next((found for found in _lists(value) if _are_rows(found[1])), None)


def _rows(value: Json) -> tuple[tuple[str, ...], list[Any]]:
    if isinstance(value, list):
        return (), value
    # A window may have left nothing that is known for certain.
    found = _under(value) or next(_lists(value), None)
    if found is None:
        raise TranscriptError(f"expected LangChain messages; found {shown(value)}", path="$")
    return found


def _with(value: Json, steps: tuple[str, ...], rows: list[Any]) -> Json:
    if not steps:
        return rows
    return revise(value, {steps[0]: _with(value[steps[0]], steps[1:], rows)})


def _id_of(value: Json) -> str | None:
    if not isinstance(value, dict):
        return None
    config = value.get("config")
    given = config.get("configurable") if isinstance(config, dict) else None
    places = (given if isinstance(given, dict) else {}, value)
    return next((place[name] for place in places for name in _IDS if isinstance(place.get(name), str)), None)
