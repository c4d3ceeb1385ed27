"""What a summary may be made of: the span in pieces, each copied out of it whole, with the values that it states.

A piece is a field of a record, a line or a sentence. It ends where a line ends or between two words, and never inside
a value: what is left of one would be another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from foldproof.evidence.candidates import scan
from foldproof.evidence.reading import Leaf, arguments_in, read_result, said_by_tools
from foldproof.evidence.values import Kind, Value
from foldproof.messages import Message, author_of, calls_of, frame_kind, is_observation, pair
from foldproof.window.counting import arguments_text
from foldproof.window.frames import claim_of, is_appendix
from foldproof.window.summaries import SummaryRequest
from foldproof.window.survival import errors_said, examined_values

Section = Literal["earlier", "said", "decisions", "answers", "app", "tools", "errors", "open"]

Part = Literal["asked", "said"]

HEADINGS: Final[dict[Section, str]] = {
    "earlier": "Earlier frames said",
    "said": "The person said",
    "decisions": "The model decided or did",
    "answers": "The model said",
    "app": "The app delivered",
    "tools": "Tools were asked, and said, among other things",
    "errors": "Errors",
    "open": "Open",
}
"""What stands above the lines of each section, in the order in which they are written."""

_LINE_NUMBER: Final = re.compile(r"\s{0,12}(\d{1,7})(?=[:\s→|])")
_FILE: Final = re.compile(
    r"(?<![\w./\\-])\w[\w-]{0,60}(?:\.[\w-]{1,30}){0,3}\.(?:py|[cm]?[jt]sx?|json|md|txt|toml|ya?ml|sh|html|css|go|rs"
    r"|c|h|cpp|java|kt|swift|rb|php|sql|csv|xml|lock|ipynb)(?![\w(/-])(?!\.\w)"
)
"""A bare file name: no value that an answer is judged on, but in a session over code what the next call will need."""

_OWN_HEADINGS: Final = frozenset(f"{heading}:" for heading in HEADINGS.values())
_LONGEST_PIECE: Final = 120
_AROUND_CUT: Final = 200
_LONGEST_LABEL: Final = 60
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])[\"')\]]?\s+(?=[\"'(\[]?[A-Z#*-])")
_DECIDED: Final = re.compile(
    r"\b(?:(?:I|we)(?:['\u2019]ve|['\u2019]ll| have| will)|let['\u2019]s|let me|decided|instead|because|therefore"
    r"|(?:is|are|was|were|has been|have been) (?:now )?(?:done|fixed|added|removed|changed|created|booked|cancelled"
    r"|canceled|updated|confirmed|complete|completed|approved|transferred))\b",
    re.IGNORECASE,
)


class Excerpt(NamedTuple):
    """A piece of a line.

    Attributes:
        text: its words, on one line.
        label: the field whose value they are, or nothing.
        order: its place among the pieces of its line.
        record: what it is a part of: a record of JSON, or a line of text.
        part: whether a tool was asked this, or somebody said it.
        values: the kinds and forms of the values that it states.
        glue: what joins it to the piece in front, where both are parts of one record.
    """

    text: str
    label: str
    order: int
    record: object
    part: Part
    values: tuple[tuple[Kind, str], ...]
    glue: str


@dataclass(frozen=True)
class Line:
    """What one message says, or what one call asked and was told: a line of a summary, when pieces of it are chosen.

    Attributes:
        section: where it is written.
        at: the message that says it.
        name: of the tool.
        asked_at: the message that holds the call which it answers.
        excerpts: its pieces, in order.
    """

    section: Section
    at: int
    name: str = ""
    asked_at: int | None = None
    excerpts: list[Excerpt] = field(default_factory=list)


def lines_of(span: Sequence[Message], request: SummaryRequest) -> Iterator[Line]:
    """Yield every line that a summary of the span could have, in order."""
    pairing = pair(span)
    for index, message in enumerate(span):
        if message.role == "tool":
            call = pairing.call_of.get(index)
            asked = None if call is None else calls_of(span[call.message])[call.position]
            name = _one_line(asked.name if asked else message.tool_name or "a tool")
            line = Line("tools", index, name, None if call is None else call.message)
            if asked is not None:
                _add_result(line, arguments_text(asked.args), "asked")
            said = [each.text for each in said_by_tools(message)] if is_observation(message) else [message.text]
            for text in said:
                _add_result(line, text, "said")
            yield line
            yield from _errors(message, line)
            continue
        if message.text.strip() and message.text not in request.quoted and not _is_feedback(message):
            yield from _said(message, index)
        if message.role == "assistant":
            yield from _server_tools(message, index)
    for at in pairing.unanswered:
        waiting = calls_of(span[at.message])[at.position]
        line = Line("open", at.message, _one_line(waiting.name))
        _add_result(line, arguments_text(waiting.args), "asked")
        yield line


def values_of(text: str) -> list[tuple[Kind, str]]:
    """Return the kinds and forms of what a text states: values above the floor, and bare names of files."""
    return _forms(text, examined_values(text))


def _forms(text: str, values: Sequence[Value]) -> list[tuple[Kind, str]]:
    found: list[tuple[Kind, str]] = [(value.kind, value.form) for value in values]
    if "." in text:
        found += [("path", match.group().casefold()) for match in _FILE.finditer(text)]
    return list(dict.fromkeys(found))


def _is_feedback(message: Message) -> bool:
    """Whether the library asked for another try, perhaps by quoting the very value that the model invented."""
    kind = frame_kind(message)
    return author_of(message) == "library" and kind in (None, "evidence-check")


def _said(message: Message, index: int) -> Iterator[Line]:
    author = author_of(message)
    kind = frame_kind(message)
    text = message.text if kind is None else claim_of(message)
    if author == "model":
        answers, decisions = Line("answers", index), Line("decisions", index)
        for record, line in enumerate(text.splitlines()):
            for sentence, glue in _sentences(line):
                _add(decisions if _DECIDED.search(sentence) else answers, sentence, record, "said", glue)
        yield from (answers, decisions)
        return
    section: Section = "app" if author == "app" else "said"
    if kind is not None and not is_appendix(message):
        section = "earlier"
    found = Line(section, index)
    for record, line in enumerate(text.splitlines()):
        if section == "earlier":
            line = "" if line in _OWN_HEADINGS else line.lstrip().removeprefix("- ")  # noqa: PLW2901 - of a list in a list
        for sentence, glue in _sentences(line):
            _add(found, sentence, record, "said", glue)
    yield found


def _server_tools(message: Message, index: int) -> Iterator[Line]:
    """Yield what a provider's own tools were asked and gave back inside one message of the model."""
    told = said_by_tools(message)
    if told:
        line = Line("tools", index, "a tool of the provider")
        for arguments in arguments_in(message)[len(calls_of(message)) :]:
            _add_result(line, arguments_text(arguments), "asked")
        for segment in told:
            _add_result(line, segment.text, "said")
        yield line


def _errors(message: Message, told: Line) -> Iterator[Line]:
    for error in errors_said(message):
        line = Line("errors", told.at, told.name, told.asked_at)
        for piece, glue in _pieces(error):
            _add(line, piece, 0, "said", glue)
        yield line


def _add_result(line: Line, text: str, part: Part) -> None:
    """Add what JSON says field by field, and what else is said line by line."""
    leaves = list(read_result(text))
    fields = {leaf.path for leaf in leaves if not leaf.is_key}
    for leaf in leaves:
        if leaf.block is None:
            for number, (each, counted) in enumerate(_without_numbering(leaf.text.splitlines())):
                for piece, glue in _pieces(each):
                    _add(line, piece, (part, leaf.offset, number), part, glue, counted=counted)
        elif not leaf.is_key:
            _add_field(line, leaf, part)
        elif leaf.path not in fields and examined_values(leaf.text):
            _add(line, leaf.text, (part, leaf.block, leaf.path), part, "; ")


def _add_field(line: Line, leaf: Leaf, part: Part) -> None:
    name = next((step for step in reversed(leaf.path) if isinstance(step, str)), "")
    under = leaf.path[:-1] if leaf.path and isinstance(leaf.path[-1], str) else leaf.path[:-2]
    for number, each in enumerate(leaf.text.splitlines()):
        record = (part, leaf.block, under) if not number else (part, leaf.block, leaf.path, number)
        for place, (piece, glue) in enumerate(_pieces(each)):
            is_first = not number and not place
            label = name if is_first and len(name) <= _LONGEST_LABEL else ""
            _add(line, piece, record, part, "; " if is_first else glue, label=label)


def _without_numbering(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield lines, and whether each opens with the number of a line: one more than the line in front, or one less."""
    numbers = [None if (match := _LINE_NUMBER.match(line)) is None else int(match[1]) for line in lines]
    for place, (line, number) in enumerate(zip(lines, numbers, strict=True)):
        around = (numbers[place - 1] if place else None, numbers[place + 1] if place + 1 < len(lines) else None)
        yield line, number is not None and (around[0] == number - 1 or around[1] == number + 1)


def _add(  # noqa: PLR0913 - a piece, and where it stands
    line: Line, text: str, record: object, part: Part, glue: str, *, label: str = "", counted: bool = False
) -> None:
    plain, label = _one_line(text), _one_line(label)
    if plain:
        stated = f"{label}: {plain}" if label else plain
        values = examined_values(stated)
        if counted and values and values[0].start == 0:
            values = values[1:]
        forms = tuple(_forms(stated, values))
        line.excerpts.append(Excerpt(plain, label, len(line.excerpts), record, part, forms, glue))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _sentences(line: str) -> Iterator[tuple[str, str]]:
    start = 0
    for end in _SENTENCE_END.finditer(line):
        yield from _pieces(line[start : end.end()])
        start = end.end()
    yield from _pieces(line[start:])


def _pieces(line: str) -> Iterator[tuple[str, str]]:
    """Yield a line in pieces of at most 120 characters, cut between words where there are spaces, and what joins them.

    A value that is longer is left out: what is left of it would be another value.
    """
    glue = " "
    while len(line) > _LONGEST_PIECE:
        cut = line.rfind(" ", 1, _LONGEST_PIECE + 1)
        cut = cut if cut > 0 else _LONGEST_PIECE
        over = _over(line, cut)
        if over is not None and over.start == 0:
            space = line.find(" ", over.end - 1)
            line, glue = (line[space + 1 :], " ") if space >= 0 else ("", " ")
            continue
        cut = cut if over is None else over.start
        yield line[:cut], glue
        glue = "" if line[cut - 1 : cut + 1].strip() == line[cut - 1 : cut + 1] else " "
        line = line[cut:].lstrip()
    yield line, glue


def head_of(text: str, room: int) -> str:
    """Return the beginning of a piece with an ellipsis behind it, at most `room` code points; nothing without words."""
    cut = text.rfind(" ", 0, max(0, room - len(" …")) + 1)
    over = _over(text, cut) if cut > 0 else None
    head = text[: cut if over is None else over.start].rstrip() if cut > 0 else ""
    return f"{head} …" if head else ""


def _over(line: str, cut: int) -> Value | None:
    """Return the first value that reaches over a cut."""
    around = line[: cut + _AROUND_CUT]
    return next((value for value in scan(around) if value.start < cut < value.end), None)
