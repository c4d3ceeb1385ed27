"""Folders of transcripts: which files to read, in which order, and which sub-agent belongs to which call."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from foldproof.transcripts.conversation import Conversation, Parent
from foldproof.transcripts.opencode_storage import is_storage

SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".eval", ".traj", ".md", ".responses")
"""Endings of the files that a folder is searched for. A file that is named itself may end in anything."""

_PASSED_OVER: Final = ("node_modules", "__pycache__")


def files_in(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the files below a folder that may be transcripts, in a fixed order: sub-agents behind the sessions.

    They end in one of `SUFFIXES`. Hidden folders below this one are passed over; links to folders are not followed. A
    storage of OpenCode, which holds a session in many files, is yielded as its folder.
    """
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        if is_storage(Path(place)):
            found.append(Path(place))
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _PASSED_OVER]
        found += [Path(place) / name for name in names if name.endswith(SUFFIXES)]
    yield from sorted(found, key=lambda file: (_is_sub_agent(file), file.parts))


def _is_sub_agent(file: Path) -> bool:
    """Whether a file is named as Claude Code names the session of a sub-agent."""
    return file.name.startswith("agent-") or "subagents" in file.parts


class Family:
    """Joins the conversations of several files: a sub-agent's to the call that ran it."""

    def __init__(self) -> None:
        """Know of no conversation yet."""
        self._ran: dict[str, Parent] = {}

    def joined(self, conversations: Iterable[Conversation]) -> Iterator[Conversation]:
        """Yield conversations, each with its parent where one of those yielded before ran it."""
        for conversation in conversations:
            for child, call in conversation.reading.ran.items():
                self._ran.setdefault(child, Parent(conversation.id, call))
            parent = self._ran.get(conversation.id)
            known = conversation.parent
            if parent is None or (known is not None and known.call is not None):
                yield conversation
            else:
                yield dataclasses.replace(conversation, parent=parent)
