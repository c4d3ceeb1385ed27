"""The words of the frames that a visit writes. Library words come first; what is quoted follows them verbatim, as data.

Only a cleared result may keep something ahead of them: a head of the tool's own words, up to its `toolChars`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import JsonValue

from foldproof.evidence import exempt_forms
from foldproof.evidence.candidates import scan
from foldproof.evidence.kept import KeptValue
from foldproof.evidence.reading import evidence_in
from foldproof.messages import (
    FOLDED,
    OPENINGS,
    STAMP,
    Message,
    author_of,
    folded_messages,
    folded_observations,
    frame_kind,
    frames_of,
    hides_values,
    is_observation,
    message_id,
    tool_text,
)
from foldproof.window.originals import Retain, span_address

_MOST_NAMES: Final = 4
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][\w.-]{0,47}", re.ASCII)
_LONGEST_NAME: Final = 80
_LONGEST_VALUE: Final = 200
_STILL_TRUE: Final = (
    "name",
    "tool_name",
    "is_error",
    "not_dispatched",
    "tool_arguments_failure",
    "tool_result_origin",
)
"""What was true of a result and still is of the frame in its place."""

_WHERE: Final[dict[Retain, str]] = {
    "conversation": "The originals were handed to the application.",
    "archive": "The originals were archived as {address}.",
    "lineage": "The originals were not kept beyond the values they hold.",
    "discard": "The originals were not kept.",
}
_NAMED_BY: Final = 12
"""How many digits of an address a frame shows: whoever reads its words can ask for the originals."""

_CLAIM_BEGINS: Final = "\n\n"
_BREAKS: Final = ("\n", " ", ',"', ",{", ",[")
"""Where a head may end: behind the first character of one of these. A comma alone may stand inside a number."""


def lineage(span: Sequence[Message]) -> tuple[str, ...]:
    """Return the forms that a frame for this span must carry, sorted."""
    return tuple(sorted(exempt_forms(span)))


def summary_frame(  # noqa: PLR0913 - what a frame says
    span: Sequence[Message],
    *,
    iteration: int,
    model: str,
    retain: Retain,
    carry: Sequence[KeptValue] = (),
    hidden: int = 0,
) -> Message:
    """Return the frame for the folded span, with nothing claimed yet; `claiming` adds the summary.

    It carries the values in `carry`; `hidden` forms were hidden in the span before.
    """
    # Two spans that read alike in a frame are still two, so it names what it stands for.
    note = span_note(span, hidden=hidden)
    if retain == "archive":
        note["archived"] = span_address(span)
    if carry:
        note["carry"] = [value.model_dump(mode="json") for value in carry]
    values = f" Values of theirs, as tools said them: {', '.join(map(_quoted, carry))}." if carry else ""
    where = _WHERE[retain].format(address=span_address(span)[:_NAMED_BY])
    opening = (
        f"{OPENINGS['summary']} {_messages(note)} folded at iteration {iteration} by {one_line(model)}. "
        f"{where}{values} The text below is a claim about them:"
    )
    return _frame(opening + _CLAIM_BEGINS, lineage(span), note)


def span_note(span: Sequence[Message], *, hidden: int = 0) -> dict[str, JsonValue]:
    """Return what the frame of a folded span says of it to whoever judges an answer behind it."""
    return {**_note(span, hidden=hidden), "span": span_digest(span)}


def span_digest(span: Sequence[Message]) -> str:
    """Return the first 16 hex digits of a span's address."""
    return span_address(span)[:16]


def claiming(frame: Message, summary: str) -> Message:
    """Return a summary frame with `summary` behind the library's words, verbatim."""
    return frame.model_copy(update={"content": frame.text + summary})


def claim_of(frame: Message) -> str:
    """Return what a summary frame claims: its text without the library's words, where those are ours."""
    text = frame.text
    if not text.startswith(OPENINGS["summary"]):
        return text
    return text.partition(_CLAIM_BEGINS)[2]


def appendix(quotes: Sequence[str], *, of: int) -> Message:
    """Return the frame beside a summary that quotes the latest of the `of` things the person said in the span."""
    opening = (
        f"{OPENINGS['summary']} Appendix: the last {len(quotes)} of {of} messages of the person among those folded, "
        "verbatim and in order:"
    )
    return _frame(_CLAIM_BEGINS.join((opening, *quotes)), (), {"messages": 0, "observations": []})


def is_appendix(frame: Message) -> bool:
    """Whether a message is the stamped frame that quotes the person beside a summary."""
    stamp = (frame.metadata or {}).get(STAMP)
    return frame.role == "user" and isinstance(stamp, dict) and stamp.get("role") == "appendix"


def stamped(frame: Message, identifier: str, role: str) -> Message:
    """Return a frame marked as a compactor's own output: `summary` or `appendix`, under one identifier a fold."""
    metadata: dict[str, JsonValue] = {STAMP: {"id": identifier, "role": role}, **(frame.metadata or {})}
    return frame.model_copy(update={"metadata": metadata})


def drop_notices(
    span: Sequence[Message], *, strategy: str, tools: Sequence[str], request_kept: bool, hidden: int = 0
) -> Iterator[Message]:
    """Yield the notices for a dropped span, from the fullest to the plainest. Notices inside the span are absorbed."""
    exempt, note = lineage(span), _note(span, hidden=hidden)
    text = f"{OPENINGS['drop-notice']} {_messages(note)} left the window ({one_line(strategy)})."
    if request_kept:
        text += " The current request is kept."
    names = [name for name in tools if _PLAIN_NAME.fullmatch(name)][:_MOST_NAMES]
    if names:
        yield _frame(f"{text} Results left: {', '.join(names)}.", exempt, note)
    yield _frame(text, exempt, note)


def cleared_result(
    result: Message, *, tool: str | None, retain: Retain, head_characters: int = 0, hidden: int = 0
) -> Message:
    """Return the frame for one tool result, in its place: what said how much, and how to get it back.

    At most `head_characters` of the tool's own words stay ahead, cut where no word is cut.
    """
    options = (tool, retain, head_characters, hidden)
    known = result.facts.cleared
    if known is None or known[0] != options:
        known = result.facts.cleared = (options, _cleared(result, tool, retain, head_characters, hidden))
    return known[1]


def _cleared(result: Message, tool: str | None, retain: Retain, head_characters: int, hidden: int) -> Message:
    said = tool_text(result)
    head = head_of(said, head_characters) if is_observation(result) else ""
    name = tool if tool is not None and _PLAIN_NAME.fullmatch(tool) else "The tool"
    back = {
        "conversation": f"The original was handed to the application as {message_id(result)}",
        "archive": f"The original was archived as {span_address((result,))[:_NAMED_BY]}",
        "lineage": "The original was not kept beyond the values it holds",
        "discard": "The original was not kept",
    }[retain]
    kept = f" The first {len(head):,} stand above." if head else ""
    text = (
        f"{OPENINGS['cleared-result']} {name} said {len(said):,} characters, which left the window.{kept} "
        f"{back}; calling the tool again may bring it back."
    )
    note = {**_note((result,), hidden=hidden), "span": span_digest((result,))}
    if retain == "archive":
        note["archived"] = span_address((result,))
    return Message(
        role="tool",
        content=f"{head}\n\n{text}" if head else text,
        tool_call_id=result.tool_call_id,
        tool_chars=len(head),
        metadata={FOLDED: note},
        **{name: value for name in _STILL_TRUE if (value := getattr(result, name)) is not None},
    )


def takes_along(span: Sequence[Message]) -> bool:
    """Whether words of the person, the app or a tool leave with a span, here or in a frame that took them.

    If they left without a word, an answer that rests on them would be accused: any word may be a declared shape.
    """
    if lineage(span):
        return True
    took = (frame for frame in frames_of(span) if frame_kind(frame) != "evidence-check")
    if any(folded_observations(frame) != () for frame in took):
        return True
    supplied = (message for message in span if author_of(message) in ("person", "app"))
    return any(message.text.strip() for message in supplied) or bool(evidence_in(span))


def head_of(said: str, most: int) -> str:
    """Return the first `most` characters of a longer text, or fewer: no word and no value is cut. "" is no head."""
    if most <= 0 or len(said) <= most:
        return ""
    cut = max(said.rfind(mark, 0, most) + 1 for mark in _BREAKS)
    around = max(0, cut - _LONGEST_VALUE)
    # A value that reaches over the cut leaves as a whole: what is left of it would be another value.
    for value in reversed(scan(said[around : cut + _LONGEST_VALUE])):
        if around + value.start < cut <= around + value.end:
            cut = around + value.start
    return said[:cut].rstrip()


def one_line(text: str) -> str:
    """Return `text` on one line of at most 80 characters, so that a name cannot pass for the library's own words."""
    return " ".join(text.split())[:_LONGEST_NAME]


def _messages(note: Mapping[str, JsonValue]) -> str:
    count = note["messages"]
    return f"{count} message{'' if count == 1 else 's'}"


def _quoted(value: KeptValue) -> str:
    column = value.column or ""
    name = f"{column} " if _PLAIN_NAME.fullmatch(column) else ""
    return name + json.dumps(value.text, ensure_ascii=False)


def _note(span: Sequence[Message], *, hidden: int = 0) -> dict[str, JsonValue]:
    """Return what a frame says to whoever judges: how much left, and which tool results, where all are known.

    A frame in the span stands for the messages it took, and names their results; what was hidden in it stays so.
    """
    frames = [frame for frame in frames_of(span) if frame_kind(frame) != "evidence-check"]
    note = _took(span, frames)
    if hidden or any(map(hides_values, span)):
        note["hidden"] = max(1, hidden)
    return note


def _took(span: Sequence[Message], frames: Sequence[Message]) -> dict[str, JsonValue]:
    count = len(span) + sum(folded_messages(frame) - 1 for frame in frames)
    found: dict[str, None] = {}
    for frame in frames:
        inherited = folded_observations(frame)
        if inherited is None:
            return {"messages": count}
        found |= dict.fromkeys(inherited)
    # The head of a cleared result says nothing that its original does not.
    own = span if not frames else [message for message in span if frame_kind(message) is None]
    found |= dict.fromkeys(evidence_in(own))
    return {"messages": count, "observations": list(found)}


def _frame(text: str, exempt: tuple[str, ...], note: dict[str, JsonValue]) -> Message:
    # An empty lineage is written as absent: a frame is known by its opening.
    said: dict[str, Any] = {"folded_exempt": exempt} if exempt else {}
    # Ours is valid as it is: a lineage of thousands is not validated value by value.
    return Message(role="user", content=text).model_copy(update={"metadata": {FOLDED: note}, **said})
