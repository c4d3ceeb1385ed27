"""What cannot be read is reported with its place, kept as it was, and never quietly left out."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from foldproof.errors import TranscriptError
from foldproof.offline import audit
from foldproof.transcripts import Conversation, dump, load, load_all, read_text
from foldproof.transcripts.damage import UnknownKinds

ROWS = [
    {"type": "user", "uuid": "a", "parentUuid": None, "sessionId": "s", "message": {"role": "user", "content": "fee?"}},
    {"type": "assistant", "uuid": "b", "parentUuid": "a", "sessionId": "s",
     "message": {"role": "assistant", "content": "It is $190.25."}},
]  # fmt: skip
SESSION = [json.dumps(row) for row in ROWS]
BROKEN = '{"type": "user", "uuid": "c", "mess'
RUN = json.dumps({"messages": [{"role": "user", "content": "hello"}]})
WIZARD = json.dumps({"messages": [{"role": "wizard", "content": "a"}, {"role": "wizard", "content": "b"}]})


def read(*lines: str, strict: bool = False) -> list[Conversation]:
    return list(read_text("\n".join(lines), name="in.jsonl", strict=strict))


def written(conversations: list[Conversation]) -> str:
    out = io.StringIO()
    dump(conversations, out)
    return out.getvalue()


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_broken_row_of_a_session_is_reported_and_the_others_are_read(at: int) -> None:
    lines = [*SESSION[:at], BROKEN, *SESSION[at:]]
    (conversation,) = read(*lines)
    assert [message.text for message in conversation.messages] == ["fee?", "It is $190.25."]
    (damage,) = conversation.damage
    assert damage.path == f"line {at + 1}"
    assert "not JSON" in damage.cause
    assert written([conversation]) == "\n".join(lines)


def test_a_broken_row_stays_where_it_was_when_others_leave() -> None:
    (conversation,) = read(SESSION[0], BROKEN, SESSION[1])
    assert written([conversation.replace(conversation.messages[:1])]).splitlines() == [SESSION[0], BROKEN]


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("broken", [BROKEN, WIZARD, "null", "7"])
def test_a_broken_line_between_conversations_is_reported_with_one_of_them_and_kept(at: int, broken: str) -> None:
    lines = [RUN, RUN]
    lines.insert(at, broken)
    conversations = read(*lines)
    assert len(conversations) == 2
    (damage,) = [damage for conversation in conversations for damage in conversation.damage]
    assert damage.path.startswith(f"line {at + 1}")
    assert written(conversations).rstrip("\n") == "\n".join(lines)


def test_with_strict_it_is_an_error_with_the_same_place() -> None:
    for lines, place in (((SESSION[0], BROKEN), "line 2: not JSON"), ((RUN, WIZARD), "line 2: $.messages[0].role")):
        with pytest.raises(TranscriptError, match=r"in\.jsonl") as caught:
            read(*lines, strict=True)
        assert place in str(caught.value)


def test_a_file_of_broken_lines_is_one_error() -> None:
    with pytest.raises(TranscriptError, match=r"in\.jsonl: .*not JSON"):
        read(BROKEN, BROKEN)


def test_load_takes_strict(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join([*SESSION, BROKEN]))
    assert len(load(path).damage) == 1
    with pytest.raises(TranscriptError, match="line 3"):
        load(path, strict=True)
    with pytest.raises(TranscriptError, match="line 3"):
        list(load_all(path, strict=True))


def verdicts(conversation: Conversation) -> list[str]:
    return [value.verdict for answer in audit(conversation).answers for value in answer.values]


def test_nobody_is_accused_over_what_could_not_be_read() -> None:
    whole, damaged, unfinished = read(*SESSION), read(SESSION[0], BROKEN, SESSION[1]), read(*SESSION, BROKEN)
    assert verdicts(whole[0]) == ["invented"]
    assert verdicts(damaged[0]) == ["undecidable"]
    assert verdicts(unfinished[0]) == ["invented"]  # what is still being written came after the answer


def test_damage_stands_in_the_report_and_only_there() -> None:
    (damaged,) = read(SESSION[0], BROKEN, SESSION[1])
    assert [one["path"] for one in audit(damaged).model_dump()["damage"]] == ["line 2"]
    assert "damage" not in audit(read(*SESSION)[0]).model_dump()


@given(st.lists(st.sampled_from([RUN, BROKEN, WIZARD, "", "  "]), max_size=8))
def test_every_line_is_a_conversation_or_damage_and_none_is_lost(lines: list[str]) -> None:
    text = "\n".join(lines)
    good = lines.count(RUN)
    bad = sum(line in (BROKEN, WIZARD) for line in lines)
    first = next((line for line in lines if line.strip()), "")
    assume(first != BROKEN or 3 * (good + lines.count(WIZARD)) >= good + bad)  # else it is taken for one JSON value
    if not good:
        with pytest.raises(TranscriptError):
            read(text)
        return
    conversations = read(text)
    assert len(conversations) == good
    assert sum(len(conversation.damage) for conversation in conversations) == bad
    assert [line for line in written(conversations).split("\n") if line.strip()] == [
        line for line in lines if line.strip()
    ]


def test_one_kind_that_nobody_knows_is_reported_once_with_how_often() -> None:
    unknown = UnknownKinds("row type")
    for at, kind in enumerate(["mood", "weather", "mood", None]):
        unknown.add(kind, f"$[{at}].type")
    assert [(damage.path, damage.cause) for damage in unknown.damage()] == [
        ("$[0].type", "unknown row type 'mood' (2 times); it was not read"),
        ("$[1].type", "unknown row type 'weather'; it was not read"),
        ("$[3].type", "unknown row type 'None'; it was not read"),
    ]


@pytest.mark.parametrize("broken", [b'{"a": "\xff"}', b'{"a": "\x00"}', b"\xc3"])
def test_a_line_that_is_no_text_is_reported_and_written_back_as_it_was(broken: bytes) -> None:
    data = b"\n".join([SESSION[0].encode(), broken, SESSION[1].encode()])
    (conversation,) = read_text(data, name="in.jsonl")
    assert [message.text for message in conversation.messages] == ["fee?", "It is $190.25."]
    assert [damage.path for damage in conversation.damage] == ["line 2"]
    out = io.BytesIO()
    dump(conversation.replace(conversation.messages[:1]), out)
    assert out.getvalue().splitlines() == [SESSION[0].encode(), broken]


def test_a_last_line_that_is_cut_short_is_written_back_without_a_line_end() -> None:
    assert written(read(RUN, BROKEN)) == f"{RUN}\n{BROKEN}"
