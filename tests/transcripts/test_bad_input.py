"""Bad input gives the right result or one error of ours; never a traceback, half an output, or a changed input."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest

from foldproof.errors import TranscriptError, UsageError
from foldproof.messages import Message, pair
from foldproof.transcripts import dump, formats, load, load_all, parse, read_text
from foldproof.transcripts.json_text import Json

HELLO = b'{"messages": [{"role": "user", "content": "hello"}]}'


def refused(data: bytes) -> str:
    with pytest.raises(TranscriptError) as caught:
        list(read_text(data, name="in.json", strict=True))
    text = str(caught.value)
    assert text.startswith("in.json: ")
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty"),
        (b" \n\n", "the file is empty"),
        (b'{"messages": [', "not JSON"),
        (HELLO + b'\n{"messages": [{"role"', "line 2: not JSON"),
        (b"\x89PNG\x00\x01\x02", "a binary file"),
        (b'{"a": "\xff"}', "line 1: not UTF-8 text"),
        (b'{"hello": 1}', "no known format; looked for claude_code, "),
        (b'"text"', "foldproof formats"),
        (b"17", "a bare int"),
        (b"[]" * 2, "not JSON"),
        (b'{"messages": [' + b'{"role": "user"}, ' * 3 + b'{"role": "wizard"}]}', "$.messages[3].role"),
        (b'{"messages": [{"role": "user", "content": 5}]}', "$.messages[0].content"),
        (b'{"messages": [{"role": "user", "content": "a"}, "x", null]}', "$.messages[1]: expected a message object"),
        (b'{"messages": null}', "$.messages: expected an array of messages; found None"),
        (b'{"traj": 5}', "$.traj: expected an array of messages; found 5"),
        (b'[{"messages": null}]', "$[0].messages: expected an array"),
        (b'{"request": {"messages": null}, "response": ""}', "$.request.messages: expected an array"),
        (b'{"messages": [{"content": "a"}, {"role": "user"}]}', "$.messages[0].role: unknown role None"),
        (b'{"messages": [{"role": null, "content": "a"}]}', "$.messages[0].role: unknown role None"),
        (b'{"messages": [{"content": "a"}, {"content": "b"}]}', "$.messages[0].role: unknown role None"),
        (b'{"messages": [{"role": "robot", "content": [{"type": "text", "text": "a"}]}]}', "$.messages[0].role"),
        (b'{"messages": [{"role": 5, "content": "a"}]}', "$.messages[0].role: unknown role 5"),
        (b'[{"content": "a"}, {"role": "user", "content": "b"}]', "in.json: $[0].role: unknown role None"),
        (b'{"role": "user", "content": "a"}\n{"content": "b"}\n', "line 2: $.role: unknown role None"),
        (b'{"role": "robot", "content": "a"}\n', "line 1: $.role: unknown role 'robot'"),
        (b'{"messages_display": 5}', "$.messages_display: expected text; found 5"),
        (b'{"loglines": null}', "$.loglines: expected the rows"),
        (b'{"sessionId": "s", "messages": null}', "$.messages: expected an array"),
        (b'{"sessionId": "s", "messages": [{"role": "user"}, "x"]}', "$.messages[1]: expected a message object"),
        (b'{"sessionId": "s", "messages": [{"content": "a"}, {"role": "user"}]}', "$.messages[0].role"),
        (b'{"sessionId": "s", "messages": [{"role": "robot", "content": "a"}]}', "$.messages[0].role"),
        (b'{"format": "conversation-v1", "data": {"history": [{"content": "a"}]}}', "$.data.history[0].role"),
        (b'{"runId": "r", "finalState": {"history": [{"role": "robot"}]}}', "$.finalState.history[0].role"),
        (HELLO + b"\n" + HELLO.replace(b'"user"', b'"elf"'), "line 2: $.messages[0].role"),
        (b"[" + HELLO + b"," + HELLO.replace(b'"user"', b'"elf"') + b"]", "$[1].messages[0].role"),
        (b'{"messages": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested more than"),
        (b'{"messages": ' + b"[" * 900 + b"]" * 900 + b"}", "nested more than"),
        (b'{"messages": [{"role": "user", "n": ' + b"7" * 5000 + b"}]}", "a number cannot be read"),
        (b'{"format": "flowchart-v1", "data": {}}', "$.format: the format is 'flowchart-v1' (a paused run"),
        (b'{"format": "conversation-v1", "data": {"history": 3}}', "$.data.history"),
        (b'{"sessionId": "s", "messages": [{"role": "tool", "content": "x"}]}', "$.messages[0].content"),
    ],
)  # fmt: skip
def test_one_error_that_names_file_and_place(data: bytes, said: str) -> None:
    assert said in refused(data)


def test_an_error_in_a_session_names_the_line() -> None:
    row = {"type": "user", "uuid": "u", "parentUuid": None, "message": {"role": "user", "content": [5]}}
    data = b'{"type": "summary", "summary": "t", "leafUuid": "u"}\n\n' + json.dumps(row).encode()
    assert "in.json: line 3: $.message.content[0]" in refused(data)


ROBOT = {"type": "assistant", "uuid": "u", "message": {"role": "robot", "content": "x"}}


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (json.dumps(ROBOT), "line 1: $.message.role"),
        (json.dumps([ROBOT]), "$[0].message.role"),
        (json.dumps(ROBOT, indent=1), "$.message.role"),
        (json.dumps({"loglines": [{}, ROBOT]}), "line 1: $.loglines[1].message.role"),
        (json.dumps([{"loglines": []}, {"loglines": [ROBOT]}], indent=1), "$[1].loglines[0].message.role"),
        (json.dumps(ROBOT | {"type": "user"}), "line 1: $.message.role"),
        (json.dumps(ROBOT | {"message": {"role": None, "content": "x"}}), "line 1: $.message.role"),
        (json.dumps(ROBOT | {"isSidechain": True}), "line 1: $.message.role"),
        (json.dumps(ROBOT | {"message": {"role": "user", "content": "x"}}), "line 1: $.message.role"),
        (  # on a branch that was left
            "\n".join(json.dumps(ROBOT | more) for more in (
                {"uuid": "a", "parentUuid": None, "message": {"content": "no role but that of its type"}},
                {"uuid": "b", "parentUuid": "a"},
                {"uuid": "c", "parentUuid": "a", "message": {"role": "assistant", "content": "x"}},
            )),
            "line 2: $.message.role",
        ),
    ],
)  # fmt: skip
def test_an_unknown_role_in_a_session_is_named_wherever_it_stands(data: str, place: str) -> None:
    assert f"in.json: {place}: unknown role" in refused(data.encode())


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(TranscriptError, match=r"nowhere\.json: cannot be read: No such file"):
        load(tmp_path / "nowhere.json")


def test_several_conversations_are_for_load_all(tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_bytes(HELLO + b"\n" + HELLO + b"\n")
    with pytest.raises(UsageError, match="load_all"):
        load(path)
    assert [conversation.id for conversation in load_all(path)] == ["0", "1"]
    with pytest.raises(UsageError, match="load_all"):
        parse([json.loads(HELLO)] * 2)
    with pytest.raises(UsageError, match="no format 'nope'"):
        load(path, format="nope")


def deep(levels: int) -> bytes:
    return b'{"messages": [{"role": "user", "content": "x", "extra": ' + b"[" * levels + b"]" * levels + b"}]}"


@pytest.mark.parametrize(
    "data",
    [
        deep(100),
        b'{"messages": [{"role": "user", "content": "x", "n": 12345678901234567890, "f": 1.10, "e": 1e400}]}',
        b'{"messages": [{"role": "user", "content": "lone \\ud800"}]}',
        b'{"messages": [{"role": "user", "content": "' + b"y" * 5_000_000 + b'"}]}',
        b'{"messages": [{"role": "tool", "tool_call_id": "c", "content": "answers no call"}]}',
        b'\xef\xbb\xbf{"messages": []}',
        '{"messages": [{"role": "user", "content": "16 bits \u2028"}]}'.encode("utf-16"),
        b'{"messages": [{"role": "user", "content": "x"}]}\r\n{"messages": []}\r\n',
        b'{"a": 1, "a": 2,   "messages": [{"role": "user", "content": "x"}]}',
    ],
)
def test_odd_but_readable_is_read_and_written_as_it_was(data: bytes) -> None:
    out = io.BytesIO()
    dump(read_text(data, name="in"), out)
    plain = data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig")
    assert out.getvalue() == plain.encode()


def test_a_twenty_digit_integer_is_exact() -> None:
    (conversation,) = read_text(b'{"messages": [{"role": "user", "n": 12345678901234567890}]}', name="in")
    assert (conversation.messages[0].model_extra or {})["n"] == 12345678901234567890


def test_a_result_without_a_call_loads() -> None:
    conversation = parse([{"role": "tool", "tool_call_id": "c", "content": "x"}])
    assert pair(conversation.messages).orphans == (0,)


FRAME = Message(role="user", content="[foldproof drop notice] x")


def test_nothing_is_written_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("before", encoding="utf-8")
    session = [{"type": "user", "uuid": "u", "parentUuid": None, "message": {"role": "user", "content": "x"}}]
    conversation = parse(session).replace([Message(role="system", content="new")])
    with pytest.raises(TranscriptError, match="only frames"):
        dump(conversation, path)
    assert path.read_text(encoding="utf-8") == "before"
    assert os.listdir(tmp_path) == ["out.json"]  # noqa: PTH208 - names, hidden ones too
    out = io.StringIO()
    with pytest.raises(TranscriptError):
        dump(conversation, out)
    assert not out.getvalue()


def test_a_row_that_breaks_half_way_leaves_no_output(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_bytes(HELLO + b"\n" + HELLO[:-5])
    with pytest.raises(TranscriptError, match="line 2"):
        dump(load_all(source, strict=True), tmp_path / "out.jsonl")
    assert os.listdir(tmp_path) == ["in.jsonl"]  # noqa: PTH208


def test_an_output_keeps_its_mode_and_a_link_its_target(tmp_path: Path) -> None:
    target = tmp_path / "real.json"
    target.write_bytes(HELLO)
    target.chmod(0o640)
    (tmp_path / "link.json").symlink_to(target)
    conversation = load(tmp_path / "link.json")
    dump(conversation.replace([FRAME]), tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert load(target).messages == (FRAME,)


@pytest.mark.parametrize("given", [[], ["text"], 5])
def test_dump_wants_conversations(given: Json) -> None:
    with pytest.raises((UsageError, TypeError)):
        dump(given, io.StringIO())


def test_dump_refuses_what_cannot_stand_in_one_file(tmp_path: Path) -> None:
    one, two = parse(json.loads(HELLO)), parse(json.loads(HELLO))
    with pytest.raises(UsageError, match="several files"):
        dump([one, two], io.StringIO())
    with pytest.raises(UsageError, match="twice"):
        dump([one, one], io.StringIO())
    with pytest.raises(UsageError, match="cannot write"):
        dump(one, tmp_path / "no" / "such" / "folder.json")
    with pytest.raises(UsageError, match=r"messages\[0\] is "):
        one.replace([{"role": "user"}])  # type: ignore[list-item]


def test_a_list_of_wrappers_is_written_as_a_list() -> None:
    data = b'[\n  {"task_id": 1, "traj": [{"role": "user", "content": "a"}]},\n  {"task_id": 2, "traj": []}\n]\n'
    conversations = list(read_text(data, name="in"))
    assert [conversation.id for conversation in conversations] == ["1", "2"]
    out = io.BytesIO()
    dump(conversations, out)
    assert out.getvalue() == data
    out = io.BytesIO()
    dump([conversations[0].replace([FRAME]), conversations[1]], out)
    assert out.getvalue() == data.replace(
        b'"role": "user", "content": "a"', b'"role": "user", "content": "' + FRAME.text.encode() + b'"'
    )
    out = io.BytesIO()
    dump(conversations[1], out)
    assert json.loads(out.getvalue()) == [{"task_id": 2, "traj": []}]


def test_formats_are_described() -> None:
    assert {known.name for known in formats()} >= {"openai_chat", "claude_code", "agentfootprint", "axle"}
    assert all(known.description and known.can_read for known in formats())
