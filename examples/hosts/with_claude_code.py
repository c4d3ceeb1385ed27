"""What the Claude Code plug-in says about a compaction: a real run as a session, and a summary with one digit wrong."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import foldproof as fp

RUN = Path(__file__).parents[1] / "data" / "airline_booking.json"
SUMMARY = "<summary>Flight HAT136 was booked on May 20. Certificate 7504061 paid $250 of it.</summary>"
HOOK = [sys.executable, "-m", "foldproof_compactors.claude_code"]


def row(at: int, one: fp.Message) -> dict[str, Any]:
    """Return a message as a row of a Claude Code session."""
    role = "assistant" if one.role == "assistant" else "user"
    blocks: list[dict[str, Any]] = [{"type": "text", "text": one.text}] if one.text else []
    blocks += [{"type": "tool_use", "id": of.id, "name": of.name, "input": of.args} for of in one.tool_calls or ()]
    if one.role == "tool":
        blocks = [{"type": "tool_result", "tool_use_id": one.tool_call_id, "content": one.text}]
    links = {"uuid": f"row-{at}", "parentUuid": f"row-{at - 1}", "sessionId": "example"}
    return {"type": role, **links, "message": {"role": role, "content": blocks}}


with tempfile.TemporaryDirectory() as folder:
    session = Path(folder) / "example.jsonl"
    said = [one for one in fp.load(RUN).messages if one.role != "system"]
    session.write_text("".join(json.dumps(row(at, one)) + "\n" for at, one in enumerate(said)), encoding="utf-8")
    home = os.environ | {"CLAUDE_CONFIG_DIR": folder, "CLAUDE_PROJECT_DIR": folder}
    for name in ("PreCompact", "PostCompact", "UserPromptSubmit"):
        event = {"hook_event_name": name, "session_id": "example", "transcript_path": str(session), "cwd": folder}
        given = json.dumps(event | {"compact_summary": SUMMARY})
        done = subprocess.run(HOOK, input=given, env=home, text=True, check=True, stdout=subprocess.PIPE)  # noqa: S603
        said_now = json.loads(done.stdout)["systemMessage"] if done.stdout[:1] == "{" else done.stdout.strip()
        print(f"{name}: {said_now or 'prints nothing'}")
