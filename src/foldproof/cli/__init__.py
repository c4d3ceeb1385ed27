"""The commands, and nothing else: parse, call, print. One file per command; the only room that knows click and rich."""

from foldproof.cli.app import main

__all__ = ["main"]
