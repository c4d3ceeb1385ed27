"""Characters, before anything is read: one folding of Unicode for both sides, with the way back to the original.

After folding, digits of every script are ASCII, dashes are `-`, quotes are `'` or `"`, accents and invisible
characters (zero width, bidi controls, soft hyphens) are gone, spaces that hold a number together are U+00A0, and
letters of scripts that are written without spaces or case (CJK, Arabic, Thai, …) are U+FFFC, so that they never glue to
a value. Superscript digits become `^` and a digit: 10² is not 102. The entities of HTML are the characters they
stand for.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

BARRIER = "\ufffc"
"""Stands for a letter that cannot be part of a value."""

NO_BREAK_SPACE = "\u00a0"

_CONTROLS = re.compile(
    r"\x1b\[[0-9;:]{0,64}[A-Za-z]|\\(?:[nrt]|u[0-9a-fA-F]{4})(?=\d)"
)  # terminal colours; line ends escaped twice
_ENTITIES = re.compile(
    r"&(?:amp;){0,8}(?:(?P<space>nbsp|#160|#xa0|thinsp|ensp|emsp|#8239)|(?P<dash>ndash|mdash|minus|#8211|#8722)"
    r"|(?P<quote>quot|#34)|(?P<apostrophe>apos|#39|#x27)|(?P<open>lt)|(?P<close>gt));|&(?P<ampersand>(?:amp;){1,8})"
)
_ENTITY_CHARACTERS = {
    "space": "\u00a0",
    "dash": "-",
    "quote": '"',
    "apostrophe": "'",
    "open": "<",
    "close": ">",
    "ampersand": "&",
}
_BY_CHARACTER = (
    dict.fromkeys("\u00a0\u202f\u2007\u2009", NO_BREAK_SPACE)
    | dict.fromkeys("\u2018\u2019\u02bc\u2032", "'")
    | dict.fromkeys("\u201c\u201d\u2033", '"')
    | dict.fromkeys("\u2212\ufe63\uff0d", "-")
)
_BY_CATEGORY = {
    **dict.fromkeys(("Cf", "Mn", "Me"), ""),
    **dict.fromkeys(("Lo", "Cs", "Co", "Cn"), BARRIER),
    **dict.fromkeys(("Zl", "Zp", "Cc"), "\n"),
    "Zs": " ",
    "Pd": "-",
}


@dataclass(frozen=True, slots=True)
class Folded:
    """Folded text and, when lengths changed, where each of its characters stood in the original (code points)."""

    text: str
    origins: tuple[int, ...] | None

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text that `text[start:end]` came from."""
        if self.origins is None or start == end:
            return start, end
        return self.origins[start], self.origins[end - 1] + 1


def fold_characters(text: str) -> Folded:
    """Return `text` folded. Idempotent: folding the folded text changes nothing."""
    folded = Folded(text, None) if text.isascii() else _plain(text)
    if "\x1b" in folded.text or "\\" in folded.text:
        folded = Folded(_CONTROLS.sub(lambda found: " " * len(found.group()), folded.text), folded.origins)
    return _without_entities(folded) if "&" in folded.text and _ENTITIES.search(folded.text) else folded


def _plain(text: str) -> Folded:
    table = {character: _folded(character) for character in set(text)}
    if all(len(replacement) == 1 for replacement in table.values()):
        return Folded("".join(map(table.__getitem__, text)), None)
    pieces = [table[character] for character in text]
    origins = (index for index, piece in enumerate(pieces) for _ in piece)
    return Folded("".join(pieces), tuple(origins))


def _without_entities(folded: Folded) -> Folded:
    """Replace the entities of HTML that stand in or next to values, each by its character."""
    pieces: list[str] = []
    origins: list[int] = []
    position = 0
    for match in _ENTITIES.finditer(folded.text):
        pieces += (folded.text[position : match.start()], _ENTITY_CHARACTERS[str(match.lastgroup)])
        origins.extend(range(position, match.start() + 1))
        position = match.end()
    pieces.append(folded.text[position:])
    origins.extend(range(position, len(folded.text)))
    known = folded.origins
    return Folded("".join(pieces), tuple(origins if known is None else map(known.__getitem__, origins)))


@cache
def _folded(character: str) -> str:
    if character.isascii():
        return character
    category = unicodedata.category(character)
    if category == "Nd":
        return str(unicodedata.decimal(character))
    by_name = _BY_CHARACTER.get(character) or _BY_CATEGORY.get(category)
    return _compatible(character) if by_name is None else by_name


def _compatible(character: str) -> str:
    """Fold full-width letters, accents, sub- and superscripts; what has no single plain character stays as it is."""
    decomposition = unicodedata.decomposition(character)
    if decomposition.startswith("<circle>"):
        return BARRIER
    plain = "".join(mark for mark in unicodedata.normalize("NFKD", character) if not unicodedata.combining(mark))
    if len(plain) != 1:
        return character
    plain = _BY_CHARACTER.get(plain, plain)
    return f"^{plain}" if decomposition.startswith("<super>") else plain
