from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.archive.builders import bytes_of, conversation, frame_of, kept, said, texts

import foldproof as fp
from foldproof.archive import ArchiveError, Forgotten, SqliteArchive, StoredConversation
from foldproof.errors import UsageError
from foldproof.messages import FOLDED, Message, frame_kind, hides_values, message_id, validate_messages
from foldproof.window import span_address

SECRET = "PASSPORT-X7719203-ЖЩЫ"  # noqa: S105 - nobody's
SUMMARIZE = fp.SummarizeOldest(0, keep_recent_turns=2, retain="archive")
PROMPT = fp.PromptCompactor(0, keep_recent_turns=2, retain="archive")
CLEAR = fp.ClearToolResults(0, keep=1, keep_last_tool_results=0, retain="archive")
CONVERSATION = fp.SummarizeOldest(0, keep_recent_turns=2)
PIPELINE = fp.Pipeline([CLEAR, SUMMARIZE])

person = Message(role="user", id="secret", content=f"My passport is {SECRET}, keep it to yourself.")
asked = Message.model_validate(
    {"role": "assistant", "toolCalls": [{"id": "s", "name": "find_person", "args": {"passport": SECRET}}]}
)
told = Message(role="tool", tool_call_id="s", tool_name="find_person", content=f'{{"name": "Jane", "id": "{SECRET}"}}')
SAID_BY = {"person": person, "call": asked, "result": told}


def a_life(archive: SqliteArchive, strategies: Iterable[object], secret: Message) -> StoredConversation:
    """Fold again and again; the secret is said at the beginning, and nowhere else."""
    stored = archive.conversation("life")
    spoken = [secret]
    if secret is asked:
        spoken = [asked, told.model_copy(update={"content": "nobody"})]
    if secret is told:
        spoken = [asked.model_copy(update={"tool_calls": (fp.ToolCall(id="s", name="find_person"),)}), told]
    stored.append([*conversation(2), *spoken])
    for step, strategy in enumerate(strategies):
        stored.append(conversation(3, start=10 * (step + 1)))
        visit = strategy.visit(stored.messages, state=stored.state, iteration=step + 1, archive=archive)  # type: ignore[attr-defined]
        stored.settle(visit)
    return stored


LIVES: dict[str, list[object]] = {
    "never folded": [],
    "folded": [SUMMARIZE],
    "folded with the conversation": [CONVERSATION],
    "folded deep": [SUMMARIZE] * 5,
    "cleared": [CLEAR],
    "cleared, then folded": [CLEAR, SUMMARIZE, SUMMARIZE],
    "a pipeline": [PIPELINE, PIPELINE],
    "quoted": [PROMPT],
    "quoted, then folded": [PROMPT, PROMPT, PROMPT],
}


@pytest.mark.parametrize("who", SAID_BY)
@pytest.mark.parametrize("life", LIVES)
def test_no_byte_of_a_forgotten_message_is_left(tmp_path: Path, life: str, who: str) -> None:
    path, secret = tmp_path / "a.db", SAID_BY[who]
    with SqliteArchive(path) as archive:
        stored = a_life(archive, LIVES[life], secret)
        before = archive.history(stored.messages)
        assert SECRET.encode() in bytes_of(path)
        assert ("жщы".encode() in bytes_of(path)) == bool(archive.search(SECRET))
        forgotten = archive.forget(message_id(secret))
        assert forgotten.messages == 1
        assert forgotten.erased
        assert SECRET.encode() not in bytes_of(path)
        assert b"X7719203" not in bytes_of(path)
        assert "жщы".encode() not in bytes_of(path)  # as the index of the search had it
        assert archive.search(SECRET) == ()

        again = archive.conversation("life")
        validate_messages(again.messages)
        after = archive.history(again.messages)
        assert own(after) == [message for message in own(before) if message.fingerprint != secret.fingerprint]
        assert SECRET.casefold() not in fp.exempt_forms(again.messages)
        for frame in after:
            if "archived" in note_of(frame):
                assert fp.exempt_forms((frame,)) == fp.exempt_forms(archive.expand(frame, depth=1))
        with archive._database.reading() as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            assert connection.execute("INSERT INTO said (said, rank) VALUES ('integrity-check', 1)").rowcount
        for span in again.spans:
            assert span.address is None or len(archive.expand(span.address, depth=1)) == span.message_count
    assert SECRET.encode() not in bytes_of(path)


def note_of(frame: Message) -> dict[str, object]:
    note = (frame.metadata or {}).get(FOLDED)
    return dict(note) if isinstance(note, dict) else {}


def own(messages: Iterable[Message]) -> list[Message]:
    """Without frames, and without what stands for something forgotten."""
    return [message for message in messages if frame_kind(message) is None and (message.tool_calls != stub)]


stub = (fp.ToolCall(id="s", name="find_person"),)


def test_it_says_what_it_removed(tmp_path: Path) -> None:
    with SqliteArchive(tmp_path / "a.db") as archive:
        stored = a_life(archive, [SUMMARIZE] * 3, person)
        spans = len(archive.addresses())
        found = archive.forget("secret")
        (frame,) = [message for message in archive.conversation("life").messages if note_of(message)]
        forms = len(fp.exempt_forms([*conversation(2), person])) - len(fp.exempt_forms(conversation(2)))
        assert found == Forgotten(
            messages=1, spans=spans, frames=spans, forms=forms, search_rows=1, windows=1, erased=True
        )
        assert note_of(frame)["hidden"] == forms
        assert archive.forget("secret") == Forgotten(erased=True)
        with pytest.raises(ArchiveError, match="settled by somebody else"):
            stored.settle(SUMMARIZE.visit(stored.messages, archive=archive))


@pytest.mark.parametrize("depth", [1, 4])
def test_expanding_says_how_many_were_forgotten(tmp_path: Path, depth: int) -> None:
    with SqliteArchive(tmp_path / "a.db") as archive:
        stored = a_life(archive, [SUMMARIZE] * depth, person)
        old = next(message for message in stored.messages if note_of(message))
        address = str(note_of(old)["archived"])
        assert archive.expand(old).forgotten == 0
        archive.forget("secret")
        new = next(message for message in archive.conversation("life").messages if note_of(message))
        assert new != old
        for key in (old, new, address, address[:8], str(note_of(new)["archived"])):
            found = archive.expand(key)
            assert found.forgotten == 1, key
            assert person not in found
        assert archive.expand(old) == archive.expand(new)


def test_what_was_forgotten_is_missing_evidence_and_no_invention(tmp_path: Path) -> None:
    with SqliteArchive(tmp_path / "a.db") as archive:
        stored = a_life(archive, [SUMMARIZE], told)
        answer = f"Her id is {SECRET}."
        (before,) = fp.EvidenceIndex(archive.history(stored.messages)).judge(answer).values
        archive.forget(message_id(told))
        window = archive.conversation("life").messages
        for messages in (window, archive.history(window)):
            (after,) = fp.EvidenceIndex(messages).judge(answer).values
            assert (before.verdict, after.verdict) == ("grounded", "undecidable")
            (other,) = fp.EvidenceIndex(archive.history(window)).judge("It is ORD-000001.").values
            assert other.verdict in ("grounded", "exempt")


def test_a_person_is_not_accused_of_what_they_had_forgotten(tmp_path: Path) -> None:
    with SqliteArchive(tmp_path / "a.db") as archive:
        a_life(archive, [SUMMARIZE] * 2, person)
        archive.forget("secret")
        window = archive.conversation("life").messages
        (after,) = fp.EvidenceIndex(window).judge(f"Your passport is {SECRET}.").values
        assert after.verdict == "undecidable"
        assert any(map(hides_values, window))


def test_a_form_that_somebody_else_supplied_too_stays(tmp_path: Path) -> None:
    repeated = Message(role="user", content=f"As I said: {SECRET}")
    with SqliteArchive(tmp_path / "a.db") as archive:
        stored = archive.conversation("life")
        stored.append([person, repeated, *conversation(4)])
        stored.settle(SUMMARIZE.visit(stored.messages, archive=archive))
        assert archive.forget("secret").forms == 0
        window = archive.conversation("life").messages
        assert SECRET.casefold() in fp.exempt_forms(window)
        assert texts(hit.message for hit in archive.search(SECRET)) == [repeated.text]


def test_a_window_stays_valid_whatever_is_forgotten(tmp_path: Path) -> None:
    with SqliteArchive(tmp_path / "a.db") as archive:
        stored = archive.conversation("one")
        stored.append(conversation(2))
        for message in conversation(2):
            assert archive.forget(message_id(message)).windows == 1
            validate_messages(archive.conversation("one").messages)
        left = archive.conversation("one").messages
        assert len(left) == len(conversation(2))
        assert "ORD-" not in json.dumps([message.model_dump() for message in left])


@given(st.data())
def test_forgetting_is_as_if_it_had_never_been_kept(data: st.DataObject) -> None:
    """Spans over frames over spans, in any shape: what expands afterwards is what expanded before, without it."""
    pool = said("alpha", "bravo", "charlie", "secret", "delta")
    secret = pool[3]
    with SqliteArchive(":memory:") as archive:
        frames: list[Message] = []
        for _ in range(data.draw(st.integers(1, 6))):
            span = data.draw(st.lists(st.sampled_from([*pool, *frames]), min_size=1, max_size=4))
            frames.append(frame_of(kept(archive, *span)))
        before = [archive.expand(frame) for frame in frames]
        shallow = [archive.expand(frame, depth=1) for frame in frames]
        found = archive.forget(message_id(secret))
        assert found.messages == any(secret in messages for messages in before)
        for frame, messages in zip(frames, before, strict=True):
            after = archive.expand(frame)
            assert after == tuple(message for message in messages if message != secret)
            assert after.forgotten == messages.count(secret)
        for address in archive.addresses():
            assert span_address(archive.expand(address, depth=1)) == address
        for message in [message for messages in shallow for message in messages if message in pool]:
            hits = archive.search(message.text, limit=1)
            assert bool(hits) == (message != secret)
            for hit in hits:
                assert archive.expand(hit.address, depth=1)[hit.position] == hit.message


def test_two_spans_that_are_one_without_it_become_one(tmp_path: Path) -> None:
    with SqliteArchive(tmp_path / "a.db") as archive:
        with_it, without = kept(archive, person, *said("a")), kept(archive, *said("a"))
        archive.forget("secret")
        assert archive.addresses() == (without,)
        assert (archive.expand(with_it), archive.expand(with_it).forgotten) == (tuple(said("a")), 1)
        assert archive.expand(frame_of(without)).forgotten == 0


def test_a_span_that_is_kept_again_is_kept(tmp_path: Path) -> None:
    with SqliteArchive(tmp_path / "a.db") as archive:
        address = kept(archive, person, *said("a"))
        archive.forget("secret")
        assert kept(archive, person, *said("a")) == address
        assert archive.expand(address) == (person, *said("a"))
        assert archive.expand(address).forgotten == 0


@pytest.mark.parametrize("key", ["id", "derived", "fingerprint"])
def test_a_message_may_be_named_in_each_of_its_ways(tmp_path: Path, key: str) -> None:
    names = {"id": "secret", "derived": f"sha256:{person.fingerprint[:16]}", "fingerprint": person.fingerprint}
    with SqliteArchive(tmp_path / "a.db") as archive:
        kept(archive, person)
        assert archive.forget(names[key]).messages == 1


def test_a_frame_is_not_forgotten_but_what_it_stands_for(tmp_path: Path) -> None:
    with SqliteArchive(tmp_path / "a.db") as archive:
        frame = frame_of(kept(archive, person))
        kept(archive, frame)
        with pytest.raises(UsageError, match="is a frame"):
            archive.forget(message_id(frame))
        assert archive.expand(frame) == (person,)


def test_what_cannot_be_written_is_not_forgotten(tmp_path: Path) -> None:
    with SqliteArchive(tmp_path / "a.db") as archive:
        address = kept(archive, person)
    with SqliteArchive(tmp_path / "a.db", read_only=True) as archive:
        with pytest.raises(ArchiveError, match="read-only"):
            archive.forget("secret")
        assert archive.expand(address) == (person,)


def test_a_reader_that_holds_the_file_keeps_the_bytes_and_forgetting_again_erases_them(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with SqliteArchive(path, timeout_seconds=0.05) as archive, SqliteArchive(path) as other:
        kept(archive, person)
        with other._database.reading() as connection:
            connection.execute("SELECT count(*) FROM message").fetchone()
            assert not archive.forget("secret").erased
        assert archive.search(SECRET) == ()
        assert archive.forget("secret") == Forgotten(erased=True)
        assert SECRET.encode() not in bytes_of(path)


def test_forgetting_one_of_many_leaves_no_copy_of_its_page(tmp_path: Path) -> None:
    path, random = tmp_path / "a.db", Random(1)  # noqa: S311 - a seed makes a failure happen again
    with SqliteArchive(path) as archive:
        span = said(*("filler " * random.choice([0, 1, 20, 300, 900]) + f"ЖЩ{index:04}" for index in range(60)))
        for start in range(0, 60, 6):
            kept(archive, *span[start : start + 6])
        for index in random.sample(range(60), 20):
            assert f"ЖЩ{index:04}".encode() in bytes_of(path)
            assert archive.forget(message_id(span[index])).erased
            assert f"ЖЩ{index:04}".encode() not in bytes_of(path)


@pytest.mark.parametrize("seed", range(38, 46))
def test_a_page_that_was_split_keeps_no_copy_either(tmp_path: Path, seed: int) -> None:
    path, random = tmp_path / "a.db", Random(seed)  # noqa: S311 - a seed makes a failure happen again
    with SqliteArchive(path) as archive:
        stored = archive.conversation("run")
        for index in range(60):
            text = f"my key is secret-{seed:06}" if index == 20 else "x" * random.randrange(1500)
            stored.append(
                [
                    Message(role="user", id=f"u{index}", content=text),
                    Message(role="assistant", tool_calls=(fp.ToolCall(id=f"c{index}", name="find"),)),
                    Message(role="tool", tool_call_id=f"c{index}", content="y" * random.randrange(2500)),
                ]
            )
        for strategy in (fp.ClearToolResults(0, retain="archive"), fp.SummarizeOldest(0, retain="archive")):
            stored.settle(strategy.visit(stored.messages, state=stored.state, archive=archive))
        assert archive.forget("u20").erased
        assert f"secret-{seed:06}".encode() not in bytes_of(path)


def test_it_is_not_erased_where_the_file_could_not_be_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with SqliteArchive(path, timeout_seconds=0.05) as archive, SqliteArchive(path) as other:
        kept(archive, person)
        archive.forget("secret")
        with other._database.writing():
            assert not archive._database.erase()
        assert archive._database.erase()


@pytest.mark.parametrize("identifier", ["", None, 7])
def test_what_is_no_id_is_a_wrong_call(identifier: str) -> None:
    with SqliteArchive(":memory:") as archive, pytest.raises(UsageError, match="message_id"):
        archive.forget(identifier)
