"""agent-framework-core: a history file, one message a line."""

from __future__ import annotations

import asyncio
from pathlib import Path

from agent_framework import FileHistoryProvider, Message
from tests.frameworks.as_agent_framework_core import FLAGS_ERRORS, FORMAT, KEEPS_NOTES, TOLD, pieces_of, talk, words
from tests.frameworks.talk import Piece

__all__ = ["FLAGS_ERRORS", "FORMAT", "KEEPS_NOTES", "TOLD", "loaded", "words", "written", "written_again"]

_SESSION = "session-1"


def written(folder: Path) -> Path:
    return _saved(talk(), folder / "history")


def _saved(messages: list[Message], folder: Path) -> Path:
    asyncio.run(FileHistoryProvider(folder).save_messages(_SESSION, messages))
    return folder / f"{_SESSION}.jsonl"


def _messages(path: Path) -> list[Message]:
    store = FileHistoryProvider(path.parent / "store")
    (store.storage_path / f"{_SESSION}.jsonl").write_bytes(path.read_bytes())
    return asyncio.run(store.get_messages(_SESSION))


def loaded(path: Path) -> list[Piece]:
    return pieces_of(_messages(path))


def written_again(path: Path, folder: Path) -> Path:
    return _saved(_messages(path), folder / "again")
