"""Claude Code: keep a session's originals before it is compacted, and check the summary that Claude wrote of it.

Claude Code lets hooks watch a compaction and add words around it; nothing can take its compactor's place. `main` is one
process a hook, with the event as JSON on standard input (checked against Claude Code 2.1.332):

* `PreCompact` archives what the session holds. It prints nothing: what it prints becomes an instruction to Claude.
* `PostCompact` brings the summary, which stands in no file yet. It is judged against the session, and what was found is
  left as a note. What it prints is the app's word in the session, so it prints counts, and no value.
* `SessionStart` (source `compact`) runs before that, so it waits for the note: register it as asynchronous.
* `UserPromptSubmit` tells the person, and the model where nobody told it yet.

No hook blocks a session: whatever goes wrong, it exits with 0, says what happened, and adds a line to `hook.log`. The
library is imported where it is used, because a hook that has nothing to do runs at every prompt.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from foldproof import Conversation

WAIT_SECONDS: Final = 300.0
"""How long `SessionStart` waits for what `PostCompact` found."""

ARCHIVE: Final = "archive.db"
"""Name of a project's archive in its folder."""

_OPEN_NOW: Final = 3  # how often a session that is being written is read, until its last line is whole
_DATES: Final = re.compile(r'"timestamp":\s?"(\d{4}-\d\d-\d\d)T')
_SYSTEM_PROMPT: Final = re.compile(r'^\{"type":"api-request-shape".*', re.MULTILINE)

Event = Mapping[str, Any]


def folder_of(project: str) -> Path:
    """Return the folder in which everything of a project is kept; it need not be there.

    `foldproof/<name>-<digest>` in Claude Code's own folder: `$CLAUDE_CONFIG_DIR`, or `~/.claude`.
    """
    name = re.sub(r"[^A-Za-z0-9]+", "-", Path(project).name).strip("-")[:40] or "project"
    return _home() / "foldproof" / f"{name}-{hashlib.sha256(os.fsencode(project)).hexdigest()[:12]}"


def respond(given: Event) -> dict[str, Any] | str | None:
    """Do what an event asks for, and return what its hook prints: an object, a line, or None for nothing.

    Raises:
        UsageError: the event lacks a field.
        TranscriptError: the session cannot be read, or the archive cannot be written.
        OSError: a file cannot be read or written.
    """
    match given.get("hook_event_name"):
        case "PreCompact":
            from foldproof_compactors.claude_code_summary import archive_session

            archive_session(_read(given), _made(_folder(given)) / ARCHIVE)
        case "PostCompact" if not given.get("agent_id"):  # a sub-agent's summary is of another session
            return _post_compact(given)
        case "SessionStart" if given.get("source") == "compact":
            return _session_start(given)
        case "UserPromptSubmit" if _note(given).exists():
            return _printed("UserPromptSubmit", _take(given))
    return None


def _post_compact(given: Event) -> str:
    from foldproof_compactors.claude_code_summary import archive_session, audit_summary, counts, describe

    conversations = _read(given)
    kept, failed = None, ""
    try:
        kept = archive_session(conversations, _made(_folder(given)) / ARCHIVE)
    except Exception as error:  # noqa: BLE001 - it is said, and the summary can be judged all the same
        failed = _failed(given, error)
    audit = audit_summary(conversations[0], _text(given, "compact_summary"), told=_told(given))
    person, model = describe(audit, kept)
    if _folder(given).is_dir():
        _leave(given, {"person": "\n".join(filter(None, (person, failed))), "model": model})
    return "; ".join(filter(None, (f"foldproof: {counts(audit)}", failed)))


def _session_start(given: Event) -> dict[str, Any] | None:
    until = time.monotonic() + WAIT_SECONDS
    while _folder(given).is_dir() and time.monotonic() < until:
        if _peeked(given).get("model"):
            note = _take(given)
            _leave(given, {"person": note.get("person", "")})
            return _printed("SessionStart", {"model": note.get("model", "")})
        time.sleep(0.1)
    return None


def _printed(event: str, note: Mapping[str, str]) -> dict[str, Any] | None:
    printed: dict[str, Any] = {}
    if note.get("person"):
        printed["systemMessage"] = note["person"]
    if note.get("model"):
        printed["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": note["model"]}
    return printed or None


def _read(given: Event) -> Sequence[Conversation]:
    from foldproof import TranscriptError, load_all

    path = Path(_text(given, "transcript_path")).expanduser()
    for _ in range(_OPEN_NOW):
        if path.read_bytes()[-1:] == b"\n":
            break
        time.sleep(0.2)
    found = list(load_all(path, format="claude_code"))
    if not found:
        raise TranscriptError("it holds no conversation; expected the session that is compacted", file=str(path))
    return found


def _told(given: Event) -> str:
    """Return what Claude Code tells the model beside the session: where and when it runs, and the memory files."""
    rows = Path(_text(given, "transcript_path")).expanduser().read_text(encoding="utf-8", errors="replace")
    facts = [str(value) for name, value in given.items() if name != "compact_summary"]
    facts += [*sorted(set(_DATES.findall(rows))), *_SYSTEM_PROMPT.findall(rows)]
    facts += [datetime.now(UTC).astimezone().date().isoformat(), platform.platform(), platform.release()]
    here = Path(str(given.get("cwd") or Path.cwd()))
    for folder in (_home(), here / ".claude", here, *here.parents):
        for name in ("CLAUDE.md", "CLAUDE.local.md"):
            with suppress(OSError):
                facts.append((folder / name).read_text(encoding="utf-8", errors="replace"))
    return "\n".join(facts)


def _text(given: Event, name: str) -> str:
    from foldproof import UsageError
    from foldproof.errors import shown

    value = given.get(name)
    if not isinstance(value, str) or not value:
        raise UsageError(f"{name} is {shown(value)} in the event; expected the text that Claude Code sends")
    return value


def _home() -> Path:
    return Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude")


def _folder(given: Event) -> Path:
    return folder_of(os.environ.get("CLAUDE_PROJECT_DIR") or str(given.get("cwd") or Path.cwd()))


def _made(folder: Path) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _note(given: Event) -> Path:
    session = hashlib.sha256(str(given.get("session_id")).encode()).hexdigest()[:16]
    return _folder(given) / f"note-{session}.json"


def _leave(given: Event, note: Mapping[str, str]) -> None:
    """Put a note where the next hook of the session finds it, behind one that nobody has taken yet."""
    before = _take(given)
    person = "\n".join(filter(None, (before.get("person"), note.get("person"))))
    both = {"person": person, "model": note.get("model") or before.get("model", "")}
    if any(both.values()):
        draft = _note(given).with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(both), encoding="utf-8")
        draft.replace(_note(given))


def _take(given: Event) -> dict[str, str]:
    """Return the note, which nobody else gets then."""
    mine = _note(given).with_suffix(f".{os.getpid()}")
    try:
        _note(given).rename(mine)
    except FileNotFoundError:
        return {}
    note: dict[str, str] = json.loads(mine.read_text(encoding="utf-8"))
    mine.unlink()
    return note


def _peeked(given: Event) -> dict[str, str]:
    try:
        note: dict[str, str] = json.loads(_note(given).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return note


def _failed(given: Event, error: Exception) -> str:
    """Say what went wrong: in the line that is returned, on standard error, and in the log of the project."""
    line = f"foldproof: {given.get('hook_event_name', 'hook')}: {type(error).__name__}: {' '.join(str(error).split())}"
    print(line, file=sys.stderr)  # noqa: T201 - standard error is what Claude Code keeps for its debug log
    with suppress(OSError), (_made(_folder(given)) / "hook.log").open("a", encoding="utf-8") as log:
        log.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {line}\n")
    return line


def _printed_failure(given: Event, line: str) -> dict[str, Any] | str | None:
    """Return how the person is told of a failure: now, or where the event shows them nothing, at the next prompt."""
    event = given.get("hook_event_name")
    if event in ("PreCompact", "PostCompact"):
        with suppress(OSError):
            _leave(given, {"person": line})
        return line if event == "PostCompact" else None
    return {"systemMessage": line} if given else None


def hook() -> None:
    """Answer one event of Claude Code from standard input. It raises nothing: what watches a session never ends it."""
    given: Event = {}
    printed: dict[str, Any] | str | None
    try:
        read = json.loads(sys.stdin.buffer.read())
        if not isinstance(read, dict):
            raise TypeError(f"expected an object on standard input; found {type(read).__name__}")  # noqa: TRY301
        given = read
        printed = respond(given)
    except Exception as error:  # noqa: BLE001 - it is said and logged
        line = _failed(given, error)
        printed = _printed_failure(given, line)
    if printed is not None:
        with suppress(OSError):
            print(printed if isinstance(printed, str) else json.dumps(printed), flush=True)  # noqa: T201 - to the host


def recall_server() -> None:
    """Serve the project's archive over MCP, as `foldproof mcp` does; an empty one is made where there is none yet."""
    from foldproof import SqliteArchive
    from foldproof.cli import main as commands
    from foldproof_compactors.claude_code_summary import BUSY_SECONDS

    archive = _made(_folder({})) / ARCHIVE
    SqliteArchive(archive, timeout_seconds=BUSY_SECONDS).close()
    commands.main(["mcp", str(archive)], prog_name="foldproof")


def main() -> None:
    """Run one process of the plug-in: `hook`, which is the default, or `recall`."""
    os.umask(0o077)  # what is kept is the person's alone
    if sys.argv[1:] == ["recall"]:
        recall_server()
    else:
        hook()


if __name__ == "__main__":
    main()
