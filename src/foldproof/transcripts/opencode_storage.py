"""The storage folder of OpenCode: one file a session, a message and a part, read as the export of each session.

* `session/<project>/<session>.json`, `message/<session>/<message>.json`, and parts in `part/<message>/<part>.json` or,
  older, `part/<part>.json`, of which each names its message. File names sort in the order of the session.
* A file that cannot be read stands as its text where its row or part would be, so that it is reported there.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from foldproof.errors import TranscriptError
from foldproof.transcripts.json_text import Json, parse_json


def is_storage(folder: Path) -> bool:
    """Whether a folder is the root of a storage: it holds messages by session, and sessions or parts."""
    has = [(folder / name).is_dir() for name in ("message", "session", "part")]
    return has[0] and any(has[1:]) and next(folder.glob("message/*/*.json"), None) is not None


def sessions_in(root: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield every session of a storage, a session ahead of its sub-agents: its file, and what its export would be.

    Messages without a session file are a session of which only the id is known. Parts that belong to no message are
    named under `unread` in the first session.
    """
    parts = _Parts(root)
    found: dict[str, tuple[Path, Json]] = {}
    for file in sorted(root.glob("session/*/*.json")):
        info = _read(file)
        known = info.get("id") if isinstance(info, dict) else None
        found[known if isinstance(known, str) else file.stem] = (file, info)
    for folder in sorted(root.glob("message/*")):
        if folder.is_dir():
            found.setdefault(folder.name, (folder, {"id": folder.name}))
    sessions = [
        (file, {"info": info, "messages": [parts.row(message) for message in sorted(_below(root, identifier))]})
        for identifier, (file, info) in sorted(found.items(), key=_is_child)
    ]
    unread = parts.unread()
    if unread and sessions:
        sessions[0][1]["unread"] = unread
    yield from sessions


def _below(root: Path, session: str) -> Iterator[Path]:
    return (root / "message" / session).glob("*.json")


def _is_child(session: tuple[str, tuple[Path, Json]]) -> bool:
    info = session[1][1]
    return isinstance(info, dict) and isinstance(info.get("parentID"), str)


class _Parts:
    """The parts of a storage, in either layout."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files = {file: str(file.parent.name) for file in sorted(root.glob("part/*/*.json"))}
        self._values: dict[Path, Json] = {}
        for file in sorted(root.glob("part/*.json")):
            part = self._values[file] = _read(file)
            self._files[file] = str(part.get("messageID")) if isinstance(part, dict) else ""
        self._of: dict[str, list[Path]] = {}
        for file, owner in self._files.items():
            self._of.setdefault(owner, []).append(file)

    def row(self, message: Path) -> Json:
        """Return a message with its parts; what a message file holds instead, where it holds none."""
        info = _read(message)
        if not isinstance(info, dict):
            return info
        files = self._of.pop(str(info.get("id", message.stem)), [])
        return {"info": info, "parts": [self._values[file] if file in self._values else _read(file) for file in files]}

    def unread(self) -> list[str]:
        """Return the names of the part files that no message took."""
        return [file.relative_to(self._root).as_posix() for files in self._of.values() for file in files]


def _read(file: Path) -> Json:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        return f"{file.name}: {error.strerror}"
    try:
        return parse_json(text)
    except TranscriptError:
        return text
