"""Traces: four conventions in three shapes of export, histories that repeat, results of tools, windows in spans."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.transcripts.shapes_logs import otel_any_agent, otel_openinference, otel_otlp, otel_vercel
from tests.transcripts.steps import grows_in_step
from tests.transcripts.talk import TALK

from foldproof.errors import TranscriptError
from foldproof.messages import Message, calls_of, pair
from foldproof.transcripts import Conversation, dump, load, load_all, parse, read_text
from foldproof.transcripts.json_text import Json
from foldproof.transcripts.otel_genai import OtelGenai

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "otel_genai"
ANY_AGENT = sorted(DATA.glob("*_trace.json"))
VERCEL = sorted(DATA.glob("vercel*.json"))
FRAME = Message(role="user", content="[foldproof summary frame] what was said")


def span(name: str = "chat", at: int = 0, *, parent: str = "", trace: str = "t", **attributes: Json) -> dict[str, Any]:
    made = {key.replace("__", "."): value for key, value in attributes.items()}
    ids = {"traceId": trace, "spanId": f"s{at}", "parentSpanId": parent, "startTimeUnixNano": str(at)}
    return {"name": name, "attributes": made} | ids


def chat(at: int, inputs: list[Any], output: Any, **more: Json) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    said = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(inputs)}
    answered = {"gen_ai.output.messages": json.dumps([output])}
    return span(at=at, **more) | {"attributes": said | answered}


def says(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def asks(identifier: str, name: str = "f", **arguments: Json) -> dict[str, Any]:
    call = {"type": "tool_call", "id": identifier, "name": name, "arguments": arguments}
    return {"role": "assistant", "parts": [call], "finish_reason": "tool_call"}


def texts(conversation: Conversation) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in conversation.messages]


@pytest.mark.parametrize("path", ANY_AGENT, ids=lambda path: path.name)
def test_a_trace_of_any_agent_is_one_conversation(path: Path) -> None:
    spans = json.loads(path.read_text("utf-8"))["spans"]
    by_kind = {
        kind: [one["attributes"] for one in spans if one["attributes"]["gen_ai.operation.name"] == kind]
        for kind in ("call_llm", "execute_tool", "invoke_agent")
    }
    conversation = load(path, strict=True)
    opening = json.loads(by_kind["call_llm"][0]["gen_ai.input.messages"])
    assert texts(conversation)[: len(opening)] == [(row["role"], row["content"]) for row in opening]
    roles = [message.role for message in conversation.messages]
    assert roles.count("assistant") == len(by_kind["call_llm"])
    results = [message.text for message in conversation.messages if message.role == "tool"]
    assert results == [one["gen_ai.output"] for one in by_kind["execute_tool"]]
    pairing = pair(conversation.messages)
    assert not pairing.orphans
    assert not pairing.unanswered
    calls = [call.name for message in conversation.messages for call in calls_of(message)]
    assert calls == [one["gen_ai.tool.name"] for one in by_kind["execute_tool"]]
    assert conversation.id == str(spans[0]["context"]["trace_id"])


@pytest.mark.parametrize("path", VERCEL, ids=lambda path: path.name)
def test_every_trace_of_the_ai_sdk_is_a_conversation_and_embeddings_are_none(path: Path) -> None:
    raw = json.loads(path.read_text("utf-8"))
    spans = raw if isinstance(raw, list) else [one for some in raw.values() for one in some]
    said = [one for one in spans if not one["name"].startswith("ai.embed")]
    conversations = list(load_all(path, strict=True))
    assert {one.id for one in conversations} == {one["spanContext"]["traceId"] for one in said}
    answers = {
        one["spanContext"]["traceId"]: one["attributes"].get(
            "ai.response.text", one["attributes"].get("ai.response.object")
        )
        for one in said
    }
    for conversation in conversations:
        assert conversation.messages[-1].text == answers[str(conversation.id)]


@pytest.mark.parametrize("build", [otel_otlp, otel_vercel, otel_openinference])
def test_every_convention_says_the_same_conversation(build: Any) -> None:  # noqa: ANN401 - a builder
    conversation = parse(build(TALK), strict=True)
    wanted = [
        ("user", "hello"), ("assistant", "let me see"), ("tool", "found 7"), ("tool", "nothing"), ("user", "and?"),
        ("assistant", "it is 7"), ("assistant", "done"),
    ]  # fmt: skip
    assert [one for one in texts(conversation) if one[0] != "system"] == wanted
    calls = [(call.name, call.args) for message in conversation.messages for call in calls_of(message)]
    assert calls == [("search", {"q": 1}), ("search", {})]
    assert not pair(conversation.messages).unanswered
    assert not pair(conversation.messages).orphans


def test_spans_one_a_line_and_spans_in_any_order_read_alike() -> None:
    spans = otel_vercel(TALK)
    lines = "".join(json.dumps(one) + "\n" for one in reversed(spans))
    (conversation,) = read_text(lines, name="spans.jsonl")
    assert conversation.messages == parse(spans).messages


def batches() -> list[dict[str, Any]]:
    """Two traces, each of which goes over two exports."""
    first, second = says("user", "q"), says("user", "other")
    spans = [
        chat(1, [first], says("assistant", "a"), trace="t"),
        chat(2, [second], says("assistant", "b"), trace="u"),
        chat(3, [first, says("assistant", "a"), says("user", "more")], says("assistant", "c"), trace="t"),
        chat(4, [second, says("assistant", "b"), says("user", "yes")], says("assistant", "d"), trace="u"),
    ]
    return [{"resourceSpans": [{"scopeSpans": [{"spans": pair}]}]} for pair in (spans[:2], spans[2:])]


@pytest.mark.parametrize("as_lines", [True, False])
def test_exports_of_otlp_are_joined_by_trace_and_written_back(as_lines: bool) -> None:  # noqa: FBT001
    text = "".join(json.dumps(one) + "\n" for one in batches()) if as_lines else json.dumps(batches())
    conversations = list(read_text(text, name="t"))
    assert [[said for _, said in texts(one)] for one in conversations] == [
        ["q", "a", "more", "c"],
        ["other", "b", "yes", "d"],
    ]
    same = io.StringIO()
    dump(conversations, same)
    assert same.getvalue() == text
    out = io.StringIO()
    dump([conversations[0].replace([FRAME]), conversations[1]], out)
    again = list(read_text(out.getvalue(), name="t"))
    assert [one.messages for one in again] == [(FRAME,), conversations[1].messages]
    assert len(out.getvalue().splitlines()) == len(text.splitlines())
    assert out.getvalue().startswith(text[: text.index("\n")] if as_lines else text[:20])


def test_a_line_that_is_no_export_is_reported() -> None:
    exports = [*batches() * 3, 5, {"resourceSpans": 1}]
    damage = next(iter(read_text(json.dumps(exports), name="t"))).damage
    assert [one.path for one in damage] == ["$[6]", "$[7]"]


def test_an_input_that_was_compacted_adds_only_its_summary() -> None:
    one, two = says("user", "one"), says("assistant", "two")
    spans = [
        chat(0, [one], two),
        chat(1, [says("user", "summary of one"), two, says("user", "go on")], says("assistant", "3")),
    ]
    for at in (0, 1):
        spans[at]["parentSpanId"] = "agent"
    assert texts(parse(spans)) == [
        ("user", "one"), ("assistant", "two"), ("user", "summary of one"), ("user", "go on"), ("assistant", "3"),
    ]  # fmt: skip


def test_what_is_said_twice_is_read_twice() -> None:
    again = [says("user", "continue"), says("assistant", "ok")]
    spans = [
        chat(0, again[:1], again[1]),
        chat(1, [*again, *again[:1]], again[1]),
        chat(2, [*again * 2, again[0]], again[1]),
    ]
    assert texts(parse(spans)) == [("user", "continue"), ("assistant", "ok")] * 3


def test_another_system_prompt_is_another_conversation_of_the_trace() -> None:
    main = [says("system", "main"), says("user", "go")]
    helper = [says("system", "helper"), says("user", "look")]
    spans = [
        chat(0, main, says("assistant", "1")),
        chat(1, helper, says("assistant", "2")),
        chat(2, [*main, says("assistant", "1")], says("assistant", "3")),
    ]
    first, second = read_text(json.dumps({"spans": spans}), name="f")
    assert (first.id, second.id) == ("t", "t/1")
    assert texts(first)[2:] == [("assistant", "1"), ("assistant", "3")]
    assert texts(second)[0] == ("system", "helper")


def test_traces_of_one_conversation_are_joined() -> None:
    one, two = says("user", "one"), says("assistant", "two")
    spans = [chat(0, [one], two, trace="a"), chat(1, [one, two, says("user", "3")], says("assistant", "4"), trace="b")]
    apart = list(read_text(json.dumps({"spans": spans}), name="f"))
    assert [len(conversation.messages) for conversation in apart] == [2, 4]
    for made in spans:
        made["attributes"]["gen_ai.conversation.id"] = "thread"
    (conversation,) = read_text(json.dumps({"spans": spans}), name="f")
    assert (conversation.id, len(conversation.messages)) == ("thread", 4)


def test_a_span_around_the_calls_repeats_them() -> None:
    inner = chat(1, [says("user", "go")], says("assistant", "done"), parent="s0")
    outer = chat(0, [says("user", "asked otherwise")], says("assistant", "done"))
    assert texts(parse([outer, inner])) == [("user", "go"), ("assistant", "done")]
    assert texts(parse([outer])) == [("user", "asked otherwise"), ("assistant", "done")]


def tool_span(at: int, identifier: str | None, result: str | None, **more: Json) -> dict[str, Any]:
    said = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f", "gen_ai.tool.call.arguments": '{"n": 1}'}
    ids = {} if identifier is None else {"gen_ai.tool.call.id": identifier}
    results = {} if result is None else {"gen_ai.tool.call.result": result}
    return span("execute_tool f", at) | {"attributes": said | ids | results} | more


def test_a_result_comes_from_the_span_of_the_tool_where_no_input_says_it() -> None:
    spans = [chat(0, [says("user", "go")], asks("c1", n=1)), tool_span(1, "c1", "7")]
    conversation = parse(spans, strict=True)
    assert texts(conversation)[-1] == ("tool", "7")
    assert not pair(conversation.messages).unanswered
    shown = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "7 (cut)"}]}
    more = chat(2, [says("user", "go"), asks("c1", n=1), shown], says("assistant", "it is 7"))
    assert texts(parse([*spans, more]))[2:] == [("tool", "7 (cut)"), ("assistant", "it is 7")]  # what the model saw


def test_a_tool_without_an_id_answers_the_open_call_of_its_arguments() -> None:
    calls = {"role": "assistant", "parts": [*asks("c1", n=2)["parts"], *asks("c2", n=1)["parts"]]}
    messages = parse([chat(0, [says("user", "go")], calls), tool_span(1, None, "one")]).messages
    assert [(message.tool_call_id, message.text) for message in messages if message.role == "tool"] == [("c2", "one")]


@pytest.mark.parametrize("identifier", ["c9", None])
def test_a_result_that_no_call_waits_for_is_reported(identifier: str | None) -> None:
    conversation = parse([chat(0, [says("user", "go")], says("assistant", "no")), tool_span(1, identifier, "7")])
    assert len(conversation.messages) == 2
    assert [damage.path for damage in conversation.damage] == ["$[1]"]


def test_a_tool_that_failed_is_an_error() -> None:
    spans = [chat(0, [says("user", "go")], asks("c1", n=1)), tool_span(1, "c1", "boom", status={"code": 2})]
    assert parse(spans).messages[-1].is_error is True
    typed = {
        "type": "tool-result",
        "toolCallId": "c1",
        "toolName": "f",
        "output": {"type": "error-text", "value": "no"},
    }
    rows = [{"role": "user", "content": "go"}, {"role": "tool", "content": [typed]}]
    (_, failed) = parse([span(ai__prompt__messages=json.dumps(rows))]).messages
    assert (failed.text, failed.is_error) == ("no", True)


def test_parts_of_the_conventions() -> None:
    parts = [
        {"type": "reasoning", "content": "hm"},
        {"type": "text", "content": "words"},
        {"type": "uri", "uri": "https://x", "modality": "image"},
    ]
    instructions = json.dumps([{"type": "text", "content": "be brief"}])
    made = chat(0, [says("user", "go")], {"role": "assistant", "parts": parts, "finish_reason": "stop"})
    made["attributes"]["gen_ai.system_instructions"] = instructions
    system, _, answer = parse([made], strict=True).messages
    assert (system.role, system.text) == ("system", "be brief")
    assert [part["type"] for part in answer.model_dump()["content"]] == ["thinking", "text", "uri"]
    assert answer.finish_reason == "stop"


def test_parts_of_openinference() -> None:
    at = "llm.input_messages.0.message"
    attributes = {
        f"{at}.role": "user",
        f"{at}.contents.0.message_content.type": "text",
        f"{at}.contents.0.message_content.text": "look",
        f"{at}.contents.1.message_content.type": "image",
        f"{at}.contents.1.message_content.image.image.url": "data:x",
        "llm.input_messages.10.message.role": "user",
        "llm.input_messages.10.message.content": "last",
        "llm.input_messages.2.message.role": "user",
        "llm.input_messages.2.message.content": "second",
    }
    made = span() | {"attributes": attributes}
    messages = parse([made], strict=True).messages
    assert [message.text for message in messages] == ["look", "second", "last"]


def spans_of(value: Json) -> list[Any]:
    if isinstance(value, list):
        return value
    spans: list[Any] = value["spans"] if "spans" in value else value["resourceSpans"][0]["scopeSpans"][0]["spans"]
    return spans


@pytest.mark.parametrize("build", [otel_otlp, otel_any_agent, otel_vercel, otel_openinference])
def test_a_window_is_one_more_span_and_the_trace_stays(build: Any) -> None:  # noqa: ANN401 - a builder
    raw = build(TALK)
    conversation = parse(raw)
    window = [conversation.messages[0], FRAME, *conversation.messages[-1:]]
    out = io.StringIO()
    dump(conversation.replace(window), out)
    written = json.loads(out.getvalue())
    assert list(parse(written).messages) == window
    *before, made = spans_of(written)
    assert before == spans_of(raw)
    assert made["name"] == "foldproof.window"
    ids = [[one[name] for name in ("spanId", "context", "spanContext") if name in one] for one in (made, before[-1])]
    assert ids[0] != ids[1]
    again = io.StringIO()
    dump(parse(written).replace(window[:2]), again)  # another window takes the place of the first
    assert spans_of(json.loads(again.getvalue()))[:-1] == before
    assert list(parse(json.loads(again.getvalue())).messages) == window[:2]


def test_a_window_of_one_trace_leaves_the_others_alone(tmp_path: Path) -> None:
    path = DATA / "vercel_v6_spans-by-operation.json"
    conversations = list(load_all(path))
    window = conversations[2].messages[-1:]
    target = tmp_path / "out.json"
    dump([one.replace(window) if at == 2 else one for at, one in enumerate(conversations)], target)
    again = list(load_all(target))
    assert [one.messages for one in again] == [
        window if at == 2 else one.messages for at, one in enumerate(conversations)
    ]


def test_a_span_alone_has_no_room_for_a_window() -> None:
    conversation = parse(otel_vercel(TALK)[0])
    with pytest.raises(TranscriptError, match="no room for a window"):
        dump(conversation.replace([FRAME]), io.StringIO())


def test_a_call_whose_messages_were_not_recorded_is_reported() -> None:
    empty = span(gen_ai__operation__name="chat", gen_ai__request__model="m")
    conversation = parse([empty, chat(1, [says("user", "go")], says("assistant", "x"))])
    assert [damage.path for damage in conversation.damage] == ["$[0]"]
    assert "not recorded" in conversation.damage[0].cause
    alone = parse([empty])
    assert alone.messages == ()
    assert [damage.path for damage in alone.damage] == ["$[0]"]


@pytest.mark.parametrize(
    ("attributes", "path"),
    [
        ({"gen_ai.input.messages": "none"}, "$.spans[0].gen_ai.input.messages"),
        ({"gen_ai.input.messages": "[5]"}, "$.spans[0].gen_ai.input.messages[0]"),
        ({"gen_ai.input.messages": '[{"role": "critic"}]'}, "$.spans[0].gen_ai.input.messages[0]"),
        ({"gen_ai.input.messages": '[{"role": "user", "parts": [5]}]'}, "$.spans[0].gen_ai.input.messages[0]"),
        ({"gen_ai.output.messages": '[{"role": "model", "parts": [{"type": "tool_call"}]}]'},
         "$.spans[0].gen_ai.output.messages[0]"),
    ],
)  # fmt: skip
def test_a_span_that_cannot_be_read_is_reported_and_the_others_are_read(attributes: dict[str, Any], path: str) -> None:
    spans = [span(at=5) | {"attributes": attributes}, chat(1, [says("user", "go")], says("assistant", "x")), 7]
    (conversation,) = read_text(json.dumps({"spans": spans}, indent=1), name="f")
    assert texts(conversation) == [("user", "go"), ("assistant", "x")]
    assert [damage.path for damage in conversation.damage] == ["$.spans[2]", path]


def test_spans_of_other_software_are_no_conversation() -> None:
    web = {
        "traceId": "t",
        "spanId": "s",
        "name": "GET /",
        "attributes": [{"key": "http.method", "value": {"stringValue": "GET"}}],
    }
    with pytest.raises(TranscriptError, match="no known format"):
        parse({"resourceSpans": [{"scopeSpans": [{"spans": [web]}]}]})


def any_agent_runs(count: int) -> dict[str, Any]:
    """A trace of any-agent: calls of one tool, each followed by its run, without ids."""
    said = {"gen_ai.input.messages": json.dumps([{"role": "user", "content": "q"}])}
    spans = []
    for at in range(count):
        calls = json.dumps([{"tool.name": "f", "tool.args": {"i": at}}])
        asked = {"gen_ai.operation.name": "call_llm", "gen_ai.output": calls} | ({} if at else said)
        ran = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f", "gen_ai.output": f"out {at}"}
        ran |= {"gen_ai.tool.args": json.dumps({"i": at})}
        spans += [span(at=2 * at) | {"attributes": asked}, span("tool", 2 * at + 1) | {"attributes": ran}]
    return {"spans": spans}


def separate_calls(count: int) -> dict[str, Any]:
    return {
        "spans": [
            chat(at, [says("user", f"q{at}")], says("assistant", f"a{at}"), parent=f"p{at}") for at in range(count)
        ]
    }


@pytest.mark.parametrize("build", [any_agent_runs, separate_calls])
def test_a_long_trace_takes_no_more_work_a_span_than_a_short_one(build: Any) -> None:  # noqa: ANN401 - a builder
    assert grows_in_step(lambda count: OtelGenai().read(build(count)))


def test_results_of_many_open_calls_go_behind_their_calls() -> None:
    spans = any_agent_runs(9)["spans"]
    calls, runs = spans[::2], spans[1::2]
    late = [one | {"startTimeUnixNano": str(100 - at)} for at, one in enumerate(runs)]  # the last call's result first
    conversation = parse({"spans": [*calls, *late]})
    assert texts(conversation) == [("user", "q")] + [
        said for at in range(9) for said in (("assistant", ""), ("tool", f"out {at}"))
    ]
