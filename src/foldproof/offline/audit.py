"""The audit: every answer of a saved conversation, judged against what came before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from foldproof.evidence import EvidenceIndex, EvidenceOptions, Judgement, ValueVerdict
from foldproof.messages import Message
from foldproof.offline.reports import VERDICTS, AnswerAudit, AuditedValue, AuditReport, NearValue
from foldproof.transcripts import Conversation


def audit(
    conversation: Conversation, *, options: EvidenceOptions | None = None, path: str | None = None
) -> AuditReport:
    """Judge every answer of a conversation and return what became of each value it states.

    Args:
        conversation: what to audit; it is not changed.
        options: what the evidence index is told; its defaults when None.
        path: the file the conversation came from, for the report.
    """
    answers = tuple(
        AnswerAudit(message=index, values=tuple(map(_audited, judgement.values)), unexamined=judgement.unexamined)
        for index, judgement in answers_of(conversation.messages, options=options)
    )
    found = Counter(value.verdict for answer in answers for value in answer.values)
    return AuditReport(
        path=path,
        conversation=conversation.id,
        format=conversation.format,
        messages=len(conversation.messages),
        answers=answers,
        totals={verdict: found[verdict] for verdict in VERDICTS},
    )


def answers_of(
    messages: Sequence[Message], *, options: EvidenceOptions | None = None
) -> Iterator[tuple[int, Judgement]]:
    """Yield every answer's message index and its judgement, in order.

    An answer is an assistant message that says something. It is judged when nothing behind it has been read: it
    contributes only the arguments of its own calls and the results its provider's own tools gave it.
    """
    index = EvidenceIndex(options=options)
    for position, message in enumerate(messages):
        index.extend((message,))
        if message.role == "assistant" and message.text.strip():
            yield position, index.judge(message.text)


def _audited(value: ValueVerdict) -> AuditedValue:
    near = value.near
    return AuditedValue(
        text=value.text,
        start=value.start,
        end=value.end,
        kind=value.kind,
        verdict=value.verdict,
        how=value.how,
        carriers=value.carriers,
        near=None if near is None else NearValue(text=near.text, carriers=near.carriers),
        derivation=value.derivation,
    )
