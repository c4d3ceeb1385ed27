"""Where the originals of a fold go: the ways to keep them, and the protocol of an archive."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

from foldproof.messages import Message

Retain = Literal["conversation", "archive", "lineage", "discard"]
"""What happens to the originals of a fold.

* `conversation`: they are in the `FoldedSpan`.
* `archive`: they are in the archive that the visit was given.
* `lineage`: the `FoldedSpan` has the forms of what tools said in them, with their carriers, and nothing else.
* `discard`: nothing is kept beyond what every frame carries.
"""


class Archive(Protocol):
    """Keeps the originals of folds; `foldproof.archive` has one, and yours may be another.

    A visit that folds with `retain="archive"` redacts first, and keeps last: what it put into the window is what the
    archive holds. Whatever `keep` raises, nothing leaves the window, and the record says what it was.
    """

    def redact(self, message: Message, /) -> Message:
        """Return the message as it may be kept; the very message where nothing in it has to be hidden.

        Asked for every message of a span before anything else is done with it: the summary, the lineage and the frame
        are made of what it returns.
        """
        ...

    def keep(self, spans: Mapping[str, Sequence[Message]], /) -> None:
        """Keep each span under its address, all of them or none, durably once this returns.

        An address that is known already is the same span: keeping it again changes nothing.
        """
        ...


def span_address(span: Sequence[Message]) -> str:
    """Return SHA-256 (64 hex digits) over what the messages of a span say, in order."""
    said = " ".join(message.fingerprint for message in span)
    return hashlib.sha256(said.encode()).hexdigest()
