"""Forgetting what was folded without its originals, or dropped: the frames that took it are all that is left of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from tests.archive.builders import bytes_of, conversation, said

import foldproof as fp
from foldproof.archive import Forgotten, SqliteArchive, StoredConversation
from foldproof.errors import UsageError
from foldproof.messages import FOLDED, Message, frame_kind, hides_values, message_id, validate_messages
from foldproof.window import Retain, history
from foldproof.window.strategies.base import VisitableStrategy

SECRET = "PASSPORT-X7719203"  # noqa: S105 - nobody's
ASKED = Message(role="assistant", tool_calls=(fp.ToolCall(id="s", name="find_person"),))
TOLD = Message(role="tool", tool_call_id="s", tool_name="find_person", content=f"{SECRET} {'row ' * 400}")
PERSON = Message(role="user", content=f"My passport is {SECRET}.")
MODEL = Message(role="assistant", content=f"Your passport {SECRET} is noted.")
SAID: dict[str, list[Message]] = {
    "a person": [PERSON],
    "a tool": [ASKED, TOLD],
    "the model": [*said("hello"), MODEL],
    "a tool whose message has an id": [ASKED, TOLD.model_copy(update={"id": "t1"})],
}
OFFLOAD = fp.OffloadLarge(threshold_characters=900, head_characters=200, retain="archive")


def fold(retain: Retain) -> VisitableStrategy:
    return fp.SummarizeOldest(0, keep_recent_turns=2, retain=retain, carry=8)


LIVES: dict[str, list[VisitableStrategy]] = {
    "lineage": [fold("lineage")],
    "lineage over lineage": [fold("lineage")] * 3,
    "head, then lineage": [OFFLOAD, fold("lineage")],
    "head and lineage at once": [fp.Pipeline([OFFLOAD, fold("lineage")])],
    "head, lineage, archive": [OFFLOAD, fold("lineage"), fold("archive")],
    "archive, then lineage": [fold("archive"), fold("lineage")],
    "discard": [fold("discard")],
    "discard, then archive": [fold("discard"), fold("archive"), fold("archive")],
    "quoted and discarded": [fp.PromptCompactor(0, keep_recent_turns=2, retain="discard")],
    "dropped": [fp.SlidingWindow(2)],
    "dropped again and again": [fp.SlidingWindow(2)] * 3,
    "dropped, then archive": [fp.SlidingWindow(2), fold("archive")],
    "a head kept nowhere": [fp.OffloadLarge(threshold_characters=900, head_characters=200, retain="discard")],
}


def a_life(
    archive: SqliteArchive, strategies: Iterable[VisitableStrategy], spoken: Sequence[Message]
) -> StoredConversation:
    stored = archive.conversation("life")
    stored.append([*conversation(2), *spoken])
    for step, strategy in enumerate(strategies):
        stored.append(conversation(3, start=10 * (step + 1)))
        stored.settle(strategy.visit(stored.messages, state=stored.state, iteration=step + 1, archive=archive))
    return stored


def known(archive: SqliteArchive, stored: StoredConversation) -> list[Sequence[Message]]:
    """What may be judged with: the window, with the spans beside it, and with the archive."""
    return [
        stored.messages,
        history(stored.messages, stored.spans),
        archive.history(stored.messages),
        archive.history(history(stored.messages, stored.spans)),
    ]


def verdict(messages: Sequence[Message], text: str) -> str:
    (value,) = fp.EvidenceIndex(messages).judge(text).values
    return value.verdict


@pytest.mark.parametrize("who", SAID)
@pytest.mark.parametrize("life", LIVES)
def test_what_was_forgotten_is_on_file_nowhere_and_accuses_nobody(tmp_path: Path, life: str, who: str) -> None:
    path, secret = tmp_path / "a.db", SAID[who][-1]
    answer = f"It is {SECRET}."
    with SqliteArchive(path) as archive:
        stored = a_life(archive, LIVES[life], SAID[who])
        archive.forget(message_id(secret))
        stored.refresh()
        validate_messages(stored.messages)
        assert SECRET.encode() not in bytes_of(path)
        assert b"X7719203" not in bytes_of(path)
        assert SECRET.casefold().encode() not in bytes_of(path)
        for messages in known(archive, stored):
            assert verdict(messages, answer) == "undecidable"
        assert any(map(hides_values, stored.messages))
        assert archive.forget(message_id(secret)) == Forgotten(erased=True)


@pytest.mark.parametrize("life", ["lineage", "head, then lineage", "head and lineage at once", "lineage over lineage"])
def test_a_value_that_somebody_else_said_stays_kept(life: str) -> None:
    with SqliteArchive(":memory:") as archive:
        stored = a_life(archive, LIVES[life], SAID["a tool"])
        before = history(stored.messages, stored.spans)
        archive.forget(message_id(TOLD))
        stored.refresh()
        after = history(stored.messages, stored.spans)
        for answer in ("It cost $1.03.", "It was ORD-000001."):
            assert verdict(after, answer) == verdict(before, answer) != "undecidable"


def test_a_fold_of_values_alone_is_counted_and_its_frame_made_anew() -> None:
    with SqliteArchive(":memory:") as archive:
        stored = a_life(archive, LIVES["lineage"], SAID["a tool"])
        (span,) = stored.spans
        forgotten = archive.forget(message_id(TOLD))
        assert (forgotten.messages, forgotten.spans, forgotten.frames, forgotten.windows) == (0, 1, 1, 1)
        stored.refresh()
        (after,) = stored.spans
        assert set(span.kept or ()) - set(after.kept or ()) == {
            value for value in span.kept or () if value.message_id == message_id(TOLD)
        }
        (frame,) = [message for message in stored.messages if frame_kind(message)]
        assert after.fingerprint == frame.fingerprint
        note = (frame.metadata or {})[FOLDED]
        assert isinstance(note, dict)
        assert note["hidden"]
        assert "kept" not in note
        assert frame.text.endswith("(forgotten)")


@pytest.mark.parametrize("life", ["discard", "dropped", "lineage"])
def test_who_supplied_a_form_is_unknown_so_all_go_and_none_is_accused(life: str) -> None:
    other = Message(role="user", content="And my order is ORD-555555, please.")
    with SqliteArchive(":memory:") as archive:
        stored = a_life(archive, LIVES[life], [PERSON, other])
        assert verdict(stored.messages, "It is ORD-555555.") == "exempt"
        forms = fp.exempt_forms([message for message in stored.messages if frame_kind(message)])
        assert archive.forget(message_id(PERSON)).forms == len(forms)
        stored.refresh()
        assert verdict(stored.messages, "It is ORD-555555.") == "undecidable"


@pytest.mark.parametrize("life", ["discard", "dropped", "lineage"])
def test_a_tools_result_supplied_no_form_so_none_goes(life: str) -> None:
    other = Message(role="user", content="And my order is ORD-555555, please.")
    with SqliteArchive(":memory:") as archive:
        stored = a_life(archive, LIVES[life], [other, *SAID["a tool"]])
        assert archive.forget(message_id(TOLD)).forms == 0
        stored.refresh()
        assert verdict(stored.messages, "It is ORD-555555.") == "exempt"


def test_two_messages_of_one_dropped_span_can_be_forgotten_one_after_the_other(tmp_path: Path) -> None:
    path, second = tmp_path / "a.db", Message(role="user", content="And my card is CARD-881122.")
    with SqliteArchive(path) as archive:
        stored = a_life(archive, LIVES["dropped again and again"], [PERSON, second])
        archive.forget(message_id(PERSON))
        archive.forget(message_id(second))
        stored.refresh()
        assert b"card-881122" not in bytes_of(path).lower()
        assert verdict(stored.messages, "It is CARD-881122.") == "undecidable"


def test_a_frame_that_is_not_stored_any_more_is_a_frame_too() -> None:
    with SqliteArchive(":memory:") as archive:
        stored = a_life(archive, LIVES["lineage"], SAID["a tool"])
        (frame,) = [message for message in stored.messages if frame_kind(message)]
        stored.append(conversation(3, start=50))
        stored.settle(fold("lineage").visit(stored.messages, archive=archive))
        with pytest.raises(UsageError, match="is a frame"):
            archive.forget(message_id(frame))


SEARCHED = Message.model_validate(
    {
        "role": "assistant",
        "id": "s1",
        "toolCalls": [{"id": "c1", "name": "save", "args": {}}],
        "content": [
            {"type": "server_tool_use", "id": "st", "name": "web_search", "input": {}},
            {
                "type": "web_search_tool_result",
                "tool_use_id": "st",
                "content": [{"type": "web_search_result", "title": "Flight HAT-4471 costs 91827"}],
            },
        ],
    }
)


@pytest.mark.parametrize("strategy", [None, fold("discard"), fold("archive"), fp.SlidingWindow(2)])
def test_what_a_providers_tool_said_is_missing_once_it_is_forgotten(strategy: VisitableStrategy | None) -> None:
    with SqliteArchive(":memory:") as archive:
        stored = archive.conversation("life")
        stored.append([*said("price?"), SEARCHED, Message(role="tool", tool_call_id="c1", content="ok")])
        assert verdict(stored.messages, "It is HAT-4471.") == "grounded"
        archive.forget("s1")
        stored.refresh()
        validate_messages(stored.messages)
        if strategy is not None:
            stored.append(conversation(4))
            stored.settle(strategy.visit(stored.messages, archive=archive))
        assert verdict(stored.messages, "It is HAT-4471.") == "undecidable"


def named(text: str) -> Message:
    return Message(role="user", id="msg_1", content=text)


def test_an_id_that_several_conversations_have_is_forgotten_where_it_is_said_to() -> None:
    with SqliteArchive(":memory:") as archive:
        for name, text in (("one", "It is ORD-111111."), ("two", "It is ORD-222222.")):
            stored = archive.conversation(name)
            stored.append([named(text), *conversation(4)])
            stored.settle(fold("archive").visit(stored.messages, archive=archive))
        with pytest.raises(UsageError, match='"one", "two"; say in which one'):
            archive.forget("msg_1")
        assert archive.search("ORD-111111")
        assert archive.search("ORD-222222")
        forgotten = archive.forget("msg_1", conversation="one")
        assert (forgotten.messages, forgotten.spans, forgotten.frames) == (1, 1, 1)
        assert not archive.search("ORD-111111")
        assert archive.search("ORD-222222")
        assert verdict(archive.conversation("one").messages, "It is ORD-111111.") == "undecidable"
        assert verdict(archive.conversation("two").messages, "It is ORD-222222.") == "exempt"
        assert archive.forget("msg_1").messages == 1  # one conversation has it now


def test_what_two_windows_say_alike_is_forgotten_in_one_of_them() -> None:
    with SqliteArchive(":memory:") as archive:
        for name in ("one", "two"):
            archive.conversation(name).append([PERSON, *conversation(1)])
        assert archive.forget(message_id(PERSON), conversation="two").windows == 1
        assert archive.conversation("one").messages[0] == PERSON
        assert PERSON not in archive.conversation("two").messages
        assert archive.forget(message_id(PERSON)).windows == 1  # by what it says: wherever it is


def test_a_span_of_two_conversations_is_not_taken_from_one_of_them() -> None:
    with SqliteArchive(":memory:") as archive:
        for name in ("one", "two"):
            a = archive.conversation(name)
            a.append([PERSON, *conversation(4)])
            a.settle(fold("archive").visit(a.messages, archive=archive))
        with pytest.raises(UsageError, match='"one", "two"'):
            archive.forget(message_id(PERSON), conversation="one")
        assert archive.search(SECRET)
        assert archive.forget(message_id(PERSON)).windows == 2


def test_forgetting_in_a_conversation_that_is_not_there_is_a_wrong_call() -> None:
    with SqliteArchive(":memory:") as archive, pytest.raises(UsageError, match="no conversation 'x'"):
        archive.forget("msg_1", conversation="x")
