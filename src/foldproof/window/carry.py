"""Which values a fold pins into its frame: those that the open work refers to, and that would leave with the span.

They are data with their carriers, so an answer that states one stays grounded, whatever the summary kept of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from foldproof.evidence import evidence_forms
from foldproof.evidence.candidates import scan
from foldproof.evidence.carriers import kept_values
from foldproof.evidence.kept import KeptValue
from foldproof.evidence.reading import arguments_in, value_texts
from foldproof.evidence.stated import stated_by
from foldproof.messages import Message, carry_of

_LONGEST: Final = 64
_FEWEST_DIGITS: Final = 3


def carried(span: Sequence[Message], rest: Sequence[Message], *, most: int) -> tuple[KeptValue, ...]:
    """Return at most `most` values of tools in `span` that `rest`, what stays of the window, refers to.

    First the values that it states and that no result which stays says, the newest first; then the identifiers that
    stand in one record with them. Values of more than 64 code points, or of more than a line, are not carried.
    """
    if most < 1:
        return ()
    known = evidence_forms(rest)
    wanted = _stated(rest) - known
    if not wanted:
        return ()
    referred: dict[str, KeptValue] = {}
    beside: dict[str, KeptValue] = {}
    for message in reversed(span):
        if len(referred) >= most:
            break
        if carry_of(message) or not wanted.isdisjoint(evidence_forms((message,))):
            values = [value for value in kept_values((message,)) if _is_carried(value, known)]
            direct = [value for value in values if not wanted.isdisjoint(value.forms)]
            referred = {value.text: value for value in direct} | referred
            beside = {value.text: value for value in _beside(direct, values)} | beside
    chosen = {**_newest(referred, most), **{text: value for text, value in beside.items() if text not in referred}}
    return tuple(chosen.values())[:most]


def _newest(values: dict[str, KeptValue], most: int) -> dict[str, KeptValue]:
    return dict(list(values.items())[-most:])


def _beside(direct: Sequence[KeptValue], values: Sequence[KeptValue]) -> Iterator[KeptValue]:
    """Yield the identifiers that stand in one record with a value that is referred to."""
    records = {(value.message_id, value.part, value.record) for value in direct if value.record is not None}
    for value in values:
        if (value.message_id, value.part, value.record) in records and _is_name(value):
            yield value


def _is_name(value: KeptValue) -> bool:
    return any(found.kind in ("identifier", "uuid", "hash", "email", "path", "url") for found in scan(value.text))


def _is_carried(value: KeptValue, known: Collection[str]) -> bool:
    if len(value.text) > _LONGEST or "\n" in value.text or any(form in known for form in value.forms):
        return False
    return any(found.is_examined(_FEWEST_DIGITS) for found in scan(value.text))


def _stated(messages: Sequence[Message]) -> set[str]:
    """Return the forms of everything that the messages state, in words and in the arguments of calls."""
    texts = [message.text for message in messages if message.role != "system"]
    texts += [text for message in messages for arguments in arguments_in(message) for text in value_texts(arguments)]
    return {form for text in texts for form in stated_by(text).forms}
