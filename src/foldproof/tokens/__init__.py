"""Counting the tokens of a text: what a counter is, and one over the published vocabularies, which ship with it.

Beside the floors. It relies on the errors and, once something is counted, on tiktoken; it knows texts and not messages,
so what a whole message costs is the window's question.
"""

from functools import cache

from foldproof.tokens.counter import TokenCounter
from foldproof.tokens.tiktoken_counter import TiktokenCounter
from foldproof.tokens.vocabulary import EncodingName, VocabularyError, load_encoding

__all__ = [
    "EncodingName",
    "TiktokenCounter",
    "TokenCounter",
    "VocabularyError",
    "default_counter",
    "load_encoding",
]


@cache
def default_counter() -> TokenCounter:
    """Return the process's one counter over `o200k_base`, so that everybody who counts shares what is kept."""
    return TiktokenCounter("o200k_base")
