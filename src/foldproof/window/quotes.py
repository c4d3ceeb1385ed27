"""Words that a text puts in the person's mouth, and whether the person said them.

Only what stands in quotation marks is a quote, and only where the text says that the person said it: right ahead of it
(`The user asked: "…"`), right behind it (`"…", the customer said`), or in the heading of the list it stands in. A
paraphrase is none, and neither is a title that the person asked for.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

_PERSON: Final = r"(?:user|customer|person|human|client|caller|shopper|patient|passenger|requester)"
_SAID: Final = (
    r"(?:said|says|say|saying|asked|asks|asking|wrote|writes|writing|stated|states|stating|told|tells|telling|replied|"
    r"replies|answered|answers|added|adds|confirmed|confirms|insisted|insists|instructed|instructs|requested|requests|"
    r"demanded|demands|typed|responded|responds|clarified|clarifies|noted|notes|explained|explains)"
)
_TO_WHOM: Final = r"(?: (?:me|us|you|the assistant|the agent|the model|it))?"
_HOW: Final = r"(?: (?:verbatim|exactly|literally|again|then|also|explicitly|that))?"
_OTHERS: Final = r"(?:assistant|agent|model|tool|system|bot|api|server|page|file|log|error|email|letter|who|which|that)"
_SPEAKER: Final = "".join(
    f"(?<!{verb} {the})" for verb in ("to", "told", "tell", "asked", "informed") for the in ("", "the ", "our ")
)
"""Whoever was told something did not say it."""
_MARK: Final = '"\u201c\u201d\u00ab\u00bb\u201e'
_AHEAD: Final = re.compile(
    rf"{_SPEAKER}\b{_PERSON}\b(?!['\u2019]s)(?:(?!\b{_OTHERS}\b)[^.!?\n{_MARK}]){{0,60}}? "
    rf"{_SAID}{_TO_WHOM}{_HOW}\s?[:,]?\s*\Z"
    rf"|(?:\A|[.;*#>-]\s*)(?:the |our |this )?{_PERSON}(?:['\u2019]s)?"
    r"(?: (?:message|request|words?|instruction|question|reply|answer|quote))?(?: was| were| is)?\**\s?:[\s*]*\Z",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(
    rf"\A\s?[,;]?\s*(?:\(|[-\u2013\u2014] ?)?(?:the |our |this )?"
    rf"(?:{_PERSON} {_SAID}|{_SAID} (?:the |our |this )?{_PERSON})\b",
    re.IGNORECASE,
)
_HEADING: Final = re.compile(
    rf"\A[\s#*\d.)-]*(?:all )?(?:(?:the |what the )?{_PERSON}(?:['\u2019]s)? "
    rf"(?:{_SAID}|messages?|quotes?|words|requests?)"
    rf"|(?:messages?|quotes?|words|requests?) (?:of|from|by) the {_PERSON})\b[^\"\u201c\u201d]{{0,40}}:[\s*]*\Z",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"\s*(?:(?:[-*•]|\d{1,3}[.)])\s+)?(?=[\"\u201c\u00ab\u201e])|\s*(?:[-*•]|\d{1,3}[.)])\s")
_QUOTED: Final = re.compile(
    r'"([^"\n]{1,2000})"|\u201c([^\u201d\n]{1,2000})\u201d|\u00ab([^\u00bb\n]{1,2000})\u00bb'
    r"|\u201e([^\u201c\u201d\n]{1,2000})[\u201c\u201d]"
)
_LEFT_OUT: Final = re.compile(r"…|\.\.\.|\[[^\]\n]{0,80}\]")
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_LOOK_BACK: Final = 160
_FEWEST_WORDS: Final = 3


class Quote(NamedTuple):
    """Words in quotation marks, without the marks, and where they stand in code points of the text."""

    text: str
    start: int
    end: int


def quotes_of_the_person(text: str) -> Iterator[Quote]:
    """Yield the quotes of three words or more that a text says are the person's, in order."""
    under_heading, offset = False, 0
    for line in text.splitlines(keepends=True):
        item, behind = _ITEM.match(line), 0
        for match in _QUOTED.finditer(line):
            ahead = line[max(behind, match.start() - _LOOK_BACK) : match.start()]
            told = _AHEAD.search(ahead) or _BEHIND.match(line[match.end() : match.end() + _LOOK_BACK])
            listed = under_heading and item is not None and item.end() == match.start()
            group = match.lastindex or 1
            if (told or listed) and len(_words(match[group])) >= _FEWEST_WORDS:
                yield Quote(match[group], offset + match.start(group), offset + match.end(group))
            behind = match.end()
        if _HEADING.match(line.rstrip()):
            under_heading = True
        elif line.strip() and item is None:
            under_heading = False
        offset += len(line)


def says(texts: Iterable[str], quote: str) -> bool:
    """Whether one of the texts says the words of a quote, in that order and next to each other.

    Case, punctuation and white space do not matter. Where the quote leaves something out (`…`, `[…]`), each of its
    pieces has to stand in the same text, in order.
    """
    pieces = [words for words in map(_words, _LEFT_OUT.split(quote)) if words]
    return any(_holds(_words(text), pieces) for text in texts)


def _holds(words: list[str], pieces: list[list[str]]) -> bool:
    said, at = f" {' '.join(words)} ", 0
    for piece in pieces:
        found = said.find(f" {' '.join(piece)} ", at)
        if found < 0:
            return False
        at = found + sum(map(len, piece)) + len(piece)
    return True


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace("\u2019", "'"))
