"""What a token counter is, so that a caller can bring one for any model."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class TokenCounter(Protocol):
    """Counts the tokens of a text; equal texts have equal counts, and the empty text has none.

    Counts do not add up across a split: `count(a + b)` may differ from `count(a) + count(b)` by a few tokens.
    """

    @property
    def name(self) -> str:
        """What counted, as records name it: for example `tiktoken/o200k_base`."""
        ...

    def count(self, text: str, /) -> int:
        """Return the number of tokens in `text`."""
        ...
