"""The counter over the published vocabularies."""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterator
from threading import Lock
from typing import Final

from foldproof.errors import UsageError, shown
from foldproof.tokens.vocabulary import VOCABULARIES, EncodingName, load_encoding

_CACHE_ENTRIES: Final = 65_536

# tiktoken panics on a run of a million spaces, and the panic passes `except Exception`. A run is cut long before that,
# at a multiple of every all-space token's length, so that the count of a run of one character stays exact.
_LONGEST_RUN: Final = 1 << 19
_SPACES: Final = re.compile(r"\s+")


class TiktokenCounter:
    """Counts with a published vocabulary: exactly what its models count for a text, special tokens read as plain text.

    For models of other vendors a count is an estimate. Counts are kept by the text's digest, so that a window which
    only grows costs its new messages. Safe to share between threads; a pickled or copied counter starts with no counts
    kept. The vocabulary is loaded at the first count.
    """

    def __init__(self, encoding: EncodingName = "o200k_base", *, cache_entries: int = _CACHE_ENTRIES) -> None:
        """Make a counter over `encoding` that keeps the counts of the last `cache_entries` different texts.

        Raises:
            UsageError: there is no vocabulary of that name here, or `cache_entries` is negative.
        """
        if encoding not in VOCABULARIES:
            cause = f"no vocabulary is called {shown(encoding)}; there are {', '.join(VOCABULARIES)}"
            raise UsageError(cause)
        if cache_entries < 0:
            cause = f"cache_entries is {cache_entries}; it must be 0 (keep nothing) or more"
            raise UsageError(cause)
        self._encoding: Final = encoding
        self._cache_entries: Final = cache_entries
        self._counts: OrderedDict[bytes, int] = OrderedDict()
        self._lock = Lock()

    @property
    def name(self) -> str:
        """What counted: `tiktoken/` and the vocabulary."""
        return f"tiktoken/{self._encoding}"

    def count(self, text: str, /) -> int:
        """Return the number of tokens in `text`.

        Any string counts: a surrogate pair is the character it stands for, and a lone surrogate is U+FFFD. In a run of
        more than half a million spaces of mixed kinds the count may be off by two tokens per half million.

        Raises:
            VocabularyError: the vocabulary file of this installation is damaged.
        """
        if not text:
            return 0
        text, data = _encodable(text)
        key = hashlib.sha256(data).digest()
        kept = self._recall(key)
        if kept is None:
            kept = self._count(text)
            self._keep(key, kept)
        return kept

    def _count(self, text: str) -> int:
        encoding = load_encoding(self._encoding)
        return sum(len(encoding.encode_ordinary(piece)) for piece in _pieces(text))

    def _recall(self, key: bytes) -> int | None:
        with self._lock:
            kept = self._counts.get(key)
            if kept is not None:
                self._counts.move_to_end(key)
            return kept

    def _keep(self, key: bytes, count: int) -> None:
        with self._lock:
            self._counts[key] = count
            while len(self._counts) > self._cache_entries:
                self._counts.popitem(last=False)

    def __repr__(self) -> str:
        return f"TiktokenCounter({self._encoding!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return (_restored, (self._encoding, self._cache_entries))


def _restored(encoding: EncodingName, cache_entries: int) -> TiktokenCounter:
    return TiktokenCounter(encoding, cache_entries=cache_entries)


def _encodable(text: str) -> tuple[str, bytes]:
    try:
        return text, text.encode()
    except UnicodeEncodeError:
        mended = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return mended, mended.encode()


def _pieces(text: str) -> Iterator[str]:
    start = 0
    if len(text) > _LONGEST_RUN:
        for run in _SPACES.finditer(text):
            for cut in range(run.start() + _LONGEST_RUN, run.end(), _LONGEST_RUN):
                yield text[start:cut]
                start = cut
    yield text[start:]
