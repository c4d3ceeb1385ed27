from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.archive.builders import frame_of, kept, said, texts
from tests.messages.generators import messages

from foldproof.archive import ArchiveError, SqliteArchive
from foldproof.errors import TranscriptError, UsageError
from foldproof.messages import FOLDED, Message
from foldproof.window import span_address

surrogates = st.text(st.characters(codec=None), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**40), 10**40) | st.floats(allow_nan=False) | surrogates,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(surrogates, inner, max_size=3),
    max_leaves=6,
)
odd_messages = st.builds(
    lambda content, extra, metadata, args: Message.model_validate(
        {
            "role": "assistant",
            "content": content,
            "metadata": metadata,
            "x-unknown": extra,
            "toolCalls": [{"id": "a", "name": "b", "args": args, "providerMeta": extra}],
        }
    ),
    surrogates | st.lists(st.fixed_dictionaries({"type": surrogates, "anything": values}), max_size=3),
    values,
    st.dictionaries(surrogates, values, max_size=3),
    values,
)
"""Halves of surrogate pairs, huge numbers, infinities, unknown fields and parts of no known shape, in every place."""


def exactly(message: Message) -> str:
    """What a message is, to the byte: number spellings, order of members, and what was set."""
    return json.dumps(message.model_dump())


@given(st.lists(messages | odd_messages, max_size=6))
def test_a_span_comes_back_byte_for_byte(span: list[Message]) -> None:
    with SqliteArchive(":memory:") as archive:
        address = kept(archive, *span)
        found = archive.expand(address, depth=1)
    assert found == tuple(span)
    assert [message.fingerprint for message in found] == [message.fingerprint for message in span]
    assert list(map(exactly, found)) == list(map(exactly, span))


def test_one_and_true_and_one_point_zero_stay_three_messages() -> None:
    span = [Message(role="user", content="x", replay=value) for value in (1, 1.0, True)]
    with SqliteArchive(":memory:") as archive:
        found = archive.expand(kept(archive, *span))
    assert [repr(message.replay) for message in found] == ["1", "1.0", "True"]


def test_the_order_of_arguments_is_kept_where_equal_messages_differ_in_it() -> None:
    one, other = (
        Message.model_validate({"role": "assistant", "toolCalls": [{"id": "a", "name": "b", "args": args}]})
        for args in ({"x": 1, "y": 2}, {"y": 2, "x": 1})
    )
    assert one.fingerprint == other.fingerprint
    with SqliteArchive(":memory:") as archive:
        found = archive.expand(kept(archive, one, other))
    assert [list(message.tool_calls[0].args) for message in found] == [["x", "y"], ["y", "x"]]  # type: ignore[arg-type]


def test_not_a_number_is_kept_as_what_it_is() -> None:
    message = Message(role="user", content="x", replay=float("nan"))
    with SqliteArchive(":memory:") as archive:
        (found,) = archive.expand(kept(archive, message))
    assert found.fingerprint == message.fingerprint
    assert repr(found.replay) == "nan"


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes"])
def test_what_json_cannot_hold_is_refused_and_nothing_is_kept(value: object) -> None:
    odd = Message.model_validate({"role": "user", "content": "x", "unknown": value})
    with SqliteArchive(":memory:") as archive:
        with pytest.raises(TranscriptError, match="cannot be written as JSON"):
            archive.keep({span_address([*said("fine"), odd]): [*said("fine"), odd]})
        assert archive.addresses() == ()
        assert archive.search("fine") == ()


def test_json_nested_past_what_can_be_read_back_is_refused_in_one_line() -> None:
    deep: object = []
    for _ in range(400):
        deep = [deep]
    message = Message(role="user", content="x").model_copy(update={"replay": deep})
    with SqliteArchive(":memory:") as archive, pytest.raises(TranscriptError, match="cannot be written as JSON"):
        kept(archive, message)


def test_a_message_that_stands_in_many_spans_is_stored_once(tmp_path: Path) -> None:
    long = said("x" * 100_000)
    with SqliteArchive(tmp_path / "a.db") as archive:
        kept(archive, *long)
        size = (tmp_path / "a.db-wal").stat().st_size
        for index in range(20):
            kept(archive, *long, *said(str(index)))
        assert (tmp_path / "a.db-wal").stat().st_size - size < 20 * 100_000
        assert len(archive.search("xxxx", limit=100)) == 1


def test_an_address_is_never_trusted() -> None:
    with SqliteArchive(":memory:") as archive:
        with pytest.raises(UsageError, match="its address is"):
            archive.keep({span_address(said("a")): said("b")})
        assert archive.addresses() == ()


def test_all_spans_are_kept_or_none() -> None:
    good, bad = said("good"), [Message.model_validate({"role": "user", "x": object()})]
    with SqliteArchive(":memory:") as archive:
        with pytest.raises(TranscriptError):
            archive.keep({span_address(good): good, span_address(bad): bad})
        assert archive.addresses() == ()


def test_keeping_again_changes_nothing() -> None:
    with SqliteArchive(":memory:") as archive:
        first = kept(archive, *said("a", "b"))
        assert kept(archive, *said("a", "b")) == first
        assert archive.addresses() == (first,)


def test_an_empty_span_is_not_an_unknown_one() -> None:
    with SqliteArchive(":memory:") as archive:
        with pytest.raises(UsageError, match="leads to nothing"):
            archive.expand(span_address([]))
        assert archive.expand(kept(archive)) == ()


def nested(archive: SqliteArchive, depth: int) -> Message:
    """A frame over a frame over …, with one message at each depth, the deepest first."""
    frame = frame_of(kept(archive, *said("0")))
    for level in range(1, depth):
        frame = frame_of(kept(archive, frame, *said(str(level))))
    return frame


def test_frames_open_through_any_depth() -> None:
    with SqliteArchive(":memory:") as archive:
        frame = nested(archive, 1_500)
        assert texts(archive.expand(frame)) == [str(level) for level in range(1_500)]


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_depth_says_how_many_folds_are_opened(depth: int) -> None:
    with SqliteArchive(":memory:") as archive:
        found = archive.expand(nested(archive, 3), depth=depth)
    frames = [message for message in found if message.text.startswith("[foldproof")]
    assert texts(message for message in found if message not in frames) == ["0", "1", "2"][3 - depth :]
    assert len(frames) == (depth < 3)


def test_a_nested_frame_whose_originals_are_elsewhere_stays_as_it_is() -> None:
    elsewhere = frame_of(span_address(said("not here")))
    with SqliteArchive(":memory:") as archive:
        assert archive.expand(kept(archive, elsewhere, *said("a"))) == (elsewhere, *said("a"))


def test_a_frame_whose_originals_are_elsewhere_says_so() -> None:
    with SqliteArchive(":memory:") as archive:
        kept(archive, *said("something"))
        with pytest.raises(ArchiveError, match="is not in this archive; it holds 1 span"):
            archive.expand(frame_of(span_address(said("not here"))))


def test_an_address_may_be_cut_to_eight_digits_and_a_frame_named_by_its_id() -> None:
    with SqliteArchive(":memory:") as archive:
        address = kept(archive, *said("a"))
        frame = frame_of(address)
        named = frame.model_copy(update={"id": "frame-7"})
        kept(archive, frame, named)
        for key in (address, address[:8], frame, frame.fingerprint, f"sha256:{frame.fingerprint[:16]}", "frame-7"):
            assert texts(archive.expand(key)) == ["a"], key
        with pytest.raises(UsageError, match="leads to nothing"):
            archive.expand(address[:7])


def test_a_beginning_of_several_addresses_is_refused_and_names_them() -> None:
    with SqliteArchive(":memory:") as archive:
        addresses = [kept(archive, *said("a")), kept(archive, *said("b"))]
        with archive._database.writing() as connection:  # 32 bits are not brute-forced in a test
            for address in addresses:
                connection.execute("UPDATE span SET address = ? WHERE address = ?", (f"{0:08}{address}"[:64], address))
        with pytest.raises(UsageError, match="begins several addresses"):
            archive.expand("00000000")


@pytest.mark.parametrize("frame", [Message(role="user", content="hello"), "", "zz", "../x", "%", "\ud800", "0" * 65])
def test_what_is_no_frame_is_a_wrong_call(frame: Message | str) -> None:
    with SqliteArchive(":memory:") as archive, pytest.raises(UsageError):
        archive.expand(frame)


@pytest.mark.parametrize("note", [{"archived": 7}, {"archived": ["x"]}, {"archived": "x"}, {"span": None}, {}, 7])
def test_a_note_that_is_none_leads_nowhere(note: object) -> None:
    frame = Message.model_validate(
        {"role": "user", "content": "x", "foldedExempt": [], "metadata": {"foldproof": note}}
    )
    with SqliteArchive(":memory:") as archive:
        with pytest.raises(UsageError):
            archive.expand(frame)
        assert archive.history([frame]) == (frame,)


def test_history_puts_the_originals_ahead_of_every_frame() -> None:
    with SqliteArchive(":memory:") as archive:
        inner = frame_of(kept(archive, *said("a", "b")))
        outer = frame_of(kept(archive, inner, *said("c")))
        dropped = frame_of(span_address(said("gone")))
        window = [*said("s"), outer, dropped, *said("d")]
        assert archive.history(window) == (*said("s", "a", "b"), inner, *said("c"), outer, dropped, *said("d"))


def test_a_file_that_opens_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foldproof.archive.spans.MOST_MESSAGES", 1_000)
    with SqliteArchive(":memory:") as archive:
        frame = frame_of(kept(archive, *said("a", "b")))
        for _ in range(20):
            frame = frame_of(kept(archive, frame, frame))
        with pytest.raises(ArchiveError, match="more than 1,000 messages"):
            archive.expand(frame)
        assert len(archive.expand(frame, depth=5)) == 2**5


@pytest.mark.parametrize("depth", [None, 2, 3])
def test_what_lies_behind_a_frame_and_is_not_here_is_counted(depth: int | None) -> None:
    lost, here = frame_of("a" * 64), said("b")
    seven = lost.model_copy(update={"metadata": {FOLDED: {"messages": 7, "archived": "c" * 64}}})
    with SqliteArchive(":memory:") as archive:
        outer = frame_of(kept(archive, frame_of(kept(archive, lost, *here, seven))))
        found = archive.expand(outer, depth=depth)
        assert (found.missing, found.forgotten) == ((0, 0) if depth == 2 else (1 + 7, 0))
        assert tuple(found) == (lost, *here, seven)


def test_a_frame_whose_originals_were_never_archived_misses_none() -> None:
    never = Message(
        role="user", content="[foldproof drop notice] x", metadata={FOLDED: {"messages": 3, "span": "a" * 16}}
    )
    with SqliteArchive(":memory:") as archive:
        assert archive.expand(kept(archive, never, *said("a"))).missing == 0


def hidden(message: Message) -> Message:
    return message.model_copy(update={"content": message.text.replace("4111111111111111", "[card]")})


def test_what_the_hook_hides_is_what_a_visit_gets_to_keep() -> None:
    with SqliteArchive(":memory:", redact=hidden) as archive:
        plain, card = said("nothing to hide", "my card is 4111111111111111")
        assert archive.redact(plain) is plain
        assert archive.redact(card).text == "my card is [card]"


@pytest.mark.parametrize("made", [None, "text", Message(role="system", content="x")])
def test_a_hook_that_breaks_the_conversation_is_refused(made: object) -> None:
    with (
        SqliteArchive(":memory:", redact=lambda _: made) as archive,  # type: ignore[arg-type, return-value]
        pytest.raises(UsageError, match="redact hook"),
    ):
        archive.redact(Message(role="user", content="x"))


def failing(message: Message) -> Message:
    raise ZeroDivisionError(message.role)


def test_a_hook_that_fails_is_named_with_the_message_and_nothing_is_kept(tmp_path: Path) -> None:
    message = Message(role="user", id="m7", content="x")
    with SqliteArchive(tmp_path / "a.db", redact=failing) as archive:
        stored = archive.conversation("one")
        with pytest.raises(ArchiveError, match=r"a\.db: the redact hook failing, given m7, raised ZeroDivisionError"):
            stored.append([message])
        stored.refresh()
        assert stored.messages == ()


@pytest.mark.parametrize("update", [{"content": None}, {"role": "nobody"}, {"metadata": {"x": object()}}])
def test_what_a_hook_returns_is_checked_to_be_a_message(update: dict[str, object]) -> None:
    message = Message(role="user", id="m7", content="x")
    with (
        SqliteArchive(":memory:", redact=lambda given: given.model_copy(update=update)) as archive,
        pytest.raises(UsageError, match=r"redact hook .*given m7, returned a message that is none"),
    ):
        archive.redact(message)
