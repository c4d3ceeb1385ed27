"""langchain-core: `dumps` and `loads`, which any of its objects can go through."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from langchain_core.load import dumps, loads
from tests.frameworks.as_langchain_core import FLAGS_ERRORS, FORMAT, KEEPS_NOTES, TOLD, talk, words
from tests.frameworks.talk import Piece

__all__ = ["FLAGS_ERRORS", "FORMAT", "KEEPS_NOTES", "TOLD", "loaded", "words", "written", "written_again"]


def written(folder: Path) -> Path:
    return _saved(talk(), folder / "messages.json")


def _saved(messages: list[Any], path: Path) -> Path:
    path.write_text(dumps(messages, ensure_ascii=False), encoding="utf-8")
    return path


def loaded(path: Path) -> list[Piece]:
    messages: list[Any] = loads(path.read_text(encoding="utf-8"), allowed_objects="messages")
    return messages


def written_again(path: Path, folder: Path) -> Path:
    return _saved(loaded(path), folder / "again.json")
