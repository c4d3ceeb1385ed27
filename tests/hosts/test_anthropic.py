"""Anthropic's own client over the long run, against a server on this machine."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import anthropic
import pytest
from anthropic import Anthropic, AsyncAnthropic
from tests.compactors.serving import says, serving
from tests.hosts.anthropic_runs import RUNS, plain, talk
from tests.hosts.pages import run_example, run_page
from tests.hosts.scenario import THRESHOLD, TURNS, ScriptedModel, faults, outcome
from tests.hosts.sdk import BARE, provider

import foldproof as fp
from foldproof_compactors.anthropic import hosted, wrap

PROSE = "words that take room, once and again. " * 20
TALK: Any = [{"role": ("user", "assistant")[at % 2], "content": f"{at}: {PROSE}"} for at in range(11)]
ASK: Any = {"model": "m", "max_tokens": 9}


@pytest.mark.parametrize("name", [name for name in RUNS if name.startswith("foldproof")])
def test_the_long_run_ends_and_every_request_is_valid(name: str) -> None:
    run = RUNS[name]()
    assert faults(run) == ()
    assert outcome(run).largest < outcome(RUNS["none"]()).largest / 2


def test_usage_is_measured_and_what_stays_goes_as_it_is_signed_thinking_too() -> None:
    with provider("anthropic", ScriptedModel()) as server, Anthropic(base_url=server.url, **BARE) as client:
        folds = wrap(client, fp.SummarizeOldest(THRESHOLD, 4))
        messages, answers = talk(folds)
        records = hosted(folds).records
    assert len(records) >= 2
    assert {record.window.measured_by for record in records if record.window is not None} == {"reported"}
    assert len(answers) == len(TURNS)
    own = {json.dumps(row, sort_keys=True) for row in plain(messages)}
    for asked in server.asked:
        new = [row for row in asked.body["messages"] if json.dumps(row, sort_keys=True) not in own]
        assert all("foldproof" in json.dumps(row) and "signature" not in json.dumps(row) for row in new)
        assert len(new) <= 2
    assert any("signature" in json.dumps(row) for row in server.asked[-1].body["messages"])
    state = hosted(folds).state(messages)
    elsewhere = hosted(wrap(client))
    elsewhere.restore(fp.ConversationState.model_validate_json(state.model_dump_json(by_alias=True)))
    assert elsewhere.state(messages).ledger == state.ledger


def test_cache_markers_that_move_do_not_make_a_list_unknown() -> None:
    def marked(count: int) -> list[Any]:
        mark = {"type": "ephemeral"}
        words = {"type": "text", "text": TALK[count - 1]["content"], "cache_control": mark}
        return [*TALK[: count - 1], {**TALK[count - 1], "content": [words]}]

    with provider("anthropic", ScriptedModel()) as server, Anthropic(base_url=server.url, **BARE) as client:
        folds = wrap(client, fp.SummarizeOldest(1_000, 3))
        for count in (7, 9, 11):
            folds.messages.create(messages=marked(count), **ASK)
        host = hosted(folds).state(TALK).host
    sent = [asked.body["messages"] for asked in server.asked]
    assert [len(rows) < count for rows, count in zip(sent, (7, 9, 11), strict=True)] == [True] * 3
    assert all(rows[-1]["content"][0]["cache_control"] for rows in sent)
    assert host is not None
    assert host.folded_at > 0


@pytest.mark.parametrize("kind", ["create", "stream", "beta"])
def test_streams_and_beta_are_folded_and_report_their_usage(kind: str) -> None:
    model = ScriptedModel()
    with provider("anthropic", model) as server, Anthropic(base_url=server.url, **BARE) as client:
        folds = wrap(client, fp.SummarizeOldest(0, 3))
        if kind == "create":
            assert list(folds.messages.create(messages=TALK, stream=True, **ASK))
        elif kind == "stream":
            with folds.messages.stream(messages=TALK, **ASK) as stream:
                assert stream.get_final_text()
        else:
            folds.beta.messages.create(messages=TALK, **ASK)
        host = hosted(folds).state(TALK).host
    assert len(model.requests[0]) < len(TALK)
    assert host is not None
    assert host.measured is not None


async def _asynchronous(url: str) -> None:
    async with AsyncAnthropic(base_url=url, **BARE) as client:
        folds = wrap(client, fp.SummarizeOldest(0, 3))
        await asyncio.gather(*(folds.messages.create(messages=TALK, **ASK) for _ in range(3)))
        async with folds.with_options(timeout=9).messages.stream(messages=TALK, **ASK) as stream:
            assert await stream.get_final_text()


def test_the_asynchronous_client_folds_at_once_and_in_streams() -> None:
    model = ScriptedModel()
    with provider("anthropic", model) as server:
        asyncio.run(_asynchronous(server.url))
    assert [len(request) < len(TALK) for request in model.requests] == [True] * 4


@pytest.mark.parametrize("status", [400, 429, 529])
def test_what_the_sdk_raises_is_raised(status: int) -> None:
    error = {"type": "error", "error": {"type": "some_error", "message": "on strike"}}
    with (
        serving(says(error, status=status)) as server,
        Anthropic(base_url=server.url, **BARE) as client,
        pytest.raises(anthropic.APIStatusError, match="on strike"),
    ):
        wrap(client).messages.create(messages=TALK, **ASK)


def test_a_wrong_client_is_refused_at_once() -> None:
    with pytest.raises(fp.UsageError, match=r"pass anthropic\.Anthropic"):
        wrap("claude")  # type: ignore[type-var]
    with Anthropic(**BARE) as client, pytest.raises(fp.UsageError, match=r"pass what wrap\(\) returned"):
        hosted(client)


def test_the_page_and_the_example_run() -> None:
    run_page("anthropic")
    assert "complete" in (printed := run_example("anthropic"))
    assert "invented" in printed
