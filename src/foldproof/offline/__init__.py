"""What is done with saved transcripts, without a model and without an agent: the audit.

Relies on `transcripts`, `evidence` and `messages`. Nothing here prints or reads a file: a conversation comes in, a
report goes out.
"""

from foldproof.offline.arguments import JudgedArgument, arguments_of
from foldproof.offline.audit import answers_of, audit
from foldproof.offline.reports import (
    FINDINGS,
    VERDICTS,
    AnswerAudit,
    ArgumentAudit,
    AuditedDerivation,
    AuditedOperand,
    AuditedValue,
    AuditReport,
    Finding,
    NearValue,
    Unread,
)

__all__ = [
    "FINDINGS",
    "VERDICTS",
    "AnswerAudit",
    "ArgumentAudit",
    "AuditReport",
    "AuditedDerivation",
    "AuditedOperand",
    "AuditedValue",
    "Finding",
    "JudgedArgument",
    "NearValue",
    "Unread",
    "answers_of",
    "arguments_of",
    "audit",
]
