"""Where the originals of a fold go: the protocol of an archive, and the address under which it keeps a span."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Protocol

from foldproof.messages import Message


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
