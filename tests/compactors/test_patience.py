"""A limit on how long any summarizer may take."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any

import pytest
from tests.window.builders import claim, failing, later, loop, reasons, user

from foldproof import Message, SummarizeOldest, UsageError
from foldproof.window import ExtractiveSummarizer, Summarizer, Summary, SummaryRequest
from foldproof_compactors.summarizers import patient

SOON = 0.1  # seconds
REQUEST = SummaryRequest(iteration=1, model="m", max_characters=900)
SPAN = (user("Where is order 4471?"),)

_said: ContextVar[str] = ContextVar("_said")


@pytest.fixture
def hanging() -> Iterator[Callable[[Sequence[Message], SummaryRequest], str]]:
    """A summarizer that hangs until the test is over."""
    over = threading.Event()

    def hang(_: Sequence[Message], __: SummaryRequest) -> str:
        over.wait()
        return "too late"

    yield hang
    over.set()


async def hangs_later(_: Sequence[Message], __: SummaryRequest) -> str:
    await asyncio.Event().wait()
    return "never"


class HangsLater:
    name = "hangs-later"

    async def __call__(self, span: Sequence[Message], request: SummaryRequest, /) -> str:
        return await hangs_later(span, request)


def gives_something_to_await(span: Sequence[Message], request: SummaryRequest) -> Awaitable[str]:
    return hangs_later(span, request)


def test_one_that_hangs_is_a_time_out_and_folds_nothing(
    hanging: Callable[[Sequence[Message], SummaryRequest], str],
) -> None:
    summarizer = patient(hanging, seconds=SOON)
    with pytest.raises(TimeoutError, match=r"^the summarizer gave no summary within 0\.1 seconds$"):
        summarizer(SPAN, REQUEST)
    window = [user("Find them all."), *loop(9), user("And now?")]
    visit = SummarizeOldest(0, 2, summarizer=summarizer, model="m").visit(window)
    assert visit.messages is window
    assert "summarizer-failed" in reasons(visit.record)


@pytest.mark.parametrize(
    "summarizer", [hangs_later, HangsLater(), gives_something_to_await, functools.partial(hangs_later)]
)
def test_one_that_is_asynchronous_is_cancelled_at_the_limit(summarizer: Summarizer) -> None:
    limited = patient(summarizer, seconds=SOON)

    async def ask() -> int:
        waiting = limited(SPAN, REQUEST)
        assert isinstance(waiting, Awaitable)
        with pytest.raises(TimeoutError, match="gave no summary within"):
            await waiting
        return len(asyncio.all_tasks())

    assert asyncio.run(ask()) == 1  # what asks, and nothing that was left


def test_what_comes_in_time_is_the_answer() -> None:
    summary = Summary(text="a claim", model="m-1")
    assert patient(claim, seconds=9)(SPAN, REQUEST) == "a claim"
    assert patient(lambda *_: summary, seconds=9)(SPAN, REQUEST) is summary
    waiting = patient(later, seconds=9)(SPAN, REQUEST)
    assert awaited(waiting) == "a claim"


def awaited(waiting: object) -> object:
    async def wait() -> object:
        assert isinstance(waiting, Awaitable)
        return await waiting

    return asyncio.run(wait())


def test_what_a_summarizer_raises_passes_through_its_own_time_out_as_well() -> None:
    with pytest.raises(TimeoutError) as raised:
        patient(failing, seconds=9)(SPAN, REQUEST)
    assert not str(raised.value)

    async def fails_later(_: Sequence[Message], __: SummaryRequest) -> str:
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match=r"^its own$"):
        awaited(patient(fails_later, seconds=9)(SPAN, REQUEST))


def test_it_keeps_its_name_and_has_none_where_there_is_none() -> None:
    named: Any = patient(ExtractiveSummarizer(), seconds=9)
    assert named.name == ExtractiveSummarizer.name
    SummarizeOldest(0, 2, summarizer=named)
    with pytest.raises(UsageError, match="a summarizer needs its model's name"):
        SummarizeOldest(0, 2, summarizer=patient(claim, seconds=9))


def test_it_is_called_where_context_variables_are_what_they_were() -> None:
    _said.set("here")
    assert patient(lambda *_: _said.get(), seconds=9)(SPAN, REQUEST) == "here"


@pytest.mark.parametrize("seconds", [0, -1, True, "1", None, float("nan"), float("inf"), 1e300])
def test_what_is_no_time_is_refused(seconds: Any) -> None:  # noqa: ANN401 - what a caller might pass
    with pytest.raises(UsageError, match="write seconds above zero, such as 60"):
        patient(claim, seconds=seconds)


def test_what_cannot_be_called_is_refused() -> None:
    for summarizer in ("gpt", ExtractiveSummarizer, None):
        with pytest.raises(UsageError, match=r"pass a callable \(span, request\) -> str"):
            patient(summarizer, seconds=1)  # type: ignore[arg-type]
