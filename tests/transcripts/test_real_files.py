"""Every real file loads, means what a second way of counting says, and is written back as it was."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from foldproof.errors import TranscriptError, UsageError
from foldproof.messages import Message, author_of, calls_of, frame_kind, pair, turns_of
from foldproof.transcripts import detect, dump, formats, load, load_all, parse, read_text

DATA = Path(__file__).parent.parent / "data" / "transcripts"
NAMES = {known.name for known in formats()} - {"opencode"}  # which is a folder of many files
READ_ONLY = {known.name for known in formats() if not known.can_write}
UNREADABLE = {
    "negative__future_version.json": "$.$schemaVersion: a run state of version '999'; expected 1.0 to 1.",
    "negative__malformed_current_agent.json": "$.current_agent: expected an object with the name of an agent",
    "negative__missing_version.json": "no known format",
}
"""Files from which nothing can be read, and what the error says."""
ALL_FILES = sorted(path for path in DATA.glob("*/*") if path.parent.name in NAMES)
FILES = [path for path in ALL_FILES if path.name not in UNREADABLE]
CLAUDE = [path for path in FILES if path.parent.name == "claude_code"]
RUNS = DATA.parent / "tau_bench_airline" / "runs.jsonl"


def name_of(path: Path) -> str:
    return path.name[:40]


def dumped(path: Path) -> bytes:
    out = io.BytesIO()
    dump(load_all(path), out)
    return out.getvalue()


def test_every_file_has_a_source_and_a_licence() -> None:
    with (DATA / "PROVENANCE.tsv").open(encoding="utf-8") as file:
        rows = {(row["format"], row["file"]) for row in csv.DictReader(file, delimiter="\t") if row["licence"]}
    assert rows == {(path.parent.name, path.name) for path in DATA.glob("*/*")}


@pytest.mark.parametrize("path", [*FILES, RUNS], ids=name_of)
def test_an_unchanged_file_is_written_byte_for_byte(path: Path) -> None:
    assert dumped(path) == path.read_bytes()


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_a_file_is_of_the_format_of_its_folder(path: Path) -> None:
    assert {conversation.format for conversation in load_all(path)} == {path.parent.name}


@pytest.mark.parametrize("path", [path for path in [*FILES, RUNS] if path.parent.name not in READ_ONLY], ids=name_of)
def test_a_file_with_its_oldest_turn_removed_reads_back_without_it(path: Path) -> None:
    for conversation in load_all(path):
        turns = turns_of(conversation.messages)
        removed = next((turn for turn in turns if conversation.messages[turn.start].role != "system"), None)
        if removed is None:
            continue
        window = conversation.messages[: removed.start] + conversation.messages[removed.stop :]
        if not window:
            continue
        out = io.BytesIO()
        dump(conversation.replace(window), out)
        again = [back.messages for back in read_text(out.getvalue(), name="again") if back.messages]
        assert window in again


@pytest.mark.parametrize("path", [path for path in ALL_FILES if path.name in UNREADABLE], ids=name_of)
def test_a_file_that_cannot_be_read_says_why_in_one_line_and_quotes_no_secret(path: Path) -> None:
    with pytest.raises(TranscriptError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: {UNREADABLE[path.name]}")
    assert "\n" not in str(caught.value)
    assert "SENTINEL" not in str(caught.value)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_results_come_right_after_their_calls(path: Path) -> None:
    for conversation in load_all(path):
        pairing = pair(conversation.messages)
        for index, call in pairing.call_of.items():
            between = conversation.messages[call.message + 1 : index]
            assert all(message.role == "tool" for message in between)


def raw_rows(path: Path) -> list[Any]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        rows: list[Any] = json.loads(text)["loglines"]
        return rows
    return [json.loads(line) for line in text.splitlines()]


def raw_blocks(rows: list[Any], kind: str) -> list[dict[str, Any]]:
    contents = [
        row["message"].get("content")
        for row in rows
        if isinstance(row, dict) and "message" in row and isinstance(row["message"], dict)
    ]
    blocks = [block for content in contents if isinstance(content, list) for block in content]
    return [block for block in blocks if isinstance(block, dict) and block.get("type") == kind]


# The scrubbed session of 2.1 repeats one uuid on most rows and holds branches: not everything is on the last one.
@pytest.mark.parametrize("path", [path for path in CLAUDE if path.name != "agent-sessions_small.jsonl"], ids=name_of)
def test_claude_code_loses_no_call_and_no_result(path: Path) -> None:
    rows = raw_rows(path)
    messages = [message for conversation in load_all(path) for message in conversation.messages]
    calls = [call for message in messages for call in calls_of(message)]
    assert [(call.name, call.args) for call in sorted(calls, key=lambda call: call.id)] == [
        (block["name"], block["input"])
        for block in sorted(raw_blocks(rows, "tool_use"), key=lambda block: str(block.get("id", "")))
    ]
    results = [message for message in messages if message.role == "tool"]
    assert len(results) == len(raw_blocks(rows, "tool_result"))
    thinking = [block for message in messages for block in message.thinking_blocks or ()]
    assert thinking == raw_blocks(rows, "thinking")


def authors(messages: tuple[Message, ...]) -> Counter[str]:
    return Counter(map(author_of, messages))


def test_claude_code_a_real_session() -> None:
    conversation = load(DATA / "claude_code" / "sniffly_ba79134d.jsonl")
    assert authors(conversation.messages) == {"app": 1, "person": 5, "model": 24, "tool": 30}
    assert not pair(conversation.messages).unanswered
    assert len(calls_of(conversation.messages[1])) == 5  # six rows of one API message
    assert [message.tool_name for message in conversation.messages[2:4]] == [
        call.name for call in calls_of(conversation.messages[1])[:2]
    ]
    assert conversation.id == "ba79134d-b6e9-4867-af0c-6941038c9e4b"


def test_claude_code_a_session_with_two_sub_agents() -> None:
    main, first, second = load_all(DATA / "claude_code" / "ccviewer_5c0375b4-57a5-.jsonl")
    assert [len(thread.messages) for thread in (main, first, second)] == [25, 6, 14]
    assert len({main.id, first.id, second.id}) == 3
    assert author_of(first.messages[0]) == "app"  # the parent's model wrote the prompt, no person did
    assert load(DATA / "claude_code" / "ccviewer_5c0375b4-57a5-.jsonl").messages == main.messages


def test_claude_code_a_file_with_a_title_only() -> None:
    conversation = load(DATA / "claude_code" / "sniffly_ff71dbed.jsonl")
    assert conversation.messages == ()
    assert conversation.extras["title"] == "AI Music Generation from Word Embeddings"


def test_claude_code_the_summary_of_a_compaction_is_nobodys_words() -> None:
    conversation = load(DATA / "claude_code" / "simonw_sample_session.json")
    assert [frame_kind(message) for message in conversation.messages if frame_kind(message)] == ["summary"]


def test_claude_code_a_refused_call_is_no_evidence() -> None:
    conversation = load(DATA / "claude_code" / "sniffly_fed8ce56.jsonl")
    refused = [message for message in conversation.messages if message.tool_result_origin == "not-entered"]
    assert [message.is_error for message in refused] == [True, True]  # and one of a call beside it
    assert authors(conversation.messages) == {"person": 2, "model": 4, "tool": 5, "library": 2, "app": 1}


def test_claude_code_odd_rows_are_kept_and_skipped() -> None:
    conversation = load(DATA / "claude_code" / "cclog_edge_cases.jsonl")
    assert authors(conversation.messages) == {
        "person": 5,
        "app": 2,
        "model": 4,
        "tool": 1,
    }  # one calls a command with arguments
    assert conversation.messages[4].is_error is True


def test_agentfootprint_a_recorded_run() -> None:
    conversation = load(DATA / "agentfootprint" / "demo-turn.json")
    roles = [message.role for message in conversation.messages]
    assert roles == ["system", "user", *["assistant", "tool"] * 3, "assistant"]
    assert conversation.messages[-1].text.startswith("WATCH")
    assert conversation.messages[3].tool_name == "itunes_lookup"


def test_openai_chat_a_request_and_its_response() -> None:
    path = DATA / "openai_chat" / "pydantic_test_deepseek_deferred_capability_with_thinking_2.json"
    raw = json.loads(path.read_text(encoding="utf-8"))
    conversation = load(path)
    assert len(conversation.messages) == len(raw["request"]["messages"]) + 1
    assert conversation.messages[3].tool_calls[0].args == {"id": "DICE_ROLL"}
    assert conversation.messages[-1].text == raw["response"]["choices"][0]["message"]["content"]
    assert (conversation.messages[-1].model_extra or {})["reasoning_content"].startswith("The player's name")
    assert conversation.extras["model"] == "deepseek-reasoner"


def test_openai_chat_dialogues_rendered_to_text() -> None:
    path = DATA / "openai_chat" / "tau-bench_few_shot_airline.jsonl"
    texts = [json.loads(line)["messages_display"] for line in path.read_text(encoding="utf-8").splitlines()]
    conversations = list(load_all(path))
    assert len(conversations) == 19
    for text, conversation in zip(texts, conversations, strict=True):
        roles = [
            line.split(":")[0] for line in text.split("\n") if line.startswith(("user: ", "assistant: ", "tool: "))
        ]
        assert [message.role for message in conversation.messages] == roles
        assert not pair(conversation.messages).orphans
        assert len(pair(conversation.messages).results) == roles.count("tool")


def test_openai_chat_airline_runs() -> None:
    with RUNS.open(encoding="utf-8") as file:
        raw = [json.loads(line) for line in file]
    conversations = list(load_all(RUNS))
    assert [len(conversation.messages) for conversation in conversations] == [len(run["messages"]) for run in raw]
    calls = sum(len(message.get("tool_calls") or ()) for run in raw for message in run["messages"])
    assert sum(len(pair(conversation.messages).results) for conversation in conversations) == calls
    assert conversations[3].extras["reward"] == raw[3]["reward"]


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".json"], ids=name_of)
def test_json_in_memory_reads_like_its_file(path: Path) -> None:
    raw = json.loads(path.read_text(encoding="utf-8"))
    assert detect(raw) == path.parent.name
    if len([one for one in load_all(path) if not one.reading.side]) > 1:
        with pytest.raises(UsageError, match="several conversations"):
            parse(raw)
    else:
        assert parse(raw).messages == load(path).messages
