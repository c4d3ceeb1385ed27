"""Sessions of OpenCode: the export, the storage folder in both layouts, compactions, sub-agents, states of tools."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from foldproof.errors import TranscriptError
from foldproof.messages import Message, author_of, calls_of, frame_kind, is_observation, pair, said_with_refusal
from foldproof.transcripts import Conversation, dump, files_in, load, load_all, parse
from foldproof.transcripts.json_text import Json

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "opencode"
SUMMARY = Message(role="user", content="[foldproof summary frame] what was said")
NOTICE = Message(role="user", content="[foldproof drop notice] gone")


def unfolded(layout: str, folder: Path) -> Path:
    """The fixtures are kept flat: `storage_v2__message__s__m.json` is `message/s/m.json` of that storage."""
    root = folder / "share" / "opencode" / layout
    for file in DATA.glob(f"{layout}__*"):
        place = root / file.name.removeprefix(f"{layout}__").replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(file.read_bytes())
    return root


def raw(layout: str, kind: str) -> list[dict[str, Any]]:
    return [json.loads(file.read_text("utf-8")) for file in sorted(DATA.glob(f"{layout}__{kind}__*"))]


def row(name: str, role: str, *parts: dict[str, Any], **info: Json) -> dict[str, Any]:
    return {"info": {"id": name, "role": role, "sessionID": "ses"} | info, "parts": list(parts)}


def text(words: str, **more: Json) -> dict[str, Any]:
    return {"type": "text", "text": words} | more


def tool(call: str, name: str = "bash", **state: Json) -> dict[str, Any]:
    return {"type": "tool", "callID": call, "tool": name, "state": {"status": "completed", "input": {}} | state}


def export(*rows: Json, **info: Json) -> dict[str, Any]:
    return {"info": {"id": "ses", "directory": "/w", "title": "t"} | info, "messages": list(rows)}


def rewritten(value: Json, window: list[Message]) -> dict[str, Any]:
    out = io.StringIO()
    dump(parse(value).replace(window), out)
    written: dict[str, Any] = json.loads(out.getvalue())
    return written


@pytest.mark.parametrize("layout", ["storage_v2", "storage_legacy"])
def test_a_storage_yields_its_sessions_with_every_part(layout: str, tmp_path: Path) -> None:
    root = unfolded(layout, tmp_path)
    conversations = list(load_all(root, strict=True))
    assert {one.id for one in conversations} == {info["id"] for info in raw(layout, "session")}
    messages = [message for one in conversations for message in one.messages]
    parts = raw(layout, "part")
    tools = [part for part in parts if part["type"] == "tool"]
    calls = [call for message in messages for call in calls_of(message)]
    assert sorted(call.id for call in calls) == sorted(part["callID"] for part in tools)
    assert [message.text for message in messages if message.role == "tool"] == [
        part["state"]["output"] for part in tools
    ]
    texts = sorted(part["text"] for part in parts if part["type"] == "text")
    assert sorted(message.text for message in messages if message.role != "tool" and message.text) == texts
    assert all(not pair(one.messages).unanswered for one in conversations)
    persons = sum(author_of(message) == "person" for message in messages)
    assert persons == sum(
        info["role"] == "user" and bool(info["summary"]["body"]) for info in raw(layout, "message")
    ) - (
        layout == "storage_legacy"  # whose user message has no part, only a title
    )


def test_a_storage_is_found_below_any_folder(tmp_path: Path) -> None:
    root = unfolded("storage_v2", tmp_path)
    beside = tmp_path / "share" / "chat.json"
    beside.write_text('[{"role": "user", "content": "hello"}]')
    assert list(files_in(tmp_path)) == [beside, root]
    found = [(one.format, one.messages) for one in load_all(tmp_path)]
    assert [name for name, _ in found] == ["openai_chat", "opencode", "opencode"]
    assert [one for one in found if one[0] == "opencode"] == [("opencode", one.messages) for one in load_all(root)]


def test_a_session_of_a_storage_is_written_as_an_export(tmp_path: Path) -> None:
    (small,) = [one for one in load_all(unfolded("storage_v2", tmp_path)) if one.id == "s_stage0_small"]
    target = tmp_path / "export.json"
    dump(small, target)
    assert load(target).messages == small.messages
    written = json.loads(target.read_text("utf-8"))
    assert [one["info"] for one in written["messages"]] == [
        info for info in raw("storage_v2", "message") if info["sessionID"] == "s_stage0_small"
    ]
    window = [small.messages[0], NOTICE]
    dump(small.replace(window), target)
    assert list(load(target).messages) == window


def storage_of(folder: Path, *sessions: dict[str, Any]) -> Path:
    for session in sessions:
        info = session["info"]
        place = folder / "session" / "global" / f"{info['id']}.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(info))
        for message in session["messages"]:
            name = message["info"]["id"]
            file = folder / "message" / info["id"] / f"{name}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(message["info"]))
            for at, part in enumerate(message["parts"]):
                file = folder / "part" / name / f"prt_{at}.json"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(json.dumps({"id": f"prt_{at}", "messageID": name} | part))
    return folder


def test_a_sub_agent_is_joined_to_the_call_that_ran_it(tmp_path: Path) -> None:
    task = tool("call_9", "task", output="found", metadata={"sessionId": "a_child"})
    parent = export(row("m1", "user", text("go")), row("m2", "assistant", task))
    child = export(row("m3", "user", text("look")), row("m4", "assistant", text("found")), id="a_child", parentID="ses")
    main, sub = load_all(storage_of(tmp_path / "storage", child, parent))
    assert (main.id, main.parent) == ("ses", None)
    assert sub.id == "a_child"
    assert sub.parent is not None
    assert (sub.parent.conversation, sub.parent.call) == ("ses", "call_9")
    assert author_of(main.messages[0]) == "person"
    assert author_of(sub.messages[0]) == "app"  # the parent's model wrote it


def test_files_of_a_storage_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    rows = [row(f"m{n}", "user", text(f"words {n}")) for n in range(4)]
    root = storage_of(tmp_path / "storage", export(*rows))
    (root / "part" / "m1" / "prt_0.json").write_text('{"id": ')
    (root / "message" / "ses" / "m2.json").write_text("")
    (conversation,) = load_all(root)
    assert [message.text for message in conversation.messages] == ["words 0", "words 3"]
    # The part of the lost message is named too: nothing took it.
    assert [damage.path for damage in conversation.damage] == ["$.unread", "$.messages[1].parts[0]", "$.messages[2]"]
    assert "part/m2/prt_0.json" in conversation.damage[0].cause
    with pytest.raises(TranscriptError, match="unread"):
        list(load_all(root, strict=True))


def test_a_session_file_that_cannot_be_read_loses_no_message(tmp_path: Path) -> None:
    root = storage_of(tmp_path / "storage", export(row("m1", "user", text("words"))))
    (root / "session" / "global" / "ses.json").write_text("{")
    (conversation,) = load_all(root)
    assert [message.text for message in conversation.messages] == ["words"]
    assert [damage.path for damage in conversation.damage] == ["$.info"]
    (root / "session" / "global" / "ses.json").unlink()
    (conversation,) = load_all(root)
    assert (conversation.id, conversation.damage) == ("ses", ())


def test_what_the_app_put_beside_the_words_of_a_person_is_a_message_of_its_own() -> None:
    value = export(
        row("m1", "user", text("read it"), text("<file>7</file>", synthetic=True), text("shown", ignored=True)),
        row("m2", "user", text("continue", synthetic=True)),
        row("m3", "user", {"type": "subtask", "prompt": "look", "description": "d", "agent": "a"}),
    )
    conversation = parse(value, strict=True)
    assert [(author_of(message), message.text) for message in conversation.messages] == [
        ("person", "read it"), ("app", "<file>7</file>"), ("app", "continue"), ("app", "look"),
    ]  # fmt: skip
    assert (
        rewritten(value, list(conversation.messages[1:]))["messages"][0]["parts"] == value["messages"][0]["parts"][1:]
    )


def test_a_reply_begins_at_every_step_and_else_at_words_behind_a_call() -> None:
    step = {"type": "step-start"}
    by_step = row("m", "assistant", step, text("a"), tool("1", output="x"), text("b"), step, text("c"))
    by_words = row("m", "assistant", text("a"), tool("1", output="x"), text("b"), tool("2", output="y"))
    for value, wanted in (
        (by_step, [("assistant", "a\nb"), ("tool", "x"), ("assistant", "c")]),
        (by_words, [("assistant", "a"), ("tool", "x"), ("assistant", "b"), ("tool", "y")]),
    ):
        assert [(message.role, message.text) for message in parse(export(value)).messages] == wanted


def test_what_the_person_says_when_they_reject_a_call_is_kept() -> None:
    refused = "The user rejected permission to use this specific tool call with the following feedback: use 8765"
    failed = "no such file, with the following feedback: use 8765"
    tools = [tool(str(at), status="error", error=words) for at, words in enumerate((refused, refused[:64], failed))]
    results = parse(export(row("m", "assistant", *tools)), strict=True).messages[1:]
    assert [said_with_refusal(message) for message in results] == ["use 8765", "", ""]


def test_states_of_tools() -> None:
    refused = "The user rejected permission to use this specific tool call."
    value = export(
        row(
            "m",
            "assistant",
            tool("1", output="out"),
            tool("2", status="error", error="no such file"),
            tool("3", status="error", error=refused),
            tool("4", status="pending"),
            tool("5", status="running"),
            tool("6", status="error", error="Tool execution aborted", metadata={"interrupted": True, "output": "half"}),
            tool("7", status="completed", output={"n": 1}),
            tool("8", status="completed", output="kept", time={"start": 1, "end": 2, "compacted": 3}),
        )
    )
    messages = parse(value, strict=True).messages
    said = {message.tool_call_id: (message.text, message.is_error, is_observation(message)) for message in messages[1:]}
    assert said == {
        "1": ("out", None, True),
        "2": ("no such file", True, True),
        "3": (refused, True, False),
        "6": ("half", True, True),
        "7": ('{"n": 1}', None, True),
        "8": ("kept", None, True),
    }
    assert [call.position for call in pair(messages).unanswered] == [3, 4]


def test_a_tool_of_the_provider_brings_its_result_along() -> None:
    part = tool("1", "web_search", output="found") | {"metadata": {"providerExecuted": True}}
    (message,) = parse(export(row("m", "assistant", part, text("so")))).messages
    assert message.model_dump()["content"][0] == {
        "type": "provider-tool", "id": "1", "name": "web_search", "input": {}, "result": "found",
    }  # fmt: skip


def compacted(**marker: Json) -> dict[str, Any]:
    return export(
        row("m1", "user", text("one")),
        row("m2", "assistant", tool("1", output="7"), parentID="m1"),
        row("m3", "user", text("two")),
        row("m4", "assistant", text("yes"), parentID="m3"),
        row("m5", "user", {"type": "compaction", "auto": True} | marker),
        row("m6", "assistant", text("all of it"), parentID="m5", summary=True, finish="stop"),
        row("m7", "user", text("go on", synthetic=True)),
    )


@pytest.mark.parametrize(("marker", "folded"), [({}, 5), ({"tail_start_id": "m3"}, 3)])
def test_a_compaction_stands_for_what_is_ahead_of_its_tail(marker: dict[str, Any], folded: int) -> None:
    conversation = parse(compacted(**marker), strict=True)
    frame = conversation.messages[5]
    assert (frame_kind(frame), frame.text) == ("summary", "all of it")
    (span,) = conversation.folded
    assert span.originals == conversation.messages[:folded]
    assert span.fingerprint == frame.fingerprint
    assert [message.role for message in conversation.messages] == [
        "user", "assistant", "tool", "user", "assistant", "user", "user",
    ]  # fmt: skip


def test_a_summary_stays_what_it_was_when_what_it_stands_for_leaves() -> None:
    messages = parse(compacted()).messages
    written = rewritten(compacted(), list(messages[5:]))
    assert [one["info"]["id"] for one in written["messages"]] == ["m5", "m6", "m7"]
    assert parse(written).messages == messages[5:]


def test_a_compaction_that_failed_is_none() -> None:
    value = compacted()
    value["messages"][5]["info"]["error"] = {"name": "APIError"}
    assert not parse(value).folded
    assert not [message for message in parse(value).messages if frame_kind(message)]


def test_a_summary_frame_is_written_as_a_compaction_of_opencode() -> None:
    value = compacted()
    messages = parse(value).messages
    window = [messages[0], SUMMARY, *messages[3:5]]
    written = rewritten(value, window)
    first, marker, summary, kept, _ = written["messages"]
    assert first == value["messages"][0]
    assert [part["type"] for part in marker["parts"]] == ["compaction"]
    assert (marker["info"]["role"], summary["info"]["role"]) == ("user", "assistant")
    assert (summary["info"]["summary"], summary["info"]["parentID"]) == (True, marker["info"]["id"])
    assert summary["parts"][0]["text"] == SUMMARY.text
    ids = [one["info"]["id"] for one in written["messages"]]
    assert ids == sorted(ids)  # the app sorts by them
    assert len(set(ids)) == len(ids)
    assert kept == value["messages"][2]
    assert list(parse(written).messages) == window


def test_an_answer_whose_question_left_follows_the_question_ahead() -> None:
    value = export(
        row("m1", "user", text("one")),
        row("m3", "user", text("two")),
        row("m4", "assistant", text("yes"), parentID="m3"),
    )
    messages = parse(value).messages
    written = rewritten(value, [messages[0], NOTICE, messages[2]])
    notice, answer = written["messages"][1:]
    assert answer["info"]["parentID"] == notice["info"]["id"]
    assert rewritten(value, [messages[0], messages[2]])["messages"][1]["info"]["parentID"] == "m1"


def test_a_cleared_result_takes_the_place_of_the_output() -> None:
    value = compacted()
    messages = parse(value).messages
    cleared = Message(
        role="tool", content="[foldproof cleared result] 1", tool_call_id="1", tool_name="bash", tool_chars=0
    )
    window = [*messages[:2], cleared, *messages[3:5]]
    written = rewritten(value, window)
    assert written["messages"][1]["parts"][0]["state"]["output"] == cleared.text
    assert list(parse(written).messages) == window


def test_a_message_that_has_no_place_is_refused() -> None:
    with pytest.raises(TranscriptError, match="no row for a system message"):
        rewritten(compacted(), [Message(role="system", content="be brief")])


@pytest.mark.parametrize(
    ("broken", "path"),
    [
        (5, "$.messages[1]"),
        ({"info": {"role": "critic"}, "parts": []}, "$.messages[1]"),
        ({"info": {"role": "user"}, "parts": 5}, "$.messages[1].parts"),
        (row("m", "user", {"type": "hologram"}), "$.messages[1].parts[0]"),
        (row("m", "user", {"type": "text", "text": 5}), "$.messages[1].parts[0]"),
        (row("m", "assistant", {"type": "tool", "tool": "x"}), "$.messages[1].parts[0]"),
        (row("m", "assistant", None), "$.messages[1].parts[0]"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_read_is_reported_and_the_rest_is_read(broken: Json, path: str) -> None:
    conversation = parse(export(row("m1", "user", text("first")), broken, row("m9", "user", text("last"))))
    assert [message.text for message in conversation.messages] == ["first", "last"]
    assert [damage.path for damage in conversation.damage] == [path]


def test_a_result_that_is_not_there_is_reported() -> None:
    conversation = parse(export(row("m", "assistant", tool("1", status="lost"))))
    assert [damage.path for damage in conversation.damage] == ["$.messages[0].parts[0].state"]
    assert len(pair(conversation.messages).unanswered) == 1


def test_the_messages_alone_are_a_session_too() -> None:
    whole = compacted()
    alone: Conversation = parse(whole["messages"])
    assert (alone.format, alone.messages) == ("opencode", parse(whole).messages)
