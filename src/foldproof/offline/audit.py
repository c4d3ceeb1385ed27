"""The audit: every answer of a saved conversation, judged against what came before it, and its arguments if asked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from foldproof.evidence import Derivation, EvidenceIndex, EvidenceOptions, Judgement, ValueVerdict, Verdict
from foldproof.messages import Message
from foldproof.offline.arguments import JudgedArgument, judge_arguments
from foldproof.offline.reports import (
    VERDICTS,
    AnswerAudit,
    ArgumentAudit,
    AuditedDerivation,
    AuditedOperand,
    AuditedValue,
    AuditReport,
    NearValue,
    Unread,
)
from foldproof.transcripts import Conversation

_TOOLS: Final = ("tools", "functions", "function", "toolConfig", "prompt")
"""Facts of a conversation that say which tools the model was offered."""


def audit(
    conversation: Conversation,
    *,
    options: EvidenceOptions | None = None,
    path: str | None = None,
    arguments: bool = False,
) -> AuditReport:
    """Judge every answer of a conversation and return what became of each value it states.

    Where something of the conversation could not be read, or is not in the file, nothing is called invented: it may
    have stood there.

    Args:
        conversation: what to audit; it is not changed.
        options: what the evidence index is told; its defaults when None.
        path: the file the conversation came from, for the report.
        arguments: judge also what the model typed into its tool calls; see `foldproof.offline.arguments`.
    """
    answers: list[AnswerAudit] = []
    typed: list[ArgumentAudit] = []
    options = options or EvidenceOptions()
    if conversation.incomplete or any(not damage.outside for damage in conversation.damage):
        options = options.model_copy(update={"incomplete": True})
    options = options.model_copy(update={"exempt": (*options.exempt, *_declared(conversation))})
    index = EvidenceIndex(options=options)
    for position, message in enumerate(conversation.messages):
        if arguments:
            typed.extend(map(_argument, judge_arguments(message, position, index)))
        judgement = _read_answer(message, index)
        if judgement is not None:
            values = tuple(map(_audited, judgement.values))
            answers.append(AnswerAudit(message=position, values=values, unexamined=judgement.unexamined))
    report = AuditReport(
        path=path,
        conversation=conversation.id,
        format=conversation.format,
        messages=len(conversation.messages),
        answers=tuple(answers),
        totals=_totals(answers),
    )
    more: dict[str, object] = {}
    if conversation.damage:
        more["damage"] = tuple(Unread(path=one.path, cause=one.cause) for one in conversation.damage)
    if arguments:
        more |= {"arguments": tuple(typed), "argument_totals": _totals(typed)}
    return report.model_copy(update=more)


def _declared(conversation: Conversation) -> tuple[str, ...]:
    """Return what the app declared beside the messages: the tools it offers, whose words the model may repeat."""
    found = (conversation.extras.get(name) for name in _TOOLS)
    return tuple(json.dumps(tools, ensure_ascii=False, default=str) for tools in found if tools)


def answers_of(
    messages: Sequence[Message], *, options: EvidenceOptions | None = None
) -> Iterator[tuple[int, Judgement]]:
    """Yield every answer's message index and its judgement, in order.

    An answer is an assistant message that says something. It is judged when nothing behind it has been read: it
    contributes only the arguments of its own calls and the results its provider's own tools gave it.
    """
    index = EvidenceIndex(options=options)
    for position, message in enumerate(messages):
        judgement = _read_answer(message, index)
        if judgement is not None:
            yield position, judgement


def _read_answer(message: Message, index: EvidenceIndex) -> Judgement | None:
    """Have the index read a message, and judge it if it is an answer."""
    index.extend((message,))
    is_answer = message.role == "assistant" and message.injected_by is None  # an app's error is no answer of the model
    return index.judge(message.text) if is_answer and message.text.strip() else None


def _totals(audits: Iterable[AnswerAudit | ArgumentAudit]) -> dict[Verdict, int]:
    found = Counter(value.verdict for audited in audits for value in audited.values)
    return {verdict: found[verdict] for verdict in VERDICTS}


def _argument(found: JudgedArgument) -> ArgumentAudit:
    return ArgumentAudit(
        message=found.message,
        tool_call_id=found.tool_call_id,
        tool_name=found.tool_name,
        path=found.path,
        values=tuple(map(_audited, found.judgement.values)),
        unexamined=found.judgement.unexamined,
    )


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
        derivation=None if value.derivation is None else _derivation(value.derivation),
        latest=value.latest,
        folded=value.folded,
        elsewhere=value.elsewhere,
    )


def _derivation(found: Derivation) -> AuditedDerivation:
    operands = tuple(
        AuditedOperand(text=operand.text, start=operand.start, end=operand.end, carriers=operand.carriers)
        for operand in found.operands
    )
    return AuditedDerivation(operation=found.operation, operands=operands, rivals=found.rivals)
