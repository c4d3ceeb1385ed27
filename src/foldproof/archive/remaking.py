"""What stands where something was forgotten: frames made anew from what is left, and a stand-in in a window."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Final

from pydantic import JsonValue

from foldproof.archive.stored import forgotten_in, note_of
from foldproof.evidence import exempt_forms
from foldproof.evidence.reading import evidence_in
from foldproof.evidence.spellings import folded_form
from foldproof.messages import FOLDED, OPENINGS, Message, ToolCall, calls_of, folded_messages, frame_kind
from foldproof.messages.tool_text import tool_cut
from foldproof.window import ExtractiveSummarizer, SummaryRequest, span_address
from foldproof.window.frames import claim_of, claiming, cleared_result, drop_notices, summary_frame

_ITERATION: Final = re.compile(r"folded at iteration (\d{1,9}) by")
_SHORTEST_CLAIM: Final = 200
_HEAD: Final = re.compile(r" The first [\d,]+ stand above\.")
_WHO: Final = "forget"


def remade(
    frame: Message, before: Sequence[Message], after: Sequence[Message], *, ids: Collection[str], forgotten: int
) -> tuple[Message, frozenset[str]]:
    """Return a frame made anew from what is left of its span, and the forms that went.

    Its claim is written again, because the old one may quote what had to go. The results that it names as taken stay
    named: whoever judges an answer misses what was forgotten, and accuses nobody.

    Args:
        frame: the frame.
        before: the messages of its span as they were.
        after: the same as they are now; `forgotten` of them went.
        ids: what the forgotten message was called.
        forgotten: how many messages went from this very span.
    """
    went = exempt_forms(before) - exempt_forms(after)
    carried = frame.folded_exempt or ()
    note = dict(note_of(frame))
    fewer = sum(map(_count, before)) - sum(map(_count, after))
    address = span_address(after)
    note |= {"messages": max(0, folded_messages(frame) - fewer), "span": address[:16]}
    if "archived" in note:
        note["archived"] = address
    note["hidden"] = max(1, _whole(note.get("hidden")) + len(went & set(map(folded_form, carried))))
    if forgotten:
        note["forgotten"] = forgotten_in(frame) + forgotten
    note.pop("kept", None)
    _drop_values(note, ids)
    changed: dict[str, Any] = _words(frame, before, after, archived="archived" in note)
    if frame.folded_exempt is not None:
        changed["folded_exempt"] = tuple(form for form in carried if folded_form(form) not in went)
    metadata: dict[str, JsonValue] = {**(frame.metadata or {}), FOLDED: note}
    return frame.model_copy(update={"metadata": metadata, **changed}), went & set(map(folded_form, carried))


def carries(frame: Message, ids: Collection[str]) -> bool:
    """Whether a frame carries a value of a message with one of these ids."""
    carry = note_of(frame).get("carry")
    found = carry if isinstance(carry, list) and frame_kind(frame) is not None else ()
    return any(isinstance(value, dict) and value.get("messageId") in ids for value in found)


def blinded(frame: Message, ids: Collection[str], supplied: Collection[str] | None) -> tuple[Message, frozenset[str]]:
    """Return a frame whose originals are not here, without what it has of a forgotten message, and the forms that went.

    Its claim goes as a whole, because it may quote what had to go and nothing is here to write it from.

    Args:
        frame: the frame.
        ids: what the forgotten message was called, it and the frames that stood for it.
        supplied: the forms that it had supplied; None where nobody knows, and then no form stays.
    """
    carried = {folded_form(form) for form in frame.folded_exempt or ()}
    went = frozenset(carried if supplied is None else carried.intersection(supplied))
    note = dict(note_of(frame))
    note["hidden"] = max(1, _whole(note.get("hidden")) + len(went))
    note.pop("kept", None)
    _drop_values(note, ids)
    metadata: dict[str, JsonValue] = {**(frame.metadata or {}), FOLDED: note}
    changed: dict[str, Any] = {"metadata": metadata, **_without_claim(frame)}
    if went:
        left = (form for form in frame.folded_exempt or () if folded_form(form) not in went)
        changed["folded_exempt"] = tuple(left)
    return frame.model_copy(update=changed), went


def _without_claim(frame: Message) -> dict[str, Any]:
    match frame_kind(frame):
        case "summary":
            count = folded_messages(frame)
            text = f"{OPENINGS['summary']} {count} messages folded. The text below is a claim about them:"
            return {"content": f"{text}\n\n(forgotten)"}
        case "cleared-result":
            ours = frame.text[tool_cut(frame) or 0 :].lstrip()
            return {"content": _HEAD.sub("", ours, count=1), "tool_chars": 0}
        case _:  # the words of a notice are the library's own
            return {}


def stand_in(message: Message) -> Message:
    """Return what stands in a window for a message that was forgotten, so that the window stays valid.

    A result's call keeps an answer, and results keep their calls; what was said, passed and supplied is gone.
    """
    hidden = len(exempt_forms((message,)))
    note: dict[str, JsonValue]
    if message.role == "tool":
        made = cleared_result(message, tool=message.tool_name, retain="discard")
    elif calls := calls_of(message):
        # What a provider's own tool said in it is missing from now on, and nobody else says so.
        note = {"hidden": 1, "forgotten": 1} if evidence_in((message,)) else {}
        stubs = tuple(ToolCall(id=call.id, name=call.name) for call in calls)
        return Message(role="assistant", tool_calls=stubs, metadata={FOLDED: note} if note else None)
    else:
        *_, made = drop_notices((message,), strategy=_WHO, tools=(), request_kept=False)
    note = {**note_of(made), "hidden": max(1, hidden), "forgotten": 1}
    fields = {name: getattr(made, name) for name in made.model_fields_set - {"folded_exempt", "metadata"}}
    return Message(**fields, metadata={FOLDED: note})


def _count(message: Message) -> int:
    return 1 if frame_kind(message) in (None, "evidence-check") else folded_messages(message)


def _whole(value: JsonValue) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _drop_values(note: dict[str, JsonValue], ids: Collection[str]) -> None:
    carry = note.get("carry")
    if isinstance(carry, list):
        note["carry"] = [value for value in carry if not isinstance(value, dict) or value.get("messageId") not in ids]


def _words(frame: Message, before: Sequence[Message], after: Sequence[Message], *, archived: bool) -> dict[str, Any]:
    if frame_kind(frame) == "cleared-result":
        left, retain = (after[0], "archive" if archived else "conversation") if after else (before[0], "discard")
        made = cleared_result(left, tool=frame.tool_name or left.tool_name, retain=retain)  # type: ignore[arg-type]
        return {"content": made.content, "tool_chars": made.tool_chars}
    found = _ITERATION.search(frame.text.partition("\n")[0])
    request = SummaryRequest(
        iteration=int(found[1]) if found else 0,
        model=ExtractiveSummarizer.name,
        max_characters=max(_SHORTEST_CLAIM, len(claim_of(frame))),
    )
    empty = summary_frame(
        after,
        iteration=request.iteration,
        model=request.model,
        retain="archive" if archived else "conversation",
    )
    return {"content": claiming(empty, ExtractiveSummarizer()(after, request)).content}
