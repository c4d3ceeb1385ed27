"""mini-swe-agent trajectories: two real lists of version 0, and what its source says of the later ones."""

from __future__ import annotations

import copy
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.transcripts.shapes_benchmarks import miniswe_calls, miniswe_text
from tests.transcripts.talk import TALK

from foldproof.errors import TranscriptError
from foldproof.messages import author_of, calls_of, is_observation, pair
from foldproof.transcripts import detect, dump, load, parse

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "miniswe_traj"
FILES = sorted(DATA.glob("*.json"))


def raw(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return rows


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_block_of_bash_is_the_call_and_the_next_row_its_result(path: Path) -> None:
    rows, conversation = raw(path), load(path)
    fences = [row["content"].split("```mswea_bash_command\n")[1].split("\n```")[0] for row in rows[2::2]]
    calls = [call for message in conversation.messages for call in calls_of(message)]
    assert [(call.name, call.args) for call in calls] == [("bash", {"command": command}) for command in fences]
    assert pair(conversation.messages).call_of.keys() == set(range(3, len(rows), 2))
    assert not pair(conversation.messages).unanswered
    assert [author_of(message) for message in conversation.messages[:2]] == ["app", "person"]
    assert not conversation.damage


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_app_wraps_what_the_tool_said(path: Path) -> None:
    rows, conversation = raw(path), load(path)
    for row, message in zip(rows[3::2], conversation.messages[3::2], strict=True):
        inside = row["content"].partition("<output>\n")[2].removesuffix("</output>")
        assert message.text == (inside if "<output>" in row["content"] else row["content"])
        code = re.match(r"<returncode>(\d+)", row["content"])
        assert message.is_error is (True if code and code[1] != "0" else None)
    assert sum(message.is_error is True for message in load(DATA / "github_issue.traj.json").messages) == 2


def texts(output: str, **extra: Any) -> Any:  # noqa: ANN401 - a document
    rows: list[Any] = [{"role": "user", "content": "task"}, {"role": "assistant", "content": "```bash\nls\n```"}]
    rows.append({"role": "user", "content": output, "extra": extra})
    return {"info": {}, "messages": rows, "trajectory_format": "mini-swe-agent-1.1"}


def test_an_output_that_was_too_long_is_a_head_and_a_tail() -> None:
    output = (
        "<returncode>0</returncode>\n<warning>\nToo long.\n</warning><output_head>\nhead 1\n</output_head>\n"
        "<elided_chars>\n77 characters elided\n</elided_chars>\n<output_tail>\ntail 2\n</output_tail>"
    )
    assert parse(texts(output)).messages[2].text == "head 1\ntail 2"
    said = {"returncode": 0, "output_head": "head 1", "output_tail": "tail 2", "elided_chars": 77, "warning": "w"}
    assert parse(texts(json.dumps(said))).messages[2].text == "head 1\ntail 2"


def test_an_exception_is_an_error() -> None:
    output = "<exception>timed out</exception>\n<returncode>-1</returncode>\n<output>\nhalf\n</output>"
    message = parse(texts(output)).messages[2]
    assert (message.text, message.is_error) == ("half\n", True)


def test_what_only_looks_wrapped_stays_as_it_is() -> None:
    for output in (
        "<returncode>0</returncode> and more",
        '{"returncode": 0}',
        '{"returncode": 0, "output"',
        "<output>",
    ):
        message = parse(texts(output)).messages[2]
        assert (message.role, message.text, message.is_error) == ("tool", output, None)


def test_an_action_that_was_not_executed_is_no_observation() -> None:
    document = miniswe_calls(TALK)
    never = {"returncode": -1, "output": "", "exception_info": "action was not executed"}
    document["messages"][3]["content"] = json.dumps(never)
    results = [message for message in parse(document).messages if message.role == "tool"]
    assert [is_observation(message) for message in results] == [True, False]


def test_several_blocks_or_none_are_answered_by_the_app() -> None:
    for words in ("no block", "```bash\nls\n```\n```bash\npwd\n```"):
        document = texts("Please give one block")
        document["messages"][1]["content"] = words
        assert [author_of(message) for message in parse(document).messages] == ["person", "model", "app"]


def test_an_interruption_is_the_apps_and_answers_nothing() -> None:
    conversation = parse(texts("Interrupted by user", interrupt_type="UserInterruption"))
    assert author_of(conversation.messages[2]) == "app"
    assert len(pair(conversation.messages).unanswered) == 1


def test_a_submission_is_what_the_tool_said_and_a_limit_is_not() -> None:
    document = texts("diff 1", exit_status="Submitted")
    document["messages"][2]["role"] = "exit"
    assert author_of(parse(document).messages[2]) == "tool"
    document["messages"][2]["extra"] = {"exit_status": "LimitsExceeded"}
    assert author_of(parse(document).messages[2]) == "app"


def test_a_command_in_a_tag_is_a_call() -> None:
    document = texts("ok")
    document["messages"][1]["content"] = "so <mswea_bash_command>ls -la</mswea_bash_command>"
    assert parse(document).messages[1].tool_calls[0].args == {"command": "ls -la"}


def test_rows_of_the_responses_api() -> None:
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "let me see"}]}
    call = {"type": "function_call", "call_id": "c1", "id": "f1", "name": "bash", "arguments": '{"command": "ls"}'}
    rows: list[Any] = [{"role": "user", "content": "task"}, {"object": "response", "output": [said, call]}]
    rows.append({"type": "function_call_output", "call_id": "c1", "output": '{"returncode": 1, "output": "no"}'})
    conversation = parse({"info": {}, "messages": rows, "trajectory_format": "mini-swe-agent-1.1"})
    assert conversation.messages[1].text == "let me see"
    assert (conversation.messages[2].text, conversation.messages[2].is_error) == ("no", True)
    assert not pair(conversation.messages).unanswered


def test_a_newer_version_is_read_and_reported() -> None:
    document = miniswe_text(TALK) | {"trajectory_format": "mini-swe-agent-3"}
    (damage,) = parse(document).damage
    assert damage.path == "$.trajectory_format"
    assert parse(document).messages == parse(miniswe_text(TALK)).messages


@pytest.mark.parametrize(
    ("number", "fields", "path", "cause"),
    [
        (1, {"role": "robot"}, "$.messages[1].role", "unknown role 'robot'"),
        (1, {"content": {}}, "$.messages[1].content", "expected text"),
    ],
)
def test_a_row_that_cannot_be_read_is_reported(number: int, fields: dict[str, Any], path: str, cause: str) -> None:
    document = copy.deepcopy(miniswe_text(TALK))
    document["messages"][number] |= fields
    (damage,) = parse(document).damage
    assert damage.path == path
    assert cause in damage.cause


def test_a_list_that_says_nothing_of_mini_swe_agent_is_a_chat() -> None:
    rows = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "```bash\nls\n```"}]
    assert detect(rows) == "openai_chat"
    assert (
        detect([*rows, {"role": "user", "content": "<returncode>0</returncode>\n<output>\n</output>"}])
        == "miniswe_traj"
    )


def test_a_bare_list_is_not_written_so_that_it_would_be_taken_for_a_chat() -> None:
    rows = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "```bash\nls\n```"}]
    rows += [{"role": "user", "content": "<returncode>0</returncode>\n<output>\n</output>"}]
    conversation = parse(rows)
    with pytest.raises(TranscriptError, match="nothing that is left"):
        dump(conversation.replace(conversation.messages[:1]), io.StringIO())
