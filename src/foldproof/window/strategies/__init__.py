"""The strategies, one file each."""

from foldproof.window.strategies.clear_tool_results import ClearToolResults
from foldproof.window.strategies.offload_large import OffloadLarge
from foldproof.window.strategies.pipeline import Pipeline
from foldproof.window.strategies.prompt_compactor import PromptCompactor
from foldproof.window.strategies.sliding_window import SlidingWindow
from foldproof.window.strategies.summarize_oldest import SummarizeOldest
from foldproof.window.strategies.token_budget import TokenBudget

__all__ = [
    "ClearToolResults",
    "OffloadLarge",
    "Pipeline",
    "PromptCompactor",
    "SlidingWindow",
    "SummarizeOldest",
    "TokenBudget",
]
