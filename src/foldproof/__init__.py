"""Conversation compaction and evidence lineage for LLM agents. Fold the window, keep the proof."""
