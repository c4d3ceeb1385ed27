"""The exempt corpus: what the person or the app supplied, which is therefore not the model's invention.

It is made of what the person said (also when they refused a call), of system messages and of what the app delivered. A
frame gives the lineage it carries (`foldedExempt`) and never its text, so that a fold neither grants nor revokes
anything. Only here is a date exempt in its numbers too: who wrote 2026-10-09 has said 2026, 10 and 9.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from foldproof.evidence.candidates import scan
from foldproof.evidence.offsets import offset_form, stated_offsets
from foldproof.evidence.spellings import folded_form
from foldproof.messages import Message, author_of, check_message, frame_kind, said_with_refusal

_MESSAGES = frozenset({Message})
_NOTHING: frozenset[str] = frozenset()

ExemptHow = Literal["user", "system", "declared", "partial"]


def exempt_forms(messages: Sequence[Message]) -> frozenset[str]:
    """Return the forms that the exempt corpus holds for these messages: exactly what a fold of them must conserve.

    Raises:
        UsageError: something among the messages is no `Message`.
    """
    if not _MESSAGES.issuperset(map(type, messages)):
        for index, entry in enumerate(messages):
            check_message(entry, index)
    found = [
        message.facts.exempts or _exempted(message) for message in messages if message.facts.exempts is not _NOTHING
    ]
    return _NOTHING.union(*found)


def exemption(message: Message) -> tuple[ExemptHow, frozenset[str]]:
    """Return who supplied what one message exempts, and its forms (none for the model, tools and frames' text)."""
    return "system" if author_of(message) == "app" else "user", _exempted(message)


def _exempted(message: Message) -> frozenset[str]:
    facts = message.facts
    if facts.exempts is None:
        facts.exempts = _read(message)
    return facts.exempts


def _read(message: Message) -> frozenset[str]:
    match author_of(message):
        case "person":
            return forms_given(message.text) | {offset_form(days) for days in stated_offsets(message.text)}
        case "app":
            return forms_given(message.text)
        case "library" if frame_kind(message) is not None and message.role == "user":
            return frozenset(map(folded_form, message.folded_exempt or ()))
        case "library" if message.role == "tool":
            return forms_given(said_with_refusal(message))
        case _:
            return _NOTHING


@lru_cache(maxsize=64)
def declared_forms(texts: tuple[str, ...]) -> frozenset[str]:
    """Return the forms of declared exemptions: the values in each text, and each text as one identifier."""
    return frozenset().union(*({folded_form(text.strip())} | forms_given(text) for text in texts))


# A message keeps its forms; this is for a host that reads its messages anew at every visit.
@lru_cache(maxsize=16_384)
def forms_given(text: str) -> frozenset[str]:
    """Return the forms under which the values in a text are exempt for whoever repeats them."""
    forms: set[str] = set()
    for value in scan(text):
        forms.update(value.stated)
        if value.kind in ("date", "datetime"):
            forms.update(re.findall(r"[1-9]\d*", value.form.partition("t")[0]))
    return frozenset(forms)
