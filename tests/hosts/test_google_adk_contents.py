"""What the plugin does with ADK's contents, whatever they are, and what its gate does with an answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.sessions.in_memory_session_service import InMemorySessionService
from google.genai import types
from pydantic import PrivateAttr
from tests.compaction.talk import Heard, Slow
from tests.hosts.google_adk_runs import (
    APP,
    OLDEST,
    SESSION,
    USER,
    FollowsTheScript,
    asked,
    request_of,
    runner_of,
)
from tests.hosts.scenario import TURNS

import foldproof as fp
from foldproof.evidence import Posture
from foldproof.messages import frame_kind
from foldproof_compactors.google_adk import REFUSED, CompactorPlugin, contents_compactor

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")  # ADK's own

STRATEGY = fp.SummarizeOldest(0, 3)
PROSE = "words that take room, once and again. " * 20


def talk(turns: int = 6) -> list[types.Content]:
    contents = []
    for at in range(turns):
        call = types.FunctionCall(id=f"c{at}", name="find", args={"n": at})
        said = types.FunctionResponse(id=f"c{at}", name="find", response={"result": f"ORD-{4400 + at} {PROSE}"})
        contents += [
            types.Content(role="user", parts=[types.Part(text=f"where is {at}?")]),
            types.Content(role="model", parts=[types.Part(function_call=call, thought_signature=b"\xff\x00sig")]),
            types.Content(role="user", parts=[types.Part(function_response=said)]),
            types.Content(role="model", parts=[types.Part(text=f"there, {at}")]),
        ]
    return contents


def test_what_stays_is_adks_own_and_keeps_what_it_carries() -> None:
    contents = talk()
    before = [content.model_dump_json() for content in contents]
    picture = types.Part(inline_data=types.Blob(data=b"\x89PNG\xfe", mime_type="image/png"))
    file = types.Part(file_data=types.FileData(file_uri="gs://bucket/invoice.pdf", mime_type="application/pdf"))
    contents.append(types.Content(role="user", parts=[types.Part(text="and this?"), picture, file]))
    sent = contents_compactor(STRATEGY)(contents)
    kept = [content for content in sent if any(content is own for own in contents)]
    assert len(kept) == len(sent) - 1 < len(contents)
    assert sent[-1] is contents[-1]
    assert [content.model_dump_json() for content in contents[:-1]] == before
    fp.validate_for("gemini", request_of(sent))


def test_a_content_that_is_cleared_in_part_keeps_the_rest_of_it() -> None:
    contents = talk(2)
    parts = contents[2].parts or []
    other = types.FunctionResponse(id="o", name="find", response={"result": "short"})
    blob = types.Part(inline_data=types.Blob(data=b"\x89PNG\xfe", mime_type="image/png"))
    calls = contents[1].parts or []
    calls.append(types.Part(function_call=types.FunctionCall(id="o", name="find", args={})))
    contents[2].parts = [*parts, types.Part(function_response=other), blob]
    sent = contents_compactor(fp.ClearToolResults(0, 1))([*contents, *talk(6)[20:]])
    row = sent[2].parts or []
    assert sent[2] is not contents[2]
    assert row[-1].inline_data is not None
    assert row[-1].inline_data.data == b"\x89PNG\xfe"
    assert [part.function_response.id for part in row if part.function_response] == ["c0", "o"]


def test_a_saved_state_goes_on_in_another_process() -> None:
    here, contents = contents_compactor(STRATEGY), talk()
    sent = here(contents)
    saved = here.state(contents).model_dump_json(by_alias=True)
    elsewhere = contents_compactor(fp.SummarizeOldest(1_000_000, 3))
    elsewhere.restore(fp.ConversationState.model_validate_json(saved))
    assert request_of(elsewhere(contents)) == request_of(sent)
    originals = [message.text for message in elsewhere.state(contents).ledger if frame_kind(message) is None]
    assert originals == [message.text for message in request_of(contents)]


@pytest.mark.parametrize("identifier", [None, "c1"])
def test_ids_that_are_missing_or_used_again_do_no_harm(identifier: str | None) -> None:
    contents = talk()
    for part in (part for content in contents for part in content.parts or []):
        for one in (part.function_call, part.function_response):
            if one is not None:
                one.id = identifier
    sent = contents_compactor(STRATEGY)(contents)
    assert len(sent) < len(contents)
    fp.validate_messages(request_of(sent))


def test_a_list_that_cannot_be_read_goes_on_as_it_is() -> None:
    contents, hosted = talk(), contents_compactor(STRATEGY)
    contents.insert(3, types.Content(role="narrator", parts=[types.Part(text="meanwhile")]))
    assert hosted(contents) is contents
    assert hosted.records[-1].outcome == "error"


def test_parts_nobody_knows_stay_where_they_are() -> None:
    contents, hosted = talk(), contents_compactor(STRATEGY)
    strange = types.Part(executable_code=types.ExecutableCode(code="1 + 1", language=types.Language.PYTHON))
    contents[-1].parts = [*(contents[-1].parts or []), strange, types.Part()]
    assert hosted(contents)[-1] is contents[-1]


def test_a_listener_that_raises_is_on_the_record() -> None:
    hosted = contents_compactor(fp.Compactor(STRATEGY, listener=Heard(lambda _: True)))
    assert len(hosted(talk())) < len(talk())
    assert hosted.records[-1].listener_failed is not None


async def _cancelled() -> None:
    slow, contents = Slow(), talk()
    hosted = contents_compactor(fp.SummarizeOldest(0, 3, summarizer=slow, model="slow"))
    folding = asyncio.create_task(hosted.afold(contents))
    await asyncio.wait_for(slow.began.wait(), 10)
    folding.cancel()
    with pytest.raises(asyncio.CancelledError):
        await folding
    assert hosted.records[-1].outcome == "cancelled"
    assert contents == talk()
    slow.go_on.set()
    assert len(await hosted.afold(contents)) < len(contents)


def test_a_cancelled_run_leaves_the_contents_as_they_were() -> None:
    asyncio.run(_cancelled())


async def _at_once() -> None:
    plugin, sessions = CompactorPlugin(OLDEST), InMemorySessionService()
    models = [FollowsTheScript() for _ in range(3)]
    runners = [runner_of(model, [plugin], sessions=sessions) for model in models]
    for turn in TURNS[:3]:
        await asyncio.gather(
            *(asked(runner, turn.request, session=f"s{at}") for at, runner in enumerate(runners)),
        )
    assert sum(record.outcome == "complete" for record in plugin.hosted.records) >= 2
    for model in models:
        for request in model.script.requests:
            fp.validate_for("gemini", request)


def test_one_plugin_serves_sessions_at_once() -> None:
    asyncio.run(_at_once())


class Says(BaseLlm):
    """A model that says one text after the other; an error where there is none."""

    model: str = "says"
    _texts: list[str] = PrivateAttr(default_factory=list)
    _sent: list[LlmRequest] = PrivateAttr(default_factory=list)

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - as ADK has it
    ) -> AsyncGenerator[LlmResponse, None]:
        del stream
        self._sent.append(llm_request.model_copy(update={"contents": list(llm_request.contents)}))
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=self._texts.pop(0))]))


async def _gated(posture: Posture, texts: Sequence[str]) -> tuple[str, Says, list[str]]:
    model = Says()
    model._texts.extend(texts)
    runner = runner_of(model, [CompactorPlugin(fp.Compactor(STRATEGY, gate=fp.Gate(posture=posture)))])
    answer = await asked(runner, "Where is order A-48213?")
    session = await runner.session_service.get_session(app_name=APP, user_id=USER, session_id=SESSION)
    assert session is not None
    parts = [part for event in session.events if event.content for part in event.content.parts or []]
    return answer, model, [part.text or "" for part in parts]


def test_guard_asks_once_and_neither_the_draft_nor_the_correction_is_stored() -> None:
    answer, model, stored = asyncio.run(_gated("guard", ["It is A-77190.", "It is A-48213."]))
    assert answer == "It is A-48213."
    assert stored == ["Where is order A-48213?", "It is A-48213."]
    assert len(model._sent) == 2
    correction = request_of(model._sent[1].contents)[-1]
    assert "A-77190" in correction.text
    assert frame_kind(correction) is not None
    assert fp.author_of(correction) != "person"


def test_guard_lets_the_second_answer_pass() -> None:
    answer, model, _ = asyncio.run(_gated("guard", ["It is A-77190.", "It is A-77191.", "unused"]))
    assert answer == "It is A-77191."
    assert len(model._sent) == 2


def test_rails_refuses_the_second_answer() -> None:
    answer, model, stored = asyncio.run(_gated("rails", ["It is A-77190.", "It is A-77190."]))
    assert answer == REFUSED
    assert len(model._sent) == 2
    assert stored == ["Where is order A-48213?"]


@pytest.mark.parametrize(("posture", "expected"), [("guard", "It is A-77190."), ("rails", REFUSED)])
def test_a_revision_that_fails_leaves_the_answer_to_the_gate(posture: Posture, expected: str) -> None:
    assert asyncio.run(_gated(posture, ["It is A-77190."]))[0] == expected


@pytest.mark.parametrize(("posture", "code"), [("guard", None), ("rails", REFUSED)])
def test_an_answer_that_cannot_be_judged_passes_only_where_nothing_is_refused(
    posture: Posture, code: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    plugin = CompactorPlugin(fp.Compactor(STRATEGY, gate=fp.Gate(posture=posture)))
    response = LlmResponse(content=types.Content(role="model", parts=[types.Part(text="It is A-77190.")]))
    assert plugin._unjudged(response, fp.TranscriptError("no such role")).error_code == code
    assert "no such role" in caplog.text
