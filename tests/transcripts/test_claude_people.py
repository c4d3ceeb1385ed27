"""Who says what in a Claude Code session: a person by way of the app, the app in a person's place, and refusals."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from foldproof.messages import Message, author_of, is_observation, said_with_refusal
from foldproof.offline.audit import audit
from foldproof.transcripts import dump, parse
from foldproof.transcripts.json_text import Json
from foldproof.window import SummarizeOldest

REJECTED = "The user doesn't want to proceed with this tool use. The tool use was rejected (the file was NOT written)."
COMMAND = (
    "<command-message>migrate</command-message>\n<command-name>/migrate</command-name>\n<command-args>{}</command-args>"
)


def session(*rows: tuple[str, Json]) -> list[Any]:
    """Return a chain of rows; a message is given by its role and content, and more fields beside."""
    chained: list[Any] = []
    for at, (kind, content) in enumerate(rows):
        row: dict[str, Any] = {"type": kind, "uuid": f"u{at}", "parentUuid": f"u{at - 1}" if at else None}
        row |= {"sessionId": "s", "isSidechain": False, "message": {"role": kind, "content": content}}
        if kind == "assistant":
            row["message"]["id"] = f"m{at}"
        chained.append(row)
    return chained


def use(call: str = "t", **given: Json) -> tuple[str, Json]:
    return "assistant", [{"type": "tool_use", "id": call, "name": "Bash", "input": given}]


def result(content: Json, call: str = "t", *, failed: bool = True) -> tuple[str, Json]:
    return "user", [{"type": "tool_result", "tool_use_id": call, "content": content, "is_error": failed}]


def answered(content: Json) -> Message:
    return parse(session(("user", "go"), use(), result(content))).messages[-1]


@pytest.mark.parametrize(
    ("said", "author"),
    [
        (COMMAND.format("MIGRATE to v9"), "person"),
        ("<command-name>/migrate</command-name>\n<command-args>\nMIGRATE to v9</command-args>", "person"),
        (COMMAND.format(""), "app"),
        (COMMAND.format(" \n"), "app"),
        ("<command-name>/clear</command-name>", "app"),
        ("<ide_opened_file>a.py is open</ide_opened_file>\nfix the bug", "person"),
        ("<ide_opened_file>a.py is open</ide_opened_file>\n", "app"),
        ("<ide_selection>x</ide_selection>\n<system-reminder>y</system-reminder>", "app"),
        ("<system-reminder>y</system-reminder> <bash-stdout>7</bash-stdout>", "app"),
        ("fix the bug\n<system-reminder>be brief</system-reminder>", "person"),
        ("<system-reminder>be brief", "app"),
        ('<teammate-message teammate_id="a">\nid 447123\n</teammate-message>', "app"),
    ],
)
def test_words_of_a_person_stay_theirs_whatever_the_app_puts_around_them(said: str, author: str) -> None:
    assert author_of(parse(session(("user", said))).messages[0]) == author
    assert author_of(parse(session(("user", [{"type": "text", "text": said}]))).messages[0]) == author


def test_a_command_that_a_sub_agent_or_the_app_was_given_is_the_apps() -> None:
    for more in ({"isMeta": True}, {"isSidechain": True}, {"origin": {"kind": "channel"}}):
        (row,) = session(("user", COMMAND.format("MIGRATE")))
        assert author_of(parse([row | more]).messages[0]) == "app"


def test_a_fold_keeps_the_request_that_a_command_carries() -> None:
    asked = ("user", COMMAND.format("MIGRATE to v9"))
    work = [row for at in range(12) for row in (use(f"t{at}"), result("line " * 60, f"t{at}", failed=False))]
    conversation = parse(session(("user", "hi"), ("assistant", "hi"), asked, *work))
    window = SummarizeOldest(0, 6, retain="discard").visit(conversation.messages).messages
    out = io.StringIO()
    dump(conversation.replace(window), out)
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    assert len(rows) < len(work)
    assert [row["message"]["content"] for row in rows if row["uuid"] == "u2"] == [asked[1]]


@pytest.mark.parametrize(
    "words",
    [
        f"{REJECTED} To tell you how to proceed, the user said:\nuse port 8765",
        f"{REJECTED} The user provided the following reason for the rejection:  use port 8765",
        "Permission for this tool use was denied. The tool use was rejected. The user said:\nuse port 8765",
        f"{REJECTED} The user said:\nuse port 8765\n\nNote: The user's next message may contain",
    ],
)
def test_what_a_person_says_with_a_refusal_is_kept(words: str) -> None:
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
    for content in (words, [{"type": "text", "text": words}], [{"type": "text", "text": words}, picture]):
        message = answered(content)
        assert not is_observation(message)
        assert said_with_refusal(message) == "use port 8765"


@pytest.mark.parametrize(
    "words",
    [
        REJECTED,
        "The agent proposed a plan that was rejected by the user. Rejected plan:\nthe user said:\nuse port 8765",
        "Permission to use Bash with command echo 'the user said:\n8765' has been denied.",
        "Permission for this action has been denied. Reason: the command writes",
        "<tool_use_error>Error: No such tool available: get_8765</tool_use_error>",
        "<tool_use_error>InputValidationError: Bash failed: 8765 is no text</tool_use_error>",
        "<tool_use_error>String to replace not found in file.\nString: 8765</tool_use_error>",
    ],
)
def test_a_refusal_that_repeats_what_the_model_wrote_is_no_observation_and_no_persons_word(words: str) -> None:
    message = answered(words)
    assert not is_observation(message)
    assert said_with_refusal(message) == ""


def test_a_failure_that_only_looks_like_a_refusal_is_one() -> None:
    assert is_observation(answered("Permission to use the port was asked for"))
    assert is_observation(answered("<tool_use_error>File has been modified since read: 8765</tool_use_error>"))
    asked = parse(session(("user", "go"), use(), result(f"{REJECTED} said a page", failed=False))).messages[-1]
    assert is_observation(asked)


def test_a_value_from_a_refused_command_is_the_models_own() -> None:
    denied = "Permission to use Bash with command cat /opt/svc-447123/app.cfg has been denied."
    told = "It is /opt/svc-447123/app.cfg."
    (answer,) = audit(parse(session(("user", "where?"), use(), result(denied), ("assistant", told)))).answers
    assert {value.verdict for value in answer.values} == {"invented"}


def test_the_notice_of_a_cleared_result_is_not_the_tools_and_accuses_nobody() -> None:
    notice = "[Old tool result content cleared]"
    for content in (notice, [{"type": "text", "text": notice}]):
        rows = session(("user", "go"), use(), result(content, failed=False), ("assistant", "Order 447123."))
        conversation = parse(rows)
        assert conversation.messages[2].tool_chars == 0
        assert conversation.incomplete
    assert not parse(session(("user", "go"), use(), result("7", failed=False))).incomplete


META: dict[str, Any] = {
    "snapshot": {"type": "file-history-snapshot", "messageId": "m", "snapshot": {"messageId": "m"}},
    "queue": {"type": "queue-operation", "operation": "enqueue", "timestamp": "t", "sessionId": "s"},
    "title": {"type": "custom-title", "customTitle": "x", "sessionId": "s"},
    "progress": {"type": "progress", "uuid": "p", "parentUuid": None, "sessionId": "s", "data": {}},
}


@pytest.mark.parametrize("row", META.values(), ids=META)
def test_a_session_that_opens_with_many_rows_beside_it_is_recognised(row: Json) -> None:
    conversation = parse([row] * 120 + session(("user", "go"), ("assistant", "ok")))
    assert conversation.format == "claude_code"
    assert [message.text for message in conversation.messages] == ["go", "ok"]
