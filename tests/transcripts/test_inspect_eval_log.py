"""Logs of Inspect: samples as JSON and in archives, attachments, compactions, errors, and samples that broke off."""

from __future__ import annotations

import copy
import io
import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from foldproof.errors import TranscriptError, UsageError
from foldproof.messages import Message, author_of, calls_of, frame_kind, is_observation, pair
from foldproof.transcripts import detect, dump, formats, load, load_all, parse, read_text
from foldproof.transcripts.json_text import Json

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "inspect_eval_log"
ARCHIVES = sorted(DATA.glob("*.eval"))
LOGS = sorted(path for path in DATA.glob("*.json") if not path.name.startswith("timeline"))
TIMELINES = sorted(DATA.glob("timeline*.json"))
POOLED = DATA / "log_message_deduplication.eval"
FRAME = Message(role="user", content="[foldproof summary frame] what was said")


def samples_of(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".json":
        samples: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["samples"]
        return samples
    with zipfile.ZipFile(path) as archive:
        return [json.loads(archive.read(name)) for name in archive.namelist() if name.startswith("samples/")]


def log(*rows: Json, **more: Json) -> dict[str, Any]:
    sample = {"id": 1, "epoch": 1, "input": "", "target": "", "messages": list(rows)} | more
    return {"version": 2, "eval": {"task": "t", "model": "m"}, "samples": [sample]}


def asked(text: str = "do it") -> dict[str, Any]:
    return {"role": "user", "content": text, "source": "input"}


def call(name: str, at: int, **more: Json) -> dict[str, Any]:
    calls = [{"id": f"c{at}", "function": name, "arguments": {"n": at}}]
    return {"role": "assistant", "content": "", "tool_calls": calls} | more


def result(name: str, at: int, content: Json = "done", **more: Json) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"c{at}", "function": name, "content": content} | more


def rewritten(value: Json, window: list[Message]) -> dict[str, Any]:
    out = io.StringIO()
    dump(parse(value).replace(window), out)
    written: dict[str, Any] = json.loads(out.getvalue())
    return written


@pytest.mark.parametrize("path", [*ARCHIVES, *LOGS], ids=lambda path: path.name[:40])
def test_every_sample_is_a_conversation_with_its_messages(path: Path) -> None:
    samples = samples_of(path)
    conversations = list(load_all(path, strict=True))
    assert [one.id for one in conversations] == [f"{sample['id']}_epoch_{sample['epoch']}" for sample in samples]
    for sample, conversation in zip(samples, conversations, strict=True):
        rows = sample["messages"]
        assert [message.role for message in conversation.messages] == [row["role"] for row in rows]
        texts = [row["content"] for row in rows if isinstance(row["content"], str)]
        assert [message.content for message in conversation.messages if isinstance(message.content, str)] == texts
        assert [message.id for message in conversation.messages] == [row.get("id") for row in rows]
        assert conversation.extras["target"] == sample["target"]
        assert conversation.extras["eval"]["model"]


def test_one_task_run_twice_reads_alike_in_both_packings() -> None:
    packed, plain = load(DATA / "log_read_sample.eval"), load(DATA / "log_read_sample.json")
    assert [(m.role, m.text) for m in packed.messages] == [(m.role, m.text) for m in plain.messages]
    assert packed.extras["target"] == plain.extras["target"]


def test_several_samples_are_several_conversations() -> None:
    with pytest.raises(UsageError, match="several conversations"):
        load(DATA / "log_streaming.eval")


def test_users_are_persons_where_the_data_set_or_an_operator_asked() -> None:
    rows = [asked(), {"role": "user", "content": "Please proceed."}, asked("stop") | {"source": "operator"}]
    assert [author_of(message) for message in parse(log(*rows)).messages] == ["person", "app", "person"]
    assert author_of(parse(log(asked() | {"tool_call_id": ["c1"]})).messages[0]) == "app"  # a tool's picture
    for path in [*ARCHIVES, *LOGS]:
        for sample, conversation in zip(samples_of(path), load_all(path), strict=True):
            persons = sum(row.get("source") == "input" for row in sample["messages"] if row["role"] == "user")
            assert sum(author_of(message) == "person" for message in conversation.messages) == persons


def test_calls_and_results_pair_in_a_real_log() -> None:
    conversation = load(POOLED)
    (sample,) = samples_of(POOLED)
    raw = [call for row in sample["messages"] for call in row.get("tool_calls") or ()]
    read = [call for message in conversation.messages for call in calls_of(message)]
    assert [(one.id, one.name, one.args) for one in read] == [(c["id"], c["function"], c["arguments"]) for c in raw]
    pairing = pair(conversation.messages)
    assert not pairing.unanswered
    assert not pairing.orphans
    assert len(pairing.results) == 5


def test_a_sample_that_broke_off_is_put_together_from_its_events() -> None:
    (sample,) = samples_of(POOLED)
    whole = parse(sample)
    broken = parse(sample | {"messages": []})
    assert [(m.role, m.text, m.tool_call_id) for m in broken.messages] == [
        (m.role, m.text, m.tool_call_id) for m in whole.messages
    ]
    assert broken.id == whole.id


def test_events_in_which_messages_stand_by_reference_and_in_full_read_alike() -> None:
    (sample,) = samples_of(POOLED)
    pool = sample["message_pool"]
    events = copy.deepcopy(sample["events"])
    for event in events:
        for start, stop in event.pop("input_refs", ()):
            event["input"] += pool[start:stop]
    renamed = {name: value for name, value in sample.items() if name != "message_pool"}
    full = parse(renamed | {"messages": [], "events": events})
    newer = parse(renamed | {"messages": [], "events_data": {"messages": pool, "calls": []}})
    assert full.messages == newer.messages == parse(sample | {"messages": []}).messages


def test_a_window_of_a_sample_that_broke_off_is_stored_beside_its_events() -> None:
    (sample,) = samples_of(POOLED)
    broken = parse(sample | {"messages": []})
    window = [*broken.messages[:1], FRAME, *broken.messages[3:5]]
    written = rewritten(sample | {"messages": []}, window)
    assert written["events"] == sample["events"]
    assert list(parse(written).messages) == window
    again = rewritten(written, window[:2])
    assert list(parse(again).messages) == window[:2]


@pytest.mark.parametrize("path", TIMELINES, ids=lambda path: path.name)
def test_a_call_with_another_system_prompt_is_a_conversation_of_its_own(path: Path) -> None:
    raw = json.loads(path.read_text(encoding="utf-8"))
    expected = raw["expected"]["agent"]
    main, side = load_all(path)
    prompts = {
        event["uuid"]: event["input"][0]["content"] for event in raw["events"] if event["event"] == "model"
    }  # by call, of which the fixture says to which agent it belongs
    assert [main.messages[0].text] == sorted({prompts[one] for one in expected["event_uuids"] if one in prompts})
    assert side.messages[0].text == prompts[expected["children"][0]["event_uuids"][0]]
    assert len(calls_of(main.messages[2])) == 1
    assert main.messages[3].text == "found it"
    assert load(path).messages == main.messages


def test_attachments_are_put_where_they_are_referred_to() -> None:
    image = {"type": "image", "image": "attachment://bbb", "detail": "auto"}
    rows = [asked("attachment://aaa"), asked() | {"content": [image]}, call("f", 1), result("f", 1, "tc://ccc")]
    rows[2]["tool_calls"][0]["arguments"] = {"text": ["attachment://aaa"]}
    newer = log(*rows, attachments={"aaa": "long", "bbb": "data:image/png;base64,xx", "ccc": "out"})
    older = log(*rows, transcript={"events": [], "content": newer["samples"][0]["attachments"]})
    for value in (newer, older):
        first, second, third, fourth = parse(value, strict=True).messages
        assert first.text == "long"
        assert second.model_dump()["content"][0]["image"] == "data:image/png;base64,xx"
        assert calls_of(third)[0].args == {"text": ["long"]}
        assert fourth.text == "out"


def test_an_attachment_that_is_not_there_is_reported() -> None:
    conversation = parse(log(asked("attachment://aaa")))
    assert conversation.messages[0].text == "attachment://aaa"
    assert [damage.path for damage in conversation.damage] == ["$.samples[0].messages[0].content"]
    assert "not in the file" in conversation.damage[0].cause


def test_failed_calls_of_a_real_log_are_errors_and_those_that_never_ran_no_evidence() -> None:
    conversation = load(DATA / "log_tool_call_error.json")
    (sample,) = samples_of(DATA / "log_tool_call_error.json")
    types = [row["error"]["type"] for row in sample["messages"]]
    assert all(message.is_error for message in conversation.messages)
    assert [is_observation(message) for message in conversation.messages] == [
        kind not in ("parsing", "approval", "cancelled") for kind in types
    ]
    # The sample holds nothing but results: every one is an orphan.
    assert len(pair(conversation.messages).orphans) == len(types)


def test_a_failed_call_says_what_the_model_was_told() -> None:
    error = {"type": "timeout", "message": "Command timed out before completing."}
    rows = [call("f", 1), result("f", 1, "", error=error), call("f", 2), result("f", 2, "half", error=error)]
    messages = parse(log(*rows)).messages
    assert [message.text for message in messages if message.role == "tool"] == [error["message"], "half"]


def test_a_result_without_an_id_answers_the_oldest_call_of_its_function() -> None:
    calls = {"tool_calls": [{"id": f"c{n}", "function": name, "arguments": {}} for n, name in enumerate("aba")]}
    rows = [call("f", 9) | calls, *({"role": "tool", "function": name, "content": name} for name in "baa")]
    assert [message.tool_call_id for message in parse(log(*rows)).messages[1:]] == ["c1", "c0", "c2"]


def test_reasoning_and_tools_of_the_provider_are_parts() -> None:
    content = [
        {"type": "reasoning", "reasoning": "hm", "signature": "sig", "redacted": False},
        {"type": "reasoning", "reasoning": "cipher", "redacted": True},
        {
            "type": "tool_use",
            "tool_type": "web_search",
            "id": "w",
            "name": "web_search",
            "arguments": '{"q": 1}',
            "result": "r",
        },
        {"type": "text", "text": "words"},
        {"type": "data", "data": {}},
    ]
    (message,) = parse(log({"role": "assistant", "content": content})).messages
    open_part, cipher, tool, text, data = message.model_dump()["content"]
    assert (open_part["text"], open_part["continuity"]) == ("hm", {"signature": "sig"})
    assert "text" not in cipher
    assert cipher["continuity"] == content[1]
    assert (tool["type"], tool["input"], tool["result"]) == ("provider-tool", {"q": 1}, "r")
    assert (text["text"], data["type"]) == ("words", "data")
    assert message.text == "words"


def compacted() -> dict[str, Any]:
    """As the react agent leaves it: the summary is appended, and nothing is taken away."""
    summary = {"role": "user", "content": "[CONTEXT COMPACTION SUMMARY]\n\nall of it", "metadata": {"summary": True}}
    return log(
        {"role": "system", "content": "be brief"},
        asked(),
        call("f", 1),
        result("f", 1, "7"),
        summary,
        call("f", 2),
        result("f", 2, "8"),
        summary | {"content": "second", "id": "s2"},
        {"role": "assistant", "content": "15"},
    )


def test_a_compaction_stands_for_what_the_run_added_since_the_one_before_it() -> None:
    conversation = parse(compacted())
    frames = [message for message in conversation.messages if frame_kind(message) == "summary"]
    assert [frame.text for frame in frames] == ["[CONTEXT COMPACTION SUMMARY]\n\nall of it", "second"]
    assert [span.originals for span in conversation.folded] == [conversation.messages[2:4], conversation.messages[4:7]]
    assert [span.fingerprint for span in conversation.folded] == [frame.fingerprint for frame in frames]
    assert frames[1].metadata is not None
    assert frames[1].metadata["axleCompaction"] == {"id": "s2", "role": "summary"}


def test_a_frame_is_written_as_inspect_writes_its_own_summary() -> None:
    messages = parse(log(asked(), call("f", 1), result("f", 1), asked("and?"))).messages
    window = [messages[0], FRAME, messages[3]]
    written = rewritten(log(asked(), call("f", 1), result("f", 1), asked("and?")), window)
    row = written["samples"][0]["messages"][1]
    assert (row["role"], row["content"], row["metadata"]) == ("user", FRAME.text, {"summary": True})
    assert list(parse(written).messages) == window


def test_a_summary_stays_what_it_was_when_what_it_stands_for_leaves() -> None:
    messages = parse(compacted()).messages
    window = [*messages[:2], *messages[4:]]
    assert list(parse(rewritten(compacted(), window)).messages) == window


def test_what_follows_a_summary_leaves_its_row_alone() -> None:
    raw = compacted()
    messages = parse(raw).messages
    written = rewritten(raw, list(messages[:-1]))
    assert written["samples"][0]["messages"] == raw["samples"][0]["messages"][:-1]


@pytest.mark.parametrize("path", ARCHIVES, ids=lambda path: path.name[:40])
def test_one_sample_of_an_archive_is_written_and_the_other_members_stay(path: Path) -> None:
    conversations = list(load_all(path))
    window = [*conversations[-1].messages[:1], FRAME]
    out = io.BytesIO()
    dump([*conversations[:-1], conversations[-1].replace(window)], out)
    again = list(read_text(out.getvalue(), name="again"))
    assert list(again[-1].messages) == window
    assert [one.messages for one in again[:-1]] == [one.messages for one in conversations[:-1]]
    name = f"samples/{conversations[-1].id}.json"
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(out) as after:
        assert before.namelist() == after.namelist()
        changed = [one for one in before.namelist() if before.read(one) != after.read(one)]
    assert changed == [name]


def test_an_archive_goes_into_no_text_file() -> None:
    conversation = load(POOLED)
    with pytest.raises(UsageError, match="an archive of bytes"):
        dump(conversation, io.StringIO())


def test_a_member_packed_by_an_unknown_method_is_one_clear_error() -> None:
    raw = bytearray(POOLED.read_bytes())
    for mark, offset in ((b"PK\x01\x02", 10), (b"PK\x03\x04", 8)):  # the method stands in both headers
        at = raw.find(b"samples/0_epoch_1.json", raw.find(mark) if offset == 10 else 0)
        struct.pack_into("<H", raw, raw.rfind(mark, 0, at) + offset, 99)
    at = raw.rfind(b"samples/0_epoch_1.json")
    struct.pack_into("<H", raw, raw.rfind(b"PK\x01\x02", 0, at) + 10, 99)
    with pytest.raises(TranscriptError, match=r"samples/0_epoch_1\.json: packed by a method") as caught:
        list(read_text(bytes(raw), name="log.eval"))
    assert "\n" not in str(caught.value)


def test_an_archive_of_an_unfinished_run_is_read() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(POOLED) as source, zipfile.ZipFile(packed, "w") as target:
        for name in ("_journal/start.json", "samples/0_epoch_1.json"):
            target.writestr(name, source.read(name))
    (conversation,) = read_text(packed.getvalue(), name="log.eval")
    assert conversation.messages == load(POOLED).messages
    assert conversation.extras["eval"]["task"] == load(POOLED).extras["eval"]["task"]


def test_a_log_without_samples_is_an_empty_conversation() -> None:
    header = {"version": 2, "status": "started", "eval": {"task": "t", "model": "m"}}
    assert parse(header).messages == ()
    assert parse(header).extras["status"] == "started"
    with pytest.raises(TranscriptError, match="no sample"):
        dump(parse(header).replace([FRAME]), io.StringIO())


def test_a_newer_version_is_read_and_reported() -> None:
    conversation = parse(log(asked()) | {"version": 9})
    assert conversation.messages[0].text == "do it"
    assert [damage.path for damage in conversation.damage] == ["$.version"]
    with pytest.raises(TranscriptError, match=r"\$\.version: version 9 is newer"):
        parse(log(asked()) | {"version": 9}, strict=True)


@pytest.mark.parametrize(
    ("row", "path"),
    [
        (5, "$.samples[0].messages[1]"),
        ({"role": "critic", "content": "x"}, "$.samples[0].messages[1]"),
        ({"role": "user", "content": 5}, "$.samples[0].messages[1].content"),
        ({"role": "assistant", "content": "", "tool_calls": 5}, "$.samples[0].messages[1].tool_calls"),
        (call("f", 1, tool_calls=[{"id": "x"}]), "$.samples[0].messages[1].tool_calls[0]"),
    ],
)
def test_a_row_that_is_no_message_is_reported_and_the_others_are_read(row: Json, path: str) -> None:
    conversation = parse(log(asked("first"), row, asked("last")))
    assert [message.text for message in conversation.messages] == ["first", "last"]
    assert [damage.path for damage in conversation.damage] == [path]


def test_a_broken_sample_does_not_hide_the_next_one() -> None:
    raw = log(asked())
    raw["samples"].insert(0, None)
    raw["samples"].insert(1, log(asked())["samples"][0] | {"messages": "none"})
    first, second, third = read_text(json.dumps(raw), name="f")
    assert [damage.path for damage in first.damage] == ["line 1: $.samples[0]"]
    assert [damage.path for damage in second.damage] == ["line 1: $.samples[1].messages"]
    assert third.messages[0].text == "do it"


def test_a_broken_message_of_an_event_is_reported_once() -> None:
    (sample,) = samples_of(POOLED)
    sample["message_pool"][0]["role"] = "critic"
    conversation = parse(sample | {"messages": []})
    assert len(conversation.messages) == 11
    assert [damage.path for damage in conversation.damage] == ["$.events[8].input[0]"]


def test_both_packings_go_by_one_name() -> None:
    (known,) = (known for known in formats() if known.name == "inspect_eval_log")
    assert known.media == ("json", "zip")
    assert detect(log()) == "inspect_eval_log"
