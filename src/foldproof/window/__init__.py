"""What may leave the window, who refuses, the frames, the strategies, the records.

A strategy decides; the visit refuses, writes the frame, proves it smaller and files a record. Relies on `messages`,
`evidence` (the lineage that a frame carries) and `tokens`. Nothing here reads a file, a clock, the environment or a
random source.
"""

from foldproof.window.clearing import PlanClearing
from foldproof.window.counting import MessageCounter, characters, total_characters
from foldproof.window.engine import arun_visit, run_visit
from foldproof.window.events import (
    Event,
    Failed,
    Folded,
    Listener,
    MessageEvicted,
    Progress,
    Refused,
    Settled,
    VisitStarted,
    told,
)
from foldproof.window.extractive import ExtractiveSummarizer
from foldproof.window.faithful import Fallback, SummaryAttempt, SummaryCheck, UnsupportedClaim
from foldproof.window.guards import Guards, Run
from foldproof.window.history import history
from foldproof.window.originals import Archive, Retain, span_address
from foldproof.window.pins import Held, PinName, PinReport, Standing
from foldproof.window.plan import PlanRemoval, RemovalPlan
from foldproof.window.prompts import SummaryPrompt, summary_prompt
from foldproof.window.providers import WIRE_RULES, Provider, WireRules, validate_for
from foldproof.window.records import DroppedResult, FoldedSpan, Seam, WindowRecord, WindowState, span_of
from foldproof.window.refusals import REFUSAL_REASONS, Refusal, RefusalReason
from foldproof.window.strategies import (
    ClearToolResults,
    OffloadLarge,
    Pipeline,
    PromptCompactor,
    SlidingWindow,
    SummarizeOldest,
    TokenBudget,
)
from foldproof.window.strategies.base import VisitableStrategy, WindowStrategy
from foldproof.window.strategy import (
    Clear,
    Decision,
    Drop,
    Fold,
    InStages,
    Strategy,
    StrategyInput,
    Trigger,
    VisitOptions,
)
from foldproof.window.summaries import Summarizer, Summary, SummaryRequest, SummaryUsage
from foldproof.window.survival import Survival, Survived
from foldproof.window.triggers import CompactionUnmeasurableError, size_trigger, token_trigger, turn_trigger
from foldproof.window.visit import Visit

__all__ = [
    "REFUSAL_REASONS",
    "WIRE_RULES",
    "Archive",
    "Clear",
    "ClearToolResults",
    "CompactionUnmeasurableError",
    "Decision",
    "Drop",
    "DroppedResult",
    "Event",
    "ExtractiveSummarizer",
    "Failed",
    "Fallback",
    "Fold",
    "Folded",
    "FoldedSpan",
    "Guards",
    "Held",
    "InStages",
    "Listener",
    "MessageCounter",
    "MessageEvicted",
    "OffloadLarge",
    "PinName",
    "PinReport",
    "Pipeline",
    "PlanClearing",
    "PlanRemoval",
    "Progress",
    "PromptCompactor",
    "Provider",
    "Refusal",
    "RefusalReason",
    "Refused",
    "RemovalPlan",
    "Retain",
    "Run",
    "Seam",
    "Settled",
    "SlidingWindow",
    "Standing",
    "Strategy",
    "StrategyInput",
    "SummarizeOldest",
    "Summarizer",
    "Summary",
    "SummaryAttempt",
    "SummaryCheck",
    "SummaryPrompt",
    "SummaryRequest",
    "SummaryUsage",
    "Survival",
    "Survived",
    "TokenBudget",
    "Trigger",
    "UnsupportedClaim",
    "Visit",
    "VisitOptions",
    "VisitStarted",
    "VisitableStrategy",
    "WindowRecord",
    "WindowState",
    "WindowStrategy",
    "WireRules",
    "arun_visit",
    "characters",
    "history",
    "run_visit",
    "size_trigger",
    "span_address",
    "span_of",
    "summary_prompt",
    "token_trigger",
    "told",
    "total_characters",
    "turn_trigger",
    "validate_for",
]
