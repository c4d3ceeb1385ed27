"""Long sessions are read in a time that grows with their rows, and a sub-agent keeps its name when it is folded."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from foldproof.messages import Message, turns_of
from foldproof.transcripts import Conversation, dump, load_all, read_text
from foldproof.transcripts.claude_threads import threads_of
from foldproof.transcripts.json_text import Json

FRAME = Message(role="user", content="[foldproof summary frame] the past", folded_exempt=())
SIDES = Path(__file__).parent.parent / "data" / "transcripts" / "claude_code" / "ccviewer_5c0375b4-57a5-.jsonl"
MANY = 20_000


def row(kind: str, uuid: str, parent: str | None, content: Json = "x", **more: Json) -> Json:
    message = (
        {"role": kind, "content": content, "id": "m"} if kind == "assistant" else {"role": kind, "content": content}
    )
    return {"type": kind, "uuid": uuid, "parentUuid": parent, "message": message} | more


def use(identifier: int) -> Json:
    return [{"type": "tool_use", "id": f"c{identifier}", "name": "f", "input": {}}]


def result(identifier: int) -> Json:
    return [{"type": "tool_result", "tool_use_id": f"c{identifier}", "content": "x"}]


def one_side() -> list[Json]:
    return [row("user", f"s{n}", f"s{n - 1}" if n else None, isSidechain=True) for n in range(MANY)]


def many_sides() -> list[Json]:
    return [row("user", f"s{n}", None, isSidechain=True) for n in range(MANY)]


def blocks_off_the_branch() -> list[Json]:
    rows = [row("user", "u", None), row("assistant", "a0", "u", use(0))]
    rows += [row("assistant", f"a{n}", f"a{n - 1}", use(n)) for n in range(1, MANY)]
    return [*rows, row("user", "r0", "a0", result(0))]


def results_off_the_branch() -> list[Json]:
    rows = blocks_off_the_branch()[: MANY // 2]
    rows += [row("user", f"r{n}", f"a{n}", result(n)) for n in range(1, MANY // 2 - 1)]
    return [*rows, row("user", "r0", "a0", result(0))]


def results_that_wait() -> list[Json]:
    """Every result hangs on the first block, and its call is reached only in its turn."""
    rows = blocks_off_the_branch()[: MANY // 2]
    rows += [row("user", f"r{n}", "a0", result(n)) for n in range(1, MANY // 2 - 1)]
    return [*rows, row("user", "r0", "a0", result(0))]


def one_uuid() -> list[Json]:
    return [row("user", "same", "same") for _ in range(MANY)]


@pytest.mark.parametrize(
    ("rows", "threads"),
    [
        (one_side(), 1),
        (many_sides(), MANY),
        (blocks_off_the_branch(), 1),
        (results_off_the_branch(), 1),
        (results_that_wait(), 1),
        (one_uuid(), 1),
    ],
    ids=["one side", "many sides", "blocks", "results", "waiting", "one uuid"],
)
def test_reading_takes_linear_time(rows: Sequence[Json], threads: int) -> None:
    start = time.process_time()
    found = threads_of(rows)
    took = time.process_time() - start
    assert (len(found), sum(len(thread.rows) for thread in found)) == (threads, len(rows))
    assert took < 3  # seconds; each took from 12 to 300 when it was quadratic, and takes about 0.3


def test_rows_that_are_each_others_parent_are_one_side_thread() -> None:
    rows = [row("user", "u", None)] + [row("user", a, b, isSidechain=True) for a, b in (("s", "t"), ("t", "s"))]
    assert [thread.rows for thread in threads_of(rows)] == [(0,), (1, 2)]


def test_what_hangs_beside_the_branch_comes_right_after_its_parent() -> None:
    rows = [
        row("assistant", "a0", None, use(0)),
        row("assistant", "a1", "a0", use(1)),
        row("user", "r1", "a1", result(1)),
        row("user", "other", "a1", result(9)),
        row("user", "again", "a1", result(1)),
        row("user", "r0", "a0", result(0)),
        row("user", "end", "r0"),
    ]
    (thread,) = threads_of(rows)
    assert thread.rows == (0, 1, 2, 5, 6)


def folded(conversations: Sequence[Conversation]) -> list[Conversation]:
    """Put a frame in the place of the first two turns of each."""
    out = io.StringIO()
    windows = ([FRAME, *one.messages[turns_of(one.messages)[1].stop :]] for one in conversations)
    dump([one.replace(window) for one, window in zip(conversations, windows, strict=True)], out)
    return list(read_text(out.getvalue(), name="again"))


def test_a_sub_agent_keeps_its_id_when_its_first_row_is_folded() -> None:
    before = list(load_all(SIDES))
    once = folded(before)
    twice = folded(once)
    assert [one.id for one in once] == [one.id for one in before]
    assert [one.id for one in twice] == [one.id for one in before]
    assert all(one.messages[0] == FRAME for one in twice)


def test_a_sub_agent_that_lost_no_first_row_is_written_as_before() -> None:
    rows = [row("user", f"s{n}", f"s{n - 1}" if n else None, isSidechain=True, sessionId="s") for n in range(3)]
    (conversation,) = read_text("\n".join(map(json.dumps, rows)), name="in")
    out = io.StringIO()
    dump(conversation.replace([conversation.messages[0], FRAME]), out)
    first, frame = map(json.loads, out.getvalue().splitlines())
    assert first == rows[0]
    assert "thread" not in frame["foldproof"]
