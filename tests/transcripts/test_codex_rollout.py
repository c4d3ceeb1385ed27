"""Codex sessions: what the fixtures say, counted in their JSON, and what is odd about the format."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from foldproof import SummarizeOldest
from foldproof.messages import Message, author_of, calls_of, frame_kind, frames_of, pair
from foldproof.offline.audit import audit
from foldproof.transcripts import Conversation, detect, dump, load, load_all, parse
from foldproof.transcripts.codex_rows import RolloutReader
from foldproof.transcripts.json_text import Json
from foldproof.transcripts.rows import Place

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "codex_rollout"
FILES = sorted(DATA.glob("*.jsonl"))
SMALL, LARGE = DATA / "agent-sessions_small.jsonl", DATA / "agent-sessions_large.jsonl"
SUMMARY = Message(role="user", content="[foldproof summary frame] the past", folded_exempt=("7",))
NOTICE = Message(role="user", content="[foldproof drop notice] 2 messages")


def rows_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def items_of(rows: Sequence[Any]) -> list[Any]:
    return [row["payload"] for row in rows if row["type"] == "response_item"]


def rewritten(conversation: Conversation) -> list[Any]:
    out = io.StringIO()
    dump(conversation, out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def meta(**more: Json) -> Json:
    return {"timestamp": "0", "type": "session_meta", "payload": {"id": "t1", "cwd": "/w", "source": "cli"} | more}


def item(**payload: Json) -> Json:
    return {"timestamp": "1", "type": "response_item", "payload": payload}


def event(**payload: Json) -> Json:
    return {"timestamp": "2", "type": "event_msg", "payload": payload}


def user(*texts: str) -> Json:
    return item(type="message", role="user", content=[{"type": "input_text", "text": text} for text in texts])


def said(text: str) -> Json:
    return item(type="message", role="assistant", content=[{"type": "output_text", "text": text}])


def compacted(message: str, *history: Json) -> Json:
    kept = {"replacement_history": [row["payload"] for row in history]} if history else {}
    return {"timestamp": "3", "type": "compacted", "payload": {"message": message} | kept}


def ran(output: Json, call: str = "c") -> list[Any]:
    asked = item(type="function_call", call_id=call, name="shell", arguments='{"command": ["ls"]}')
    return [asked, item(type="function_call_output", call_id=call, output=output)]


def result_of(output: Json) -> Message:
    (message,) = [message for message in parse([meta(), *ran(output)]).messages if message.role == "tool"]
    return message


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_file_is_a_session_of_its_own(path: Path) -> None:
    (conversation,) = load_all(path)
    first = rows_of(path)[0]
    assert conversation.id == (first["payload"]["id"] if first.get("type") == "session_meta" else "0")


def test_calls_results_and_reasoning_of_the_scrubbed_session() -> None:
    items = items_of(rows_of(SMALL))
    kinds = Counter(one["type"] for one in items)
    messages = load(SMALL).messages
    calls = [call for message in messages for call in calls_of(message)]
    assert len(calls) == kinds["function_call"] + kinds["custom_tool_call"] + kinds["tool_search_call"] == 6
    results = [message for message in messages if message.role == "tool"]
    outputs = kinds["function_call_output"] + kinds["custom_tool_call_output"] + kinds["tool_search_output"]
    assert len(results) == outputs == 6
    reasoning = [block for message in messages for block in message.thinking_blocks or ()]
    assert reasoning == [one for one in items if one["type"] == "reasoning"]
    assert Counter(message.role for message in messages if message.role == "system")["system"] == 1
    # Its ids are scrubbed: one search has no result, and one result stands ahead of every call of its id.
    assert len(pair(messages).unanswered) == len(pair(messages).orphans) == 1


def test_results_that_came_late_stand_behind_their_call() -> None:
    messages = load(SMALL).messages
    assert [call.id for call in calls_of(messages[1])] == ["call-1", "call-2"]
    assert [(message.tool_call_id, message.content) for message in messages[2:4]] == [
        ("call-1", "a.txt\nb.txt\n"), ("call-2", "a.txt\n"),
    ]  # fmt: skip


def test_compactions_of_the_scrubbed_session_are_frames_with_what_they_stand_for() -> None:
    rows = rows_of(SMALL)
    told = [row for row in rows if row["type"] == "compacted" and row["payload"]["message"]]
    conversation = load(SMALL)
    frames = frames_of(conversation.messages)
    assert len(told) == len(frames) == len(conversation.folded) == 5
    assert [span.fingerprint for span in conversation.folded] == [frame.fingerprint for frame in frames]
    first, second, *_ = conversation.folded
    before = conversation.messages[: conversation.messages.index(frames[0])]
    assert first.originals == before
    assert second.originals is not None
    assert second.originals[0] is frames[0]
    assert second.frames == (frames[0].fingerprint,)
    # One compaction of the file has neither a summary nor an item that is encrypted.
    assert [damage.path for damage in conversation.damage] == ["line 26: $.payload.message"]


def test_events_repeat_the_conversation_and_are_read_once() -> None:
    messages = load(SMALL).messages
    assert sum("Found 2 files." in message.text for message in messages) == 1
    assert sum("List the files" in message.text for message in messages) == 1


def test_facts_of_a_session_stand_beside_it() -> None:
    extras = load(LARGE).extras
    assert (extras["model"], extras["cli_version"]) == ("gpt-5.2", "0.106.0")
    assert extras["cwd"] == rows_of(LARGE)[0]["payload"]["cwd"]
    assert extras["usage"]["total_tokens"] == 12273
    assert load(SMALL).extras["git"]["branch"] == "main"


def test_calls_without_an_id_pair_by_order_and_name() -> None:
    messages = load(LARGE).messages
    assert [call.name for call in calls_of(messages[1])] == ["run_shell_command"]
    assert pair(messages).call_of == {2: (1, 0)}
    drift = load(DATA / "agent-sessions_schema_drift.jsonl")
    assert [(message.role, message.text) for message in drift.messages] == [
        ("user", "Translate 'hello' to Spanish"), ("assistant", ""), ("tool", "hola"), ("assistant", '"hola"'),
    ]  # fmt: skip
    assert pair(drift.messages).call_of == {2: (1, 0)}
    twice = [item(type="tool_call", name=name, arguments={}) for name in ("a", "b")]
    answers = [item(type="tool_result", name=name, result=name) for name in ("b", "a")]
    messages = parse([meta(), *twice, *answers]).messages
    assert [(message.tool_name, message.text) for message in messages[1:]] == [("a", "a"), ("b", "b")]


RAN = "Wall time: 0.5 seconds"


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        ('{"output":"a.txt\\n","metadata":{"exit_code":0,"duration_seconds":0.1}}', None),
        ('{"output":"no","metadata":{"exit_code":2,"duration_seconds":0.1}}', True),
        (f"Exit code: 0\n{RAN}\nOutput:\na.txt", None),
        (f"Exit code: 137\n{RAN}\nTotal output lines: 9\n\nOutput:\nkilled", True),
        (f"Chunk ID: f\n{RAN}\nProcess exited with code 1\nOriginal token count: 3\nOutput:\nno", True),
        (f"Chunk ID: f\n{RAN}\nProcess running with session ID 4711\nOutput:\nstarting", None),
        (f"{RAN}\nOutput:\nfound", None),
        ("failed in sandbox LinuxSeccomp with execution error", True),
        ("Plan updated", None),
        ('{"output": 5, "metadata": {"exit_code": 1}}', None),
        ('{"metadata": [', None),
    ],
)
def test_a_result_is_what_the_model_read_and_an_exit_code_says_whether_it_failed(
    output: str,
    failed: bool | None,  # noqa: FBT001
) -> None:
    for said in (output, {"content": output}):
        message = result_of(said)
        assert (message.content, message.is_error, author_of(message)) == (output, failed, "tool")


@pytest.mark.parametrize(
    ("output", "content", "failed"),
    [
        ({"content": "no", "success": False}, "no", True),
        ({"type": "input_text", "text": "a"}, "a", None),
        ({"rows": [1]}, '{"rows": [1]}', None),
        ([{"type": "input_text", "text": "a"}], "a", None),
    ],
)
def test_a_result_that_is_no_text_is_what_the_tool_said(output: Json, content: str, failed: bool | None) -> None:  # noqa: FBT001
    message = result_of(output)
    assert (message.content, message.is_error, author_of(message)) == (content, failed, "tool")


def test_an_answer_may_repeat_how_a_command_ended() -> None:
    header = "Exit code: 137\nWall time: 12.5 seconds\nTotal output lines: 4711\nOutput:\nkilled"
    rows = [meta(), user("?"), *ran(header), said("Exit code 137 after 12.5 seconds, 4711 lines.")]
    (answer,) = audit(parse(rows)).answers
    assert {value.text: value.verdict for value in answer.values} == {
        "137": "grounded", "12.5 seconds": "grounded", "4711": "grounded",
    }  # fmt: skip


@pytest.mark.parametrize(
    "output",
    [
        "exec command rejected by user",
        "patch rejected by user",
        "rejected by user",
        "aborted",
        "aborted by user after 5.0s",
        "Wall time: 2.5 seconds\naborted by user",
        "unsupported call: fly",
        "failed to parse function arguments: EOF",
        "`cat /opt/svc-447123` rejected: blocked by policy",
        "`bash -lc 'cat a\nrm -rf b'` rejected: policy forbids commands starting with `rm`",
        "`git push` rejected: ask a maintainer first",
        "rejected: blocked by policy",
        "approval required by policy, but AskForApproval is set to Never",
        "approval required by policy rule, but AskForApproval::Granular.rules is false",
        "This action was rejected due to unacceptable risk.\nReason: it reads /opt/svc-447123",
        'exec_command failed for `cat /opt/svc-447123`: CreateProcess { message: "Rejected(\\"rejected by user\\")" }',
    ],
)
def test_what_codex_says_of_a_call_that_did_not_run_is_no_observation(output: str) -> None:
    message = result_of(output)
    assert (message.tool_result_origin, message.is_error, author_of(message)) == ("not-entered", True, "library")


@pytest.mark.parametrize(
    "output",
    [
        "aborted transactions: 3",
        "rejected: 3 rows",
        "approval required by policy 7",
        "`4711` rejected: see below\n`4712` accepted",
        "sandbox denied exec error, exit code: 1, stdout: 4711, stderr: ",  # the command ran, and said something
    ],
)
def test_a_tool_that_only_begins_like_a_refusal_is_heard(output: str) -> None:
    assert author_of(result_of(output)) == "tool"


def test_a_refusal_grounds_nothing_of_the_command_that_it_repeats() -> None:
    refusal = "`cat /opt/svc-447123` rejected: blocked by policy"
    (answer,) = audit(parse([meta(), user("where?"), *ran(refusal), said("It is /opt/svc-447123.")])).answers
    assert [value.verdict for value in answer.values] == ["invented"]


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/w</cwd>",
        "<ENVIRONMENT_CONTEXT>cwd=/w</ENVIRONMENT_CONTEXT>",
        "<user_instructions>",
        "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>",
        "# AGENTS.md instructions for /w\n<INSTRUCTIONS></INSTRUCTIONS>\n<environment_context>b</environment_context>",
        "# Context from my IDE setup:\n\n## Open tabs:\n- a.py",
        "# Context from my IDE setup:\n\n## My request for Codex:\n \n",
        "<turn_aborted>",
        "<skill>",
    ],
)
def test_what_codex_writes_as_the_user_is_the_apps(text: str) -> None:
    for row in (user(text), user("<user_instructions>a</user_instructions>", text), user(text, "\n")):
        (message,) = parse([meta(), row]).messages
        assert (author_of(message), message.injected_by) == ("app", "codex")
    (message,) = parse([meta(), user(f"why is {text} there?")]).messages
    assert author_of(message) == "person"


ENVIRONMENT = "<environment_context>\n<cwd>/w</cwd>\n</environment_context>"


@pytest.mark.parametrize(
    "texts",
    [
        ["# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nnever touch prod\n"],
        ["# Context from my IDE setup:\n\n## My request:\nnever touch prod"],
        ["# Context from my IDE setup:\n\n## My request for Codex:\n", "never touch prod"],
        [f"{ENVIRONMENT}\n\nnever touch prod"],
        [ENVIRONMENT, "never touch prod"],
        ["never touch prod", ENVIRONMENT],
        ["# AGENTS.md instructions for /w\n<INSTRUCTIONS>a</INSTRUCTIONS>\nnever touch prod"],
    ],
)
def test_words_of_the_person_that_codex_wrapped_stay_theirs_and_stay_in_the_window(texts: list[str]) -> None:
    loop = [row for n in range(12) for row in ran("line " * 60, f"c{n}")]
    conversation = parse([meta(), user("say hi"), said("hi"), user(*texts), *loop])
    assert author_of(conversation.messages[2]) == "person"
    window = SummarizeOldest(0, 6, retain="discard").visit(conversation.messages).messages
    assert any("never touch prod" in message.text for message in window)


def test_a_picture_beside_the_context_is_the_persons() -> None:
    content = [{"type": "input_text", "text": ENVIRONMENT}, {"type": "input_image", "image_url": "data:,"}]
    (message,) = parse([meta(), item(type="message", role="user", content=content)]).messages
    assert author_of(message) == "person"


def test_a_sub_agent_names_its_parent_and_has_no_person() -> None:
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": "t0", "depth": 1}}}
    conversation = parse([meta(source=spawned), user("look into it")])
    assert conversation.parent == ("t0", None)
    assert author_of(conversation.messages[0]) == "app"
    assert parse([meta(parent_thread_id="t0")]).parent == ("t0", None)
    assert parse([meta(forked_from_id="t0"), user("x")]).parent is None


def test_the_call_that_ran_a_sub_agent_is_found_in_another_file(tmp_path: Path) -> None:
    spawn = item(type="function_call", call_id="c9", name="spawn_agent", arguments="{}")
    started = event(type="collab_agent_spawn_end", call_id="c9", new_thread_id="t2")
    child = meta(id="t2", source={"subagent": {"thread_spawn": {"parent_thread_id": "t1"}}})
    for name, rows in (("a.jsonl", [meta(), spawn, started]), ("b.jsonl", [child, user("look")])):
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert [conversation.parent for conversation in load_all(tmp_path)] == [None, ("t1", "c9")]


def test_a_message_from_another_agent_is_delivered() -> None:
    content = [{"type": "input_text", "text": "done"}, {"type": "encrypted_content", "encrypted_content": "x"}]
    (message,) = parse([meta(), item(type="agent_message", author="/a", recipient="/", content=content)]).messages
    assert (message.role, message.text, author_of(message)) == ("user", "done", "app")


def test_turns_that_the_person_took_back_are_no_part_of_the_conversation() -> None:
    kept, gone = [user("one"), said("1")], [user("two"), *ran("2"), user("<environment_context>"), user("three")]
    rows = [meta(), *kept, *gone, event(type="thread_rolled_back", num_turns=2), user("four")]
    conversation = parse(rows)
    assert [message.text for message in conversation.messages] == ["one", "1", "four"]
    assert conversation.extras["rolledBack"] == 5
    written = rewritten(conversation.replace([SUMMARY, conversation.messages[2]]))
    assert parse(written).messages == (SUMMARY, conversation.messages[2])
    (new,) = [row for row in written if row["type"] == "compacted"]
    assert len(new["payload"]["replacement_history"]) == 1  # nothing of what was taken back


def test_taking_turns_back_again_and_again_takes_what_stands_last() -> None:
    back = event(type="thread_rolled_back", num_turns=1)
    rows = [meta(), user("1"), said("a"), user("2"), back, user(ENVIRONMENT), user("3"), user("4"), back, back]
    assert [message.text for message in parse(rows).messages] == ["1", "a", ENVIRONMENT]
    rows += [back, user("5"), event(type="thread_rolled_back", num_turns=9), user("6")]
    assert [message.text for message in parse(rows).messages] == ["6"]


def test_reading_a_session_with_many_turns_taken_back_takes_time_in_proportion() -> None:
    def looked_at(turns: int) -> int:
        looks = 0

        class Counted(dict[str, Any]):
            def __getitem__(self, key: str) -> Any:  # noqa: ANN401
                nonlocal looks
                looks += key == "role"
                return super().__getitem__(key)

        reader = RolloutReader([], delegated=False)
        for turn in range(turns):
            reader.add(user("one")["payload"], Place(turn), "")
            reader.drafts[-1].fields = Counted(reader.drafts[-1].fields)
            if turn % 4 == 3:
                reader.rolled_back(1)
        return looks

    assert looked_at(800) == 2 * looked_at(400)


def test_a_summary_is_written_as_a_compaction_that_codex_resumes_from() -> None:
    developer = item(type="message", role="developer", content=[{"type": "input_text", "text": "be brief"}])
    rows = [meta(), developer, user("one"), said("1"), user("two"), said("2")]
    conversation = parse(rows)
    window = (conversation.messages[0], SUMMARY, *conversation.messages[3:])
    written = rewritten(conversation.replace(window))
    assert [row["type"] for row in written] == [
        "session_meta", "response_item", "compacted", "response_item", "response_item",
    ]  # fmt: skip
    new = written[2]
    assert new["timestamp"] == "1"
    assert new["payload"]["message"] == SUMMARY.text
    summary = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": SUMMARY.text}]}
    assert new["payload"]["replacement_history"] == [developer["payload"], summary]
    assert new["foldproof"] == {"foldedExempt": ["7"]}
    assert written[3:] == rows[4:]
    assert parse(written).messages == window


def test_a_notice_is_a_row_of_the_users_with_our_fields_beside_it() -> None:
    conversation = parse([meta(), user("one"), said("1")])
    written = rewritten(conversation.replace([NOTICE, conversation.messages[1]]))
    assert written[1]["type"] == "response_item"
    assert written[1]["payload"]["content"] == [{"type": "input_text", "text": NOTICE.text}]
    assert parse(written).messages == (NOTICE, conversation.messages[1])


def test_a_frame_whose_originals_leave_still_says_what_it_stood_for() -> None:
    rows = [meta(), user("one"), said("1"), compacted("so far"), user("two")]
    conversation = parse(rows)
    (span,) = conversation.folded
    assert span.originals == conversation.messages[:2]
    written = rewritten(conversation.replace(conversation.messages[2:]))
    again = parse(written)
    assert again.messages == conversation.messages[2:]
    assert again.folded == ()
    assert "content" not in written[1]["foldproof"]


def test_a_summary_that_only_the_provider_can_read_is_an_opaque_part() -> None:
    hidden = item(type="compaction", encrypted_content="x")
    conversation = parse([meta(), user("one"), compacted("", user("one"), hidden), user("two")])
    _, kept, _ = conversation.messages
    assert kept.role == "assistant"
    assert [part.model_extra for part in kept.content if not isinstance(part, str)] == [hidden["payload"]]
    assert conversation.folded == ()
    last = rewritten(conversation.replace(conversation.messages[1:]))
    assert parse(last).messages == conversation.messages[1:]


def test_a_session_that_begins_with_a_compaction_is_read_from_what_it_kept() -> None:
    first = compacted("so far", user("one"), user("so far"))
    conversation = parse([meta(), first, said("2"), compacted("later", user("one"), user("later"))])
    assert [(message.text, frame_kind(message)) for message in conversation.messages] == [
        ("one", None), ("so far", "summary"), ("2", None), ("later", "summary"),
    ]  # fmt: skip
    assert conversation.messages[1].folded_exempt is None  # the originals are not there
    assert len(conversation.folded) == 1
    for window in (conversation.messages[1:], conversation.messages[:1], (NOTICE, *conversation.messages[1:3])):
        assert parse(rewritten(conversation.replace(window))).messages == window


def test_an_older_session_holds_bare_items_behind_a_head() -> None:
    rows = [
        {"id": "t1", "timestamp": "0", "instructions": None, "git": {"branch": "main"}},
        {"record_type": "state"},
        *(row["payload"] for row in (user("<environment_context>"), user("one"), *ran("a.txt"), said("1"))),
    ]
    assert detect(rows) == "codex_rollout"
    conversation = parse(rows)
    assert (conversation.id, conversation.extras["git"], conversation.damage) == ("t1", {"branch": "main"}, ())
    assert [author_of(message) for message in conversation.messages] == ["app", "person", "model", "tool", "model"]
    window = (conversation.messages[0], SUMMARY, conversation.messages[4])
    written = rewritten(conversation.replace(window))
    assert [row.get("type") for row in written] == [None, None, "message", "message", "message"]
    assert parse(written).messages == window


@pytest.mark.parametrize(
    ("row", "path", "cause"),
    [
        ({"timestamp": "1", "type": "teleported", "payload": {}}, "$[2].type", "unknown row type 'teleported'"),
        (item(type="teleport"), "$[2].payload", "unknown item type 'teleport'"),
        ({"timestamp": "1", "type": "response_item", "payload": [1]}, "$[2].payload", "expected an object; found [1]"),
        (item(type="message", role="wizard", content=[]), "$[2].payload.role", "unknown role 'wizard'"),
        (item(type="function_call_output", call_id="c"), "$[2].payload.output", "expected output of a tool"),
        ({"timestamp": "1", "type": "compacted", "payload": {}}, "$[2].payload.message", "expected a summary"),
        ({"hello": 1}, "$[2]", "unknown item type 'None'"),
        (5, "$[2]", "expected an object; found int"),
    ],
)
def test_a_row_that_cannot_be_read_is_reported_with_its_place(row: Json, path: str, cause: str) -> None:
    conversation = parse([meta(), user("one"), row, user("two")])
    ((found_at, told, _),) = conversation.damage
    assert found_at == path
    assert told.startswith(cause)
    assert [message.text for message in conversation.messages] == ["one", "two"]


def test_a_result_without_its_call_and_rows_that_changed_places_are_kept() -> None:
    asked, answered = ran("a.txt")
    conversation = parse([meta(), answered, asked])
    assert [message.role for message in conversation.messages] == ["tool", "assistant"]
    assert pair(conversation.messages).orphans == (0,)
