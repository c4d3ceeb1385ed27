"""Folders: what is read, in which order, and what is joined."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foldproof.errors import TranscriptError
from foldproof.transcripts import Conversation, Parent, files_in, load_all
from foldproof.transcripts.conversation import Reading, conversations_of
from foldproof.transcripts.document import Document, Source
from foldproof.transcripts.folders import Family

CHAT = json.dumps([{"role": "user", "content": "hello"}])


def put(folder: Path, *names: str, text: str = CHAT) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_files_come_in_one_order_with_sub_agents_last(tmp_path: Path) -> None:
    put(tmp_path, "b/run.json", "a.jsonl", "agent-1.jsonl", "s/subagents/agent-2.jsonl", "s.jsonl", "notes.txt")
    put(tmp_path, ".git/x.json", "node_modules/y.json", ".aider.chat.history.md")
    names = [str(path.relative_to(tmp_path)) for path in files_in(tmp_path)]
    assert names == [
        ".aider.chat.history.md", "a.jsonl", "b/run.json", "s.jsonl", "agent-1.jsonl", "s/subagents/agent-2.jsonl",
    ]  # fmt: skip


def test_a_hidden_folder_that_is_named_is_walked(tmp_path: Path) -> None:
    put(tmp_path, ".claude/projects/x.json")
    assert [path.name for path in files_in(tmp_path / ".claude")] == ["x.json"]


def test_every_conversation_of_a_folder_is_read_and_what_is_no_transcript_passed_over(tmp_path: Path) -> None:
    put(tmp_path, "one.json", "two.json")
    put(tmp_path, "package.json", text='{"name": "x"}')
    assert [one.document.name for one in load_all(tmp_path)] == [str(tmp_path / "one.json"), str(tmp_path / "two.json")]


def test_a_broken_file_of_a_folder_is_an_error_that_names_it(tmp_path: Path) -> None:
    put(tmp_path, "one.json")
    put(tmp_path, "two.json", text=CHAT[:-3])
    with pytest.raises(TranscriptError, match=r"two\.json"):
        list(load_all(tmp_path))


def conversation(identifier: str, **more: object) -> Conversation:
    reading = Reading((), (), id=identifier, **more)  # type: ignore[arg-type]  # what a test wants to say
    document = Document(format="openai_chat", value=[], source=Source("json"))
    return conversations_of((reading,), document, number=0)[0]


def test_a_sub_agent_is_joined_to_the_call_that_ran_it() -> None:
    family = Family()
    list(family.joined([conversation("main", ran={"main/x": "call-7"})]))
    child, other = family.joined([conversation("main/x"), conversation("stranger")])
    assert child.parent == Parent("main", "call-7")
    assert other.parent is None


def test_what_a_file_says_of_its_parent_stays_and_the_call_is_added() -> None:
    family = Family()
    list(family.joined([conversation("main", ran={"x": "call-7"})]))
    told = conversation("x", parent=Parent("main", None))
    sure = conversation("x", parent=Parent("other", "call-1"))
    assert [one.parent for one in family.joined([told, sure])] == [Parent("main", "call-7"), Parent("other", "call-1")]
