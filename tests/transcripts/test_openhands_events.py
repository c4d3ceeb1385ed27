"""OpenHands events: what the real files hold, counted in their JSON, and what else its source says they may hold."""

from __future__ import annotations

import copy
import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.transcripts.shapes_benchmarks import openhands, openhands_pairs
from tests.transcripts.talk import TALK

from foldproof.errors import TranscriptError
from foldproof.messages import Message, author_of, calls_of, folded_observations, frame_kind, is_observation, pair
from foldproof.transcripts import dump, load, load_all, parse, read_text
from foldproof.transcripts.openhands_events import OpenhandsEvents

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "openhands_events"
SUMMARY = Message(role="user", content="[foldproof summary frame] they said hello", folded_exempt=("hello",))


def raw(name: str) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads((DATA / name).read_text(encoding="utf-8"))
    return events


def condensed(*, start: int, stop: int, as_list: bool = True, summary: str | None = "all of it") -> list[Any]:
    """TALK, condensed before its last two messages."""
    events: list[Any] = openhands(TALK)
    forgets: dict[str, Any] = {"forgotten_event_ids": list(range(start, stop))}
    if not as_list:
        forgets = {"forgotten_events_start_id": start, "forgotten_events_end_id": stop - 1}
    args = forgets | {"summary": summary, "summary_offset": 0}
    at = next(n for n, event in enumerate(events) if event.get("args", {}).get("content") == "and?")
    events.insert(at, {"id": 90, "source": "agent", "action": "condensation", "args": args})
    return events


def after_writing(conversation: Any, window: list[Message]) -> Any:  # noqa: ANN401 - JSON
    out = io.StringIO()
    dump(conversation.replace(window), out)
    return json.loads(out.getvalue())


@pytest.mark.parametrize("name", ["basic.json", "basic_gui_mode.json", "wrong_initial_state.json"])
def test_calls_are_what_the_model_typed_and_results_what_the_tool_said(name: str) -> None:
    events, conversation = raw(name), load(DATA / name)
    typed = {}
    for event in events:
        reply = event.get("tool_call_metadata", {}).get("model_response", {"choices": [{"message": {}}]})
        for call in reply["choices"][0]["message"].get("tool_calls") or ():
            if call["function"]["name"] != "finish":
                typed[call["id"]] = (call["function"]["name"], json.loads(call["function"]["arguments"]))
    calls = [call for message in conversation.messages for call in calls_of(message)]
    assert {call.id: (call.name, call.args) for call in calls} == typed
    wanted = [event["content"] for event in events if event.get("observation") in ("run", "edit", "read")]
    assert [message.text for message in conversation.messages if message.role == "tool"] == wanted
    assert not pair(conversation.messages).unanswered
    assert not conversation.damage


def test_results_of_a_real_run_in_order() -> None:
    events, conversation = raw("basic_gui_mode.json"), load(DATA / "basic_gui_mode.json")
    wanted = [event["content"] for event in events if event.get("observation") in ("run", "edit")]
    assert [message.text for message in conversation.messages if message.role == "tool"] == wanted
    assert wanted[3].startswith("Serving HTTP")  # its exit code is -1: the server still runs, and did not fail
    assert all(message.is_error is None for message in conversation.messages)


def test_the_app_says_nothing_in_the_name_of_the_person() -> None:
    conversation = load(DATA / "basic_gui_mode.json")
    people = [message.text for message in conversation.messages if author_of(message) == "person"]
    assert people == [event["args"]["content"] for event in raw("basic_gui_mode.json") if event["id"] == 4]
    assert [message.id for message in conversation.messages] == ["4", "7", "8", "9", "10", "11", "12", "13", "14", "15"]


def test_finish_is_the_last_word_and_no_call() -> None:
    conversation = load(DATA / "wrong_initial_state.json")
    last = conversation.messages[-1]
    assert (last.role, last.tool_calls) == ("assistant", ())
    assert last.text.startswith("The file has been successfully renamed")


def test_rows_of_the_resolver_have_no_ids_and_pair_by_order() -> None:
    rows = [json.loads(line) for line in (DATA / "resolver_output.jsonl").read_text(encoding="utf-8").splitlines()]
    for row, conversation in zip(rows, load_all(DATA / "resolver_output.jsonl"), strict=True):
        history = row["history"]
        assert [message.role for message in conversation.messages] == [
            "tool" if "observation" in event else "user" if at == 0 else "assistant" for at, event in enumerate(history)
        ]
        pairing = pair(conversation.messages)
        assert {result: call.message for result, call in pairing.call_of.items()} == {
            at: at - 1 for at, event in enumerate(history) if "observation" in event
        }
        assert (pairing.unanswered, pairing.orphans) == ((), ())
        assert conversation.messages[1].text == history[1]["thought"]
        assert conversation.messages[1].tool_calls[0].args == {"command": history[1]["command"]}
        assert conversation.extras["metrics"] == row["metrics"]
        assert conversation.id == f"neubig/pr-viewer#{row['issue']['number']}"


def test_a_reply_with_two_calls_is_one_message_and_is_written_back_in_its_order() -> None:
    events = openhands(TALK)
    conversation = parse(events)
    assert [message.role for message in conversation.messages] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
        "assistant",
    ]
    assert [call.id for call in calls_of(conversation.messages[1])] == ["c1.0", "c1.1"]
    assert conversation.messages[3].is_error is True  # its exit code is 1
    written = after_writing(conversation, list(conversation.messages[1:]))
    assert written == [event for event in events if event.get("args", {}).get("content") != "hello"]


def test_an_observation_is_found_by_its_cause_wherever_it_stands() -> None:
    events = openhands(TALK)
    results = [event for event in events if event.get("observation") == "run"]
    for event in results:
        events.remove(event)
    events += list(reversed(results))
    assert parse(events).messages == parse(openhands(TALK)).messages


def test_pairs_are_read_and_keep_two_sides() -> None:
    document = openhands_pairs(TALK)
    conversation = parse(document)
    assert [message.role for message in conversation.messages] == [
        *["user", "assistant", "tool"],
        *["assistant", "tool", "user", "assistant"],
    ]
    without_result = [message for message in conversation.messages if message is not conversation.messages[4]]
    written = after_writing(conversation, without_result)["history"]
    assert all(len(sides) == 2 for sides in written)
    assert written[2][1] == {"observation": "null", "content": "", "extras": {}}


@pytest.mark.parametrize("as_list", [True, False])
def test_a_condensation_is_a_frame_with_what_it_forgot(as_list: bool) -> None:  # noqa: FBT001
    conversation = parse(condensed(start=1, stop=6, as_list=as_list))
    frame = conversation.messages[4]
    assert (frame.text, frame_kind(frame)) == ("all of it", "summary")
    (span,) = conversation.folded
    assert span.originals == conversation.messages[:4]
    assert len(folded_observations(frame) or ()) == 2
    assert parse(after_writing(conversation, list(conversation.messages[1:]))).messages == conversation.messages[1:]
    only_frame = [frame, *conversation.messages[5:]]
    assert list(parse(after_writing(conversation, only_frame)).messages) == only_frame


def test_a_second_condensation_stands_for_the_first_and_for_what_followed() -> None:
    events = condensed(start=1, stop=2)
    args = {"forgotten_event_ids": [2, 3, 4, 5], "summary": "more", "summary_offset": 0}
    events.append({"id": 91, "source": "agent", "action": "condensation", "args": args})
    first, second = parse(events).folded
    assert [message.text for message in second.originals or ()][:2] == ["all of it", "let me see"]
    assert second.frames == (first.fingerprint,)


def test_a_condensation_whose_events_are_gone_has_no_lineage() -> None:
    frame = parse(condensed(start=50, stop=60)).messages[4]
    assert frame_kind(frame) == "summary"
    assert (frame.folded_exempt, folded_observations(frame)) == (None, None)


def test_a_condensation_without_a_summary_leaves_nothing_in_its_place() -> None:
    conversation = parse(condensed(start=1, stop=6, summary=None))
    assert conversation.messages == parse(openhands(TALK)).messages
    assert not conversation.damage


def test_a_new_summary_is_a_condensation_of_openhands() -> None:
    conversation = parse(openhands(TALK))
    window = [SUMMARY, *conversation.messages[4:]]
    event = after_writing(conversation, window)[1]
    assert (event["action"], event["source"], event["id"]) == ("condensation", "agent", 8)
    assert event["args"] == {"forgotten_event_ids": [], "summary": SUMMARY.text, "summary_offset": 1}
    assert event["foldproof"] == {"foldedExempt": ["hello"], "id": None}
    plain = Message(role="user", content="[foldproof summary frame] nothing more")
    again = parse(after_writing(conversation, [plain, *conversation.messages[4:]])).messages
    assert again == (plain, *conversation.messages[4:])


def changed(number: int, **fields: Any) -> list[Any]:  # noqa: ANN401 - whatever JSON holds
    events: list[Any] = copy.deepcopy(openhands(TALK))
    events[number] |= fields
    return events


def test_what_the_person_rejected_never_ran() -> None:
    result = parse(changed(3, observation="user_rejected", content="No!")).messages[2]
    assert result.tool_result_origin == "not-entered"
    assert not is_observation(result)


def test_an_error_is_a_result_with_a_cause_and_the_apps_word_without_one() -> None:
    result = parse(changed(3, observation="error", content="no such file")).messages[2]
    assert (result.role, result.is_error, author_of(result)) == ("tool", True, "tool")
    alone = {"id": 99, "source": "agent", "observation": "error", "content": "the request failed", "extras": {}}
    said = parse([*openhands(TALK), alone]).messages[-1]
    assert (said.role, said.text, author_of(said)) == ("user", "the request failed", "app")


def test_who_speaks_for_the_person() -> None:
    task = {"id": 50, "source": "agent", "action": "delegate", "args": {"agent": "B", "inputs": {"task": "look"}}}
    told = {"id": 51, "source": "user", "action": "message", "args": {"content": "TASK: look"}}
    done = {"id": 52, "source": "agent", "cause": 50, "observation": "delegate", "content": "", "extras": {}}
    done["extras"] = {"outputs": {"content": "found 9"}}
    thanks = {"id": 53, "source": "user", "action": "message", "args": {"content": "thanks"}}
    knows = {"id": 54, "source": "environment", "observation": "recall", "content": "Added knowledge", "extras": {}}
    knows["extras"] = {"recall_type": "knowledge", "microagent_knowledge": [{"name": "git", "content": "use -C"}]}
    ran = {"id": 55, "source": "user", "action": "run", "args": {"command": "ls"}}
    saw = {"id": 56, "source": "user", "cause": 55, "observation": "run", "content": "a.txt", "extras": {}}
    prompt = {"id": 57, "source": "agent", "action": "system", "args": {"content": "Be brief.", "tools": [{"n": 1}]}}
    conversation = parse([*openhands(TALK), task, told, done, thanks, knows, ran, saw, prompt])
    assert [(author_of(message), message.text) for message in conversation.messages[6:]] == [
        ("model", ""),
        ("tool", "found 9"),
        ("app", "TASK: look"),
        ("person", "thanks"),
        ("app", "git\nuse -C"),
        ("app", "run: {'command': 'ls'}"),
        ("app", "a.txt"),
        ("app", "Be brief."),
    ]
    assert conversation.extras["tools"] == [{"n": 1}]
    assert not conversation.damage


@pytest.mark.parametrize(
    ("events", "path", "cause"),
    [
        ([*openhands(TALK), {"id": 9, "source": "agent", "action": "fly", "args": {}}], "$[8]", "unknown action 'fly'"),
        ([*openhands(TALK), {"id": 9, "observation": "smell", "content": ""}], "$[8]", "unknown observation 'smell'"),
        ([*openhands(TALK), {"id": 9, "source": "agent"}], "$[8]", "expected an action or an observation"),
        ([*openhands(TALK), "x"], "$[8]", "expected an event; found str"),
        (changed(1, args={"content": 7}), "$[1]", "found 7"),
    ],
)
def test_what_cannot_be_read_is_reported_and_the_rest_is_read(events: list[Any], path: str, cause: str) -> None:
    conversation = parse(events)
    (damage,) = conversation.damage
    assert damage.path.startswith(path)
    assert cause in damage.cause
    whole = parse(openhands(TALK)).messages
    assert [message for message in whole if message in conversation.messages] == list(conversation.messages)
    assert len(conversation.messages) >= len(whole) - 1


def test_a_result_whose_action_was_cut_off_is_an_orphan_and_no_word_of_a_person() -> None:
    events = [event for event in openhands(TALK) if event.get("action") != "run"]
    conversation = parse(events)
    assert pair(conversation.messages).orphans == (1, 2)
    assert conversation.messages[1].tool_call_id == "c1.0"


def test_images_stay_parts() -> None:
    events = changed(1, args={"content": "see", "image_urls": ["data:image/png;base64,xx"]})
    content = parse(events).messages[0].content
    assert not isinstance(content, str)
    assert (parse(events).messages[0].text, len(content)) == ("see", 2)


def test_lines_of_events_are_one_run_and_a_broken_one_is_damage() -> None:
    lines = [json.dumps(event) for event in openhands(TALK)]
    lines[6] = lines[6][:20]
    (conversation,) = read_text("\n".join(lines), name="run.jsonl")
    assert conversation.format == "openhands_events"
    assert [damage.path for damage in conversation.damage] == ["line 7"]
    assert len(conversation.messages) == 5


def test_an_evaluation_that_holds_no_event_is_empty_and_a_foreign_history_is_refused() -> None:
    assert parse({"instance_id": "a", "history": [], "metadata": {}, "error": "no"}).messages == ()
    assert OpenhandsEvents().recognise({"history": [{"role": "user", "content": "x"}]}) is None
    with pytest.raises(TranscriptError, match="not openhands_events"):
        parse([{"role": "user", "content": "x"}], format="openhands_events")
