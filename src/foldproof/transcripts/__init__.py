"""Saved transcripts: one file per format, read into messages and written back losslessly.

`load`, `load_all`, `read_text` and `parse` read; `Conversation.replace` puts another window in; `dump` writes. What was
kept is written as it was read, byte for byte where the file has one row a line.
"""

from foldproof.transcripts.codec import FIELDS, Codec, Format
from foldproof.transcripts.conversation import Conversation, Edit, Entry, Parent, Reading
from foldproof.transcripts.damage import Damage
from foldproof.transcripts.folders import Family, files_in
from foldproof.transcripts.opencode_storage import is_storage
from foldproof.transcripts.reading import load, load_all, parse, parse_as, read_text, recognised, recognised_in
from foldproof.transcripts.registry import Recognised, UnknownFormatError, detect, formats
from foldproof.transcripts.writing import dump, written

__all__ = [
    "FIELDS",
    "Codec",
    "Conversation",
    "Damage",
    "Edit",
    "Entry",
    "Family",
    "Format",
    "Parent",
    "Reading",
    "Recognised",
    "UnknownFormatError",
    "detect",
    "dump",
    "files_in",
    "formats",
    "is_storage",
    "load",
    "load_all",
    "parse",
    "parse_as",
    "read_text",
    "recognised",
    "recognised_in",
    "written",
]
