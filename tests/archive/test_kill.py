"""`kill -9` at random moments of append, fold and archive: what was acknowledged is there, as a whole, to the byte.

`make test` kills 12 times. All 500, with a seed of your own: `make test-kill SEED=7`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from tests.archive.builders import conversation
from tests.archive.worker import NAME, is_own, turns_in

from foldproof.archive import SqliteArchive
from foldproof.messages import Message, validate_messages

KILLS = int(os.environ.get("FOLDPROOF_KILLS", "12"))
SEED = int(os.environ.get("FOLDPROOF_SEED", "1"))
LIVES = 12  # of one archive, until the next begins with a file that is not there
LONGEST = 0.5  # seconds, a few turns
STATEMENTS = 400  # a few turns, too


def moments(count: int, seed: int) -> list[dict[str, float]]:
    """When to kill: every other time from outside, else between two statements."""
    random = Random(seed)  # noqa: S311 - a seed makes a failure happen again
    return [
        {"after_seconds": random.uniform(0, LONGEST)} if index % 2 else {"at_statement": random.randrange(STATEMENTS)}
        for index in range(count)
    ]


def exactly(message: Message) -> str:
    return message.model_dump_json()


def check(path: Path, acknowledged: list[str], turns_before: int, records_before: int) -> tuple[int, int]:
    """Check what a killed process left, against what can be worked out anew; return its turns and its records."""
    with SqliteArchive(path) as archive:
        stored = archive.conversation(NAME)
        validate_messages(stored.messages)
        turns, records = turns_in(archive, stored), len(stored.records)
        own = [message for message in archive.history(stored.messages) if is_own(message)]
        wanted = [exactly(message) for message in conversation(turns)]
        assert list(map(exactly, own)) == wanted
        for address in archive.addresses():  # of spans whose window never came, too
            assert {exactly(message) for message in archive.expand(address)} <= set(wanted)
        for span in stored.spans:
            assert span.address is not None
            assert len(archive.expand(span.address, depth=1)) == span.message_count
        appended, settled = acknowledged.count("appended"), acknowledged.count("settled")
        assert turns_before + appended <= turns <= turns_before + appended + 1
        assert records_before + settled <= records <= records_before + settled + 1
        with archive._database.reading() as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    return turns, records


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a life is a forked process")
def test_a_killed_process_leaves_the_old_state_or_the_new(tmp_path: Path) -> None:
    acknowledged = tmp_path / "acknowledged"
    path, turns, records = tmp_path, 0, 0
    inside = 0
    with subprocess.Popen(
        [sys.executable, "-m", "tests.archive.worker"],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as worker:
        assert worker.stdin
        assert worker.stdout
        for index, moment in enumerate(moments(KILLS, SEED)):
            if index % LIVES == 0:
                path, turns, records = tmp_path / f"{index}.db", 0, 0
            acknowledged.write_text("")
            asked = {"path": str(path), "acknowledged": str(acknowledged), **moment}
            print(json.dumps(asked), file=worker.stdin, flush=True)
            assert json.loads(worker.stdout.readline()) == -signal.SIGKILL, asked
            log = Path(f"{path}-wal")
            inside += log.is_file() and log.stat().st_size > 0
            turns, records = check(path, acknowledged.read_text().split(), turns, records)
        worker.stdin.close()
    print(f"{KILLS} kills, seed {SEED}: {inside} left a log behind, {turns} turns in the last archive")  # noqa: T201
    assert inside > KILLS // 2
