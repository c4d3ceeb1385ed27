"""The strategies, one file each."""

from foldproof.window.strategies.sliding_window import SlidingWindow
from foldproof.window.strategies.summarize_oldest import SummarizeOldest
from foldproof.window.strategies.token_budget import TokenBudget

__all__ = ["SlidingWindow", "SummarizeOldest", "TokenBudget"]
