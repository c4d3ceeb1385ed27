"""Which call ran which sub-agent of a Claude Code session.

* From 2.0 on the row of the result says it: `toolUseResult.agentId`. Checked in a real row (claude-code-log).
* Before, a sub-agent has no name, and its first row repeats the prompt of the `Task` call. Checked in a real session
  with two of them (claude-code-viewer).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from foldproof.transcripts.claude_threads import Thread, agent_of, blocks_of, typed

_TOOLS = ("Task", "Agent")


class _Task(NamedTuple):
    thread: int
    row: int
    call: str
    prompt: str


def sub_agents_of(
    rows: Sequence[Any], threads: Sequence[Thread], names: Sequence[str | None], session: str | None
) -> list[dict[str, str]]:
    """Return, for each thread, the sub-agents it ran: the name of each, and the id of the call."""
    ran: list[dict[str, str]] = [dict(_named(rows, thread, session)) for thread in threads]
    unnamed = [
        (thread, name)
        for thread, name in zip(threads, names, strict=True)
        if thread.side and name is not None and agent_of(rows[thread.rows[0]]) is None
    ]
    if not unnamed:
        return ran
    waiting: dict[str, list[_Task]] = {}
    for at, thread in enumerate(threads):
        for task in _tasks(rows, thread, at):
            waiting.setdefault(task.prompt, []).append(task)
    for thread, name in unnamed:
        tasks = waiting.get(_words(rows[thread.rows[0]]), [])
        found = next((task for task in tasks if task.row < thread.rows[0]), None)
        if found is not None:
            tasks.remove(found)
            ran[found.thread][name] = found.call
    return ran


def _named(rows: Sequence[Any], thread: Thread, session: str | None) -> Iterator[tuple[str, str]]:
    for at in thread.rows:
        told = rows[at].get("toolUseResult")
        agent = told.get("agentId") if isinstance(told, dict) else None
        call = next((block.get("tool_use_id") for block in typed(rows[at], "tool_result")), None)
        if isinstance(agent, str) and isinstance(call, str):
            yield f"{session}/{agent}", call


def _tasks(rows: Sequence[Any], thread: Thread, number: int) -> Iterator[_Task]:
    for at in thread.rows:
        for block in typed(rows[at], "tool_use"):
            given = block.get("input")
            prompt = given.get("prompt") if isinstance(given, dict) else None
            if block.get("name") in _TOOLS and isinstance(prompt, str) and isinstance(block.get("id"), str):
                yield _Task(number, at, block["id"], prompt)


def _words(row: dict[str, Any]) -> str:
    content = row["message"]["content"]
    if isinstance(content, str):
        return content
    texts = (block.get("text") for block in blocks_of(row) if isinstance(block, dict))
    return "\n".join(text for text in texts if isinstance(text, str))
