"""What is done with saved transcripts, without a model and without an agent: the audit.

Relies on `transcripts`, `evidence` and `messages`. Nothing here prints or reads a file: a conversation comes in, a
report goes out.
"""

from foldproof.offline.audit import answers_of, audit
from foldproof.offline.reports import (
    FINDINGS,
    VERDICTS,
    AnswerAudit,
    AuditedValue,
    AuditReport,
    Finding,
    NearValue,
)

__all__ = [
    "FINDINGS",
    "VERDICTS",
    "AnswerAudit",
    "AuditReport",
    "AuditedValue",
    "Finding",
    "NearValue",
    "answers_of",
    "audit",
]
