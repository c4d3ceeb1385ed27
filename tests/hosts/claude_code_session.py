"""A Claude Code session that is written as Claude Code writes one, and the plug-in's hooks run as it runs them."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest import mock

from foldproof_compactors import claude_code

Row = dict[str, Any]

ENTRY = (sys.executable, "-m", "foldproof_compactors.claude_code")


class Session:
    """Rows of one session, each linked to the one before, and the project and the folder they belong to."""

    def __init__(self, folder: Path, *, name: str = "0a0a1bcf") -> None:
        self.project = folder / "project"
        self.home = folder / "claude"
        self.id = name
        self.path = folder / f"{name}.jsonl"
        self.rows: list[Row] = []
        self.project.mkdir(exist_ok=True)

    def say(self, text: str, **fields: Any) -> Row:  # noqa: ANN401 - a row is any JSON
        return self._row(type="user", message={"role": "user", "content": text}, **fields)

    def answer(self, text: str, **fields: Any) -> Row:  # noqa: ANN401 - as above
        said = {"id": f"msg_{len(self.rows)}", "role": "assistant", "content": [{"type": "text", "text": text}]}
        return self._row(type="assistant", message=said, **fields)

    def call(self, *calls: tuple[str, Row, str | list[Row]], text: str = "", **fields: Any) -> None:  # noqa: ANN401
        """Add parallel calls, each (tool, arguments, result): a row a block of the message, then a row a result."""
        message, first = f"msg_{len(self.rows)}", len(self.rows)
        if text:
            self.answer(text, **fields)
        made = []
        for at, (name, arguments, _) in enumerate(calls):
            block: Row = {"type": "tool_use", "id": f"toolu_{first}_{at}", "name": name, "input": arguments}
            said = {"id": message, "role": "assistant", "content": [block]}
            made.append(self._row(type="assistant", message=said, **fields))
        for at, (_, _, result) in enumerate(calls):
            block = {"type": "tool_result", "tool_use_id": f"toolu_{first}_{at}", "content": result}
            row = self._row(type="user", message={"role": "user", "content": [block]}, **fields)
            row["parentUuid"] = made[at]["uuid"]

    def attach(self, **attachment: Any) -> None:  # noqa: ANN401 - as above
        self._row(type="attachment", attachment=attachment)

    def compacted(self, summary: str, *, kept: Sequence[Row] = ()) -> None:
        """Add what Claude Code adds for a compaction: a boundary without a parent, and the summary as a user row."""
        last = self.rows[-1]["uuid"]
        facts: Row = {"trigger": "auto", "preTokens": 150_000}
        if kept:
            facts["preservedMessages"] = {"uuids": [row["uuid"] for row in kept]}
        self._row(type="system", subtype="compact_boundary", content="Conversation compacted", compactMetadata=facts)
        self.rows[-1] |= {"parentUuid": None, "logicalParentUuid": last}
        opening = "This session is being continued from a previous conversation that ran out of context."
        self.say(f"{opening}\n\nSummary:\n{summary}", isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def _row(self, **fields: Any) -> Row:  # noqa: ANN401 - as above
        row: Row = {
            "parentUuid": self.rows[-1]["uuid"] if self.rows else None,
            "isSidechain": False,
            "cwd": str(self.project),
            "sessionId": self.id,
            "version": "2.1.332",
            "uuid": f"{self.id}-{len(self.rows)}",
            "timestamp": "2026-05-04T08:00:00.000Z",
            **fields,
        }
        self.rows.append(row)
        return row

    def write(self, *, tail: str = "") -> None:
        self.path.write_text("".join(json.dumps(row) + "\n" for row in self.rows) + tail, encoding="utf-8")

    def event(self, name: str, **fields: Any) -> Row:  # noqa: ANN401 - as above
        common = {"session_id": self.id, "transcript_path": str(self.path), "cwd": str(self.project)}
        return {**common, "hook_event_name": name, **fields}

    @property
    def environment(self) -> dict[str, str]:
        """What Claude Code sets for a hook and for an MCP server, and where its own folder is."""
        return {**os.environ, "CLAUDE_CONFIG_DIR": str(self.home), "CLAUDE_PROJECT_DIR": str(self.project)}

    def started(self, event: Row | str) -> subprocess.Popen[str]:
        """Start a hook and send it an event."""
        process = subprocess.Popen(  # noqa: S603 - our own module
            [*ENTRY, "hook"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
            cwd=self.project,
        )
        assert process.stdin is not None
        process.stdin.write(event if isinstance(event, str) else json.dumps(event))
        process.stdin.close()
        process.stdin = None
        return process

    def hook(self, event: Row | str) -> tuple[str, str]:
        """Run a hook in this process, which is faster; return what it printed, and what it said on standard error."""
        given = event if isinstance(event, str) else json.dumps(event)
        out, err, mask = io.StringIO(), io.StringIO(), os.umask(0o022)
        with (
            mock.patch.dict(os.environ, self.environment),
            mock.patch.object(sys, "argv", ["foldproof-claude-code", "hook"]),
            mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode()))),
            contextlib.chdir(self.project),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            try:
                claude_code.main()
            finally:
                os.umask(mask)
        return out.getvalue(), err.getvalue()

    def process(self, event: Row | str) -> tuple[str, str]:
        """Run a hook as a process of its own to its end, and return the same."""
        return ended(self.started(event))

    def told(self, event: Row) -> Row:
        """Run a hook and return the object it printed; an empty one where it printed nothing."""
        out, _ = self.hook(event)
        read: Row = json.loads(out) if out else {}
        return read


def ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    """Wait for a hook; none may ever end with anything but 0."""
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out, err
