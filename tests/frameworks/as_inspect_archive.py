"""inspect-ai: an evaluation log, as the archive that it writes by default."""

from __future__ import annotations

from pathlib import Path

from inspect_ai.log import read_eval_log
from tests.frameworks.as_inspect_ai import FLAGS_ERRORS, FORMAT, KEEPS_NOTES, TOLD, loaded, log, saved, words

__all__ = ["FLAGS_ERRORS", "FORMAT", "KEEPS_NOTES", "TOLD", "loaded", "words", "written", "written_again"]


def written(folder: Path) -> Path:
    return saved(log(), folder / "log.eval")


def written_again(path: Path, folder: Path) -> Path:
    return saved(read_eval_log(path), folder / "again.eval")
