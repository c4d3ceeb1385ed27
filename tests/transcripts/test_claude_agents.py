"""Sub-agents of Claude Code: whose thread is whose, in one file and over a folder."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from foldproof.messages import Message, calls_of
from foldproof.transcripts import Conversation, dump, load, load_all, parse
from foldproof.transcripts.conversation import Parent
from foldproof.transcripts.json_text import Json

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "claude_code"


def row(uuid: str, parent: str | None, kind: str, content: Json, **more: Json) -> Json:
    said = {"role": kind, "content": content}
    return {"parentUuid": parent, "sessionId": "s", "type": kind, "message": said, "uuid": uuid, **more}


def task(call: str, prompt: str, name: str = "Task") -> list[Any]:
    return [{"type": "tool_use", "id": call, "name": name, "input": {"prompt": prompt}}]


def answer(call: str) -> list[Any]:
    return [{"type": "tool_result", "tool_use_id": call, "content": "done"}]


PARENT = [
    row("1", None, "user", "look"),
    row("2", "1", "assistant", task("t1", "search", "Agent")),
    row("3", "2", "user", answer("t1"), toolUseResult={"status": "completed", "agentId": "a1"}),
    row("4", "3", "user", "thanks"),
]
AGENT = [
    row("x1", None, "user", "search", isSidechain=True, agentId="a1"),
    row("x2", "x1", "assistant", task("t2", "deeper"), isSidechain=True, agentId="a1"),
    row("x3", "x2", "user", answer("t2"), isSidechain=True, agentId="a1", toolUseResult={"agentId": "a2"}),
]
DEEPER = [row("y1", None, "user", "deeper", isSidechain=True, agentId="a2")]


def folder(path: Path, *, old: bool) -> Path:
    inside = path / "project" if old else path / "project" / "s" / "subagents"
    inside.mkdir(parents=True)
    for file, rows in (
        (path / "project" / "s.jsonl", PARENT),
        (inside / "agent-a1.jsonl", AGENT),
        (inside / "agent-a2.jsonl", DEEPER),
    ):
        file.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    (inside / "agent-a1.meta.json").write_text('{"agentType": "general-purpose", "toolUseId": "t1"}', encoding="utf-8")
    return path


def parents(conversations: list[Conversation]) -> dict[str, Parent | None]:
    return {conversation.id: conversation.parent for conversation in conversations}


def test_a_folder_joins_the_files_of_sub_agents_to_the_calls_that_ran_them(tmp_path: Path) -> None:
    for old in (True, False):
        found = list(load_all(folder(tmp_path / str(old), old=old)))
        assert parents(found) == {"s": None, "s/a1": Parent("s", "t1"), "s/a2": Parent("s/a1", "t2")}
        assert [len(conversation.messages) for conversation in found] == [4, 3, 1]


def test_the_file_of_a_sub_agent_is_one_conversation_that_names_its_session(tmp_path: Path) -> None:
    folder(tmp_path, old=False)
    conversation = load(tmp_path / "project" / "s" / "subagents" / "agent-a1.jsonl")
    assert (conversation.id, conversation.parent) == ("s/a1", Parent("s", None))
    assert len(calls_of(conversation.messages[1])) == 1


def test_the_sub_agents_of_one_file_name_the_call_in_it() -> None:
    readings = parse([*PARENT, *AGENT, *DEEPER]).siblings
    assert {reading.id: dict(reading.ran) for reading in readings} == {
        "s": {"s/a1": "t1"},
        "s/a1": {"s/a2": "t2"},
        "s/a2": {},
    }


def test_a_sub_agent_that_is_resumed_goes_on_in_its_thread() -> None:
    again = row("x4", None, "user", "once more", isSidechain=True, agentId="a1")
    (reading,) = parse([*AGENT, again]).siblings
    assert [message.text for message in reading.messages] == ["search", "", "done", "once more"]


def test_without_a_name_a_sub_agent_is_known_by_its_prompt() -> None:
    sides = [row(f"x{n}", None, "user", "search", isSidechain=True) for n in range(3)]
    rows = [
        PARENT[0],
        row("2", "1", "assistant", [*task("t1", "search"), *task("t2", "other"), *task("t3", "search")]),
        *sides,
        row("3", "2", "user", [*answer("t1"), *answer("t3")]),
    ]
    main = parse(rows).siblings[0]
    assert dict(main.ran) == {"s/x0": "t1", "s/x1": "t3"}  # two calls ran two of them; who ran the third is not known


def test_the_real_session_names_the_calls_whose_prompts_its_sub_agents_got() -> None:
    main, *sides = load_all(DATA / "ccviewer_5c0375b4-57a5-.jsonl")
    prompts = {call.id: call.args for message in main.messages for call in calls_of(message) if call.name == "Task"}
    assert [side.parent and side.parent.conversation for side in sides] == [main.id, main.id]
    for side in sides:
        assert side.parent is not None
        args = prompts[str(side.parent.call)]
        assert isinstance(args, dict)
        assert args["prompt"] == side.messages[0].text


def test_a_real_result_names_the_sub_agent_that_gave_it() -> None:
    path = DATA / "cclog_Task-tool_result.jsonl"
    raw = json.loads(path.read_text(encoding="utf-8"))
    call = raw["message"]["content"][0]["tool_use_id"]
    assert dict(load(path).reading.ran) == {f"{raw['sessionId']}/{raw['toolUseResult']['agentId']}": call}


def test_a_folded_sub_agent_keeps_its_id_and_its_parent() -> None:
    frame = Message(role="user", content="[foldproof summary frame] x", folded_exempt=())
    conversation = parse(AGENT)
    out = io.StringIO()
    dump(conversation.replace([frame]), out)
    again = parse(list(map(json.loads, out.getvalue().splitlines())))
    assert (again.id, again.messages, again.parent) == ("s/a1", (frame,), Parent("s", None))
