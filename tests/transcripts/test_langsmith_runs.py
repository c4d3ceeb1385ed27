"""LangSmith runs: what the real batches say, counted in their JSON by another route, and every quirk by itself."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.transcripts.shapes_python_frameworks import (
    langsmith_anthropic,
    langsmith_batch,
    langsmith_graph,
    langsmith_langchain,
)
from tests.transcripts.talk import TALK

from foldproof.errors import TranscriptError, UsageError
from foldproof.messages import OPENINGS, Message, calls_of, pair
from foldproof.transcripts import Conversation, dump, load_all, parse, read_text
from foldproof.transcripts.json_text import Json

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "langsmith_runs"
FILES = sorted(DATA.glob("*.json"))


def chat(role: str, content: str, **more: Json) -> dict[str, Any]:
    return {"role": role, "content": content, **more}


def run(number: int, messages: Json, answer: Json = None, **more: Json) -> dict[str, Any]:
    outputs = {"choices": [{"message": answer}]} if answer else None
    order = f"20260101T{number:012d}Zr{number}"
    row = {"id": f"r{number}", "trace_id": "t", "run_type": "llm", "dotted_order": order}
    return row | {"inputs": {"messages": messages}, "outputs": outputs, **more}


def texts(conversation: Conversation) -> list[str]:
    return [message.text for message in conversation.messages]


def all_of(value: Json) -> list[Conversation]:
    return list(read_text(json.dumps(value), name="f", format="langsmith_runs"))


def written(conversation: Conversation) -> Json:
    out = io.StringIO()
    dump(conversation, out)
    return json.loads(out.getvalue())


HI, SO, ON, YES = chat("user", "hi"), chat("assistant", "so"), chat("user", "on"), chat("assistant", "yes")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_real_batch_says_what_its_json_says(path: Path) -> None:
    raw = json.loads(path.read_text(encoding="utf-8"))
    (conversation,) = load_all(path)
    (post,), (patch,) = raw["post"], raw["patch"]
    said = [*post["inputs"]["messages"], patch["outputs"]["choices"][0]["message"]]
    assert [(message.role, message.text) for message in conversation.messages] == [
        (message["role"], message["content"]) for message in said
    ]
    assert conversation.id == post["trace_id"] == patch["trace_id"]
    assert conversation.extras["model"] == post["inputs"]["model"]
    assert conversation.damage == ()


@pytest.mark.parametrize("build", [langsmith_batch, langsmith_langchain, langsmith_graph, langsmith_anthropic])
def test_what_every_run_repeats_is_read_once(build: Any) -> None:  # noqa: ANN401 - a builder
    conversation = parse(build(TALK))
    assert texts(conversation) == ["be brief", "hello", "let me see", "found 7", "nothing", "and?", "it is 7"]
    assert len(pair(conversation.messages).results) == 2
    assert not pair(conversation.messages).unanswered
    assert conversation.damage == ()


def test_rows_one_a_line_in_any_order_are_one_conversation() -> None:
    lines = "\n".join(map(json.dumps, reversed(langsmith_langchain(TALK))))
    (conversation,) = read_text(lines, name="f")
    assert conversation.messages == parse(langsmith_langchain(TALK)).messages


def test_rows_of_two_traces_are_two_conversations() -> None:
    rows = [run(1, [HI], SO), run(2, [HI], YES, trace_id="u")]
    assert [texts(one) for one in all_of(rows)] == [["hi", "so"], ["hi", "yes"]]
    assert [one.id for one in all_of(rows)] == ["t", "u"]
    with pytest.raises(UsageError, match="several conversations"):
        parse(rows)


def test_traces_of_one_thread_are_one_conversation() -> None:
    thread = {"extra": {"metadata": {"thread_id": "th"}}}
    rows = [run(1, [HI], SO, **thread), run(2, [HI, SO, ON], YES, trace_id="u", **thread)]
    conversation = parse(rows)
    assert texts(conversation) == ["hi", "so", "on", "yes"]
    assert conversation.id == "th"


def test_a_word_that_is_said_twice_is_read_twice() -> None:
    rows = [run(1, [HI], YES), run(2, [HI, YES, HI], YES), run(3, [HI, YES, HI, YES, HI])]
    assert texts(parse(rows)) == ["hi", "yes", "hi", "yes", "hi"]


def test_a_request_that_was_said_again_after_a_failure_is_no_answer() -> None:
    rows = [run(1, [HI], error="RateLimitError()"), run(2, [HI, HI], SO)]
    conversation = parse(rows)
    assert texts(conversation) == ["hi", "hi", "so"]
    assert conversation.extras["errors"] == {"r1": "RateLimitError()"}


def test_a_history_that_was_trimmed_goes_on_where_it_ended() -> None:
    system, summary = chat("system", "be brief"), chat("user", "summary of before")
    rows = [run(1, [system, HI], SO), run(2, [system, summary, SO, ON], YES)]
    assert texts(parse(rows)) == ["be brief", "hi", "so", "summary of before", "on", "yes"]


def test_a_system_prompt_that_changes_is_read_again_and_nothing_else_is() -> None:
    rows = [run(1, [chat("system", "it is 9:00"), HI], SO), run(2, [chat("system", "it is 9:01"), HI, SO, ON], YES)]
    assert texts(parse(rows)) == ["it is 9:00", "hi", "so", "it is 9:01", "on", "yes"]


def test_runs_that_go_on_with_nothing_are_on_the_side() -> None:
    rows = [run(1, [HI], SO), run(2, [chat("user", "a title for hi?")], chat("assistant", "Hi")), run(3, [HI, SO, ON])]
    main, side = all_of(rows)
    assert (texts(main), texts(side)) == (["hi", "so", "on"], ["a title for hi?", "Hi"])
    assert (main.id, side.id) == ("t", "r2")
    assert parse(rows).messages == main.messages


def test_runs_inside_of_runs_are_read() -> None:
    chain = run(0, None, run_type="chain", child_runs=[run(1, [HI], SO, child_runs=[])])
    assert texts(parse(chain)) == ["hi", "so"]
    assert texts(parse({"runs": [chain]})) == ["hi", "so"]


@pytest.mark.parametrize(
    "outputs",
    [
        {"choices": [{"message": SO}]},
        {"generations": [[{"text": "so", "message": {"type": "ai", "data": {"content": "so"}}}]]},
        {"message": SO},
        {"output": {"type": "ai", "content": "so"}},
        SO,
    ],
)
def test_an_answer_is_found_where_libraries_put_it(outputs: Json) -> None:
    conversation = parse(run(1, [HI], outputs=outputs))
    assert texts(conversation) == ["hi", "so"]
    assert parse(written(conversation.replace(conversation.messages[:1]))).messages == conversation.messages[:1]


def test_a_changed_conversation_stands_in_its_last_run_and_the_tree_stays() -> None:
    raw = langsmith_batch(TALK)
    conversation = parse(raw)
    frame = Message(role="user", content=f"{OPENINGS['summary']} x", folded_exempt=("7",))
    window = (conversation.messages[0], frame, *conversation.messages[-2:])
    again = written(conversation.replace(window))
    assert parse(again).messages == window
    assert [row["dotted_order"] for row in again["post"]] == [row["dotted_order"] for row in raw["post"]]
    assert [row["inputs"]["messages"] for row in again["post"][:-1]] == [[]]
    assert again["patch"][-1]["outputs"] == raw["patch"][-1]["outputs"]
    assert again["post"][-1]["inputs"] == again["patch"][-1]["inputs"]
    assert again["post"][-1]["inputs"]["messages"][2] == {"role": "user", "content": "and?"}


def test_one_of_several_conversations_is_changed_and_the_other_stays() -> None:
    rows = [run(1, [HI], SO), run(2, [chat("user", "a title?")], chat("assistant", "Hi")), run(3, [HI, SO, ON], YES)]
    main, side = all_of(rows)
    out = io.StringIO()
    dump([main.replace(main.messages[2:]), side], out)
    again = json.loads(out.getvalue())
    assert again[1] == rows[1]
    assert [texts(one) for one in all_of(again)] == [["on", "yes"], ["a title?", "Hi"]]


def test_a_conversation_that_was_emptied_is_not_read_from_the_chain_around_it() -> None:
    state = {"messages": [HI, SO]}
    rows = [run(0, None, run_type="chain", inputs=state, outputs=state), run(1, [HI], SO)]
    conversation = parse(rows)
    assert texts(conversation) == ["hi", "so"]
    assert parse(written(conversation.replace([]))).messages == ()


def test_calls_and_results_of_langchain_are_those_of_its_messages() -> None:
    conversation = parse(langsmith_langchain(TALK))
    calls = [call for message in conversation.messages for call in calls_of(message)]
    assert [(call.id, call.name) for call in calls] == [("c1.0", "search"), ("c1.1", "search")]


def test_blocks_of_the_anthropic_api_are_thinking_calls_and_results() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    call = {"type": "tool_use", "id": "c", "name": "search", "input": {"q": 1}}
    failed = {"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "no"}], "is_error": True}
    history = [
        HI,
        {"role": "assistant", "content": [thought, call]},
        {"role": "user", "content": [failed, {"type": "text", "text": "and?"}]},
    ]
    conversation = parse(run(1, history, outputs=SO | {"type": "message", "model": "claude"}))
    _, said, result, asked, answer = conversation.messages
    assert said.thinking_blocks == (thought,)
    assert [(one.id, one.name, one.args) for one in calls_of(said)] == [("c", "search", {"q": 1})]
    assert (result.role, result.tool_name, result.text, result.is_error) == ("tool", "search", "no", True)
    assert (asked.role, asked.text, answer.text) == ("user", "and?", "so")
    cleared = Message(role="tool", tool_call_id="c", tool_name="search", content=f"{OPENINGS['cleared-result']} x")
    window = (*conversation.messages[:2], cleared, *conversation.messages[3:])
    rows = written(conversation.replace(window))["inputs"]["messages"]
    assert rows[2]["content"] == [{"type": "tool_result", "tool_use_id": "c", "content": cleared.text}]
    assert rows[:2] == history[:2]


@pytest.mark.parametrize(
    ("messages", "path", "words"),
    [
        ([7, HI], "$[0].inputs.messages[0]", "expected a message"),
        ([chat("robot", "x"), HI], "$[0].inputs.messages[0].role", "unknown role 'robot'"),
        ([{"type": "remove", "id": "x"}, HI], "$[0].inputs.messages[0]", "removes another"),
    ],
)
def test_a_message_that_cannot_be_read_is_reported_once(messages: list[Any], path: str, words: str) -> None:
    conversation = parse([run(1, messages, SO), run(2, [*messages, SO, ON], YES)], format="langsmith_runs")
    assert texts(conversation) == ["hi", "so", "on", "yes"]
    assert [damage.path for damage in conversation.damage] == [path]
    assert words in conversation.damage[0].cause


def test_runs_without_messages_are_reported() -> None:
    conversation = parse(run(1, None, inputs={"prompts": ["Human: hi"]}))
    assert conversation.messages == ()
    assert [damage.path for damage in conversation.damage] == ["$.inputs"]


def test_answers_alone_are_read_where_nothing_else_is_told() -> None:
    rows = [run(1, None, SO, inputs={"prompts": ["Human: hi"]}), run(2, None, YES, inputs={"prompts": ["Human: on"]})]
    assert [texts(one) for one in all_of(rows)] == [["yes"], ["so"]]
    state = {"messages": [{"type": "human", "content": "hi"}, {"type": "ai", "content": "so"}]}
    chain = run(0, None, run_type="chain", inputs={"messages": [["user", "hi"]]}, outputs=state)
    conversation = parse([chain, *rows])
    assert texts(conversation) == ["hi", "so"]
    assert parse(written(conversation.replace(conversation.messages[:1]))).messages == conversation.messages[:1]


def test_a_row_that_is_no_run_is_reported() -> None:
    conversation = parse([run(1, [HI], SO), 7])
    assert [damage.path for damage in conversation.damage] == ["$[1]"]


@pytest.mark.parametrize(
    "other",
    [
        [],
        {},
        {"post": []},
        [{"role": "user", "content": "x"}],
        {"run_type": "marathon", "inputs": {}, "trace_id": "t"},
        {"trace_id": "t", "inputs": {"messages": []}},
        {"id": "x", "inputs": {"messages": []}, "run_type": "llm"},
    ],
)
def test_other_documents_are_left_to_other_formats(other: Json) -> None:
    with pytest.raises(TranscriptError, match="not langsmith_runs"):
        parse(other, format="langsmith_runs")


def _run(number: int, messages: list[dict[str, Any]], answer: str) -> dict[str, Any]:
    return {
        "id": f"r{number}",
        "trace_id": "t",
        "dotted_order": f"20260101T00000{number}Zr{number}",
        "run_type": "llm",
        "inputs": {"messages": messages},
        "outputs": {"choices": [{"message": {"role": "assistant", "content": answer}}]},
    }


def _said(*said: str) -> list[dict[str, Any]]:
    return [{"role": role, "content": text} for role, _, text in (one.partition(": ") for one in said)]


def test_a_system_message_that_changes_is_read_where_it_changes() -> None:
    first = _run(1, _said("system: be brief", "user: hi"), "hello")
    second = _run(2, _said("system: the limit is $5512", "user: hi", "assistant: hello", "user: limit?"), "$5512")
    conversation = parse([first, second], format="langsmith_runs")
    texts = [message.text for message in conversation.messages]
    assert texts == ["be brief", "hi", "hello", "the limit is $5512", "limit?", "$5512"]


def test_two_agents_that_end_alike_are_two_conversations() -> None:
    first = _run(1, _said("system: you plan", "user: a"), "Done.")
    second = _run(2, _said("system: you write", "user: b", "assistant: Done.", "user: c"), "Done.")
    data = json.dumps([first, second])
    found = [[message.text for message in one.messages] for one in read_text(data, name="runs.json")]
    assert sorted(found) == [["you plan", "a", "Done."], ["you write", "b", "Done.", "c", "Done."]]
