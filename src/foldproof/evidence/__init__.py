"""What was read: values, the index of what tools said, what is exempt, and the judgement of what an answer states.

Relies on `messages` only. Nothing here reads a file, a clock, the environment or a random source.
"""

from foldproof.evidence.carriers import Carrier
from foldproof.evidence.exempt import ExemptHow, exempt_forms
from foldproof.evidence.index import EvidenceIndex
from foldproof.evidence.judge import Judgement, Near, ValueVerdict, Verdict
from foldproof.evidence.options import EvidenceOptions
from foldproof.evidence.reading import Leaf, read_result
from foldproof.evidence.stated import evidence_forms
from foldproof.evidence.values import How, Kind, Value

__all__ = [
    "Carrier",
    "EvidenceIndex",
    "EvidenceOptions",
    "ExemptHow",
    "How",
    "Judgement",
    "Kind",
    "Leaf",
    "Near",
    "Value",
    "ValueVerdict",
    "Verdict",
    "evidence_forms",
    "exempt_forms",
    "read_result",
]
