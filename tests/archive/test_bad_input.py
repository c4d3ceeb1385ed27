"""Files that are no archives, or cannot be written: one line says which file and what to do, and nothing is lost."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from tests.archive.builders import conversation, kept, said, texts

import foldproof as fp
from foldproof.archive import ArchiveError, SqliteArchive
from foldproof.errors import TranscriptError, UsageError
from foldproof.messages import Message, message_id
from foldproof.window import span_address


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An archive with a span and a conversation in it, closed."""
    path = tmp_path / "a.db"
    with SqliteArchive(path) as archive:
        kept(archive, *conversation(20))
        archive.conversation("one").append(conversation(5))
    return path


def everything(path: Path, *, read_only: bool = False) -> tuple[object, ...]:
    """All that an archive gives, read to the last byte."""
    with SqliteArchive(path, read_only=read_only) as archive:
        spans = [archive.expand(address) for address in archive.addresses()]
        return spans, archive.conversation("one").messages, [hit.message for hit in archive.search("ORD-000007")]


def one_line(error: Exception, path: Path) -> bool:
    return str(error).startswith(f"{path}: ") and "\n" not in str(error) and isinstance(error, TranscriptError)


def write(path: Path, sql: str) -> None:
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute(sql)
    connection.close()


def test_a_folder_is_no_archive(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="is a folder") as raised:
        SqliteArchive(tmp_path)
    assert one_line(raised.value, tmp_path)


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "a.db"
    with pytest.raises(ArchiveError, match="folder does not exist") as raised:
        SqliteArchive(path)
    assert one_line(raised.value, path)
    assert not path.parent.exists()


def test_a_file_that_is_not_there_is_not_made_for_a_reader(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="no such file"):
        SqliteArchive(tmp_path / "a.db", read_only=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"hello, this is no database" * 100, os.urandom(20_000), b"SQLite format 3\0"])
def test_garbage_is_no_archive_and_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(content)
    with pytest.raises(ArchiveError) as raised:
        SqliteArchive(path)
    assert one_line(raised.value, path)
    assert path.read_bytes() == content


def test_an_empty_file_becomes_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.touch()
    with SqliteArchive(path) as archive:
        assert archive.addresses() == ()
    path = tmp_path / "b.db"
    path.touch()
    with pytest.raises(ArchiveError, match="is empty"):
        SqliteArchive(path, read_only=True)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("PRAGMA user_version = 2", "newer foldproof"),
        ("PRAGMA user_version = 0", "is damaged"),
        ("PRAGMA application_id = 77", "of another program"),
        ("PRAGMA application_id = 0", "of another program"),
        ("DROP TABLE window", "is damaged"),
        ("CREATE TABLE extra (x)", "is damaged"),
        ("CREATE TRIGGER t AFTER INSERT ON span BEGIN DELETE FROM message; END", "is damaged"),
        ("CREATE VIEW v AS SELECT 1", "is damaged"),
        ("ALTER TABLE record RENAME COLUMN json TO j", "is damaged"),
        ("ALTER TABLE span ADD COLUMN extra", "is damaged"),
        ("DROP INDEX moved_to", "is damaged"),
    ],
)
def test_another_layout_is_refused_and_stays_as_it_is(path: Path, sql: str, said: str) -> None:
    write(path, sql)
    before = path.read_bytes()
    with pytest.raises(ArchiveError, match=said) as raised:
        SqliteArchive(path)
    assert one_line(raised.value, path)
    assert path.read_bytes() == before


def test_the_database_of_another_program_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    write(path, "CREATE TABLE theirs (x)")
    before = path.read_bytes()
    with pytest.raises(ArchiveError, match="of another program"):
        SqliteArchive(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("tenth", range(1, 10))
def test_a_file_that_was_cut_short_is_refused(path: Path, tenth: int) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * tenth // 10])
    with pytest.raises(ArchiveError) as raised:
        everything(path)
    assert one_line(raised.value, path)
    with pytest.raises(ArchiveError):
        SqliteArchive(path, read_only=True)


def test_a_byte_that_changed_never_gives_a_wrong_original(path: Path) -> None:
    whole, right = path.read_bytes(), everything(path)
    random, refused = Random(1), 0  # noqa: S311 - a seed makes a failure happen again
    for _ in range(120):
        at = random.randrange(len(whole))
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << random.randrange(8))]) + whole[at + 1 :])
        try:
            found = everything(path)
        except TranscriptError as error:
            assert one_line(error, path)  # noqa: PT017 - it may be raised or not
            refused += 1
        else:
            assert found[:2] == right[:2]
        for beside in (f"{path}-wal", f"{path}-shm"):
            Path(beside).unlink(missing_ok=True)
    assert refused > 5


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE message SET json = replace(json, 'ORD-000007', 'ORD-000008')",
        'UPDATE message SET json = \'{"role":"user"}\'',
        "UPDATE message SET json = 'no JSON'",
        "UPDATE message SET json = x'ff00'",
        "UPDATE message SET json = '[' || json || ']'",
        "UPDATE message SET fingerprint = 'x'",
        "UPDATE span_message SET position = 1000 - position",
        "DELETE FROM span_message WHERE position = 3",
        "UPDATE span SET address = replace(address, substr(address, 1, 1), 'f')",
    ],
)
def test_what_was_changed_by_hand_is_refused(path: Path, sql: str) -> None:
    write(path, sql)
    with SqliteArchive(path) as archive:
        (address,) = archive.addresses()
        with pytest.raises(ArchiveError, match="is damaged") as raised:
            archive.expand(address)
    assert one_line(raised.value, path)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE message SET json = replace(json, 'ORD-000003', 'ORD-000008')",
        "UPDATE window SET message = 10000",
        "UPDATE window SET position = 100 - position",
        "DELETE FROM window WHERE position = 3",
        "DELETE FROM window",
        "UPDATE conversation SET state = '{'",
        "UPDATE conversation SET state = '{\"latched\": 7}'",
        "UPDATE conversation SET state = 7",
    ],
)
def test_a_window_that_was_changed_by_hand_is_refused(path: Path, sql: str) -> None:
    write(path, sql)
    with SqliteArchive(path) as archive, pytest.raises(ArchiveError, match="is damaged") as raised:
        archive.conversation("one")
    assert one_line(raised.value, path)


def test_a_loop_of_addresses_is_followed_once(path: Path) -> None:
    one, other = "1" * 64, "2" * 64
    write(path, f"INSERT INTO moved VALUES ('{one}', '{other}', 1), ('{other}', '{one}', 1)")  # noqa: S608 - ours
    with SqliteArchive(path) as archive, pytest.raises(UsageError, match="leads to nothing"):
        archive.expand(one)


def test_a_reader_reads_and_does_not_write(path: Path) -> None:
    right = everything(path)
    with SqliteArchive(path, read_only=True) as archive:
        assert everything(path, read_only=True) == right
        stored = archive.conversation("one")
        for change in changes(archive):
            with pytest.raises(ArchiveError, match="read-only") as raised:
                change()
            assert one_line(raised.value, path)
        assert stored.messages == tuple(conversation(5))
    assert everything(path) == right


def changes(archive: SqliteArchive) -> Iterator[Callable[[], object]]:
    """Everything that writes."""
    stored = archive.conversation("one")
    visit = fp.SummarizeOldest(0, keep_recent_turns=2).visit(stored.messages)
    span = said("new")
    yield lambda: archive.keep({span_address(span): span})
    yield lambda: stored.append(span)
    yield lambda: stored.settle(visit)
    yield lambda: archive.conversation("new")


@pytest.fixture
def protected() -> Iterator[Path]:
    """A folder in which this process may not write, while it is nobody in particular."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "a.db"
        with SqliteArchive(path) as archive:
            kept(archive, *conversation(20))
            archive.conversation("one").append(conversation(5))
        path.chmod(0o444)
        folder.chmod(0o555)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65_534)
        try:
            yield path
        finally:
            os.seteuid(user)
            folder.chmod(0o755)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="needs the modes of POSIX")
def test_a_file_that_may_not_be_written_is_read(protected: Path) -> None:
    assert everything(protected) == everything(protected, read_only=True)
    with SqliteArchive(protected) as archive:
        for change in changes(archive):
            with pytest.raises(ArchiveError, match="read-only"):
                change()
    with pytest.raises(ArchiveError):
        SqliteArchive(protected.parent / "new.db")


def test_a_file_that_another_holds_is_waited_for_and_then_refused(path: Path) -> None:
    right = everything(path)
    with SqliteArchive(path, timeout_seconds=0.05) as archive:
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        for change in changes(archive):
            with pytest.raises(ArchiveError, match="locked by another process") as raised:
                change()
            assert one_line(raised.value, path)
        assert archive.conversation("one").messages == tuple(conversation(5))  # readers wait for nobody
        holder.execute("ROLLBACK")
        holder.close()
        assert everything(path) == right
        kept(archive, *said("now it can be written"))


def test_a_disk_without_room_keeps_what_was_there(path: Path) -> None:
    right = everything(path)
    with SqliteArchive(path) as archive:
        with archive._database.between_transactions() as connection:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count = {pages}")
        large = [Message(role="user", content="x" * 1_000_000)]
        with pytest.raises(ArchiveError, match="no room to grow") as raised:
            archive.keep({span_address(large): large})
        assert one_line(raised.value, path)
        stored = archive.conversation("one")
        with pytest.raises(ArchiveError, match="no room to grow"):
            stored.append(large)
        assert stored.messages == tuple(conversation(5))
        stored.refresh()
        assert stored.messages == tuple(conversation(5))
    assert everything(path) == right


def test_an_archive_that_fails_leaves_window_and_file_as_they_were(path: Path) -> None:
    with SqliteArchive(path) as archive:
        stored = archive.conversation("one")
        visit = fp.SummarizeOldest(0, keep_recent_turns=2).visit(stored.messages)
        with archive._database.between_transactions() as connection:
            connection.execute("PRAGMA query_only = ON")
        before = stored.messages, stored.state, stored.version
        with pytest.raises(ArchiveError):
            stored.settle(visit)
        with archive._database.between_transactions() as connection:
            connection.execute("PRAGMA query_only = OFF")
        assert (stored.messages, stored.state, stored.version) == before
        stored.settle(visit)
        assert texts(archive.conversation("one").messages) == texts(visit.messages)


@pytest.mark.parametrize(
    "options",
    [
        {"path": ""},
        {"path": None},
        {"path": b"bytes"},
        {"path": 7},
        {"redact": "hide"},
        {"timeout_seconds": -1},
        {"timeout_seconds": "5"},
        {"timeout_seconds": float("nan")},
        {"timeout_seconds": 10**400},
        {"timeout_seconds": 2_000_001},
        {"path": "plan\0b.db"},
    ],
)
def test_options_that_make_no_sense_are_refused(tmp_path: Path, options: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        SqliteArchive(**({"path": tmp_path / "a.db"} | options))  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("spans", [None, [], {"x": "text"}, {"x": [{}]}, {"x": 7}])
def test_spans_that_are_none_are_refused(spans: dict[str, list[Message]]) -> None:
    with SqliteArchive(":memory:") as archive, pytest.raises(UsageError):
        archive.keep(spans)


@pytest.mark.parametrize("what", [5, None, [5], "text"])
def test_messages_that_are_none_are_refused(what: list[Message]) -> None:
    with SqliteArchive(":memory:") as archive:
        for call in (archive.conversation("one").append, archive.history):
            with pytest.raises(UsageError, match="messages"):
                call(what)


def test_a_limit_beyond_what_can_be_counted_is_all() -> None:
    with SqliteArchive(":memory:") as archive:
        kept(archive, *said("alpha", "alpha too"))
        assert len(archive.search("alpha", limit=10**20)) == 2


def test_a_name_that_the_system_refuses_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 300)
    with pytest.raises(ArchiveError, match="check its name") as raised:
        SqliteArchive(path)
    assert one_line(raised.value, path)


@pytest.mark.skipif(os.name != "posix", reason="needs names of bytes")
def test_a_file_may_have_a_name_that_is_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.db")
    with SqliteArchive(name) as archive:
        address = kept(archive, *said("a"))
    with SqliteArchive(name, read_only=True) as archive:
        assert archive.expand(address) == tuple(said("a"))
    assert all(file.name.startswith("a\udcff.db") for file in tmp_path.iterdir())


def gone(path: Path) -> None:
    path.unlink()


def moved(path: Path) -> None:
    path.rename(path.with_name("b.db"))


def replaced(path: Path) -> None:
    other = path.with_name("other.db")
    SqliteArchive(other).close()
    other.replace(path)


@pytest.mark.skipif(os.name != "posix", reason="an open file cannot be deleted elsewhere")
@pytest.mark.parametrize("meanwhile", [gone, moved, replaced])
def test_nothing_is_written_to_a_file_that_is_not_at_its_path_any_more(
    path: Path, meanwhile: Callable[[Path], None]
) -> None:
    with SqliteArchive(path) as archive:
        stored = archive.conversation("one")
        meanwhile(path)
        before = stored.messages
        for change in (lambda: kept(archive, *said("new")), lambda: stored.append(said("new"))):
            with pytest.raises(ArchiveError, match="was deleted, moved or replaced") as raised:
                change()
            assert one_line(raised.value, path)
        assert stored.messages == before
        visit = fp.SummarizeOldest(0, keep_recent_turns=2, retain="archive").visit(before, archive=archive)
        assert visit.messages == before
        assert "was deleted, moved or replaced" in (visit.record.archive_failed or "")


@pytest.mark.parametrize("name", ["a b?c#d%41.db", "ünï.db", "a&mode=memory.db"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    with SqliteArchive(tmp_path / name) as archive:
        kept(archive, *said("a"))
    assert [file.name for file in tmp_path.iterdir()] == [name]


def calls(archive: SqliteArchive, address: str, names: list[str]) -> Iterator[Callable[[], object]]:
    """Everything that reads or changes an archive."""
    yield archive.addresses
    yield archive.conversation_ids
    yield lambda: archive.expand(address)
    yield lambda: archive.search("order")
    yield lambda: archive.search("or", conversation="one")
    yield lambda: fp.recall(archive, "recall_search", {"query": "order"})
    yield lambda: fp.recall(archive, "recall_expand", {"frame": address[:12]})
    yield lambda: archive.conversation("one").records
    yield lambda: archive.conversation("one").spans
    yield lambda: archive.history(archive.conversation("one").messages)
    yield lambda: archive.conversation("one").append(said("more"))
    yield lambda: settle(archive)
    yield lambda: archive.forget(names[3])
    yield lambda: archive.forget(names[5], conversation="one")


def settle(archive: SqliteArchive) -> None:
    stored = archive.conversation("one")
    stored.append(conversation(2, start=50))
    stored.settle(fp.SummarizeOldest(0, keep_recent_turns=1, retain="lineage").visit(stored.messages))


CELLS = [
    (table, column)
    for table, columns in {
        "message": ["id", "digest", "fingerprint", "name", "stands_for", "json"],
        "span": ["id", "address"],
        "span_message": ["span", "position", "message"],
        "moved": ["old", "new", "forgotten"],
        "conversation": ["id", "name", "version", "settled", "digest", "state"],
        "window": ["conversation", "position", "message"],
        "folded": ["id", "conversation", "fingerprint", "address", "json"],
        "record": ["id", "conversation", "json"],
        "said": ["text"],
    }.items()
    for column in columns
]
WRONG = ["'x'", "1", "-1", "9223372036854775807", "1.5", "x'ff00'", "CAST(x'ff00' AS TEXT)", "NULL", "'[]'", "'{}'"]


@pytest.fixture(scope="module")
def eventful(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, str, list[str]]:
    """An archive with something in every table, an address in it, and the ids of messages."""
    path = tmp_path_factory.mktemp("eventful") / "a.db"
    with SqliteArchive(path) as archive:
        stored = archive.conversation("one")
        stored.append(conversation(6))
        stored.settle(
            fp.SummarizeOldest(0, keep_recent_turns=4, retain="archive").visit(stored.messages, archive=archive)
        )
        (address,) = archive.addresses()
        names = [message_id(message) for message in conversation(6)]
        archive.forget(names[0])
        stored.refresh()
        stored.settle(fp.SummarizeOldest(0, keep_recent_turns=2, retain="lineage").visit(stored.messages))
    return path.read_bytes(), address, names


@pytest.mark.parametrize(("table", "column"), CELLS)
def test_whatever_stands_in_a_cell_one_line_says_so_or_nothing_is_wrong(
    tmp_path: Path, eventful: tuple[bytes, str, list[str]], table: str, column: str
) -> None:
    path, (whole, address, names) = tmp_path / "a.db", eventful
    for wrong in WRONG:
        for beside in ("", "-wal", "-shm"):
            Path(f"{path}{beside}").unlink(missing_ok=True)
        path.write_bytes(whole)
        with suppress(sqlite3.IntegrityError):  # SQLite itself refuses some
            write(path, f"UPDATE OR IGNORE {table} SET {column} = {wrong}")  # noqa: S608 - ours
        with SqliteArchive(path) as archive:
            for call in calls(archive, address, names):
                try:
                    call()
                except TranscriptError as error:
                    assert one_line(error, path)  # noqa: PT017 - it may be raised or not
                except UsageError:
                    pass
