"""Saved transcripts: one file per format, read into messages and written back losslessly.

`load`, `load_all`, `read_text` and `parse` read; `Conversation.replace` puts another window in; `dump` writes. What was
kept is written as it was read, byte for byte where the file has one row a line.
"""

from foldproof.transcripts.codec import Format
from foldproof.transcripts.conversation import Conversation
from foldproof.transcripts.reading import load, load_all, parse, read_text
from foldproof.transcripts.registry import detect, formats
from foldproof.transcripts.writing import dump

__all__ = ["Conversation", "Format", "detect", "dump", "formats", "load", "load_all", "parse", "read_text"]
