"""States of AutoGen: who spoke, which result answers which call, and what is no message."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from tests.transcripts.shapes_agent_frameworks import autogen_agent, autogen_team
from tests.transcripts.talk import TALK

from foldproof.errors import TranscriptError, UsageError
from foldproof.messages import OPENINGS, Message, author_of, calls_of, frame_kind, pair
from foldproof.transcripts import Conversation, detect, dump, parse, read_text
from foldproof.transcripts.json_text import Json


def user(text: Json, source: str = "user") -> dict[str, Any]:
    return {"content": text, "source": source, "type": "UserMessage"}


def said(content: Json, thought: str | None = None) -> dict[str, Any]:
    return {"content": content, "thought": thought, "source": "helper", "type": "AssistantMessage"}


def call(name: str, arguments: str, identifier: str = "") -> dict[str, Any]:
    return {"id": identifier, "arguments": arguments, "name": name}


def results(*found: tuple[str, str, str]) -> dict[str, Any]:
    content = [{"content": text, "name": name, "call_id": call, "is_error": False} for name, text, call in found]
    return {"content": content, "type": "FunctionExecutionResultMessage"}


def agent(*rows: Json) -> Json:
    return {"type": "AssistantAgentState", "version": "1.0.0", "llm_context": {"messages": list(rows)}}


def written(conversations: Conversation | list[Conversation]) -> Json:
    out = io.StringIO()
    dump(conversations, out)
    return json.loads(out.getvalue())


def damage_of(raw: Json) -> list[tuple[str, str]]:
    return [(damage.path, damage.cause) for damage in parse(raw).damage]


def test_a_team_holds_a_conversation_for_each_agent_with_a_context() -> None:
    team = autogen_team(TALK)
    team["agent_states"]["critic"] = {
        "type": "ChatAgentContainerState",
        "agent_state": agent(user("look it over"), user("it is 7", "helper"), said("fine")),
        "message_buffer": [{"type": "TextMessage", "content": "waiting", "source": "helper"}],
    }
    helper, critic = read_text(json.dumps(team), name="team.json")
    assert (helper.format, helper.id, critic.id) == ("autogen", "helper", "critic")
    assert [author_of(message) for message in critic.messages] == ["person", "model", "model"]
    assert critic.messages[1].name == "helper"  # another agent's words, and no person's
    changed = written([helper, critic.replace(critic.messages[2:])])
    rows = changed["agent_states"]["critic"]["agent_state"]["llm_context"]["messages"]
    assert rows == [said("fine")]
    assert changed["agent_states"]["helper"] == team["agent_states"]["helper"]
    assert changed["agent_states"]["critic"]["message_buffer"] == team["agent_states"]["critic"]["message_buffer"]
    with pytest.raises(UsageError, match="several conversations"):
        parse(team)


def test_a_team_inside_an_agent_is_named_by_the_way_to_it() -> None:
    inner = autogen_team(TALK)
    society = {"type": "SocietyOfMindAgentState", "version": "1.0.0", "inner_team_state": inner}
    outer = {"society": {"type": "ChatAgentContainerState", "agent_state": society, "message_buffer": []}}
    conversation = parse({"type": "TeamState", "version": "1.0.0", "agent_states": outer})
    assert conversation.id == "society/helper"
    assert conversation.messages == parse(autogen_agent(TALK)).messages


def test_the_state_of_a_runtime_holds_its_agents() -> None:
    raw = {"helper/default": autogen_agent(TALK), "counter/default": {"count": 3}}
    conversation = parse(raw)
    assert (conversation.format, conversation.id) == ("autogen", "helper/default")
    assert written(conversation.replace(conversation.messages[:1]))["counter/default"] == {"count": 3}


def test_only_the_source_user_is_the_person_where_it_speaks() -> None:
    messages = parse([user("hello"), user("run it again", "critic"), user("odd", "")]).messages
    assert [author_of(message) for message in messages] == ["person", "app", "app"]
    assert [message.injected_by for message in messages] == [None, "critic", "autogen"]


@pytest.mark.parametrize("name", ["user_proxy", "Alice"])
def test_where_nobody_is_the_user_the_person_is_who_is_no_agent(name: str) -> None:
    rows = [user("look", name), said("what?"), user("it over", name), user("[foldproof x", "foldproof"), user("", "")]
    first, _, second, *others = parse(agent(*rows)).messages
    assert [author_of(message) for message in (first, second)] == ["person", "person"]
    assert [author_of(message) for message in others] == ["app", "app"]


def test_an_agent_without_a_context_is_a_person_only_where_nobody_else_is() -> None:
    team = autogen_team(TALK)
    team["agent_states"]["runner"] = {"type": "ChatAgentContainerState", "agent_state": {"type": "BaseState"}}
    rows = [user("run it", "Alice"), user("exit code 1", "runner")]
    context = team["agent_states"]["helper"]["agent_state"]["llm_context"]
    context["messages"] = rows
    assert [author_of(message) for message in parse(team).messages] == ["person", "app"]
    context["messages"] = rows[1:]
    assert [author_of(message) for message in parse(team).messages] == ["person"]


@pytest.mark.parametrize("keep", [0, 1, 2])
def test_who_the_person_is_stays_whoever_leaves(keep: int) -> None:
    rows = [user("look", "user"), user("look again", "critic"), user("and again", "critic")]
    conversation = parse(agent(*rows))
    window = conversation.messages[keep:]
    assert parse(written(conversation.replace(window))).messages == window


def test_a_person_with_a_name_stays_one_beside_a_new_message_of_the_user() -> None:
    conversation = parse(agent(user("look", "Alice")))
    window = (Message(role="user", content="and?"), *conversation.messages)
    again = parse(written(conversation.replace(window))).messages
    assert again == window
    assert [author_of(message) for message in again] == ["person", "person"]


def test_a_thought_beside_calls_is_a_thinking_part() -> None:
    rows = [said([call("search", '{"q": 1}', "c1")], "let me see"), results(("search", "found 7", "c1")), said("7")]
    first, result, last = parse(rows).messages
    assert first.model_dump(by_alias=True)["content"] == ({"type": "thinking", "text": "let me see"},)
    assert calls_of(first)[0].args == {"q": 1}
    assert (result.tool_call_id, result.tool_name, result.is_error) == ("c1", "search", None)
    assert last.content == "7"


def test_arguments_that_are_no_json_stay_as_they_are() -> None:
    (message,) = parse([said([call("search", "{q: 1", "c1")])]).messages
    assert calls_of(message)[0].args == "{q: 1"


def test_calls_without_ids_are_answered_by_name_and_order() -> None:
    rows = [
        said([call("search", "{}"), call("read", '{"n": 1}'), call("search", "{}")]),
        results(("read", "one", ""), ("search", "two", ""), ("search", "three", "")),
        said([call("search", "{}")]),
        results(("search", "four", "")),
    ]
    messages = parse(rows).messages
    pairing = pair(messages)
    answers = {at: [messages[index].text for index in found] for at, found in pairing.results.items()}
    assert list(answers.values()) == [["two"], ["one"], ["three"], ["four"]]
    assert len({call.id for call in calls_of(messages[0])}) == 3


def test_a_cleared_result_without_an_id_is_written_without_one() -> None:
    rows = [said([call("search", "{}")]), results(("search", "found 7", ""))]
    conversation = parse(rows)
    cleared = Message(
        role="tool",
        content=f"{OPENINGS['cleared-result']} 7 characters",
        tool_call_id=conversation.messages[1].tool_call_id,
        metadata={"foldproof": {"observations": ["x"]}},
    )
    raw = written(conversation.replace([conversation.messages[0], cleared]))
    assert raw[1]["content"][0]["call_id"] == ""
    assert parse(raw).messages[1] == cleared


def test_a_frame_is_of_foldproof_and_known_by_its_opening_once_its_note_is_gone() -> None:
    conversation = parse(agent(user("hello"), said("hi")))
    frame = Message(role="user", content=f"{OPENINGS['drop-notice']} one", folded_exempt=("7",))
    raw = written(conversation.replace([frame, conversation.messages[1]]))
    row = raw["llm_context"]["messages"][0]
    assert (row["source"], row["type"]) == ("foldproof", "UserMessage")
    del row["foldproof"]  # as AutoGen does when it loads and saves
    (bare, _) = parse(raw).messages
    assert (frame_kind(bare), author_of(bare), bare.folded_exempt) == ("drop-notice", "library", None)


def test_an_image_is_a_part_without_words() -> None:
    (message,) = parse([user(["look", {"data": "iVBORw0KGgo="}])]).messages
    assert message.text == "look"
    assert message.model_dump(by_alias=True)["content"][1] == {"type": "image", "data": "iVBORw0KGgo="}


@pytest.mark.parametrize(
    ("row", "place", "cause"),
    [
        ({"content": "x", "type": "HandoffMessage"}, "[1].type", "unknown message type 'HandoffMessage'"),
        ("x", "[1]", "expected an object; found str"),
        (user(7), "[1].content", "expected text; found 7"),
        (user(["look", 7]), "[1].content[1]", "expected text or an image; found 7"),
        (said([{"id": 7, "name": "search"}]), "[1].content[0]", "expected a call with id and name"),
        ({"content": "x", "type": "FunctionExecutionResultMessage"}, "[1].content", "expected a list of results"),
        (results(("search", 7, "c1")), "[1].content[0]", "expected a result with its content as text"),  # type: ignore[arg-type]
        ({"content": None, "type": "SystemMessage"}, "[1].content", "expected text; found None"),
    ],
)
def test_what_cannot_be_read_is_reported_with_its_place(row: Json, place: str, cause: str) -> None:
    ((path, found),) = damage_of(agent(user("hello"), row))
    assert path == f"$.llm_context.messages{place}"
    assert found.startswith(cause)
    assert parse(agent(user("hello"), row)).messages[0].text == "hello"


def test_a_newer_version_is_read_and_reported() -> None:
    raw = agent(user("hello")) | {"version": "2.0.0"}
    assert [path for path, _ in damage_of(raw)] == ["$.version"]
    assert len(parse(raw).messages) == 1


def test_a_result_that_answers_no_call_is_an_orphan() -> None:
    conversation = parse([results(("search", "found 7", "c9")), user("hello")])
    assert pair(conversation.messages).orphans == (0,)


def test_a_team_without_a_context_is_an_error() -> None:
    states = {"Manager": {"type": "RoundRobinManagerState", "message_thread": []}}
    with pytest.raises(TranscriptError, match="no agent of this state keeps a model context"):
        parse({"type": "TeamState", "version": "1.0.0", "agent_states": states})


def test_messages_of_others_are_not_autogens() -> None:
    assert detect([{"role": "user", "content": "hello"}]) == "openai_chat"
    assert detect([user("hello")]) == "autogen"
