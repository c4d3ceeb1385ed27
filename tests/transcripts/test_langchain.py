"""LangChain messages: what the real files say, counted in their JSON by another route, and every quirk by itself."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.transcripts.shapes_python_frameworks import langchain_dicts, langchain_js, langchain_python, langgraph_state
from tests.transcripts.talk import TALK

from foldproof.errors import TranscriptError
from foldproof.messages import OPENINGS, Message, author_of, calls_of, frame_kind, pair
from foldproof.transcripts import Conversation, detect, dump, parse, read_text
from foldproof.transcripts.json_text import Json

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "langchain"
FILES = sorted(DATA.glob("*.json"))
ROLES = {"system": "system", "human": "user", "ai": "assistant", "tool": "tool"}


def human(text: str, **more: Json) -> dict[str, Any]:
    return {"type": "human", "data": {"content": text, **more}}


def model(content: Json = "", **more: Json) -> dict[str, Any]:
    return {"type": "ai", "data": {"content": content, **more}}


def result(content: Json, **more: Json) -> dict[str, Any]:
    return {"type": "tool", "data": {"content": content, "tool_call_id": "c", **more}}


CALL = {"name": "search", "args": {"q": 1}, "id": "c", "type": "tool_call"}


def messages(*rows: Json) -> tuple[Message, ...]:
    return parse(list(rows), format="langchain").messages


def written(conversation: Conversation) -> Json:
    out = io.StringIO()
    dump(conversation, out)
    return json.loads(out.getvalue())


def fields_of(row: dict[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = row["data"] if "data" in row else row["kwargs"]
    return fields


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_real_file_says_what_its_json_says(path: Path) -> None:
    rows = [fields_of(row) for row in json.loads(path.read_text(encoding="utf-8"))]
    read = parse(json.loads(path.read_text(encoding="utf-8"))).messages
    assert [message.role for message in read] == [ROLES[row["type"]] for row in rows]
    assert [message.text for message in read] == [row["content"] for row in rows]
    calls = [call for row in rows for call in row.get("tool_calls", [])]
    assert [(call.id, call.name, call.args) for message in read for call in calls_of(message)] == [
        (call["id"], call["name"], call["args"]) for call in calls
    ]
    assert len(pair(read).results) == len(calls)
    assert not pair(read).orphans
    assert [message.is_error for message in read if message.role == "tool"] == [
        True if row["status"] == "error" else None for row in rows if row["type"] == "tool"
    ]


@pytest.mark.parametrize("number", [3, 33, 52])
def test_both_encodings_of_one_conversation_are_one_conversation(number: int) -> None:
    first, second = (
        json.loads((DATA / f"{form}_taubench_airline_{number}.json").read_text(encoding="utf-8"))
        for form in ("dict", "lc")
    )
    assert parse(first).messages == parse(second).messages


def test_the_forms_may_stand_in_one_list() -> None:
    forms = (langchain_dicts, langchain_python, langchain_js, langgraph_state)
    lists = [parse(form(TALK)).document.value for form in forms]
    rows = [lists[0][0], lists[1]["messages"][1], lists[2][2], *lists[3]["values"]["messages"][3:]]
    assert parse(rows).messages == parse(langchain_dicts(TALK)).messages


def test_a_message_of_a_request_may_stand_among_them() -> None:
    function = {"id": "c", "type": "function", "function": {"name": "search", "arguments": '{"q": 1}'}}
    rows = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "", "tool_calls": [function]}]
    read = messages(*rows, {"type": "tool", "content": "7", "tool_call_id": "c"}, {"type": "ai", "content": "so"})
    assert [message.role for message in read] == ["user", "assistant", "tool", "assistant"]
    assert [(call.name, call.args) for call in calls_of(read[1])] == [("search", {"q": 1})]


def test_a_state_is_known_by_its_messages_and_named_by_its_thread() -> None:
    conversation = parse(langgraph_state(TALK))
    assert conversation.id == "t"
    assert conversation.extras["next"] == []
    checkpoint = {"checkpoint": {"channel_values": langchain_python(TALK)}, "thread_id": "x"}
    assert parse(checkpoint).messages == parse(langchain_python(TALK)).messages
    assert parse(checkpoint).id == "x"


def test_messages_one_a_line_are_one_conversation() -> None:
    text = "\n".join(map(json.dumps, langchain_js(TALK)))
    (conversation,) = read_text(text, name="f")
    assert conversation.messages == parse(langchain_js(TALK)).messages


def test_a_call_that_stands_in_several_places_is_read_once() -> None:
    blocks = [
        {"type": "text", "text": "so"},
        {"type": "tool_use", "id": "c", "name": "search", "input": {"q": 1}},
        {"type": "function_call", "call_id": "d", "id": "fc", "name": "read", "arguments": '{"p": 2}'},
    ]
    raw = [
        {"id": "c", "type": "function", "function": {"name": "search", "arguments": '{"q": 1}'}},
        {"id": "e", "type": "function", "function": {"name": "search", "arguments": "{nonsense"}},
    ]
    bad = {"name": "search", "args": "{nonsense", "id": "e", "error": "no JSON", "type": "invalid_tool_call"}
    (_, said) = messages(
        human("hi"),
        model(blocks, tool_calls=[CALL], invalid_tool_calls=[bad], additional_kwargs={"tool_calls": raw}),
    )
    assert [(call.id, call.name, call.args) for call in calls_of(said)] == [
        ("c", "search", {"q": 1}),
        ("e", "search", "{nonsense"),
        ("d", "read", {"p": 2}),
    ]
    assert said.text == "so"
    assert len(said.content) == 1


def test_an_older_message_has_its_calls_in_additional_kwargs_only() -> None:
    raw = [{"id": "c", "type": "function", "function": {"name": "search", "arguments": '{"q": 1}'}}]
    rows = [human("hi"), model(additional_kwargs={"tool_calls": raw}), result("7")]
    assert pair(messages(*rows)).unanswered == ()
    assert messages(*rows)[2].tool_name == "search"


def test_calls_without_ids_are_answered_by_order_and_name() -> None:
    read = messages(
        human("hi"),
        model(tool_calls=[CALL | {"id": None}, CALL | {"id": None, "name": "read"}]),
        result("of read", tool_call_id="", name="read"),
        result("of search", tool_call_id="", name="search"),
    )
    pairing = pair(read)
    assert not pairing.orphans
    assert {call: read[at[0]].text for call, at in pairing.results.items()} == {(1, 0): "of search", (1, 1): "of read"}


def test_reasoning_is_kept_as_it_came() -> None:
    blocks = [
        {"type": "thinking", "thinking": "hm", "signature": "s"},
        {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "x"},
        {"type": "text", "text": "so"},
    ]
    (_, said) = messages(human("hi"), model(blocks))
    assert said.thinking_blocks == tuple(blocks[:2])
    assert said.text == "so"


def test_a_tool_that_the_provider_ran_is_one_part() -> None:
    blocks = [
        {"type": "server_tool_call", "id": "s1", "name": "web_search", "args": {"query": "x"}},
        {"type": "server_tool_result", "tool_call_id": "s1", "status": "success", "output": [{"title": "T"}]},
        {"type": "server_tool_result", "tool_call_id": "of another message", "output": 1},
    ]
    (_, said) = messages(human("hi"), model(blocks))
    assert [part.model_dump(by_alias=True) for part in said.content if not isinstance(part, str)] == [
        {
            "type": "provider-tool",
            "id": "s1",
            "name": "web_search",
            "input": {"query": "x"},
            "result": [{"title": "T"}],
        },
        blocks[2],
    ]


@pytest.mark.parametrize(
    "beside",
    [
        {"name": "researcher"},
        {"example": True},
        {"additional_kwargs": {"lc_source": "async_subagent"}},
    ],
)
def test_a_human_message_that_no_person_typed_is_the_apps(beside: dict[str, Any]) -> None:
    plain, delivered = messages(human("hi"), human("hello", **beside))
    assert (author_of(plain), author_of(delivered)) == ("person", "app")


def test_where_no_message_without_a_name_is_a_persons_the_names_are_peoples() -> None:
    summary = human("so far", additional_kwargs={"lc_source": "summarization"})
    example = human("x", name="ex", example=True)
    read = messages(summary, human("hi", name="Alice"), model("what?"), human("on", name="Alice"), example)
    assert [author_of(message) for message in read] == ["library", "person", "model", "person", "app"]
    assert [message.name for message in read if author_of(message) == "person"] == ["Alice", "Alice"]


FORMS = ("data", "flat", "lc")


def named(form: str, text: str, name: str | None) -> dict[str, Any]:
    row = human(text, name=name)
    if form == "flat":
        return {"type": "human", **row["data"]}
    path = ["langchain", "schema", "messages", "HumanMessage"]
    return row if form == "data" else {"lc": 1, "type": "constructor", "id": path, "kwargs": row["data"]}


def legacy_call(at: int) -> dict[str, Any]:
    function = {"name": "search", "arguments": json.dumps({"q": at})}
    return model(additional_kwargs={"function_call": function})


def cleared(message: Message) -> Message:
    known = {"content": f"{OPENINGS['cleared-result']} x", "metadata": {"foldproof": {}}}
    return message.model_copy(update=known)


@pytest.mark.parametrize("form", ["data", "flat", "lc"])
def test_a_cleared_result_of_a_function_stays_one(form: str) -> None:
    function = {"content": "7", "name": "search", "type": "function"}
    path = ["langchain", "schema", "messages", "FunctionMessage"]
    rows: dict[str, dict[str, Any]] = {
        "data": {"type": "function", "data": function},
        "flat": dict(function),
        "lc": {"lc": 1, "type": "constructor", "id": path, "kwargs": function},
    }
    row = rows[form]
    conversation = parse([human("hi"), legacy_call(1), row, legacy_call(2), row])
    window = (*conversation.messages[:2], cleared(conversation.messages[2]), *conversation.messages[3:])
    again = written(conversation.replace(window))
    assert parse(again).messages == window
    new = again[2]
    fields = new if form == "flat" else fields_of(new)
    assert (fields["type"], fields["name"], "tool_call_id" in fields) == ("function", "search", False)
    assert form != "lc" or new["id"] == path
    assert [again[at] for at in (1, 3, 4)] == [legacy_call(1), legacy_call(2), row]


def test_a_cleared_result_without_an_id_is_written_without_one_and_leaves_the_others_theirs() -> None:
    calls = model(tool_calls=[CALL | {"id": None}, CALL | {"id": None, "args": {"q": 2}}])
    conversation = parse([human("hi"), calls, *(result(text, tool_call_id="", name="search") for text in "78")])
    window = (*conversation.messages[:2], cleared(conversation.messages[2]), conversation.messages[3])
    again = written(conversation.replace(window))
    assert again[2]["data"]["tool_call_id"] == ""
    assert parse(again).messages == window


def test_a_cleared_result_has_the_id_of_what_it_takes_the_place_of() -> None:
    conversation = parse([human("hi"), model(tool_calls=[CALL]), result("7", id="t7")])
    new = cleared(conversation.messages[2]).model_copy(update={"id": None})
    again = written(conversation.replace((*conversation.messages[:2], new)))
    assert again[2]["data"]["id"] == "t7"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("keep", [0, 1, 2])
def test_who_the_person_is_stays_whoever_leaves(form: str, keep: int) -> None:
    rows = [named(form, "hi", None), named(form, "look", "critic"), named(form, "again", "critic")]
    conversation = parse(rows)
    window = conversation.messages[keep:]
    assert [author_of(message) for message in window] == ["person", "app", "app"][keep:]
    again = written(conversation.replace(window))
    assert parse(again).messages == window
    assert keep != 0 or again == rows


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "new",
    [
        Message(role="user", content="and?"),
        Message(role="user", content="and?", name="Bob"),
        Message(role="user", content="and?", name="critic", injected_by="langchain"),
        Message(role="user", content=f"{OPENINGS['summary']} x", folded_exempt=("7",)),
    ],
)
def test_a_person_with_a_name_stays_one_beside_a_new_message(form: str, new: Message) -> None:
    conversation = parse([named(form, "hi", "Alice"), named(form, "on", "Alice")])
    window = (new, conversation.messages[1])
    again = parse(written(conversation.replace(window))).messages
    assert again == window
    assert author_of(again[1]) == "person"


def test_a_speaker_that_nobody_knows_is_no_person() -> None:
    rows = [{"type": "chat", "data": {"content": "x", "role": role}} for role in ("user", "assistant", "critic")]
    assert [author_of(message) for message in messages(*rows)] == ["person", "model", "app"]


def test_a_summary_of_the_middleware_is_a_frame_that_exempts_nothing() -> None:
    text = "Here is a summary of the conversation to date:\n\nx"
    summary, _ = messages(human(text, additional_kwargs={"lc_source": "summarization"}), human("on"))
    assert frame_kind(summary) == "summary"
    assert author_of(summary) == "library"
    assert (summary.text, summary.folded_exempt) == (text, None)


def test_a_summary_frame_of_ours_is_marked_as_the_middleware_marks_its_own() -> None:
    conversation = parse(langchain_dicts(TALK))
    frames = [Message(role="user", content=f"{OPENINGS[kind]} x") for kind in ("summary", "drop-notice")]
    rows = written(conversation.replace([conversation.messages[0], *frames]))
    assert [row["data"]["additional_kwargs"].get("lc_source") for row in rows[1:]] == ["summarization", None]


def test_removed_messages_are_named_and_what_is_left_of_them_is_read() -> None:
    rows = [human("hi", id="h"), {"type": "remove", "data": {"content": "", "id": "h"}}, human("on", id="i")]
    conversation = parse(rows)
    assert [message.text for message in conversation.messages] == ["hi", "on"]
    assert conversation.extras["removed"] == ["h"]
    assert conversation.damage == ()
    assert written(conversation.replace(conversation.messages[1:])) == rows[1:]


FAILED = {"status": "error", "name": "search"}


@pytest.mark.parametrize(
    ("content", "more", "author"),
    [
        ("7 flights", {}, "tool"),
        ("no such flight", FAILED, "tool"),
        ("User rejected the tool call for `search` with id c. The tool was not executed.", FAILED, "library"),
        ("Error: serch is not a valid tool, try one of [search].", FAILED, "library"),
        ("Error invoking tool 'search' with kwargs {'q': 'AB12'} with error:\n q: not an int", FAILED, "library"),
        (
            "Tool call search with id c could not be executed - arguments were malformed or truncated.",
            FAILED,
            "library",
        ),
        ("Tool call limit exceeded. Do not call 'search' again.", FAILED, "library"),
        ("User rejected the tool call for `search`: that is the title of this page", {}, "tool"),
        ("yes, book it", {"additional_kwargs": {"lc_source": "hitl_interrupt_decision"}}, "library"),
    ],
)
def test_what_the_framework_says_in_the_place_of_a_result_is_no_observation(
    content: str, more: dict[str, Any], author: str
) -> None:
    read = messages(human("hi"), model(tool_calls=[CALL]), result(content, **more))
    assert author_of(read[2]) == author
    assert read[2].is_error == (True if more.get("status") == "error" else None)


@pytest.mark.parametrize(
    "row",
    [
        result("Error executing tool 'search' with kwargs {'q': 'AB12'} with error:\n x", **FAILED),
        result("[cleared]", response_metadata={"context_editing": {"cleared": True, "strategy": "clear_tool_uses"}}),
    ],
)
def test_words_around_a_result_are_none_of_the_tools(row: dict[str, Any]) -> None:
    assert messages(human("hi"), model(tool_calls=[CALL]), row)[2].tool_chars == 0


def test_what_langchain_escapes_is_read_as_it_was() -> None:
    call = CALL | {"args": {"__lc_escaped__": {"lc": 1, "x": [2]}}}
    kwargs = {"content": "", "tool_calls": [call]}
    row = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessage"], "kwargs": kwargs}
    assert calls_of(messages(row)[0])[0].args == {"lc": 1, "x": [2]}


def test_our_note_is_escaped_where_it_could_pass_for_a_constructor() -> None:
    conversation = parse(langchain_python(TALK))
    metadata: dict[str, Any] = {"foldproof": {"carry": [{"lc": 1, "type": "constructor", "id": ["x"]}]}}
    frame = Message(role="user", content=f"{OPENINGS['summary']} x", metadata=metadata)
    raw = written(conversation.replace([conversation.messages[0], frame]))
    note = raw["messages"][1]["kwargs"]["additional_kwargs"]["foldproof"]
    assert "lc" not in note["metadata"]["foldproof"]["carry"][0]
    assert parse(raw).messages[1] == frame


@pytest.mark.parametrize(
    ("row", "path", "words"),
    [
        (7, "$[1]", "expected a message"),
        ({"type": "hologram", "data": {"content": ""}}, "$[1]", "expected a message"),
        ({"type": "human", "data": {"content": 7}}, "$[1].data.content", "found 7"),
        ({"type": "ai", "content": "", "tool_calls": 7}, "$[1].tool_calls", "found 7"),
        ({"type": "ai", "content": "", "tool_calls": [{"name": 7}]}, "$[1].tool_calls[0]", "a call with a name"),
        (model(additional_kwargs={"tool_calls": [{"id": "c"}]}), "$[1].data.additional_kwargs.tool_calls[0]", "name"),
        ({"lc": 2, "type": "not_implemented", "id": ["x", "HumanMessage"]}, "$[1]", "expected a message"),
    ],
)
def test_a_row_that_cannot_be_read_is_reported_and_stays(row: Json, path: str, words: str) -> None:
    rows = [human("hi"), row, human("on"), human("and")]
    conversation = parse(rows, format="langchain")
    assert [message.text for message in conversation.messages] == ["hi", "on", "and"]
    assert [damage.path for damage in conversation.damage] == [path]
    assert words in conversation.damage[0].cause
    assert written(conversation.replace(conversation.messages[:2])) == rows[:3]
    with pytest.raises(TranscriptError):
        parse(rows, format="langchain", strict=True)


def test_swapped_rows_are_swapped_messages() -> None:
    rows = langchain_dicts(TALK)
    rows[3], rows[4] = rows[4], rows[3]
    read = parse(rows).messages
    assert [read[3].tool_call_id, read[4].tool_call_id] == ["c1.1", "c1.0"]
    assert not pair(read).orphans


@pytest.mark.parametrize(
    "other",
    [
        [],
        [{"role": "user", "content": "x"}],
        {"messages": [{"role": "user", "content": "x"}]},
        [{"type": "system", "content": "x", "uuid": "u"}],
        [{"type": "human"}],
        {"lc": 1, "type": "constructor", "id": ["langchain", "prompts", "PromptTemplate"], "kwargs": {}},
    ],
)
def test_other_documents_are_left_to_other_formats(other: Json) -> None:
    with pytest.raises(TranscriptError, match="not langchain"):
        parse(other, format="langchain")


def test_a_document_of_each_form_is_known() -> None:
    forms = (langchain_dicts, langchain_python, langchain_js, langgraph_state)
    assert {detect(form(TALK)) for form in forms} == {"langchain"}
