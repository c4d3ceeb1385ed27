"""The extractive summarizer: what a fold uses when nobody brings a model. It quotes and cuts, and invents nothing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from foldproof.errors import UsageError
from foldproof.evidence import EvidenceIndex
from foldproof.evidence.reading import arguments_in, said_by_tools
from foldproof.messages import Message, calls_of
from foldproof.window.choosing import Choice, Chosen
from foldproof.window.counting import arguments_text, total_characters
from foldproof.window.excerpts import HEADINGS, Excerpt, Line
from foldproof.window.summaries import SummaryRequest

_LEAST: Final = 200
_TRIES: Final = 6
_CLOSE_ENOUGH: Final = 0.93
_CHARACTERS_A_TOKEN: Final = 3
_WORDLESS: Final = "The messages have no words."
_UNSAID: Final = ("invented", "undecidable")

_Written = list[tuple[Line, str]]


class ExtractiveSummarizer:
    """Summarises by quoting, and is what a fold uses when nobody brings a model.

    * Every word is copied out of the span, its white space folded. Where words are left out stands an ellipsis; a value
      is left out as a whole, and what joins two pieces never makes a value of them.
    * Chosen first: earlier claims, open calls, what the person said last, errors, what the model decided. Then whatever
      states the values that later turns are likeliest to need, for the room it takes: what the model has handed to
      tools, what the person said, identifiers and paths before numbers, later before earlier. What the current request
      says stays in the window, and is not chosen for.
    * Equal spans and requests give equal summaries.
    """

    name: Final = "foldproof/extractive"

    def __init__(
        self, *, max_tokens: int | None = None, max_characters: int | None = 6_000, share: float = 0.25
    ) -> None:
        """Write at most so many tokens (counted where the request brings a counter) and code points (None: no bound).

        `share` is the part of the span's code points that a summary may have, or 200 where that is more. What the
        request allows bounds it too.

        Raises:
            UsageError: a bound below 1, or a share that is not above 0 and at most 1.
        """
        for option, bound in (("max_tokens", max_tokens), ("max_characters", max_characters)):
            if bound is not None and bound < 1:
                raise UsageError(f"{option}={bound} must be at least 1, or None for no bound")
        if not 0 < share <= 1:
            raise UsageError(f"share={share} must be above 0 and at most 1")
        self._max_tokens: Final = max_tokens
        self._max_characters: Final = max_characters
        self._share: Final = share

    def __call__(self, span: Sequence[Message], request: SummaryRequest, /) -> str:
        """Return the summary of `span`."""
        room = min(request.max_characters, max(_LEAST, int(total_characters(span) * self._share)))
        room = room if self._max_characters is None else min(room, self._max_characters)
        choice = Choice(span, request)
        if not choice.lines:
            return _WORDLESS[: max(0, room)]
        lines = _faithful(self._fitting(choice, room, request), choice.lines, span)
        summary = "\n".join(_sections(lines))
        return summary.encode(errors="replace").decode()  # half of a surrogate pair can be read, and not be written

    def _fitting(self, choice: Choice, room: int, request: SummaryRequest) -> Chosen:
        """Return the longest choice found that keeps to its tokens: how many a character takes is only known then."""
        limits = [limit for limit in (self._max_tokens, request.max_tokens) if limit is not None]
        if request.counter is None or not limits:
            return choice.chosen(room)
        most = min(limits)
        best: Chosen = {}
        least: Chosen = {}
        low, high, tried = 0, room, min(room, most * _CHARACTERS_A_TOKEN)
        for attempt in range(2 * _TRIES):
            chosen = choice.chosen(tried)
            tokens = request.counter.count("\n".join(_sections(_written(chosen, choice.lines))))
            if tokens <= most:
                best, low = chosen or best, tried
            else:
                least, high = chosen, tried - 1
            is_good = bool(best) and (attempt >= _TRIES or tokens >= most * _CLOSE_ENOUGH)
            if low >= high or (is_good and tokens <= most):
                break
            guess = int(tried * most / max(tokens, 1))
            if tokens > most:  # what is written is shorter than its room, so that little less room changes nothing
                guess = min(guess, tried * 9 // 10) if attempt < _TRIES else tried // 2
            tried = guess if low < guess < high else (low + high + 1) // 2
        return best or least  # too long is refused for what it is; nothing at all would pass for a failure


def _sections(lines: _Written) -> Iterator[str]:
    for section, heading in HEADINGS.items():
        told = [text for line, text in lines if line.section == section]
        if told:
            yield f"{heading}:"
            yield from told


def _written(chosen: Chosen, lines: Sequence[Line]) -> _Written:
    places = sorted(chosen)
    return [(lines[place], f"- {_line(lines[place], chosen[place])}") for place in places]


def _line(line: Line, words: Mapping[int, str]) -> str:
    chosen = [excerpt._replace(text=words[excerpt.order]) for excerpt in line.excerpts if excerpt.order in words]
    said = _joined([excerpt for excerpt in chosen if excerpt.part == "said"])
    if line.section in ("tools", "open"):
        call = f"{line.name}({_joined([excerpt for excerpt in chosen if excerpt.part == 'asked'])})"
        if line.section == "open":
            return f"{call} was never answered"
        return f"{call} -> {said}" if said else call
    if line.section == "errors":
        return f"{line.name}: {said}"
    begin = "" if line.excerpts[0].order in words else "… "
    end = "" if line.excerpts[-1].order in words or said.endswith("…") else " …"
    return f'"{begin}{said}{end}"' if line.section == "said" else f"{begin}{said}{end}"


def _joined(excerpts: Sequence[Excerpt]) -> str:
    """Join pieces: those of a record on one line. Between words, an ellipsis marks what is left out."""
    by_record: dict[object, list[Excerpt]] = {}
    for excerpt in excerpts:
        by_record.setdefault(excerpt.record, []).append(excerpt)
    text, last = "", -1
    for record in by_record.values():
        label = ""
        for place, excerpt in enumerate(record):
            is_gap = bool(text) and excerpt.order != last + 1 and not excerpt.glue.startswith(";")
            cut = " …" if is_gap and not text.endswith("…") else ""
            glue = excerpt.glue or (" " if is_gap or text.endswith(" …") else "")
            between = (glue if place else "\n  ") if text else ""
            said = f"{excerpt.label}: {excerpt.text}" if excerpt.label not in {"", label} else excerpt.text
            text += cut + between + said
            label, last = excerpt.label, excerpt.order
    return text


def _faithful(chosen: Chosen, lines: Sequence[Line], span: Sequence[Message]) -> _Written:
    """Return the lines of a choice without those in which something reads as a value that nobody stated.

    Pieces are whole and kept apart, so there is hardly ever one. It is asked all the same: a summary must not be the
    one that makes a value up.
    """
    written = _written(chosen, lines)
    places = {place for line, _ in written for place in (line.at, line.asked_at) if place is not None}
    index = EvidenceIndex(list(_as_results(span[place] for place in sorted(places))))
    while True:
        text, starts = "", []
        for _, each in written:
            starts.append(len(text))
            text += f"{each}\n"
        wrong = {
            bisect_right(starts, value.start) - 1 for value in index.judge(text).values if value.verdict in _UNSAID
        }
        if not wrong:
            return written
        written = [entry for place, entry in enumerate(written) if place not in wrong]


def _as_results(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield every text of some messages, and every name and argument of a call, as something that a tool said."""
    for message in messages:
        texts = [message.text, *(segment.text for segment in said_by_tools(message))]
        texts += [message.tool_name or "", *(call.name for call in calls_of(message))]
        texts += map(arguments_text, arguments_in(message))
        for text in filter(None, texts):
            yield Message(role="tool", content=text, tool_call_id="1")
