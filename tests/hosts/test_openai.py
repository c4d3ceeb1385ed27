"""OpenAI's own client over the long run, against a server on this machine."""

from __future__ import annotations

import asyncio
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI, OpenAI
from tests.compactors.serving import says, serving
from tests.hosts.openai_runs import RUNS, chat, responses
from tests.hosts.pages import run_example, run_page
from tests.hosts.scenario import THRESHOLD, TURNS, ScriptedModel, faults, outcome
from tests.hosts.sdk import BARE, provider

import foldproof as fp
from foldproof_compactors.openai import hosted, wrap

PROSE = "words that take room, once and again. " * 20
TALK: Any = [{"role": ("user", "assistant")[at % 2], "content": f"{at}: {PROSE}"} for at in range(11)]


@pytest.mark.parametrize("name", [name for name in RUNS if name.startswith("foldproof")])
def test_the_long_run_ends_and_every_request_is_valid(name: str) -> None:
    run = RUNS[name]()
    assert faults(run) == ()
    assert outcome(run).largest < outcome(RUNS["none"]()).largest / 2


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_usage_is_what_is_measured_and_the_list_stays_the_callers(api: Any) -> None:  # noqa: ANN401 - a literal
    with provider(api, ScriptedModel()) as server, OpenAI(base_url=server.url, **BARE) as client:
        folds = wrap(client, fp.SummarizeOldest(THRESHOLD, 4))
        items, answers = (chat if api == "chat" else responses)(folds)
        records = hosted(folds, api).records
    assert len(records) >= 2
    assert {record.window.measured_by for record in records if record.window is not None} == {"reported"}
    assert len(answers) == len(TURNS)
    assert any(not isinstance(item, dict) for item in items)
    state = hosted(folds, api).state(items)
    elsewhere = hosted(wrap(client), api)
    elsewhere.restore(fp.ConversationState.model_validate_json(state.model_dump_json(by_alias=True)))
    assert elsewhere.state(items).ledger == state.ledger


def streamed(client: OpenAI, kind: str) -> None:
    if kind == "create":
        options: Any = {"stream": True, "stream_options": {"include_usage": True}}
        assert list(client.chat.completions.create(model="m", messages=TALK, **options))
    elif kind == "stream":
        with client.chat.completions.stream(model="m", messages=TALK) as stream:
            assert stream.get_final_completion().choices[0].message.content
    else:
        with client.responses.stream(model="m", input=TALK) as stream_:
            stream_.until_done()


@pytest.mark.parametrize("kind", ["create", "stream", "responses"])
def test_streams_are_folded_and_report_their_usage(kind: str) -> None:
    api: Any = "responses" if kind == "responses" else "chat"
    model = ScriptedModel()
    with provider(api, model) as server, OpenAI(base_url=server.url, **BARE) as client:
        folds = wrap(client, fp.SummarizeOldest(0, 3))
        streamed(folds, kind)
        host = hosted(folds, api).state(TALK).host
    assert len(model.requests[0]) < len(TALK)
    assert host is not None
    assert host.measured is not None


async def _asynchronous(url: str) -> None:
    async with AsyncOpenAI(base_url=url, **BARE) as client:
        folds = wrap(client, fp.SummarizeOldest(0, 3))
        asked = (folds.chat.completions.create(model="m", messages=TALK) for _ in range(3))
        await asyncio.gather(*asked)
        assert type(folds) is AsyncOpenAI
        options: Any = {"stream": True, "stream_options": {"include_usage": True}}
        async for _ in await folds.with_options(timeout=9).chat.completions.create(model="m", messages=TALK, **options):
            pass


def test_the_asynchronous_client_folds_at_once_and_in_streams() -> None:
    model = ScriptedModel()
    with provider("chat", model) as server:
        asyncio.run(_asynchronous(server.url))
    assert [len(request) < len(TALK) for request in model.requests] == [True] * 4


def test_it_is_the_client_for_everything_else() -> None:
    model = ScriptedModel()
    with provider("chat", model) as server, OpenAI(base_url=server.url, **BARE) as client:
        folds = wrap(client, fp.SummarizeOldest(0, 3))
        assert type(folds) is OpenAI
        assert folds.base_url == client.base_url
        folds.with_options(timeout=3).chat.completions.with_raw_response.create(model="m", messages=TALK).parse()
        client.chat.completions.create(model="m", messages=TALK)
    assert len(model.requests[0]) < len(model.requests[1]) == len(TALK)


@pytest.mark.parametrize("more", [{"previous_response_id": "r1"}, {"conversation": "c1"}])
def test_a_list_that_the_server_holds_is_left_alone(more: Any) -> None:  # noqa: ANN401 - the SDK's options
    with provider("responses", ScriptedModel()) as server, OpenAI(base_url=server.url, **BARE) as client:
        folds = wrap(client, fp.SummarizeOldest(0, 3))
        folds.responses.create(model="m", input=TALK, **more)
    assert len(server.asked[0].body["input"]) == len(TALK)
    assert hosted(folds, "responses").records == ()


@pytest.mark.parametrize("status", [400, 429, 500])
def test_what_the_sdk_raises_is_raised(status: int) -> None:
    error = {"error": {"message": "on strike"}}
    with (
        serving(says(error, status=status)) as server,
        OpenAI(base_url=server.url, **BARE) as client,
        pytest.raises(openai.APIStatusError, match="on strike"),
    ):
        wrap(client).chat.completions.create(model="m", messages=TALK)


def test_a_list_that_cannot_be_read_is_sent_as_it_is() -> None:
    odd = [*TALK, {"role": "wizard", "content": "ho"}]
    answer = says({"error": {"message": "no wizards"}}, status=400)
    with serving(answer) as server, OpenAI(base_url=server.url, **BARE) as client:
        folds = wrap(client, fp.SummarizeOldest(0, 3))
        with pytest.raises(openai.BadRequestError, match="no wizards"):
            folds.chat.completions.create(model="m", messages=odd)
    assert server.asked[0].body["messages"] == odd
    assert hosted(folds).records[-1].outcome == "error"


def test_a_wrong_client_is_refused_at_once() -> None:
    with pytest.raises(fp.UsageError, match=r"pass openai\.OpenAI"):
        wrap("gpt")  # type: ignore[type-var]
    with OpenAI(**BARE) as client, pytest.raises(fp.UsageError, match=r"pass what wrap\(\) returned"):
        hosted(client)


def test_the_page_and_the_example_run() -> None:
    run_page("openai")
    assert "complete" in (printed := run_example("openai"))
    assert "invented" in printed
