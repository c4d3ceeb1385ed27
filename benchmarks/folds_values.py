"""What counts as a value here: a definition of its own, so that the library is not measured with its own eyes.

* identifier: a word of letters and digits (`HAT136`), an e-mail address, or a number of six digits or more;
* number: three digits or more, or a fraction, a currency or a percentage; dates and clocks as they are written;
* path: what has two slashes and letters, or ends like a file; `and/or` has none of both;
* error: a line of a result that opens with one (`TypeError: …`, `Error: …`), by its first 60 characters.

Numbers are compared without their grouping, currency, percent sign and trailing zeros; all else without regard to case.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Literal

import foldproof as fp

Class = Literal["identifiers", "numbers", "paths", "errors"]
CLASSES: tuple[Class, ...] = ("identifiers", "numbers", "paths", "errors")
Values = frozenset[tuple[Class, str]]

_BETWEEN = re.compile(r"[\s\"'`()\[\]{}<>,;|=*…“”\u2018\u2019]+")
_ESCAPED = re.compile(r"\\[nrt\"]")
_GROUPED = re.compile(r"(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])")
_LINE = re.compile(r"(?::\d+){1,2}$")
_NUMBER = re.compile(r"[$€£]?[-+]?[$€£]?(\d+(?:\.\d+)?)%?")
_DATE = re.compile(r"\d{1,4}[-/:.]\d{1,2}(?:[-/:.]\d{1,4})?(?:t[\d:.z+-]+)?")
_FILE = re.compile(
    r"[\w.-]*\w\.(?:py|pyi|ts|tsx|js|mjs|jsx|json|jsonl|md|txt|toml|yaml|yml|cfg|ini|sh|html|css|go|rs|c|h|cpp|java|sql"
    r"|csv|log|lock|xml|php|rb)"
)
_PATH = re.compile(r"(?:\w+://)?[\w.~@+:-]*[/\\][\w./\\@+~:%#?&-]*(?:[/\\][\w./\\@+~:%#?&-]*|\.[a-z]{1,5})")
_IDENTIFIER = re.compile(r"(?=\S*\d)(?=\S*[a-z])[\w.@+:#-]{4,80}|[\w.+-]+@[\w-]+\.[\w.]+")
_DRESSED = re.compile(r"\d+(?:\.\d+)?[a-z]{1,3}")
_ERROR = re.compile(r"^[^\w\n]{0,12}((?:[\w.]*(?:Error|Exception)|error|fatal|FAILED)(?:\[\w+\])?: \S.*)", re.MULTILINE)


def values_in(text: str) -> Values:
    """The identifiers, numbers and paths of a text."""
    plain = _GROUPED.sub(lambda match: match.group().replace(",", ""), _ESCAPED.sub(" ", text))
    words = {word for word in _BETWEEN.split(plain) if word}
    return frozenset(value for word in words for value in _read(word.casefold()))


def _read(word: str) -> Iterator[tuple[Class, str]]:
    word = word.strip(".:!?_#&-") or word
    number = _NUMBER.fullmatch(word)
    if number:
        digits = number[1]
        if "." not in digits and len(digits) >= 6:
            yield "identifiers", digits
        elif "." in digits or word[0] in "$€£" or word[-1] == "%" or len(digits) >= 3:
            yield "numbers", digits.rstrip("0").rstrip(".") if "." in digits else digits
    elif _DATE.fullmatch(word):
        yield "numbers", word
    elif _PATH.fullmatch(_LINE.sub("", word)) and sum(map(str.isalpha, word)) > 3:
        yield "paths", _LINE.sub("", word).rstrip("/\\")
    elif _FILE.fullmatch(_LINE.sub("", word)):
        yield "paths", _LINE.sub("", word)
    elif _IDENTIFIER.fullmatch(word) and not _DRESSED.fullmatch(word):
        yield "identifiers", word


def errors_in(text: str) -> Values:
    """The errors of a result."""
    return frozenset(("errors", _folded(match[1])[:60]) for match in _ERROR.finditer(text))


def states_error(text: str, error: str) -> bool:
    """Whether a text repeats an error's line."""
    return error in _folded(_ESCAPED.sub(" ", text))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def words_of(message: fp.Message) -> str:
    """What a message says as plain text: JSON as its keys, strings and numbers; the arguments of calls too."""
    said = [message.text]
    if message.role == "tool":
        with contextlib.suppress(ValueError):  # most results are text
            said = list(_leaves(json.loads(message.text, parse_float=str, parse_int=str)))
    for call in message.tool_calls:
        said.extend(_leaves(call.args))
    return "\n".join(said)


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, child in value.items():
            yield str(key)
            yield from _leaves(child)
    elif isinstance(value, list | tuple):
        for child in value:
            yield from _leaves(child)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
