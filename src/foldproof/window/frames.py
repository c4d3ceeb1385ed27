"""The words of the frames that a visit writes. Library words come first; a summary follows them verbatim, as data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue

from foldproof.evidence import exempt_forms
from foldproof.messages import (
    FOLDED,
    OPENINGS,
    Message,
    folded_messages,
    folded_observations,
    frame_kind,
    is_observation,
    message_id,
)
from foldproof.window.records import Retain

_MOST_NAMES: Final = 4
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][\w.-]{0,47}", re.ASCII)
_LONGEST_NAME: Final = 80

_WHERE: Final[dict[Retain, str]] = {
    "conversation": "The originals were handed to the application.",
    "discard": "The originals were not kept.",
}
_CLAIM_BEGINS: Final = "\n\n"


def lineage(span: Sequence[Message]) -> tuple[str, ...]:
    """Return the forms that a frame for this span must carry, sorted."""
    return tuple(sorted(exempt_forms(span)))


def summary_frame(span: Sequence[Message], *, iteration: int, model: str, retain: Retain) -> Message:
    """Return the frame for the folded span, with nothing claimed yet; `claiming` adds the summary."""
    note = _note(span)
    opening = (
        f"{OPENINGS['summary']} {_messages(note)} folded at iteration {iteration} by {one_line(model)}. "
        f"{_WHERE[retain]} The text below is a claim about them:"
    )
    return _frame(opening + _CLAIM_BEGINS, lineage(span), note)


def claiming(frame: Message, summary: str) -> Message:
    """Return a summary frame with `summary` behind the library's words, verbatim."""
    return frame.model_copy(update={"content": frame.text + summary})


def claim_of(frame: Message) -> str:
    """Return what a summary frame claims: its text without the library's words, where those are ours."""
    text = frame.text
    if not text.startswith(OPENINGS["summary"]):
        return text
    return text.partition(_CLAIM_BEGINS)[2]


def drop_notices(
    span: Sequence[Message], *, strategy: str, tools: Sequence[str], request_kept: bool
) -> Iterator[Message]:
    """Yield the notices for a dropped span, from the fullest to the plainest. Notices inside the span are absorbed."""
    exempt, note = lineage(span), _note(span)
    text = f"{OPENINGS['drop-notice']} {_messages(note)} left the window ({one_line(strategy)})."
    if request_kept:
        text += " The current request is kept."
    names = [name for name in tools if _PLAIN_NAME.fullmatch(name)][:_MOST_NAMES]
    if names:
        yield _frame(f"{text} Results left: {', '.join(names)}.", exempt, note)
    yield _frame(text, exempt, note)


def one_line(text: str) -> str:
    """Return `text` on one line of at most 80 characters, so that a name cannot pass for the library's own words."""
    return " ".join(text.split())[:_LONGEST_NAME]


def _messages(note: Mapping[str, JsonValue]) -> str:
    count = note["messages"]
    return f"{count} message{'' if count == 1 else 's'}"


def _note(span: Sequence[Message]) -> dict[str, JsonValue]:
    """Return what a frame says to whoever judges: how much left, and which tool results, where all are known.

    A frame in the span stands for the messages it took, and names their results.
    """
    users = (message for message in span if message.role == "user")
    frames = [message for message in users if frame_kind(message) in ("summary", "drop-notice")]
    count = len(span) + sum(folded_messages(frame) - 1 for frame in frames)
    found: dict[str, None] = {}
    for frame in frames:
        inherited = folded_observations(frame)
        if inherited is None:
            return {"messages": count}
        found |= dict.fromkeys(inherited)
    found |= dict.fromkeys(map(message_id, filter(is_observation, span)))
    return {"messages": count, "observations": list(found)}


def _frame(text: str, exempt: tuple[str, ...], note: dict[str, JsonValue]) -> Message:
    # An empty lineage is written as absent: a frame is known by its opening.
    said: dict[str, Any] = {"folded_exempt": exempt} if exempt else {}
    return Message(role="user", content=text, metadata={FOLDED: note}, **said)
