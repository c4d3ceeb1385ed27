"""What may leave the window, who refuses, the frames, the strategies, the records.

A strategy decides; the visit refuses, writes the frame, proves it smaller and files a record. Relies on `messages`,
`evidence` (the lineage that a frame carries) and `tokens`. Nothing here reads a file, a clock, the environment or a
random source.
"""

from foldproof.window.counting import MessageCounter, characters, total_characters
from foldproof.window.engine import arun_visit, run_visit
from foldproof.window.pins import Held, PinName, PinReport, Standing
from foldproof.window.plan import Guards, PlanRemoval, RemovalPlan, Run
from foldproof.window.records import DroppedResult, FoldedSpan, Retain, WindowRecord, WindowState
from foldproof.window.refusals import REFUSAL_REASONS, Refusal, RefusalReason
from foldproof.window.strategies import SlidingWindow, SummarizeOldest, TokenBudget
from foldproof.window.strategies.base import WindowStrategy
from foldproof.window.strategy import Decision, Fold, Strategy, StrategyInput, Trigger, VisitOptions
from foldproof.window.summaries import ExtractiveSummarizer, Summarizer, SummaryRequest
from foldproof.window.triggers import CompactionUnmeasurableError, token_trigger, turn_trigger
from foldproof.window.visit import Visit

__all__ = [
    "REFUSAL_REASONS",
    "CompactionUnmeasurableError",
    "Decision",
    "DroppedResult",
    "ExtractiveSummarizer",
    "Fold",
    "FoldedSpan",
    "Guards",
    "Held",
    "MessageCounter",
    "PinName",
    "PinReport",
    "PlanRemoval",
    "Refusal",
    "RefusalReason",
    "RemovalPlan",
    "Retain",
    "Run",
    "SlidingWindow",
    "Standing",
    "Strategy",
    "StrategyInput",
    "SummarizeOldest",
    "Summarizer",
    "SummaryRequest",
    "TokenBudget",
    "Trigger",
    "Visit",
    "VisitOptions",
    "WindowRecord",
    "WindowState",
    "WindowStrategy",
    "arun_visit",
    "characters",
    "run_visit",
    "token_trigger",
    "total_characters",
    "turn_trigger",
]
