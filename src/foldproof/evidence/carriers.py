"""Where a value was read: the message, the call, the JSON path and the span, and the way back to the text itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from foldproof.errors import UsageError
from foldproof.evidence.candidates import scan
from foldproof.evidence.kept import KeptValue, carried_by
from foldproof.evidence.lists import json_steps
from foldproof.evidence.reading import Leaf, read_result, said_by_tools
from foldproof.evidence.records import Layout, Reading, tables_in
from foldproof.evidence.stated import REMEMBERED, stated_by
from foldproof.evidence.values import Value
from foldproof.messages import Message, message_id
from foldproof.messages.base import FrozenModel


class Carrier(FrozenModel):
    """One place where a tool said a value.

    Attributes:
        message: index of the message among those the index has read; where that has left and only the value was kept,
            of the frame that carries it.
        tool_call_id, tool_name: which call's result it stands in.
        part: which part of the content, when the content is made of parts.
        block: which of the result's JSON values (0 is the first); None when the place is not JSON.
        path: JSON path from that value to the leaf (`$.flights[0].price`); None when the place is not JSON.
        in_key: whether the value stands in the last key of the path, and not in what is under it.
        start, end: the span, in code points of the leaf's text (the decoded string, or the number's literal), or of the
            part's text when the place is not JSON.
        text: the spelling found there.
        record: the record it belongs to, when the result has records: `$.flights[0]`, or `line 3`.
        column: its column in that record: `price`, `prices.economy`; empty for an item of a plain list.
        message_id: for a value that a frame carries, the id of the message it stood in; else None.
    """

    message: int
    tool_call_id: str | None = None
    tool_name: str | None = None
    part: int | None = None
    block: int | None = None
    path: str | None = None
    in_key: bool = False
    start: int
    end: int
    text: str
    record: str | None = None
    column: str | None = None
    message_id: str | None = None

    def resolve(self, messages: Sequence[Message]) -> str:
        """Follow the pointer and return the text it leads to.

        Raises:
            UsageError: the messages are not those the carrier was made from.
        """
        if self.message_id is not None:
            for frame in messages[self.message : self.message + 1]:
                if any(self == _carrier_of(value, self.message) for value in carried_by(frame)):
                    return self.text
        found = [
            leaf.text[self.start - leaf.offset : self.end - leaf.offset]
            for part, leaf in _leaves(messages[self.message] if self.message < len(messages) else None)
            if (part, leaf.block, json_path(leaf), leaf.is_key) == (self.part, self.block, self.path, self.in_key)
        ]
        if found:  # a key that stands twice in an object has two values under one path
            return self.text if self.text in found else found[0]
        msg = f"carrier {self.path or 'text'} of message {self.message} leads nowhere; pass the messages the index read"
        raise UsageError(msg)


class Places:
    """Where the forms of one message stand: read once, and then every carrier is found without reading again."""

    def __init__(self, message: Message, index: int) -> None:
        self._message = message
        self._index = index
        self._layouts: dict[int | None, Layout] = {}
        self._places: dict[str, list[tuple[int | None, Leaf, Value | None]]] = {}
        for part, leaf in _leaves(message):
            for form, value in _stated_in(leaf):
                self._places.setdefault(form, []).append((part, leaf, value))

    def carriers(self, form: str, *, most: int) -> Iterator[Carrier]:
        """Yield a carrier for each of the first `most` leaves in which a tool said `form`."""
        for part, leaf, known in self._places.get(form, [])[:most]:
            value = known or next(value for value in scan(leaf.text) if form in value.stated)
            yield _carrier(self._message, self._index, part, leaf, (value.start, value.end), self._layout(part))

    def each(self) -> Iterator[tuple[str, Carrier]]:
        """Yield every form that the message's tools said, and the first place that carries it."""
        for form in self._places:
            yield form, next(self.carriers(form, most=1))

    def carrier_of(self, part: int | None, leaf: Leaf) -> Carrier:
        """Return the carrier of a whole leaf, or cell."""
        start = len(leaf.text) - len(leaf.text.lstrip())
        span = (start, start + len(leaf.text.strip()))
        return _carrier(self._message, self._index, part, leaf, span, self._layout(part))

    def cells_of(self, part: int | None, record: str) -> list[Carrier]:
        """Return a carrier for every cell of one record and of the records inside it."""
        cells = (
            cell
            for table in self._reading(part).tables
            for row in table.records
            if row.name == record or row.name.startswith((f"{record}.", f"{record}["))
            for cell in row.cells
        )
        return [self.carrier_of(part, cell.leaf) for cell in cells]

    def _reading(self, part: int | None) -> Reading:
        return tables_in(next(segment.text for segment in said_by_tools(self._message) if segment.part == part))

    def _layout(self, part: int | None) -> Layout:
        if part not in self._layouts:
            self._layouts[part] = Layout(self._reading(part))
        return self._layouts[part]


class KeptPlaces:
    """Where the values stood that one frame carries. Its records have left: it has no cells."""

    def __init__(self, kept: Sequence[KeptValue], index: int) -> None:
        self._index = index
        self._kept: dict[str, list[KeptValue]] = {}
        for value in kept:
            for form in value.forms:
                self._kept.setdefault(form, []).append(value)

    def carriers(self, form: str, *, most: int) -> Iterator[Carrier]:
        """Yield a carrier for each of the first `most` places in which a tool had said `form`."""
        for value in self._kept.get(form, [])[:most]:
            yield _carrier_of(value, self._index)


def kept_values(messages: Iterable[Message]) -> Iterator[KeptValue]:
    """Yield every value that tools said in these messages, and those that frames among them carry; each place once.

    A carried value comes first, where its frame stands.
    """
    for message in messages:
        yield from carried_by(message)
        by_place: dict[Carrier, list[str]] = {}
        for form, carrier in Places(message, 0).each():
            by_place.setdefault(carrier, []).append(form)
        for carrier, forms in by_place.items():
            told = carrier.model_dump(exclude={"message", "message_id"})
            yield KeptValue(forms=tuple(sorted(forms)), message_id=message_id(message), **told)


def _carrier_of(value: KeptValue, index: int) -> Carrier:
    told = {name: getattr(value, name) for name in KeptValue.model_fields if name != "forms"}
    return Carrier(message=index, **told)


def _carrier(  # noqa: PLR0913, PLR0917 - what a carrier is made of
    message: Message, index: int, part: int | None, leaf: Leaf, span: tuple[int, int], layout: Layout
) -> Carrier:
    start, end = span
    record, column = layout.place(leaf if leaf.block is not None else start + leaf.offset) or (None, None)
    return Carrier(
        message=index,
        tool_call_id=message.tool_call_id,
        tool_name=message.tool_name,
        part=part,
        block=leaf.block,
        path=json_path(leaf),
        in_key=leaf.is_key,
        start=start + leaf.offset,
        end=end + leaf.offset,
        text=leaf.text[start:end],
        record=record,
        column=column,
    )


def _stated_in(leaf: Leaf) -> Iterator[tuple[str, Value | None]]:
    """Yield every form a leaf states once, and where: a long text is scanned now and never again, a short one later."""
    if len(leaf.text) <= REMEMBERED:
        yield from ((form, None) for form in stated_by(leaf.text).forms)
        return
    found: dict[str, Value | None] = {}
    for value in scan(leaf.text):
        for form in value.stated:
            found.setdefault(form, value)
    yield from found.items()


def json_path(leaf: Leaf) -> str | None:
    """Return the JSON path of a leaf inside its block, or None for text that is not JSON."""
    return None if leaf.block is None else "$" + json_steps(leaf.path)


def _leaves(message: Message | None) -> Iterator[tuple[int | None, Leaf]]:
    if message is not None:
        for segment in said_by_tools(message):
            for leaf in read_result(segment.text):
                yield segment.part, leaf
