"""What was read: values, the index of what tools said, what is exempt, and the judgement of what an answer states.

Relies on `messages` only. Nothing here reads a file, a clock, the environment or a random source.
"""

from foldproof.evidence.arithmetic import Operation
from foldproof.evidence.carriers import Carrier
from foldproof.evidence.exempt import ExemptHow, exempt_forms
from foldproof.evidence.gate import (
    Gate,
    GateContext,
    GateDecision,
    GateOutcome,
    GateRecord,
    GateResult,
    GateValue,
    Instruction,
    Posture,
    UnsupportedValuesError,
    UnsupportedVerdict,
)
from foldproof.evidence.index import EvidenceIndex
from foldproof.evidence.near import Near
from foldproof.evidence.options import EvidenceOptions
from foldproof.evidence.reading import Leaf, read_result
from foldproof.evidence.stated import evidence_forms
from foldproof.evidence.values import How, Kind, Value
from foldproof.evidence.verdicts import Citation, Derivation, Judgement, Operand, ValueVerdict, Verdict

__all__ = [
    "Carrier",
    "Citation",
    "Derivation",
    "EvidenceIndex",
    "EvidenceOptions",
    "ExemptHow",
    "Gate",
    "GateContext",
    "GateDecision",
    "GateOutcome",
    "GateRecord",
    "GateResult",
    "GateValue",
    "How",
    "Instruction",
    "Judgement",
    "Kind",
    "Leaf",
    "Near",
    "Operand",
    "Operation",
    "Posture",
    "UnsupportedValuesError",
    "UnsupportedVerdict",
    "Value",
    "ValueVerdict",
    "Verdict",
    "evidence_forms",
    "exempt_forms",
    "read_result",
]
