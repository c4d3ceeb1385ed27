from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from tests.archive.builders import conversation, said, texts, turn
from tests.messages.generators import conversations

import foldproof as fp
from foldproof.archive import ArchiveError, SqliteArchive, StoredConversation
from foldproof.errors import UsageError
from foldproof.messages import FOLDED, Message, validate_messages
from foldproof.window import FoldedSpan, Visit, WindowRecord, WindowState, span_address

STRATEGIES = [
    fp.SummarizeOldest(0, keep_recent_turns=2),
    fp.PromptCompactor(0, keep_recent_turns=2),
    fp.ClearToolResults(0, keep=1),
    fp.SlidingWindow(keep_recent_turns=2),
    fp.Pipeline([fp.ClearToolResults(0, keep=1), fp.SummarizeOldest(0, keep_recent_turns=2)]),
]


STEPS = 4  # in the life of a process or a thread

OPEN: list[SqliteArchive] = []


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[SqliteArchive]:
    with SqliteArchive(tmp_path / "a.db") as archive:
        yield archive
    while OPEN:
        OPEN.pop().close()


def told(stored: StoredConversation) -> tuple[object, ...]:
    return stored.messages, stored.state, stored.spans, stored.records, stored.version


def reopened(archive: SqliteArchive, name: str = "one") -> StoredConversation:
    """The conversation as another process would find it."""
    OPEN.append(SqliteArchive(archive.path))
    return OPEN[-1].conversation(name)


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: strategy.name)
def test_a_life_goes_on_in_another_process(archive: SqliteArchive, strategy: fp.SlidingWindow) -> None:
    state, window = WindowState(), tuple[Message, ...]()
    spans: list[FoldedSpan] = []
    records: list[WindowRecord] = []
    for step in range(4):
        stored = reopened(archive)
        new = conversation(3, start=3 * step)
        stored.append(new)
        visit = strategy.visit(stored.messages, state=stored.state, iteration=step + 1)
        alone = strategy.visit((*window, *new), state=state, iteration=step + 1)
        stored.settle(visit)
        window, state = tuple(alone.messages), alone.state
        spans += alone.spans
        records.append(alone.record)
        again = reopened(archive)
        assert told(again) == told(stored)
        assert told(again)[:4] == (window, state, tuple(spans), tuple(records))
        assert again.version == 2 * (step + 1)


@given(conversations)
def test_any_window_comes_back_as_it_was(messages: list[Message]) -> None:
    with SqliteArchive(":memory:") as archive:
        archive.conversation("one").append(messages)
        found = archive.conversation("one").messages
    kept = [message for message in messages if not message.ephemeral]
    assert [message.model_dump() for message in found] == [message.model_dump() for message in kept]


def test_what_a_visit_folded_is_expanded_searched_and_told(archive: SqliteArchive) -> None:
    stored = archive.conversation("one")
    stored.append(conversation(6))
    archive.conversation("two").append(conversation(6))
    visit = STRATEGIES[0].visit(stored.messages)
    stored.settle(visit)
    assert visit.folded is not None
    assert visit.folded.originals
    frame = visit.messages[visit.record.removed_from or 0]
    assert archive.expand(frame) == visit.folded.originals
    hits = archive.search("find_order", conversation="one", limit=50)
    found = [hit.message for hit in hits]
    assert len(found) == sum("find_order" in str(message.model_dump()) for message in visit.folded.originals)
    assert all(message in visit.folded.originals for message in found)
    assert archive.search("find_order", conversation="two") == ()
    assert archive.conversation_ids() == ("one", "two")


def test_a_visit_that_leaves_everything_is_filed_too(archive: SqliteArchive) -> None:
    stored = archive.conversation("one")
    stored.append(said("a", "b"))
    visit = fp.SummarizeOldest(10_000).visit(stored.messages)
    assert not visit.changed
    stored.settle(visit)
    assert texts(reopened(archive).messages) == ["a", "b"]
    assert reopened(archive).records == (visit.record,)


def test_what_was_appended_meanwhile_stays_behind(archive: SqliteArchive) -> None:
    stored, other = archive.conversation("one"), reopened(archive)
    stored.append(conversation(6))
    visit = STRATEGIES[0].visit(stored.messages)
    other.append(said("from elsewhere"))
    stored.append(said("from here"))
    stored.settle(visit)
    assert stored.messages == (*visit.messages, *said("from elsewhere", "from here"))
    assert told(reopened(archive)) == told(stored)


def test_the_second_to_settle_is_told_and_changes_nothing(archive: SqliteArchive) -> None:
    stored, other = archive.conversation("one"), reopened(archive)
    stored.append(conversation(6))
    other.refresh()
    stored.settle(STRATEGIES[0].visit(stored.messages))
    before = told(reopened(archive))
    with pytest.raises(ArchiveError, match="settled by somebody else"):
        other.settle(STRATEGIES[3].visit(other.messages))
    assert told(reopened(archive)) == before
    other.refresh()
    other.append(conversation(6, start=6))
    other.settle(STRATEGIES[3].visit(other.messages, state=other.state))
    assert reopened(archive).messages == other.messages


def visits_of_other_windows(stored: StoredConversation) -> list[Visit]:
    window = stored.messages
    folded = STRATEGIES[0].visit(window)
    return [
        STRATEGIES[0].visit(conversation(6, start=50)),
        STRATEGIES[0].visit((*window, *said("never appended"))),
        STRATEGIES[3].visit(window[3:]),
        Visit(messages=(*window, *said("new")), record=folded.record, state=folded.state),
        Visit(messages=window[:2], record=folded.record, state=folded.state),
    ]


@pytest.mark.parametrize("which", range(5))
def test_a_visit_of_another_window_is_refused(archive: SqliteArchive, which: int) -> None:
    stored = archive.conversation("one")
    stored.append(conversation(6))
    before = told(reopened(archive))
    with pytest.raises(ArchiveError, match="not of the window"):
        stored.settle(visits_of_other_windows(stored)[which])
    assert told(reopened(archive)) == told(stored) == before


def test_a_span_that_was_to_be_archived_has_to_be(archive: SqliteArchive) -> None:
    stored = archive.conversation("one")
    stored.append(conversation(6))
    visit = STRATEGIES[0].visit(stored.messages)
    assert visit.folded is not None
    span = FoldedSpan.model_validate(
        visit.folded.model_dump() | {"retain": "archive", "originals": None, "address": "0" * 64}
    )
    with pytest.raises(ArchiveError, match="not in this archive"):
        stored.settle(Visit(messages=visit.messages, record=visit.record, spans=(span,), state=visit.state))
    assert reopened(archive).records == ()


def test_what_is_dropped_is_not_in_the_file_any_more(archive: SqliteArchive) -> None:
    stored = archive.conversation("one")
    stored.append(conversation(6))
    stored.settle(STRATEGIES[3].visit(stored.messages))
    with archive._database.reading() as connection:
        (count,) = connection.execute("SELECT count(*) FROM message").fetchone()
    assert count == len(stored.messages)


def test_ephemeral_messages_are_not_stored(archive: SqliteArchive) -> None:
    stored = archive.conversation("one")
    stored.append([*said("a"), Message(role="user", content="retry", ephemeral=True), *said("b")])
    assert texts(stored.messages) == texts(reopened(archive).messages) == ["a", "b"]


def test_what_the_hook_hides_is_in_no_window_either(tmp_path: Path) -> None:
    def hide(message: Message) -> Message:
        return message.model_copy(update={"content": message.text.replace("4111", "[card]")})

    with SqliteArchive(tmp_path / "a.db", redact=hide) as archive:
        stored = archive.conversation("one")
        stored.append(said("pay with 4111"))
        assert texts(stored.messages) == texts(archive.conversation("one").messages) == ["pay with [card]"]


@pytest.mark.parametrize("identifier", ["Ünï/code 北", "\ud800", "a" * 10_000, "'; DROP TABLE message; --"])
def test_a_conversation_may_have_any_name(archive: SqliteArchive, identifier: str) -> None:
    archive.conversation(identifier).append(said("a"))
    assert texts(archive.conversation(identifier).messages) == ["a"]
    assert archive.conversation_ids() == (identifier,)


@pytest.mark.parametrize("identifier", ["", None, 7])
def test_a_name_that_is_none_is_refused(archive: SqliteArchive, identifier: str) -> None:
    with pytest.raises(UsageError, match="id of a conversation"):
        archive.conversation(identifier)


def test_what_is_no_message_is_not_appended(archive: SqliteArchive) -> None:
    stored = archive.conversation("one")
    with pytest.raises(UsageError, match=r"messages\[1\] is dict"):
        stored.append([*said("a"), {"role": "user"}])  # type: ignore[list-item]
    assert reopened(archive).messages == stored.messages == ()


def test_a_file_that_was_opened_in_another_process_is_not_used_in_this_one(archive: SqliteArchive) -> None:
    stored = archive.conversation("one")
    archive._database._process += 1  # type: ignore[misc]
    with pytest.raises(UsageError, match="opened in another process"):
        stored.append(said("a"))


def test_a_closed_archive_says_so(archive: SqliteArchive) -> None:
    archive.close()
    archive.close()
    with pytest.raises(UsageError, match="is closed"):
        archive.addresses()


def live(path: str, who: int) -> int:
    """Append, fold and keep, as often as it takes; return how often somebody else was faster."""
    beaten = 0
    with SqliteArchive(path, timeout_seconds=60) as archive:
        stored = archive.conversation("shared")
        for step in range(STEPS):
            stored.append(turn(1_000 * who + step))
            while True:
                visit = STRATEGIES[0].visit(stored.messages, state=stored.state)
                try:
                    stored.settle(visit)
                except ArchiveError:
                    beaten += 1
                    stored.refresh()
                else:
                    break
            archive.conversation(f"own-{who}").append(turn(1_000 * who + step))
    return beaten


def everything(archive: SqliteArchive, stored: StoredConversation) -> list[Message]:
    """All that was ever said in a conversation, without frames."""
    return [message for message in archive.history(stored.messages) if FOLDED not in (message.metadata or {})]


def check_what_they_left(path: str, workers: int) -> None:
    with SqliteArchive(path) as archive:
        stored = archive.conversation("shared")
        validate_messages(stored.messages)
        found = everything(archive, stored)
        wanted = [message for who in range(workers) for step in range(STEPS) for message in turn(1_000 * who + step)]
        assert sorted(message.fingerprint for message in found) == sorted(message.fingerprint for message in wanted)
        for who in range(workers):
            own = [message for step in range(STEPS) for message in turn(1_000 * who + step)]
            assert [message for message in found if message in own] == own  # each one's in its order
            assert archive.conversation(f"own-{who}").messages == tuple(own)
        with archive._database.reading() as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_processes_share_a_file(tmp_path: Path) -> None:
    path = str(tmp_path / "new.db")  # made by whoever comes first
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        list(pool.map(partial(live, path), range(2)))
    check_what_they_left(path, 2)


def test_threads_share_an_archive(tmp_path: Path) -> None:
    path = str(tmp_path / "new.db")
    with SqliteArchive(path) as archive, ThreadPoolExecutor(4) as pool:
        stored = archive.conversation("shared")

        def talk(who: int) -> None:
            for step in range(STEPS):
                stored.append(turn(1_000 * who + step))
                span = turn(step)
                archive.keep({span_address(span): span})
                assert archive.expand(span_address(span)) == tuple(span)
                archive.conversation(f"own-{who}").append(turn(1_000 * who + step))
                archive.search("ORD")

        list(pool.map(talk, range(4)))
        assert archive.conversation("shared").messages == stored.messages
    check_what_they_left(path, 4)
