"""A limit on how long a summary may take, for any summarizer."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future, wait
from contextvars import copy_context
from typing import TypeVar

from foldproof.errors import UsageError, shown
from foldproof.messages import Message
from foldproof.window import Summarizer, Summary, SummaryRequest

_T = TypeVar("_T")


def patient(summarizer: Summarizer, *, seconds: float) -> Summarizer:
    """Return `summarizer` with a limit: one that hangs raises `TimeoutError`, and then folds nothing.

    * One that is asynchronous is cancelled at the limit. It needs asyncio.
    * Any other is called on a daemon thread of its own. A thread cannot be ended from outside: at the limit it is left
      alone, with whatever it holds, and its answer is thrown away. What it works on should be its own.
    * It keeps its `name`, where it has one.

    Raises:
        UsageError: `seconds` is no time, or the summarizer cannot be called.
    """
    check_seconds("seconds", seconds)
    if isinstance(summarizer, type) or not callable(summarizer):
        raise UsageError(f"summarizer is {shown(summarizer)}; pass a callable (span, request) -> str")
    return _Patient(summarizer, seconds)


class _Patient:
    def __init__(self, summarizer: Summarizer, seconds: float) -> None:
        self._summarizer = summarizer
        self._seconds = seconds
        name = getattr(summarizer, "name", None)
        if isinstance(name, str):
            self.name = name

    def __call__(self, span: Sequence[Message], request: SummaryRequest, /) -> str | Summary | Awaitable[str | Summary]:
        who = getattr(self, "name", "the summarizer")
        if _is_asynchronous(self._summarizer):
            answer = self._summarizer(span, request)
        else:
            answer = within(self._seconds, lambda: self._summarizer(span, request), who=who)
        return awaited_within(self._seconds, answer, who=who) if inspect.isawaitable(answer) else answer


def _is_asynchronous(summarizer: object) -> bool:
    call = getattr(summarizer, "__call__", None)  # noqa: B004 - not whether it is callable, but which function it is
    return inspect.iscoroutinefunction(summarizer) or inspect.iscoroutinefunction(call)


def check_seconds(name: str, value: object) -> None:
    """Check an option that is a length of time.

    Raises:
        UsageError: it is no number, not above zero, or more than a wait can last.
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 < value <= threading.TIMEOUT_MAX:  # type: ignore[operator] # a number
        raise UsageError(f"{name} is {shown(value)}; write seconds above zero, such as 60")


def within(seconds: float, call: Callable[[], _T], *, who: str) -> _T:
    """Return what `call` returns, or raise what it raises; it runs on a daemon thread, which is left at the limit.

    Raises:
        TimeoutError: nothing came within `seconds`.
    """
    future: Future[_T] = Future()

    def work() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - it is raised where the answer is waited for
            future.set_exception(error)

    threading.Thread(target=copy_context().run, args=(work,), name=f"foldproof: {who}", daemon=True).start()
    wait([future], timeout=seconds)
    if not future.done():
        raise _late(who, seconds)
    return future.result()


async def awaited_within(seconds: float, answer: Awaitable[_T], *, who: str) -> _T:
    """Return what `answer` gives, which is cancelled at the limit.

    Raises:
        TimeoutError: nothing came within `seconds`.
    """
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await answer
    except TimeoutError as error:
        if limit.expired():
            raise _late(who, seconds) from error
        raise


def _late(who: str, seconds: float) -> TimeoutError:
    return TimeoutError(f"{who} gave no summary within {seconds:g} seconds")
