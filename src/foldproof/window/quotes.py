"""Words that a text puts in the person's mouth, and whether the person said them.

Only what stands in quotation marks is a quote, and only where the text says that the person said it: right ahead of it
(`The user asked: "…"`), right behind it (`"…", the customer said`), or in the heading of the list it stands in. A
paraphrase is none, and neither is a title that the person asked for, or what somebody told the person.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

_PERSON: Final = r"(?:user|customer|person|human|client|caller|shopper|patient|passenger|requester)"
_WHOSE: Final = rf"{_PERSON}(?:['\u2019]s)?"
_SPOKE: Final = (
    r"said|says|say|saying|wrote|writes|writing|stated|states|stating|replied|replies|answered|answers|"
    r"added|adds|confirmed|confirms|insisted|insists|instructed|instructs|requested|requests|demanded|"
    r"demands|typed|responded|responds|clarified|clarifies|noted|notes|explained|explains|agreed|agrees|"
    r"approved|approves|authorized|authorizes|authorised|authorises|ordered|orders|mentioned|mentions|"
    r"commented|comments|continued|continues|repeated|repeats|exclaimed|complained|complains"
)
_SAID: Final = rf"(?:{_SPOKE}|asked|asks|asking|told|tells|telling|put it)"
_TO_WHOM: Final = r"(?: (?:me|us|you|the assistant|the agent|the model|it))?"
_HOW: Final = r"(?: (?:verbatim|exactly|literally|again|then|also|explicitly|that))?"
_WHAT: Final = r"(?:messages?|requests?|words|instructions?|questions?|repl(?:y|ies)|answers?|quotes?|inputs?|prompts?)"
_WHICH: Final = r"(?:(?:the|our|this|all|final|latest|last|first|original|current|verbatim) ){0,3}"
_OTHERS: Final = (
    r"(?:assistant|agent|model|tool|system|bot|api|server|page|file|log|error|email|letter|who|which|that|I|we|reply|"
    r"replies|response|responses|explanation|answer|answers|was|were|is|are|been|being|got)"
)
_SPEAKER: Final = "".join(
    f"(?<!{verb} {the})"
    for verb in ("to", "told", "tell", "asked", "informed", "gave", "showed", "for", "with", "when")
    for the in ("", "the ", "our ", "this ")
)
"""Whoever was told something did not say it."""
_MARK: Final = '"\u201c\u201d\u00ab\u00bb\u201e'
_BEGIN: Final = r"(?:\A|[.;*#>|-]\s*)"
_AHEAD: Final = re.compile(
    rf"{_SPEAKER}\b{_PERSON}\b(?!['\u2019]s)(?:(?!\b{_OTHERS}\b)[^.!?;\n{_MARK}]){{0,60}}? "
    rf"{_SAID}{_TO_WHOM}{_HOW}\s?[:,]?\s*\Z"
    rf"|{_BEGIN}(?:\d{{1,3}}[.)] )?{_WHICH}{_WHOSE}(?: (?:last|latest|final|first|own|exact))?(?: {_WHAT})?"
    r"(?: was| were| is| reads?)?(?:, verbatim| \([^()\n]{1,24}\))?\**\s?:[\s*]*\Z"
    rf"|{_BEGIN}(?:verbatim |quote )?(?:from|per|by|according to) (?:the |our |this )?{_PERSON}\s?[:,]\s*\Z"
    rf"|\bin (?:the |our |this )?{_PERSON}['\u2019]s (?:own |exact )?words\s?[:,]\s*\Z"
    rf"|\|\s*{_PERSON}\s*\|\s*\Z",
    re.IGNORECASE,
)
_BEHIND: Final = re.compile(
    rf"\A\s?[,;]?\s*(?:\(|[-\u2013\u2014] ?)?(?:(?:the |our |this )?{_PERSON} {_SAID}(?! (?:by|to)\b)"
    rf"|(?:{_SPOKE}) (?:the |our |this )?{_PERSON})\b",
    re.IGNORECASE,
)
_HEADING: Final = re.compile(
    rf"\A[\s#*\d.)-]*(?:what )?{_WHICH}(?:{_WHOSE} (?:{_SAID}|{_WHAT})|{_WHAT} (?:of|from|by) the {_PERSON})\b"
    rf"[^{_MARK}]*:[\s*]*\Z",
    re.IGNORECASE,
)
_NOT_ALONE: Final = re.compile(rf"\b(?:{_OTHERS}|agents?|answered)\b", re.IGNORECASE)
_TITLE: Final = re.compile(r"\A\s*#|:[\s*]*\Z")
_ITEM: Final = re.compile(rf"\s*(?:(?:[-*•>]|\d{{1,3}}[.)])\s+)*(?=['`\u2018{_MARK}])|\s*(?:[-*•>]|\d{{1,3}}[.)])\s")
_QUOTED: Final = re.compile(
    r'"([^"\n]{1,2000})"|\u201c([^\u201d\n]{1,2000})\u201d|\u00ab([^\u00bb\n]{1,2000})\u00bb'
    r"|\u201e([^\u201c\u201d\n]{1,2000})[\u201c\u201d]|`([^`\n]{1,2000})`"
    r"|(?<![^\W_])['\u2018]((?:[^'\u2019\n]|['\u2019](?=[^\W_])){1,2000})['\u2019](?![^\W_])"
)
_LEFT_OUT: Final = re.compile(r"…|\.\.\.|\[\s*(?:…|\.\.\.|[\w'\u2019]{1,20}(?: [\w'\u2019]{1,20})?)?\s*\]")
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_LOOK_BACK: Final = 160
_FEWEST_WORDS: Final = 3
_ENDS: Final = (".", "!", "?")


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
            quote = Quote(match[match.lastindex or 1], *match.span(match.lastindex or 1))
            listed = under_heading and item is not None and item.end() == match.start()
            if len(_words(quote.text)) >= _FEWEST_WORDS and (listed or _is_the_persons(line, quote, match, behind)):
                yield quote._replace(start=offset + quote.start, end=offset + quote.end)
            behind = match.end()
        bare = line.strip()
        if _TITLE.search(bare):
            under_heading = _heads_quotes(bare)
        elif bare and item is None:
            under_heading = False
        offset += len(line)


def _is_the_persons(line: str, quote: Quote, match: re.Match[str], behind: int) -> bool:
    if _AHEAD.search(line[max(behind, match.start() - _LOOK_BACK) : match.start()]):
        return True
    after = line[match.end() : match.end() + _LOOK_BACK]
    # A quote that ends its own sentence is followed by the next one.
    goes_on = not quote.text.endswith(_ENDS) or after.lstrip()[:1].islower()
    return goes_on and _BEHIND.match(after) is not None


def _heads_quotes(line: str) -> bool:
    if _HEADING.match(line if line.endswith((":", "*")) else f"{line}:"):
        return _NOT_ALONE.search(line) is None
    return line.rstrip("* ").endswith(":") and _AHEAD.search(line[-_LOOK_BACK:]) is not None


def says(texts: Iterable[str], quote: str) -> bool:
    """Whether one of the texts says the words of a quote, in that order and next to each other.

    Case, punctuation and white space do not matter. Where the quote leaves something out (`…`, `[…]`) or has one word
    or two of its own in brackets, each of its pieces has to stand in the same text, in order.
    """
    pieces = [words for words in map(_words, _LEFT_OUT.split(quote)) if words]
    return bool(pieces) and any(_holds(_words(text), pieces) for text in texts)


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
