"""The evidence index: what tools said, what was supplied, and what the model only said to its tools. Incremental."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from foldproof.errors import UsageError, shown
from foldproof.evidence.corpus import Corpus
from foldproof.evidence.judge import judge
from foldproof.evidence.options import EvidenceOptions
from foldproof.evidence.verdicts import Judgement
from foldproof.evidence.view import View
from foldproof.messages import Message, check_message


class EvidenceIndex:
    """What was read, ready to judge answers against.

    Pass messages in the order they happened; `extend` adds later ones and costs only those. Indices in carriers count
    from the first message ever passed. Judging never changes what was read.
    """

    def __init__(self, messages: Sequence[Message] = (), *, options: EvidenceOptions | None = None) -> None:
        self.options = options or EvidenceOptions()
        self._corpus = Corpus(self.options.max_characters)
        self.extend(messages)

    @property
    def messages(self) -> Sequence[Message]:
        """Every message the index has read, in order; carriers point into it."""
        return tuple(self._corpus.messages)

    def extend(self, messages: Iterable[Message]) -> None:
        """Read more messages, which happened after those read before.

        Raises:
            UsageError: something among the messages is no `Message`; those before it have been read.
        """
        for message in messages:
            check_message(message, len(self._corpus.messages))
            self._corpus.add(message)

    def judge(self, text: str, *, options: EvidenceOptions | None = None) -> Judgement:
        """Say of every value that `text` states whether a tool said it, somebody supplied it, or the model made it up.

        `options` replaces the index's own for this judgement, all but `max_characters`, which bounds what is read. The
        cost does not grow with what was read, except for declared shapes, and for the first number that no tool said
        after more was read.

        Raises:
            UsageError: `text` is no text.
        """
        if not isinstance(text, str):
            raise UsageError(f"text is {shown(text)}; pass the answer's text")
        return judge(text, View(self._corpus, options or self.options))
