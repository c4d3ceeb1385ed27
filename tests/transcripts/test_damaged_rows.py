"""One message of a document that cannot be read is reported, and the others are read, and written around it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import pytest

from foldproof.errors import TranscriptError
from foldproof.messages import Message
from foldproof.transcripts import Conversation, dump, parse, read_text
from foldproof.transcripts.json_text import Json

NOTICE = Message(role="user", content="[foldproof drop notice] 1 message left")
ONE, TWO = {"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}


def chat(*rows: Json) -> Json:
    return list(rows)


def body(*rows: Json) -> Json:
    return {"model": "m", "messages": list(rows)}


def exchange(*rows: Json) -> Json:
    answer = {"role": "assistant", "content": "end"}
    return {"request": {"messages": list(rows)}, "response": {"choices": [{"message": answer}]}}


def checkpoint(*rows: Json) -> Json:
    return {"format": "conversation-v1", "data": {"version": 1, "history": list(rows)}}


def recorded(*rows: Json) -> Json:
    return {"runId": "r", "finalState": {"history": list(rows), "llmLatestContent": "end"}}


def axle(*rows: Json) -> Json:
    return {"sessionId": "s", "messages": list(rows)}


def as_is(rows: Json) -> Json:
    """Return the messages of a document, wherever they stand."""
    if isinstance(rows, list):
        return rows
    names = ("request", "data", "finalState", "messages", "history")
    return as_is(next(rows[name] for name in names if name in rows))


Wrapper = Callable[..., Json]

WRAPPERS: list[tuple[Wrapper, str]] = [
    (chat, "$"),
    (body, "$.messages"),
    (exchange, "$.request.messages"),
    (checkpoint, "$.data.history"),
    (recorded, "$.finalState.history"),
    (axle, "$.messages"),
]


def dumped(conversation: Conversation) -> Json:
    out = io.StringIO()
    dump(conversation, out)
    return json.loads(out.getvalue())


@pytest.mark.parametrize(("wrapped", "path"), WRAPPERS, ids=[wrapped.__name__ for wrapped, _ in WRAPPERS])
@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (5, "[1]: expected a message object; found 5"),
        ({"role": "wizard", "content": "x"}, "[1].role: unknown role 'wizard'; expected"),
        ({"content": "x"}, "[1].role: unknown role None; expected"),
        ({"role": "user", "content": 5}, "[1].content"),
    ],
)
def test_a_message_that_cannot_be_read_is_reported_and_stays(
    wrapped: Wrapper, path: str, broken: Json, said: str
) -> None:
    document = wrapped(ONE, broken, TWO)
    conversation = parse(document)
    assert [message.text for message in conversation.messages[:2]] == ["one", "two"]
    (damage,) = conversation.damage
    assert str(damage).startswith(path + said)
    assert dumped(conversation) == document
    written = dumped(conversation.replace([NOTICE, *conversation.messages[1:]]))
    assert as_is(written)[0] == broken
    assert as_is(written)[2] == TWO
    assert parse(written).messages == (NOTICE, *conversation.messages[1:])
    with pytest.raises(TranscriptError, match=r"expected|unknown|valid"):
        parse(document, strict=True)


@pytest.mark.parametrize(("wrapped", "path"), WRAPPERS, ids=[wrapped.__name__ for wrapped, _ in WRAPPERS])
def test_nothing_readable_is_an_error_of_the_first_message(wrapped: Wrapper, path: str) -> None:
    with pytest.raises(TranscriptError) as caught:
        parse(wrapped({"role": "wizard", "content": "x"}, {"role": "elf", "content": "y"}))
    assert caught.value.path == f"{path}[0].role"


def test_a_response_that_cannot_be_read_stays_in_its_place() -> None:
    document = exchange(ONE, TWO)
    document["response"]["choices"][0]["message"]["content"] = 5
    conversation = parse(document)
    assert [str(damage.path) for damage in conversation.damage] == ["$.response.choices[0].message.content"]
    written = dumped(conversation.replace([conversation.messages[1], NOTICE]))
    assert written["response"] == document["response"]
    assert [row["content"] for row in written["request"]["messages"]] == ["two", NOTICE.text]


def test_a_result_that_cannot_be_read_leaves_the_results_beside_it() -> None:
    results = [5, {"id": "c", "name": "f", "content": "x"}, {"id": "d", "name": "f", "content": 7}]
    conversation = parse(axle(ONE, {"role": "tool", "id": "t", "content": results}))
    assert [message.text for message in conversation.messages] == ["one", "x"]
    first, last = conversation.damage
    assert first.path == "$.messages[1].content[0]"
    assert last.path.startswith("$.messages[1].content[2].content")


def test_a_tool_message_without_one_readable_result_is_reported_once_a_result() -> None:
    conversation = parse(axle(ONE, {"role": "tool", "id": "t", "content": [5, 6]}))
    assert [damage.path for damage in conversation.damage] == [f"$.messages[1].content[{at}]" for at in range(2)]


def test_a_line_of_a_chat_that_is_no_json_stays_in_its_place() -> None:
    text = f'{json.dumps(ONE)}\n{{"role": "us\n{json.dumps(TWO)}\n'
    (conversation,) = read_text(text, name="in")
    assert [damage.path for damage in conversation.damage] == ["line 2"]
    out = io.StringIO()
    dump(conversation.replace(conversation.messages[1:]), out)
    assert out.getvalue() == text.partition("\n")[2]


def test_the_answer_beside_a_recorded_history_is_not_moved_by_a_frame_at_the_end() -> None:
    document = recorded(ONE, {"role": "assistant", "content": "end"})  # said in the history already
    conversation = parse(document)
    written = dumped(conversation.replace([*conversation.messages, NOTICE]))
    assert written["finalState"]["llmLatestContent"] == "end"
    assert [row["content"] for row in written["finalState"]["history"]] == ["one", "end", NOTICE.text]


@pytest.mark.parametrize("name", ["message", "text", "value"])
def test_a_row_of_another_format_is_no_message_without_words(name: str) -> None:
    rows = [{"role": "user", "content": "hi"}, {"role": "assistant", name: "the words"}]
    conversation = parse(rows, format="openai_chat")
    assert [message.text for message in conversation.messages] == ["hi"]
    assert [damage.path for damage in conversation.damage] == ["$[1]"]
