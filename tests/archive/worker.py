"""A process that lives, and is killed: run as a module, it forks one life for every line that it reads.

A line is a JSON object: `path` of the archive, `acknowledged`, a file to which a life writes a line after each commit,
and when it dies: `after_seconds`, by a signal from outside, or `at_statement`, right before one of the statements
that it hands to SQLite, counted from the first. The answer is the signal it died of, as a negative number.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from typing import Any

from tests.archive.builders import turn

import foldproof as fp
from foldproof.archive import SqliteArchive, StoredConversation

NAME = "life"
STRATEGIES = [
    fp.SummarizeOldest(0, keep_recent_turns=3, retain="archive"),
    fp.ClearToolResults(0, keep=1, retain="archive"),
    fp.PromptCompactor(0, keep_recent_turns=2, retain="archive"),
]


def live(path: str, acknowledged: int) -> None:
    """Append, visit and settle for ever; go on where an earlier life ended."""
    with SqliteArchive(path) as archive:
        stored = archive.conversation(NAME)
        while True:
            index = turns_in(archive, stored)
            stored.append(turn(index))
            os.write(acknowledged, b"appended\n")
            visit = STRATEGIES[index % len(STRATEGIES)].visit(
                stored.messages, state=stored.state, iteration=index + 1, archive=archive
            )
            stored.settle(visit)
            os.write(acknowledged, b"settled\n")


def turns_in(archive: SqliteArchive, stored: StoredConversation) -> int:
    """How many turns a conversation has had; what was folded counts too."""
    return len([message for message in archive.history(stored.messages) if is_own(message)]) // len(turn(0))


def is_own(message: fp.Message) -> bool:
    """Whether a message was appended, and is no frame."""
    return message.metadata is None


def dying_at(statement: int) -> Callable[..., sqlite3.Connection]:
    """Return a `sqlite3.connect` whose connection kills this process right before its so-maniest statement."""
    connect, left = sqlite3.connect, iter(range(statement))

    def count(_: str) -> None:
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    def connected(*given: Any, **options: Any) -> sqlite3.Connection:  # noqa: ANN401 - whatever is passed on
        connection: sqlite3.Connection = connect(*given, **options)
        connection.set_trace_callback(count)
        return connection

    return connected


def one_life(asked: dict[str, Any]) -> None:
    """Fork a life, and see it dead."""
    child = os.fork()
    if child == 0:
        try:
            if "at_statement" in asked:
                sqlite3.connect = dying_at(asked["at_statement"])  # type: ignore[assignment]
            live(asked["path"], os.open(asked["acknowledged"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC))
        finally:  # a life that ends by itself is a failure, and no second reader of the lines
            os._exit(1)
    if "after_seconds" in asked:
        time.sleep(asked["after_seconds"])
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    print(json.dumps(os.waitstatus_to_exitcode(status)), flush=True)  # noqa: T201 - how it answers


if __name__ == "__main__":
    for line in sys.stdin:
        one_life(json.loads(line))
