"""tau2-bench simulations: the real voice runs, from which the words were taken, and what its models say of others."""

from __future__ import annotations

import copy
import io
import json
from pathlib import Path
from typing import Any

import pytest
from tests.transcripts.shapes_benchmarks import tau2_results, tau2_text
from tests.transcripts.talk import TALK

from foldproof.errors import TranscriptError
from foldproof.messages import author_of, calls_of, pair
from foldproof.transcripts import dump, load, load_all, parse
from foldproof.transcripts.tau2_sim import Tau2Sim

DATA = Path(__file__).parent.parent / "data" / "transcripts" / "tau2_sim"
VOICE = sorted(path for path in DATA.glob("*.json") if path.name != "results.json")


@pytest.mark.parametrize("path", VOICE, ids=lambda path: path.stem)
def test_speech_without_words_is_reported(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    spoken = sum(tick[side]["contains_speech"] for tick in document["ticks"] for side in ("agent_chunk", "user_chunk"))
    conversation = load(path)
    assert conversation.messages == ()
    assert conversation.damage[0].cause.startswith(f"{spoken:,} chunks of speech have no words")
    assert (conversation.id, conversation.extras["mode"]) == (document["id"], "full_duplex")
    with pytest.raises(TranscriptError, match=r"\$\.ticks: 1?,?\d+ chunks of speech"):
        load(path, strict=True)


def test_results_whose_simulations_lie_elsewhere_are_empty() -> None:
    conversation = load(DATA / "results.json")
    assert (conversation.messages, conversation.damage) == ((), ())
    assert conversation.extras["info"]["num_trials"] == 1


def test_what_the_simulated_user_calls_is_its_own() -> None:
    conversation = parse(tau2_text(TALK))
    assert [author_of(message) for message in conversation.messages] == [
        *["person", "model", "tool", "tool"],
        *["person", "model"],
    ]
    calls = [call.id for message in conversation.messages for call in calls_of(message)]
    assert calls == ["c1.0", "c1.1"]
    assert [message.is_error for message in conversation.messages[2:4]] == [None, True]
    pairing = pair(conversation.messages)
    assert (pairing.orphans, pairing.unanswered) == ((), ())


def test_the_users_own_calls_stay_in_the_file() -> None:
    document = tau2_text(TALK)
    conversation = parse(document)
    out = io.StringIO()
    dump(conversation.replace(conversation.messages[4:]), out)
    own = [row for row in document["messages"] if row.get("requestor") == "user" or row["content"] is None]
    written = json.loads(out.getvalue())["messages"]
    assert [row for row in written if row in own] == own
    assert len(written) == len(own) + 2


def test_each_simulation_of_the_results_is_a_conversation() -> None:
    document = tau2_results(TALK)
    document["simulations"].append(tau2_text(TALK[:1]) | {"id": "s2"})
    first, second = Tau2Sim().read(document)
    assert (first.id, len(first.messages), second.id, len(second.messages)) == ("s1", 6, "s2", 1)


def voice(*ticks: dict[str, Any]) -> dict[str, Any]:
    rows = [{"tick_id": at, "timestamp": "t", **tick} for at, tick in enumerate(ticks)]
    about = {"duration": 1.0, "termination_reason": "user_stop", "mode": "full_duplex"}
    return {"id": "v", "task_id": "1", "messages": [], "ticks": rows, **about}


def says(agent: str | None = None, user: str | None = None) -> dict[str, Any]:
    return {
        "agent_chunk": {"role": "assistant", "content": agent, "contains_speech": agent is not None},
        "user_chunk": {"role": "user", "content": user, "contains_speech": user is not None},
    }


def test_what_one_side_says_tick_after_tick_is_one_message() -> None:
    call = {"id": "c1", "name": "find", "arguments": {"q": 1}, "requestor": "assistant"}
    result = {"role": "tool", "id": "c1", "content": "found 7", "requestor": "assistant", "error": False}
    document = voice(
        says(user="where "),
        says(user="is it?"),
        says(),
        says(agent="let me ") | {"agent_tool_calls": [call], "agent_tool_results": [result]},
        says(agent="it is 7"),
    )
    conversation = parse(document)
    assert [(message.role, message.text) for message in conversation.messages] == [
        ("user", "where is it?"),
        ("assistant", "let me "),
        ("assistant", ""),
        ("tool", "found 7"),
        ("assistant", "it is 7"),
    ]
    assert not pair(conversation.messages).unanswered
    with pytest.raises(TranscriptError, match=r"\$\.ticks: a voice run can only be read"):
        dump(conversation.replace(conversation.messages[1:]), io.StringIO())


@pytest.mark.parametrize(
    ("number", "fields", "path", "cause"),
    [
        (0, {"role": "robot"}, "$.messages[0].role", "unknown role 'robot'"),
        (0, {"content": 1}, "$.messages[0].content", "expected text"),
        (3, {"tool_calls": [1]}, "$.messages[3].tool_calls[0]", "expected a call with a name"),
        (4, {"tool_messages": []}, "$.messages[4]", "expected one result a row"),
    ],
)
def test_a_row_that_cannot_be_read_is_reported(number: int, fields: dict[str, Any], path: str, cause: str) -> None:
    document = copy.deepcopy(tau2_text(TALK))
    document["messages"][number] |= fields
    (damage,) = parse(document).damage
    assert damage.path == path
    assert cause in damage.cause


def test_what_is_no_list_is_an_error_with_its_place() -> None:
    for document, path in (
        (tau2_text(TALK) | {"messages": 7}, "$.messages"),
        (voice() | {"ticks": 7}, "$.ticks"),
        (tau2_results(TALK) | {"simulations": 7}, "$.simulations"),
        (tau2_results(TALK) | {"simulations": [7]}, "$.simulations[0]"),
    ):
        with pytest.raises(TranscriptError) as caught:
            parse(document)
        assert caught.value.path == path


def test_every_real_file_is_one_conversation() -> None:
    assert all(len(list(load_all(path))) == 1 for path in DATA.glob("*.json"))
