"""Both SDKs: a list that changes while an answer is read, a task that is cancelled, a listener that raises."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic.types.beta import BetaMessage
from openai import AsyncOpenAI, OpenAI
from tests.compaction.talk import Heard, Slow
from tests.hosts.scenario import ScriptedModel
from tests.hosts.sdk import BARE, Api, Json, provider

import foldproof as fp
from foldproof_compactors import anthropic, openai

PROSE = "words that take room, once and again. " * 20
TALK: Any = [{"role": ("user", "assistant")[at % 2], "content": f"{at}: {PROSE}"} for at in range(11)]


def asked(client: Json, messages: Json, **options: Json) -> Json:
    if isinstance(client, OpenAI | AsyncOpenAI):
        return client.chat.completions.create(model="m", messages=messages, **options)
    return client.messages.create(model="m", messages=messages, max_tokens=9, **options)


def hosted(client: Json) -> Json:
    return (openai if isinstance(client, OpenAI | AsyncOpenAI) else anthropic).hosted(client)


@pytest.mark.parametrize("api", ["chat", "anthropic"])
def test_usage_is_that_of_the_list_as_it_was_sent(api: Api) -> None:
    client: Any = OpenAI if api == "chat" else Anthropic
    wrap: Any = openai.wrap if api == "chat" else anthropic.wrap
    told = {"stream_options": {"include_usage": True}} if api == "chat" else {}
    with provider(api, ScriptedModel()) as server, client(base_url=server.url, **BARE) as given:
        folds, messages = wrap(given, fp.SummarizeOldest(100_000)), list(TALK)
        stream = asked(folds, messages, stream=True, **told)
        messages.append({"role": "assistant", "content": "on its way " * 999})
        assert list(stream)
        host = hosted(folds).state(messages).host
    assert (host.measured_count, host.count) == (len(TALK), len(TALK) + 1)


async def _cancelled(api: Api, url: str) -> list[str]:
    client: Any = AsyncOpenAI if api == "chat" else AsyncAnthropic
    wrap: Any = openai.wrap if api == "chat" else anthropic.wrap
    slow = Slow()

    async def ask(folds: Json) -> None:
        await asked(folds, TALK)

    async with client(base_url=url, **BARE) as given:
        folds = wrap(given, fp.SummarizeOldest(0, 3, summarizer=slow, model="slow"))
        asking = asyncio.create_task(ask(folds))
        await slow.began.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        slow.go_on.set()
        await ask(folds)
        return [record.outcome for record in hosted(folds).records]


@pytest.mark.parametrize("api", ["chat", "anthropic"])
def test_a_task_that_is_cancelled_in_a_summary_sends_nothing_and_the_next_one_folds(api: Api) -> None:
    with provider(api, ScriptedModel()) as server:
        outcomes = asyncio.run(_cancelled(api, server.url))
    assert outcomes == ["cancelled", "complete"]
    (request,) = server.asked
    assert len(request.body["messages"]) < len(TALK)


def test_a_listener_that_raises_is_on_the_record_and_the_request_goes() -> None:
    with provider("anthropic", ScriptedModel()) as server, Anthropic(base_url=server.url, **BARE) as client:
        folds = anthropic.wrap(client, fp.Compactor(fp.SummarizeOldest(0, 3), listener=Heard(lambda _: True)))
        asked(folds, TALK)
    assert len(server.asked[0].body["messages"]) < len(TALK)
    assert hosted(folds).records[-1].listener_failed == "OSError: 'the screen is gone'"


def test_tools_are_counted_until_usage_is_known() -> None:
    tools = [{"type": "function", "function": {"name": "find", "description": "to find " * 4_000, "parameters": {}}}]
    with provider("chat", ScriptedModel()) as server, OpenAI(base_url=server.url, **BARE) as client:
        for options in ({}, {"tools": tools}):
            asked(openai.wrap(client, fp.SummarizeOldest(4_000, 3)), TALK, **options)
    bare, counted = (len(request.body["messages"]) for request in server.asked)
    assert counted < bare == len(TALK)


def test_where_the_server_ran_tools_the_last_step_is_what_is_measured() -> None:
    steps = [
        {"type": "message", "input_tokens": 10, "cache_creation_input_tokens": 1, "cache_read_input_tokens": 100}
        | {"output_tokens": 5},
        {"type": "message", "input_tokens": 20, "cache_creation_input_tokens": 2, "cache_read_input_tokens": 200}
        | {"output_tokens": 5},
        {"type": "compaction", "input_tokens": 7, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        | {"output_tokens": 5},
    ]
    usage = {"input_tokens": 30, "cache_creation_input_tokens": 3, "cache_read_input_tokens": 300, "output_tokens": 10}
    about = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn", "content": []}
    said = BetaMessage.model_validate(about | {"usage": usage | {"iterations": steps}})
    folds = anthropic.wrap(Anthropic(**BARE))
    endpoint = vars(folds)["_foldproof"]["/v1/messages"]
    assert endpoint.usage(said) == 20 + 2 + 200
    assert endpoint.usage(BetaMessage.model_validate(about | {"usage": usage})) == 30 + 3 + 300
