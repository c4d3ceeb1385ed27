"""The words of the frames that a visit writes. Library words come first; a summary follows them verbatim, as data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pydantic import JsonValue

from foldproof.evidence import exempt_forms
from foldproof.messages import FOLDED, OPENINGS, Message, folded_observations, frame_kind, is_observation, message_id
from foldproof.window.records import Retain

_MOST_NAMES: Final = 4
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][\w.-]{0,47}", re.ASCII)
_LONGEST_NAME: Final = 80

_WHERE: Final[dict[Retain, str]] = {
    "conversation": "The originals are kept with the conversation.",
    "discard": "The originals were not kept.",
}
_LEFT: Final = re.compile(re.escape(OPENINGS["drop-notice"]) + r" (\d{1,9}) message")
_CLAIM_BEGINS: Final = "\n\n"


def lineage(span: Sequence[Message]) -> tuple[str, ...]:
    """Return the forms that a frame for this span must carry, sorted."""
    return tuple(sorted(exempt_forms(span)))


def summary_frame(span: Sequence[Message], *, iteration: int, model: str, retain: Retain) -> Message:
    """Return the frame for the folded span, with nothing claimed yet; `claiming` adds the summary."""
    opening = (
        f"{OPENINGS['summary']} {_messages(len(span))} folded at iteration {iteration} by {one_line(model)}. "
        f"{_WHERE[retain]} The text below is a claim about them:"
    )
    return _frame(opening + _CLAIM_BEGINS, lineage(span), _observations(span))


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
    exempt, observations = lineage(span), _observations(span)
    count = len(span) + sum(stands_for(frame) - 1 for frame in _frames(span))
    text = f"{OPENINGS['drop-notice']} {_messages(count)} left the window ({one_line(strategy)})."
    if request_kept:
        text += " The current request is kept."
    names = [name for name in tools if _PLAIN_NAME.fullmatch(name)][:_MOST_NAMES]
    if names:
        yield _frame(f"{text} Results left: {', '.join(names)}.", exempt, observations)
    yield _frame(text, exempt, observations)


def stands_for(message: Message) -> int:
    """Return how many messages a user message stands for: a drop notice for those it counts, any other for itself."""
    text = message.text
    counted = _LEFT.match(text) if text.startswith(OPENINGS["drop-notice"]) else None
    return int(counted[1]) if counted else 1


def one_line(text: str) -> str:
    """Return `text` on one line of at most 80 characters, so that a name cannot pass for the library's own words."""
    return " ".join(text.split())[:_LONGEST_NAME]


def _messages(count: int) -> str:
    return f"{count} message{'' if count == 1 else 's'}"


def _observations(span: Sequence[Message]) -> list[JsonValue] | None:
    """Return the ids of the tool results in a span, those of absorbed frames included; None when a frame names none."""
    found: dict[str, None] = {}
    for frame in _frames(span):
        inherited = folded_observations(frame)
        if inherited is None:
            return None
        found |= dict.fromkeys(inherited)
    found |= dict.fromkeys(map(message_id, filter(is_observation, span)))
    return list(found)


def _frames(span: Sequence[Message]) -> list[Message]:
    """Return the frames in a span that stand for messages."""
    users = (message for message in span if message.role == "user")
    return [message for message in users if frame_kind(message) in ("summary", "drop-notice")]


def _frame(text: str, exempt: tuple[str, ...], observations: list[JsonValue] | None) -> Message:
    # What is empty or unknown is written as absent: a frame is known by its opening.
    said: dict[str, Any] = {"folded_exempt": exempt} if exempt else {}
    if observations is not None:
        said["metadata"] = {FOLDED: {"observations": observations}}
    return Message(role="user", content=text, **said)
