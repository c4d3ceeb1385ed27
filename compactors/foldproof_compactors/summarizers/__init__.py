"""Summaries by a model, for whoever brings a client of its provider; and a limit on how long any summarizer may take.

Importing this imports no SDK: each is imported where its summarizer is made.
"""

from foldproof_compactors.summarizers.anthropic import AnthropicSummarizer
from foldproof_compactors.summarizers.base import SummaryError
from foldproof_compactors.summarizers.openai import OpenAISummarizer
from foldproof_compactors.summarizers.patience import patient

__all__ = ["AnthropicSummarizer", "OpenAISummarizer", "SummaryError", "patient"]
