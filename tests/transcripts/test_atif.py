"""ATIF trajectories, as the format's models and Harbor's agents write them; no stored one was at hand."""

from __future__ import annotations

import copy
import io
import json
from typing import Any

import pytest
from tests.transcripts.shapes_benchmarks import atif, atif_bundled, atif_inside
from tests.transcripts.talk import TALK

from foldproof.errors import TranscriptError
from foldproof.messages import Message, author_of, calls_of, folded_observations, frame_kind, is_observation, pair
from foldproof.messages import validate_messages as check
from foldproof.transcripts import dump, parse
from foldproof.transcripts.atif import Atif

SUMMARY = Message(role="user", content="[foldproof summary frame] they said hello", folded_exempt=("hello",))
HANDOFF = "Performed context summarization and handoff to continue task."


def steps_of(document: Any) -> list[Any]:  # noqa: ANN401 - JSON
    steps: list[Any] = document["steps"]
    return steps


def changed(number: int, **fields: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    document = copy.deepcopy(atif(TALK))
    document["steps"][number] |= fields
    return document


def after_writing(conversation: Any, window: Any) -> Any:  # noqa: ANN401 - JSON
    out = io.StringIO()
    dump(conversation.replace(window), out)
    return json.loads(out.getvalue())


def compacted(**boundary: Any) -> Any:  # noqa: ANN401 - JSON
    """TALK, compacted behind the first answer."""
    document = copy.deepcopy(atif(TALK))
    refs = [{"session_id": "s-summary", "trajectory_path": "s-summary.json"}]
    event = {"source": "system", "message": HANDOFF, "observation": {"results": [{"subagent_trajectory_ref": refs}]}}
    document["steps"][3:3] = [event | boundary, {"source": "user", "message": "Here are the answers: 7."}]
    for number, step in enumerate(document["steps"], 1):
        step["step_id"] = number
    return document


def test_a_step_is_a_message_with_its_results() -> None:
    conversation = parse(atif(TALK))
    roles = ["system", "user", "assistant", "tool", "tool", "user", "assistant"]
    assert [message.role for message in conversation.messages] == roles
    assert conversation.messages[2].text == "let me see"
    assert (conversation.messages[2].model, conversation.messages[3].tool_name) == ("m", "search")
    check(conversation.messages)
    assert (conversation.id, conversation.extras["agent"]["name"]) == ("s", "a")
    assert not conversation.damage


def test_results_without_a_call_s_id_answer_in_order() -> None:
    document = atif(TALK)
    for result in document["steps"][2]["observation"]["results"]:
        del result["source_call_id"]
    assert parse(document).messages == parse(atif(TALK)).messages
    named = atif(TALK)
    named["steps"][2]["observation"]["results"].reverse()
    assert parse(named).messages == parse(atif(TALK)).messages


def test_commands_may_share_one_result() -> None:
    conversation = parse(atif_bundled(TALK))
    first, second = conversation.messages[3:5]
    assert (first.text, is_observation(first)) == ("found 7", True)
    assert (second.text, second.tool_result_origin, is_observation(second)) == ("", "shared", False)
    check(conversation.messages)


def test_a_call_without_any_observation_stays_unanswered() -> None:
    document = atif(TALK)
    del document["steps"][2]["observation"]
    assert len(pair(parse(document).messages).unanswered) == 2


def test_an_action_that_is_no_call_has_a_result_and_feedback_is_none() -> None:
    def step(content: str) -> Message:
        document = changed(4, observation={"results": [{"content": content}]})
        conversation = parse(document)
        check(conversation.messages)
        assert calls_of(conversation.messages[-2])[0].name == "action"
        return conversation.messages[-1]

    assert (step("$ ls\na.txt").text, is_observation(step("$ ls"))) == ("$ ls\na.txt", True)
    assert not is_observation(step("Previous response had parsing errors:\nERROR: no JSON"))


def test_what_is_observed_beside_the_user_or_the_system_is_the_apps() -> None:
    document = changed(1, observation={"results": [{"content": "screen: 3 windows"}]})
    seen = parse(document).messages[2]
    assert (seen.role, seen.text, author_of(seen)) == ("user", "screen: 3 windows", "app")


def test_parts_and_objects_stay_what_they_are() -> None:
    parts = [{"type": "text", "text": "see"}, {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}]
    conversation = parse(changed(1, message=parts))
    assert (conversation.messages[1].text, len(conversation.messages[1].content)) == ("see", 2)


@pytest.mark.parametrize(
    "boundary",
    [{}, {"message": "Compacted.", "extra": {"context_management": {"type": "compaction", "boundary": "replace"}}}],
)
def test_a_compaction_is_a_frame_with_the_words_behind_it(boundary: dict[str, Any]) -> None:
    conversation = parse(compacted(**boundary))
    frame = conversation.messages[5]
    assert (frame.text, frame_kind(frame)) == ("Here are the answers: 7.", "summary")
    assert conversation.folded[0].originals == conversation.messages[2:5]  # the first user step stays in the window
    assert len(folded_observations(frame) or ()) == 2
    without_originals = [*conversation.messages[:2], *conversation.messages[5:]]
    assert list(parse(after_writing(conversation, without_originals)).messages) == without_originals
    without_frame = [*conversation.messages[:5], *conversation.messages[6:]]
    assert len(after_writing(conversation, without_frame)["steps"]) == 5


def test_a_second_compaction_stands_for_the_first_frame_too() -> None:
    document = compacted()
    document["steps"] += [{"source": "system", "message": HANDOFF}, {"source": "user", "message": "Go on."}]
    first, second = parse(document).folded
    assert second.frames == (first.fingerprint,)


def test_a_compaction_without_words_behind_it_says_its_own() -> None:
    document = compacted()
    del document["steps"][4]
    document["steps"] = document["steps"][:4]
    frame = parse(document).messages[-1]
    assert (frame.text, frame_kind(frame)) == (HANDOFF, "summary")


def test_a_trajectory_that_continues_another_has_frames_without_originals() -> None:
    document = changed(3, is_copied_context=True)
    assert author_of(parse(document).messages[5]) == "person"
    document["agent"]["extra"] = {"continuation_index": 1}
    document["steps"][1]["is_copied_context"] = True
    conversation = parse(document)
    assert [author_of(message) for message in conversation.messages if message.role == "user"] == ["person", "library"]
    frame = conversation.messages[5]
    assert (frame_kind(frame), folded_observations(frame)) == ("summary", None)


def test_a_new_summary_is_written_as_harbor_writes_one_and_steps_count_from_one() -> None:
    conversation = parse(atif(TALK))
    window = [*conversation.messages[:2], SUMMARY, *conversation.messages[5:]]
    steps = steps_of(after_writing(conversation, window))
    assert [step["step_id"] for step in steps] == [1, 2, 3, 4, 5, 6]
    assert [step["source"] for step in steps] == ["system", "user", "system", "user", "user", "agent"]
    assert steps[2]["extra"] == {"context_management": {"type": "compaction", "boundary": "replace"}}
    assert (steps[3]["message"], steps[3]["extra"]) == (SUMMARY.text, {"foldproof": {"foldedExempt": ["hello"]}})
    assert all("foldproof" not in step for step in steps)
    assert parse(after_writing(conversation, window)).messages == tuple(window)


def test_a_sub_agent_inside_knows_which_call_ran_it() -> None:
    document = atif_inside(TALK)
    document["steps"][2]["observation"]["results"][1]["subagent_trajectory_ref"] = [{"trajectory_id": "t2"}]
    main, side = Atif().read(document)
    assert (side.id, side.side, [message.text for message in side.messages]) == ("t2", True, ["look"])
    assert main.ran == {"t2": "c1.1"}
    conversation = parse(document)
    written = after_writing(conversation, conversation.messages[1:])
    assert written["subagent_trajectories"] == document["subagent_trajectories"]


@pytest.mark.parametrize("version", ["ATIF-v1.9", "ATIF-v2.0", 7])
def test_a_newer_version_is_read_and_reported(version: object) -> None:
    document = atif(TALK) | {"schema_version": version}
    (damage,) = parse(document).damage
    assert damage.path == "$.schema_version"
    assert parse(document).messages == parse(atif(TALK)).messages


@pytest.mark.parametrize("minor", range(9))
def test_a_known_version_is_no_damage(minor: int) -> None:
    assert not parse(atif(TALK) | {"schema_version": f"ATIF-v1.{minor}"}).damage


@pytest.mark.parametrize(
    ("document", "path", "cause"),
    [
        (changed(1, source="robot"), "$.steps[1].source", "unknown source 'robot'"),
        (changed(1, message=7), "$.steps[1].message", "expected text"),
        (changed(2, tool_calls=[{"tool_call_id": "c"}]), "$.steps[2].tool_calls[0]", "a call with a function_name"),
        (changed(2, observation={"results": 7}), "$.steps[2].observation", "expected results"),
        (changed(2, observation={"results": [7]}), "$.steps[2].observation.results[0]", "expected a result"),
    ],
)
def test_a_step_that_cannot_be_read_is_reported(document: Any, path: str, cause: str) -> None:  # noqa: ANN401
    damage = parse(document).damage
    assert damage[0].path == path
    assert cause in damage[0].cause


def test_what_has_no_steps_is_an_error_with_its_place() -> None:
    for inside, path in ((7, "$.subagent_trajectories"), ([7], "$.subagent_trajectories[0]")):
        with pytest.raises(TranscriptError) as caught:
            parse(atif(TALK) | {"subagent_trajectories": inside})
        assert caught.value.path == path
    assert Atif().recognise({"steps": [{"x": 1}], "agent": {}}) is None
