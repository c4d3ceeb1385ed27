"""Visits that fold into an archive: what left is brought back, and where an archive fails, nothing leaves."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.archive.builders import bytes_of, conversation, said
from tests.messages.generators import conversations

import foldproof as fp
from foldproof.archive import ArchiveError, SqliteArchive
from foldproof.messages import Message, frame_kind
from foldproof.window import span_address
from foldproof.window.strategies.base import VisitableStrategy

SUMMARIZE = fp.SummarizeOldest(0, keep_recent_turns=1, retain="archive")
STRATEGIES: list[VisitableStrategy] = [
    SUMMARIZE,
    fp.PromptCompactor(0, keep_recent_turns=1, retain="archive"),
    fp.ClearToolResults(0, keep=1, retain="archive"),
    fp.OffloadLarge(200, 40, retain="archive"),
    fp.Pipeline([fp.ClearToolResults(0, keep=1, retain="archive"), SUMMARIZE]),
]
every = pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)

long_conversations = st.lists(st.sampled_from([conversation(1, start=index) for index in range(9)]), max_size=8).map(
    lambda turns: [message for turn in turns for message in turn]
)


def own(messages: object) -> list[Message]:
    assert isinstance(messages, tuple | list)
    return [message for message in messages if frame_kind(message) is None]


@every
@given(st.lists(conversations | long_conversations, min_size=1, max_size=4))
def test_what_left_is_brought_back_through_any_number_of_visits(
    strategy: VisitableStrategy, lives: list[list[Message]]
) -> None:
    with SqliteArchive(":memory:") as archive:
        window, state, everything = tuple[Message, ...](), None, list[Message]()
        for messages in lives:
            everything += own(messages)
            visit = strategy.visit((*window, *messages), state=state, archive=archive)
            window, state = tuple(visit.messages), visit.state
            for span in visit.spans:
                assert span.address is not None
                assert len(archive.expand(span.address, depth=1)) == span.message_count
        assert own(archive.history(window)) == everything


@every
def test_a_visit_that_is_awaited_keeps_the_same(tmp_path: Path, strategy: VisitableStrategy) -> None:
    with SqliteArchive(tmp_path / "a.db") as one, SqliteArchive(tmp_path / "b.db") as other:
        visit = strategy.visit(conversation(6), archive=one)
        awaited = asyncio.run(strategy.avisit(conversation(6), archive=other))
        assert visit.messages == awaited.messages
        assert visit.changed
        assert one.addresses() == other.addresses()


def broken(archive: SqliteArchive, path: Path, how: str) -> sqlite3.Connection:
    """Let an open archive fail from now on; return what has to be closed afterwards."""
    holder = sqlite3.connect(path, isolation_level=None)
    if how == "no room to grow":
        with archive._database.between_transactions() as connection:
            connection.execute("PRAGMA max_page_count = 1")  # the least that it can be is what it is
    if how == "locked":
        holder.execute("BEGIN IMMEDIATE")
    if how == "damaged":
        path.write_bytes(path.read_bytes()[:4_096])
    if how == "closed":
        archive.close()
    return holder


@every
@pytest.mark.parametrize("how", ["read-only", "no room to grow", "locked", "damaged", "closed"])
def test_an_archive_that_fails_leaves_the_window_as_it_was(
    tmp_path: Path, strategy: VisitableStrategy, how: str
) -> None:
    path, window = tmp_path / "a.db", conversation(40)
    with SqliteArchive(path) as archive:
        archive.keep({span_address(said("kept")): said("kept")})
    with SqliteArchive(path, timeout_seconds=0, read_only=how == "read-only") as archive:
        holder = broken(archive, path, how)
        visit = strategy.visit(window, archive=archive)
        assert visit.messages is window
        assert visit.record.archive_failed is not None
        assert str(path) in visit.record.archive_failed
        assert how in visit.record.archive_failed
        assert "archive-failed" in {refusal.reason for refusal in visit.record.refusals}
        holder.close()
    if how != "damaged":
        with SqliteArchive(path) as archive:
            assert archive.addresses() == (span_address(said("kept")),)
            assert strategy.visit(window, archive=archive).changed  # nothing was latched


CARD = "4111-1111-1111-1111"


def hide_cards(message: Message) -> Message:
    """A hook that knows where a card can stand in these tests."""
    if message.tool_calls:
        calls = [call.model_copy(update={"args": {"card": "[card]"}}) for call in message.tool_calls]
        return message.model_copy(update={"tool_calls": tuple(calls)})
    return message.model_copy(update={"content": message.text.replace(CARD, "[card]")})


def paying() -> list[Message]:
    call = {"id": "p", "name": "pay", "args": {"card": CARD}}
    return [
        Message(role="user", content=f"Pay with {CARD}, please. " + "It has been a long day. " * 20),
        Message.model_validate({"role": "assistant", "toolCalls": [call]}),
        Message(
            role="tool", tool_call_id="p", tool_name="pay", content=f"{CARD} was charged. " + "It went well. " * 60
        ),
        Message(role="assistant", content=f"Paid with {CARD}."),
    ]


@every
def test_what_the_hook_hides_is_in_no_archive_frame_lineage_or_search(
    tmp_path: Path, strategy: VisitableStrategy
) -> None:
    path = tmp_path / "a.db"
    with SqliteArchive(path, redact=hide_cards) as archive:
        visit = strategy.visit((*paying(), *conversation(3)), archive=archive)
        window, state = tuple(visit.messages), visit.state
        for index in range(1, 3):
            visit = strategy.visit((*window, *conversation(2, start=10 * index)), state=state, archive=archive)
            window, state = tuple(visit.messages), visit.state
        frames = [message for message in window if frame_kind(message) is not None]
        told = [message.model_dump_json() for message in (*frames, *archive.history(frames))]
        filed = [model.model_dump_json() for model in (visit.record, *visit.spans)]
        assert frames
        assert not any(CARD in text or CARD.replace("-", "") in text for text in told + filed)
        assert CARD not in fp.exempt_forms(frames)
        assert archive.search(CARD) == ()
        assert CARD.encode() not in bytes_of(path)
        assert archive.search("[card]")


def test_a_newer_archive_is_refused_before_anything_is_visited(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    SqliteArchive(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(ArchiveError, match="newer foldproof"):
        SqliteArchive(path)
