"""Summaries by a model: the real SDKs, against a real server on this machine."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable
from typing import Any

import anthropic
import openai
import pytest
from tests.compactors.providers import EVERY, REQUEST, SPAN, Asking
from tests.compactors.serving import (
    Behaviour,
    drips,
    drips_headers,
    hangs_up,
    never_answers,
    says,
    sends,
    serving,
)
from tests.window.builders import loop, reasons, user

from foldproof import SummarizeOldest, UsageError
from foldproof.window import SummaryUsage, summary_prompt
from foldproof_compactors.summarizers import AnthropicSummarizer, OpenAISummarizer, SummaryError

every = pytest.mark.parametrize("asking", EVERY, ids=str)
of_openai = pytest.mark.parametrize("asking", EVERY[:2], ids=str)
of_anthropic = pytest.mark.parametrize("asking", EVERY[2:], ids=str)
asynchronous = pytest.mark.parametrize("asking", EVERY[1::2], ids=str)

SOON = 0.2  # seconds
LATE = 5.0  # seconds: what takes longer did not end by itself

slow = pytest.mark.parametrize("behave", [never_answers, drips, drips_headers], ids=lambda each: each.__name__)


@pytest.fixture(autouse=True)
def _proxies_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the machine that runs the tests has in its environment must not matter."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")


@every
def test_a_summary_comes_with_the_model_that_wrote_it(asking: Asking) -> None:
    with serving(says(asking.answer(" The order is on its way.\n"))) as server:
        summary = asking.ask(server.url)
    assert (summary.text, summary.model) == ("The order is on its way.", "a-model-1")
    assert len(server.asked) == 1


@every
def test_instructions_go_to_the_system_and_data_to_the_user(asking: Asking) -> None:
    with serving(says(asking.answer())) as server:
        asking.ask(server.url, max_output_tokens=600)
    asked, body = server.asked[0], server.asked[0].body
    told = "at most 300 tokens and 900 characters;"
    if asking.provider == "openai":
        assert asked.path == "/v1/chat/completions"
        assert [message["role"] for message in body["messages"]] == ["system", "user"]
        system, shown = (message["content"] for message in body["messages"])
        assert body["max_completion_tokens"] == 600
    else:
        assert asked.path == "/v1/messages"
        assert [message["role"] for message in body["messages"]] == ["user"]
        system, shown = body["system"], body["messages"][0]["content"]
        assert body["max_tokens"] == 600
    assert body["model"] == "a-model"
    assert not body.get("stream")
    assert shown == summary_prompt(SPAN, REQUEST).transcript
    assert system.replace(told, "at most 900 characters;") == summary_prompt(SPAN, REQUEST).instructions
    assert "4471" not in system


@of_openai
def test_without_a_limit_openai_is_told_none(asking: Asking) -> None:
    with serving(says(asking.answer())) as server:
        asking.ask(server.url)
    assert set(server.asked[0].body) == {"model", "messages"}


@of_openai
def test_usage_of_openai_includes_what_was_read_from_a_cache(asking: Asking) -> None:
    usage: dict[str, Any] = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}
    for details, cached in (({"prompt_tokens_details": {"cached_tokens": 100}}, 100), ({}, None)):
        with serving(says(asking.answer(usage=usage | details))) as server:
            summary = asking.ask(server.url)
        assert summary.usage == SummaryUsage(input_tokens=120, output_tokens=30, cached_input_tokens=cached)
    with serving(says(asking.answer())) as server:
        assert asking.ask(server.url).usage is None


@of_anthropic
def test_usage_of_anthropic_adds_what_went_through_the_cache(asking: Asking) -> None:
    usage = {"input_tokens": 20, "output_tokens": 30}
    cache = {"cache_creation_input_tokens": 7, "cache_read_input_tokens": 100}
    for more, total, cached in ((cache, 127, 100), ({}, 20, None)):
        with serving(says(asking.answer(usage=usage | more))) as server:
            summary = asking.ask(server.url)
        assert summary.usage == SummaryUsage(input_tokens=total, output_tokens=30, cached_input_tokens=cached)


@of_anthropic
def test_only_the_words_of_an_answer_are_the_summary(asking: Asking) -> None:
    thought = {"type": "thinking", "thinking": "is it 99?", "signature": "c2ln"}
    unknown = {"type": "of_a_later_year", "text": "It is 99."}
    content = [thought, {"type": "text", "text": "A claim"}, unknown, {"type": "text", "text": ", and more."}]
    with serving(says(asking.answer(content=content))) as server:
        assert asking.ask(server.url).text == "A claim, and more."


@every
@pytest.mark.parametrize("status", [400, 401, 404, 408, 409, 429, 500, 503, 529])
def test_there_is_one_attempt(asking: Asking, status: int) -> None:
    error = {"type": "error", "error": {"type": "some_error", "message": "the server is on strike"}}
    kinds: Any = (openai.APIStatusError, anthropic.APIStatusError)
    with serving(says(error, status=status)) as server, pytest.raises(kinds, match="on strike") as raised:
        asking.ask(server.url)
    assert raised.value.status_code == status
    assert len(server.asked) == 1


@every
@slow
def test_the_time_out_limits_the_whole_call(asking: Asking, behave: Behaviour) -> None:
    begun = time.monotonic()
    with serving(behave) as server:
        with pytest.raises(TimeoutError, match=r"^a-model gave no summary within 0\.2 seconds$"):
            asking.ask(server.url, timeout_seconds=SOON)
        took = time.monotonic() - begun
    assert SOON <= took < LATE
    assert len(server.asked) <= 1  # on a busy machine the time is over before anything was sent


@asynchronous
@slow
def test_a_request_that_took_too_long_is_hung_up_on(asking: Asking, behave: Behaviour) -> None:
    async def ask(url: str) -> bool:
        async with asking.asummarizer(url, timeout_seconds=3 * SOON) as summarizer:
            waiting = summarizer(SPAN, REQUEST)
            assert isinstance(waiting, Awaitable)
            with pytest.raises(TimeoutError):
                await waiting
            # While the client is still open; on a busy machine the time is over before anything was sent.
            return not server.asked or await asyncio.to_thread(server.was_left.wait, LATE)

    with serving(behave) as server:
        assert asyncio.run(ask(server.url))


@asynchronous
def test_cancelling_a_visit_cancels_the_request_and_changes_nothing(asking: Asking) -> None:
    window = window_of(9)
    before = [message.model_dump_json() for message in window]

    async def visit(url: str) -> bool:
        async with asking.asummarizer(url) as summarizer:
            task = asyncio.create_task(SummarizeOldest(0, 2, summarizer=summarizer).avisit(window))
            assert await asyncio.to_thread(server.was_asked.wait, LATE)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return await asyncio.to_thread(server.was_left.wait, LATE)

    with serving(never_answers) as server:
        assert asyncio.run(visit(server.url))
    assert [message.model_dump_json() for message in window] == before


@every
@pytest.mark.parametrize(
    "behave",
    [
        sends(b'{"choices": [{'),
        sends(b""),
        sends(b"[]"),
        sends(b"null"),
        sends(b'"A claim."'),
        sends(b"{}"),
        sends(b"<html>A claim.</html>", kind="text/html"),
        sends(b'{"choices": [], "content": "A claim."}'),
        sends(b'{"choices": [{"message": "A claim."}], "content": [7]}'),
        sends(b'{"choices": [{"message": {"content": ["A claim."]}}], "content": [{"type": "text", "text": 7}]}'),
        sends(b"\xff\xfe\x00"),
        hangs_up,
    ],
)
def test_an_answer_of_another_kind_is_no_summary(asking: Asking, behave: Behaviour) -> None:
    connection: Any = openai.APIConnectionError if asking.provider == "openai" else anthropic.APIConnectionError
    kinds = connection if behave is hangs_up else (SummaryError, ValueError)  # what is no JSON is a ValueError
    with serving(behave) as server, pytest.raises(kinds):
        asking.ask(server.url)
    assert len(server.asked) == 1


@every
def test_an_answer_without_what_is_read_names_the_place(asking: Asking) -> None:
    place = rf"^\$\.{'choices' if asking.provider == 'openai' else 'content'}: the server answered None, "
    with serving(says({"id": "1", "model": "m"})) as server, pytest.raises(SummaryError, match=place):
        asking.ask(server.url)


@every
@pytest.mark.parametrize("text", [None, "", " \n"])
def test_nothing_is_no_summary(asking: Asking, text: str | None) -> None:
    with serving(says(asking.answer(text))) as server, pytest.raises(SummaryError, match="the model said nothing"):
        asking.ask(server.url)


@every
def test_a_refusal_is_no_summary(asking: Asking) -> None:
    if asking.provider == "openai":
        answer = asking.answer(None, message={"refusal": "I can't help with that."})
        said = "the model refused: I can't help with that."
    else:
        answer, said = asking.answer("I can't help with that.", stop="refusal"), "the model refused"
    with serving(says(answer)) as server, pytest.raises(SummaryError, match=re.escape(said)):
        asking.ask(server.url)


@every
def test_a_summary_that_was_cut_off_is_none(asking: Asking) -> None:
    stop = "length" if asking.provider == "openai" else "max_tokens"
    message = f"the summary was cut off: the model stopped for '{stop}'"
    with serving(says(asking.answer(stop=stop))) as server, pytest.raises(SummaryError, match=message):
        asking.ask(server.url)


@every
def test_an_answer_that_stopped_for_something_else_is_none(asking: Asking) -> None:
    others = ["tool_calls", "content_filter"] if asking.provider == "openai" else ["tool_use", "pause_turn", "hm"]
    for stop in others:
        with serving(says(asking.answer(stop=stop))) as server, pytest.raises(SummaryError, match=f"'{stop}'"):
            asking.ask(server.url)


@every
def test_ten_megabytes_are_read_and_fold_nothing(asking: Asking) -> None:
    window = window_of(9)
    with serving(says(asking.answer("0123456789" * 1_000_000))) as server:
        assert len(asking.ask(server.url).text) == 10_000_000
        visit = asking.visit(server.url, window)
    assert visit.messages is window
    assert "replacement-not-smaller" in reasons(visit.record)


@every
def test_a_fold_has_what_its_summary_cost_on_the_record(asking: Asking) -> None:
    with serving(says(asking.answer("It was looked up."))) as server:
        visit = asking.visit(server.url, window_of(9))
    check = visit.record.summary_check
    assert visit.changed
    assert check is not None
    assert (check.outcome, [attempt.summarizer for attempt in check.attempts]) == ("accepted", ["a-model"])
    assert check.attempts[0].model == "a-model-1"
    if asking.provider == "anthropic":
        assert check.attempts[0].usage == SummaryUsage(input_tokens=1, output_tokens=1, cached_input_tokens=None)


@every
def test_a_summary_that_was_paid_for_and_is_none_has_its_cost_on_the_record(asking: Asking) -> None:
    stop = "length" if asking.provider == "openai" else "max_tokens"
    usage = {"prompt_tokens": 900, "completion_tokens": 7, "input_tokens": 900, "output_tokens": 7}
    with serving(says(asking.answer("It was", stop=stop) | {"usage": usage})) as server:
        visit = asking.visit(server.url, window_of(9))
    check = visit.record.summary_check
    assert not visit.changed
    assert check is not None
    assert check.attempts[0].usage == SummaryUsage(input_tokens=900, output_tokens=7)
    assert check.attempts[0].model == "a-model-1"


@every
@pytest.mark.parametrize("usage", [{}, {"prompt_tokens": 9, "input_tokens": 9}, None])
def test_a_server_that_counts_nothing_or_half_of_it_still_gives_a_summary(asking: Asking, usage: object) -> None:
    with serving(says(asking.answer("It was looked up.") | {"usage": usage})) as server:
        summary = asking.ask(server.url)
    assert (summary.text, summary.usage) == ("It was looked up.", None)


@every
def test_an_error_with_a_status_of_success_is_told(asking: Asking) -> None:
    with serving(says({"error": {"message": "boom"}})) as server, pytest.raises(SummaryError, match="boom"):
        asking.ask(server.url)


@every
def test_a_model_that_invents_is_asked_once_more_and_told_what(asking: Asking) -> None:
    with serving(says(asking.answer("It is order ORD-99120."))) as server:
        visit = asking.visit(server.url, window_of(9))
    assert len(server.asked) == 2
    assert ["ORD-99120" in json.dumps(request.body) for request in server.asked] == [False, True]
    check = visit.record.summary_check
    assert check is not None
    assert (check.outcome, check.attempts[1].invented) == ("flagged", ("ORD-99120",))


@every
def test_nobody_there_is_an_error(asking: Asking) -> None:
    with serving(hangs_up) as server:
        url = server.url
    sdk = openai.APIConnectionError if asking.provider == "openai" else anthropic.APIConnectionError
    with pytest.raises(sdk):
        asking.ask(url)


@every
@pytest.mark.parametrize(
    ("behave", "said"),
    [
        (says({"error": {"message": "slow down"}}, status=429), "RateLimitError"),
        (never_answers, "TimeoutError: 'a-model gave no summary within 0.2 seconds'"),
        (says({}), "SummaryError"),
    ],
)
def test_a_server_that_fails_folds_nothing_and_is_named(asking: Asking, behave: Behaviour, said: str) -> None:
    window = window_of(9)
    with serving(behave) as server:
        visit = asking.visit(server.url, window, timeout_seconds=SOON if behave is never_answers else 60)
    assert visit.messages is window
    assert "summarizer-failed" in reasons(visit.record)
    details = [refusal.detail or "" for refusal in visit.record.refusals if refusal.reason == "summarizer-failed"]
    assert details[0].startswith(said)
    assert len(server.asked) <= 1


def test_the_thread_of_a_silent_server_ends() -> None:
    before = set(threading.enumerate())
    with serving(never_answers) as server, EVERY[0].summarizer(server.url, timeout_seconds=SOON) as summarizer:
        with pytest.raises(TimeoutError):
            summarizer(SPAN, REQUEST)
        left = [thread for thread in set(threading.enumerate()) - before if thread.name == "foldproof: a-model"]
        assert len(left) == 1
        left[0].join(LATE)  # the SDK gives up: neither the server nor the client was closed yet
        assert not left[0].is_alive()


def test_a_surrogate_can_be_sent() -> None:
    span = [user("half of a pair: \ud83d")]
    with serving(says(EVERY[0].answer())) as server, EVERY[0].summarizer(server.url) as summarizer:
        summarizer(span, REQUEST)
    assert "half of a pair: ?" in server.asked[0].body["messages"][1]["content"]


def test_a_wrong_client_or_option_is_refused_at_once() -> None:
    with openai.OpenAI(api_key="k") as client, anthropic.Anthropic(api_key="k") as other:
        assert OpenAISummarizer(client, model="gpt").name == "gpt"
        assert AnthropicSummarizer(other, model="claude").name == "claude"
        with pytest.raises(UsageError, match=r"pass openai\.OpenAI\(\.\.\.\) or openai\.AsyncOpenAI\(\.\.\.\)"):
            OpenAISummarizer(other, model="gpt")  # type: ignore[arg-type]
        with pytest.raises(UsageError, match=r"pass anthropic\.Anthropic\(\.\.\.\) or anthropic\.AsyncAnthropic"):
            AnthropicSummarizer("claude", model="claude")  # type: ignore[arg-type]
        for options, said in (
            ({"model": " "}, "model is ' '; write the name"),
            ({"timeout_seconds": 0}, "timeout_seconds is 0; write seconds above zero"),
            ({"timeout_seconds": float("nan")}, "timeout_seconds is nan"),
            ({"timeout_seconds": float("inf")}, "timeout_seconds is inf"),
            ({"timeout_seconds": True}, "timeout_seconds is True"),
            ({"max_output_tokens": 0}, "max_output_tokens is 0; write a whole number, 1 or more"),
        ):
            given: dict[str, Any] = {"model": "m", **options}
            with pytest.raises(UsageError, match=said):
                OpenAISummarizer(client, **given)
            with pytest.raises(UsageError, match=said):
                AnthropicSummarizer(other, **given)


@pytest.mark.parametrize("sdk", ["openai", "anthropic"])
def test_an_sdk_that_is_not_installed_is_named_with_its_command(sdk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, sdk, None)
    kind: Any = OpenAISummarizer if sdk == "openai" else AnthropicSummarizer
    with pytest.raises(UsageError, match=rf"pip install 'foldproof\[{sdk}\]'"):
        kind(object(), model="m")


def test_importing_imports_no_sdk() -> None:
    script = "import foldproof_compactors.summarizers, sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603
    assert not {"openai", "anthropic", "httpx", "httpx2"} & set(done.stdout.split())


def window_of(turns: int) -> list[Any]:
    return [user("Find them all."), *loop(turns), user("And now?")]
