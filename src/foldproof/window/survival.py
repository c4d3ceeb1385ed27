"""What a fold keeps of what its span said: identifiers, numbers, paths and errors, in the frames and elsewhere.

A value is kept where it could be looked up again: under the same forms, and by the same rules, as a judgement looks up
what an answer states. It costs about as much as reading the span and the window once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple, get_args

from foldproof.evidence.candidates import scan
from foldproof.evidence.reading import Path, arguments_in, leaf_texts, read_result, said_by_tools, value_texts
from foldproof.evidence.stated import REMEMBERED, stated_by, stated_by_each
from foldproof.evidence.values import Kind, Value
from foldproof.messages import Message, author_of, frame_kind
from foldproof.messages.base import FrozenModel
from foldproof.window.frames import claim_of

MOST_NAMED: Final = 12
"""How many lost values of a class are named."""

LONGEST_NAMED: Final = 64
"""How many code points a lost value is named with."""

_Class = Literal["identifiers", "numbers", "paths", "errors"]

_IDENTIFIERS: Final[frozenset[Kind]] = frozenset(
    {"identifier", "version", "uuid", "hash", "mac", "ip", "email", "phone", "declared"}
)
_PATHS: Final[frozenset[Kind]] = frozenset({"path", "url"})
_MIN_DIGITS: Final = 3
_DISTINCTIVE: Final = 80

_ERROR: Final = re.compile(
    r"^[ \t]{0,40}(?:E[ ]{2,8}|[>|*#-]{1,4}[ ])?(?:[^\s:]{1,200}(?::\d{1,7}){1,2}:[ ])?(?P<said>"
    r"(?:(?:[A-Za-z_][\w.]{0,80})?(?:Error|Exception)|(?i:error|fatal(?: error)?|panic))(?:\[\w{1,12}\])?:[ ]\S[^\n]*"
    r"|(?:FAILED|npm ERR!)[ ]\S[^\n]*"
    r"|\S[^\n]{0,200}: (?:command not found|No such file or directory|Permission denied)\b[^\n]*)",
    re.MULTILINE,
)
"""A line that reads as an error: it opens with one (`TypeError: …`, `x.py:3: error: …`), or a shell ends it so."""

_MAY_BE_ERROR: Final = re.compile(
    r"(?i)error|exception|fatal|panic|failed|err!|not found|no such file|permission denied"
)
_ERROR_KEYS: Final = frozenset({"error", "error_message", "errormessage"})
_SET: Final = r"(?=[\"']?\s{0,2}[:=](?!\s?[\"']?[/~])|\Z)"
_NAMES_CODES: Final = (
    r"(?:(?:recovery|backup|verification|security|access|activation|auth\w{0,12}|log-?in|sign-?in|unlock|reset|sms|[2m]fa"
    r"|two-factor|one-?time|single-use)[-_ ]?(?:codes?|phrases?|pass\w{0,8})|\byour (?:[\w-]{1,20} )?code is\b)"
)
_NAMES_A_KEY: Final = (
    r"(?:passw(?:or)?d|passphrase|passcode|secret|token(?!s)|api[-_ ]?key|credential|authorization|bearer|cookie"
    rf"|signature|(?:private|access|session|account)[-_ ]?key|(?<![a-z])(?:pin|cvv|cvc|otp|ssn)(?![a-z])|{_NAMES_CODES}"
    rf"|(?:pass|pwd|pw){_SET})"
)
_OPTION: Final = (
    r"(?:(?<!\S)-p(?=[^\s:/\d]{0,40}\d)(?=[^\s:/a-z]{0,40}[a-z])|sshpass\s-p|redis-cli\b[^\n]{0,30}\s-a\s"
    r"|(?<!\S)(?:-u|--user)[\s=][a-z][\w.-]{0,20}:)"
)
_SECRET: Final = re.compile(rf"(?=[abcl-psu-vyrt2-])(?:{_NAMES_A_KEY}|{_OPTION})", re.IGNORECASE)
_SECRET_SET: Final = re.compile(
    rf"{_NAMES_A_KEY}[\w-]{{0,20}}[\"']?\s{{0,4}}(?:[:=]|is\s|\S{{12}})|{_OPTION}", re.IGNORECASE
)
_SECRET_LIST: Final = re.compile(
    rf"{_NAMES_CODES}[^\n:=]{{0,40}}[:=]\s{{0,4}}(?:[^\n]|\n(?![ \t]{{0,80}}\n))*"
    rf"|{_NAMES_A_KEY}[\w \t\"'*]{{0,20}}:[ \t*]{{0,8}}\n{{1,2}}[^\n]*",
    re.IGNORECASE,
)
"""Codes go on behind their heading to the end of the paragraph, and a secret may stand on the line below its name."""

_IN_FRONT: Final = 32
_KEY_SHAPED: Final = re.compile(
    r"(?:sk|pk|rk|gh[a-z]|github_pat|glpat|xox[a-z]|hf|npm|pypi)[-_]\w|AKIA|ASIA|AIza|eyJ|-----BEGIN"
    r"|:(?://[^\s/@:]{0,200}:)?[^\s/@:]{1,200}@(?!sha\d)[^\s/@]"
)
"""Prefixes that services give to their keys, and what stands ahead of a host: `user:password@host`."""

_LONG_TOKEN: Final = re.compile(r"[A-Za-z0-9+=]{20,}")
_WORD: Final = re.compile(r"[A-Za-z]?[a-z]{3,}")


class Survived(FrozenModel):
    """How much of one class of values survived a fold. Each is counted once, however often it was said.

    Attributes:
        total: how many different ones the span said.
        kept: how many of them the frames state.
        elsewhere: how many others the rest of the window states.
        lost: what is in neither, the latest first: at most 12, of at most 64 code points and one line each. What looks
            like a credential is counted, and never named.
    """

    total: int = 0
    kept: int = 0
    elsewhere: int = 0
    lost: tuple[str, ...] = ()

    @property
    def lost_count(self) -> int:
        """How many are in neither, named or not."""
        return self.total - self.kept - self.elsewhere


class Survival(FrozenModel):
    """What a fold kept of what its span said, by class. Numbers of fewer than three digits are not counted.

    Attributes:
        identifiers: ids, versions, hashes, network addresses, e-mail addresses and telephone numbers.
        numbers: numbers, money and other quantities, dates, clocks, ranges and ratios.
        paths: paths and URLs.
        errors: lines of results that read as an error, and what results that failed say first.
    """

    identifiers: Survived
    numbers: Survived
    paths: Survived
    errors: Survived


class _Said(NamedTuple):
    """Something that the span said: how it is named, what finds it again, and whether it may be a credential."""

    text: str
    value: Value | None
    is_secret: bool


_Found = dict[_Class, dict[str, _Said]]


def survival(span: Sequence[Message], frames: Sequence[Message], rest: Sequence[Message]) -> Survival:
    """Return what survives of a span that left.

    Args:
        span: the messages that leave. What tools, the person and the app said counts, and what the text of a frame
            among them claims; the model's own words do not.
        frames: what stands in their place; none for a drop without a notice.
        rest: every other message of the window.
    """
    found = _said_in(span)
    in_frames, elsewhere = _Held(frames), _Held(rest)
    return Survival(**{each: _survived(found[each], in_frames, elsewhere) for each in get_args(_Class)})


def errors_said(message: Message) -> tuple[str, ...]:
    """Return the lines of a result that read as an error; where it failed and has none, its first line with words."""
    found: _Found = {each: {} for each in get_args(_Class)}
    for segment in said_by_tools(message):
        if message.is_error or _MAY_BE_ERROR.search(segment.text):
            _read_result(segment.text, found, failed=bool(message.is_error), only_errors=True)
    return tuple(said.text for said in found["errors"].values())


def examined_values(text: str) -> tuple[Value, ...]:
    """Return the values of a text that have three digits or are distinctive. Short texts repeat and are remembered."""
    return tuple(value for _, value in (_values(text) if len(text) <= REMEMBERED else _scanned(text)))


def _survived(said: dict[str, _Said], in_frames: _Held, elsewhere: _Held) -> Survived:
    missing = [each for each in said.values() if not in_frames.holds(each)]
    lost = [each for each in missing if not elsewhere.holds(each)]
    return Survived(
        total=len(said), kept=len(said) - len(missing), elsewhere=len(missing) - len(lost), lost=tuple(_named(lost))
    )


def _named(lost: list[_Said]) -> Iterator[str]:
    left = MOST_NAMED
    for said in reversed(lost):
        if left and not said.is_secret and not _is_key_shaped(said.text):
            line = " ".join(said.text.split())
            yield line if len(line) <= LONGEST_NAMED else line[: LONGEST_NAMED - 1] + "…"
            left -= 1


class _Held:
    """What some messages say, read when something is first looked for."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._forms: set[str] | None = None
        self._text: str | None = None

    def holds(self, said: _Said) -> bool:
        """Whether they say it: a value under one of its forms, an error by the first 80 code points of its line."""
        if said.value is not None:
            return self._states(said.value)
        if self._text is None:
            self._text = "\n".join(_folded(text) for message in self._messages for text in _texts(message))
        return _folded(said.text)[:_DISTINCTIVE] in self._text

    def _states(self, value: Value) -> bool:
        if self._forms is None:
            self._forms = {form for message in self._messages for form in _forms(message)}
        forms = self._forms
        if value.form in forms or any(look.form in forms for look in value.lookups if look.how != "ambiguous"):
            return True
        return bool(value.pieces) and all(map(self._states, value.pieces))


def _texts(message: Message) -> Iterator[str]:
    """Yield the texts of a message that a model reads: its words, and the texts in the arguments of its calls."""
    yield message.text
    for segment in said_by_tools(message):
        yield from leaf_texts(segment.text)  # as decoded: an error may stand in JSON
    for arguments in arguments_in(message):
        yield from value_texts(arguments)


def _forms(message: Message) -> Iterator[str]:
    texts: Iterable[str] = leaf_texts(message.text) if message.role == "tool" else (message.text,)
    for stated in stated_by_each(texts):
        yield from stated.forms
    if message.role == "assistant":
        for segment in said_by_tools(message):
            yield from (form for leaf in leaf_texts(segment.text) for form in stated_by(leaf).forms)
        for arguments in arguments_in(message):
            yield from (form for text in value_texts(arguments) for form in stated_by(text).forms)


def _said_in(span: Sequence[Message]) -> _Found:
    found: _Found = {each: {} for each in get_args(_Class)}
    for message in span:
        author = author_of(message)
        if author in ("person", "app"):
            _read(message.text, (), found)
        elif frame_kind(message) == "summary":
            claim = claim_of(message)
            _read(claim, (), found)
            _read_errors(claim, (), found)
        for segment in said_by_tools(message):
            _read_result(segment.text, found, failed=bool(message.is_error))
    return found


def _read_result(text: str, found: _Found, *, failed: bool, only_errors: bool = False) -> None:
    said_errors = False
    for leaf in read_result(text):
        if not only_errors:
            _read(leaf.text, leaf.path, found)
        if not (leaf.is_key or leaf.is_number):
            said_errors = _read_errors(leaf.text, leaf.path, found) or said_errors
    if failed and not said_errors:
        _add_error(_first_line(text), found)


def _read(text: str, path: Path, found: _Found) -> None:
    values = _values(text) if len(text) <= REMEMBERED else _scanned(text)
    if not values:
        return
    under_secret = any(map(_is_secret_key, path))
    in_text = under_secret or _SECRET.search(text) is not None
    lists = [match.span() for match in _SECRET_LIST.finditer(text)] if in_text else []
    for kind, value in values:
        secret = under_secret or (in_text and (_follows_a_secret(text, value) or _is_within(value, lists)))
        known = found[kind].pop(value.form, None)  # the latest comes last
        secret = secret or (known is not None and known.is_secret)
        found[kind][value.form] = _Said(value.text, value, secret)


def _read_errors(text: str, path: Path, found: _Found) -> bool:
    """Add the errors of a leaf, and say whether there were any."""
    last = str(path[-1]).casefold() if path else ""
    if last in _ERROR_KEYS or (last == "message" and path[-2:-1] == ("error",)):
        lines = [_first_line(text)]
    else:
        lines = [match["said"] for match in _ERROR.finditer(text)]
    for line in lines:
        _add_error(line, found)
    return bool(lines)


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if _WORD.search(line)), text)


def _add_error(line: str, found: _Found) -> None:
    distinctive = _folded(line)[:_DISTINCTIVE]
    if distinctive:
        found["errors"].pop(distinctive, None)
        found["errors"][distinctive] = _Said(line, None, _SECRET_SET.search(line) is not None)


@lru_cache(maxsize=4_096)
def _values(text: str) -> tuple[tuple[_Class, Value], ...]:
    return _scanned(text)


def _scanned(text: str) -> tuple[tuple[_Class, Value], ...]:
    return tuple((_class_of(value), value) for value in scan(text) if value.is_examined(_MIN_DIGITS))


def _class_of(value: Value) -> _Class:
    if value.kind in _IDENTIFIERS:
        return "identifiers"
    return "paths" if value.kind in _PATHS else "numbers"


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


@lru_cache(maxsize=1_024)
def _is_secret_key(key: str | int) -> bool:
    return isinstance(key, str) and _SECRET.search(key) is not None


def _follows_a_secret(text: str, value: Value) -> bool:
    """Whether a line says that what comes next is a secret (`API_KEY=…`, `password: …`), or the value itself does."""
    return _SECRET.search(text[max(0, value.start - _IN_FRONT) : value.end].rpartition("\n")[2]) is not None


def _is_within(value: Value, spans: list[tuple[int, int]]) -> bool:
    place = bisect_right(spans, (value.start, value.end))
    return place > 0 and value.end <= spans[place - 1][1]


def _is_key_shaped(text: str) -> bool:
    """Whether a text holds what may be a key: a known prefix, or a long run of letters and digits that is no words."""
    return _KEY_SHAPED.search(text) is not None or any(map(_is_random, _LONG_TOKEN.findall(text)))


def _is_random(token: str) -> bool:
    in_words = sum(map(len, _WORD.findall(token)))
    return not token.isdecimal() and any(map(str.isdecimal, token)) and 2 * in_words < len(token)
