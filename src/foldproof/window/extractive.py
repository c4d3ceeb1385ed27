"""The extractive summarizer: what a fold uses when nobody brings a model. It quotes and cuts, and invents nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from foldproof.evidence.candidates import scan
from foldproof.messages import Message, author_of, calls_of, frame_kind, is_observation, pair, tool_text
from foldproof.window.counting import arguments_text, total_characters
from foldproof.window.frames import claim_of, is_appendix
from foldproof.window.pins import worth
from foldproof.window.summaries import SummaryRequest

_Section = Literal["earlier", "said", "answers", "app", "tools", "open", "values"]

_HEADINGS: Final[dict[_Section, str]] = {
    "earlier": "Earlier frames said",
    "said": "The person said",
    "answers": "The model said",
    "app": "The app delivered",
    "tools": "Tools were asked, and said",
    "open": "Open",
    "values": "Values in results",
}
"""In the order in which they are written."""

_SHARE_OF_SPAN: Final = 2
_LEAST: Final = 200
_EARLIER: Final = 1_500
_QUOTE: Final = 400
_ARGUMENTS: Final = 120
_RESULT: Final = 240
_READ_FOR_VALUES: Final = 2_000
_MOST_VALUES: Final = 24
_SHORTEST_LINE: Final = 24
_AROUND_LINE: Final = len("- \n")
_AROUND_HEADING: Final = len(":\n")
_SECTION_SHARE: Final = 0.35


class _Line(NamedTuple):
    """A line of a summary: what it is about, how soon it is chosen (less is sooner), where it stood."""

    section: _Section
    rank: int
    at: int
    text: str


class ExtractiveSummarizer:
    """Summarises by quoting, and is what a fold uses when nobody brings a model.

    * Every line is copied out of the span, its white space folded and its end cut where it is long.
    * Chosen first: earlier claims and what the person said, then open calls, results by worth, what the model said.
    * At most half of the span, and never more than `max_characters` or what the request allows.
    * Equal spans and requests give equal summaries.
    """

    name: Final = "foldproof/extractive"

    def __init__(self, *, max_characters: int = 6_000) -> None:
        """Write at most `max_characters` code points."""
        self._max_characters: Final = max_characters

    def __call__(self, span: Sequence[Message], request: SummaryRequest, /) -> str:
        """Return the summary of `span`."""
        lines = sorted(_lines(span, request), key=lambda line: (line.rank, -line.at))
        share = max(_LEAST, total_characters(span) // _SHARE_OF_SPAN)
        room = min(request.max_characters, self._max_characters, share)
        if not lines:
            return f"{len(span)} messages without words."[: max(0, room)]
        summary = _written(lines, room)
        while _too_many_tokens(summary, request):
            room //= 2
            shorter = _written(lines, room)
            if not shorter:  # too long is refused for what it is; nothing at all would pass for a failure
                break
            summary = shorter
        return summary.encode(errors="replace").decode()  # half of a surrogate pair can be read, and not be written


def _too_many_tokens(summary: str, request: SummaryRequest) -> bool:
    if request.counter is None or request.max_tokens is None:
        return False
    return request.counter.count(summary) > request.max_tokens


def _written(lines: Sequence[_Line], room: int) -> str:
    """Choose lines twice: within their section's share, so that nothing crowds out the rest, then in what is left."""
    chosen: dict[_Line, str] = {}
    used = dict.fromkeys(_HEADINGS, 0)
    for share in (_SECTION_SHARE, 1.0):
        for line in lines:
            if room - sum(used.values()) < _SHORTEST_LINE:
                break
            around = _AROUND_LINE + (0 if used[line.section] else len(_HEADINGS[line.section]) + _AROUND_HEADING)
            left = min(room - sum(used.values()), int(room * share) - used[line.section]) - around
            if line in chosen or left < min(len(line.text), _SHORTEST_LINE):
                continue
            chosen[line] = _head(line.text, left)
            used[line.section] += around + len(chosen[line])
    return "\n".join(_sections([line._replace(text=text) for line, text in chosen.items()]))


def _sections(chosen: Sequence[_Line]) -> Iterator[str]:
    for section, heading in _HEADINGS.items():
        lines = sorted((line for line in chosen if line.section == section), key=lambda line: line.at)
        if lines:
            yield f"{heading}:"
            yield from (f"- {line.text}" for line in lines)


def _lines(span: Sequence[Message], request: SummaryRequest) -> Iterator[_Line]:
    pairing = pair(span)
    asked = {index: _call_text(span[at.message], at.position) for index, at in pairing.call_of.items()}
    for index, message in enumerate(span):
        if message.role == "tool":
            rank = 40 - worth(request.standings.get(message.tool_call_id or "")) if is_observation(message) else 50
            call = asked.get(index, message.tool_name or "a tool")
            yield _Line("tools", rank, index, f"{call} -> {_head(message.text, _RESULT)}")
        elif message.text.strip() and message.text not in request.quoted and not _is_feedback(message):
            yield _said(message, index)
    for at in pairing.unanswered:
        yield _Line("open", 20, at.message, f"{_call_text(span[at.message], at.position)} was never answered")
    yield from _values(span)


def _is_feedback(message: Message) -> bool:
    """Whether the library asked for another try, perhaps by quoting the very value that the model invented."""
    kind = frame_kind(message)
    return author_of(message) == "library" and kind in (None, "evidence-check")


def _said(message: Message, index: int) -> _Line:
    if is_appendix(message):
        return _Line("said", 10, index, _head(claim_of(message), _EARLIER))
    if frame_kind(message) is not None:
        return _Line("earlier", 0, index, _head(claim_of(message), _EARLIER))
    if author_of(message) == "person":
        return _Line("said", 10, index, f'"{_head(message.text, _QUOTE)}"')
    return _Line("answers" if message.role == "assistant" else "app", 60, index, _head(message.text, _QUOTE))


def _call_text(message: Message, position: int) -> str:
    call = calls_of(message)[position]
    return f"{call.name}({_head(arguments_text(call.args), _ARGUMENTS)})"


def _values(span: Sequence[Message]) -> Iterator[_Line]:
    found: dict[str, None] = {}
    for message in reversed(span):
        if len(found) >= _MOST_VALUES:
            break
        if is_observation(message):
            found.update((value.text, None) for value in scan(tool_text(message)[:_READ_FOR_VALUES]))
    if found:
        yield _Line("values", 70, len(span), ", ".join(list(found)[:_MOST_VALUES]))


def _head(text: str, room: int) -> str:
    """Return `text` on one line, cut at `room`, between words where there are any, with a mark that says so.

    A line break stays visible: two lines are two facts, and not one.
    """
    read = text[: 4 * room]
    line = " / ".join(filter(None, (" ".join(each.split()) for each in read.splitlines())))
    if len(line) <= room and len(read) == len(text):
        return line
    cut = line[: max(0, room - 1)]
    words, _, half_a_word = cut.rpartition(" ")
    return (words if len(half_a_word) < len(words) else cut) + "…"
