"""One compaction from the question whether it is time to the record of what came of it."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Protocol, Self, TypeAlias

from foldproof.compaction.context import Ask, CompactionContext
from foldproof.compaction.lifecycle import Compaction, CompactionListener, Lifecycle
from foldproof.compaction.records import CompactionError, CompactionOutcome, CompactionRecord, CompactionTrigger
from foldproof.compaction.settling import Compacted, settled, why_nothing_left
from foldproof.compaction.state import ConversationState
from foldproof.errors import UsageError, described, shown
from foldproof.messages import Message
from foldproof.window import Archive, Provider, Visit, VisitOptions, WindowRecord

Policy: TypeAlias = Callable[[ConversationState, Ask], bool]
"""Whether a trigger may ask the strategy at all. Synchronous; False declines, and nobody is told."""


class Target(Protocol):
    """What a compaction is applied to: a `LiveConversation`, or what a host has in its place."""

    @property
    def state(self) -> ConversationState:
        """The state as it is now."""
        ...

    def apply(self, before: ConversationState, done: Compacted, record: CompactionRecord, /) -> CompactionRecord:
        """Put a compaction of an earlier state in place and file its record, at once, or raise and change nothing."""
        ...

    def file(self, record: CompactionRecord, /, *, instead_of: CompactionRecord | None = None) -> None:
        """File a record, or put it in the place of another."""
        ...


class Rules(Protocol):
    """What of a compactor an attempt goes by."""

    @property
    def triggers(self) -> Sequence[CompactionTrigger]: ...  # noqa: D102 - as in Compactor, and below too
    @property
    def should_compact_on_trigger(self) -> Policy | None: ...  # noqa: D102
    @property
    def listener(self) -> CompactionListener | None: ...  # noqa: D102
    @property
    def archive(self) -> Archive | None: ...  # noqa: D102
    @property
    def provider(self) -> Provider | None: ...  # noqa: D102


class _CalledOffError(Exception):
    """Somebody called the compaction off."""


class Attempt:
    """A compaction that is being tried; a context that takes in what goes wrong inside it.

    Under an automatic trigger an error is filed and goes no further; by hand it is filed and raised. A cancellation is
    filed, and always raised when it came as an exception.
    """

    def __init__(self, rules: Rules, target: Target, context: CompactionContext) -> None:
        if not isinstance(getattr(target, "state", None), ConversationState):
            raise UsageError(f"the conversation is {shown(target)}; pass a LiveConversation, which takes its messages")
        self._rules, self._target, self._context = rules, target, context
        self._before = target.state
        self._id = _identifier(self._before, context.trigger)
        self._life = Lifecycle(rules.listener, Compaction(id=self._id, trigger=context.trigger))
        self._window: WindowRecord | None = None
        self.record: CompactionRecord | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        """The window that is compacted."""
        return self._before.messages

    @property
    def options(self) -> VisitOptions:
        """What the visit is told."""
        rules, by_hand = self._rules, self._context.trigger == "manual"
        visit = VisitOptions(archive=rules.archive, provider=rules.provider, listener=self._life, forced=by_hand)
        return self._context.visit_options(self._before) | visit

    def wanted(self) -> bool:
        """Whether the strategy is to be asked: by hand always, else when the policy lets the trigger through."""
        if self._context.trigger == "manual":
            self._life.start()
        elif self._context.trigger not in self._rules.triggers or not self._is_let_through():
            return False
        self._check_not_called_off()
        return True

    def settle(self, visit: Visit) -> None:
        """Apply what a visit did, and tell; or file why nothing left; or decline in silence."""
        self._window = visit.record
        if visit.record.outcome == "idle" and self._context.trigger != "manual":
            return
        self._check_not_called_off()
        if not visit.changed and self._context.trigger != "manual":
            why = why_nothing_left(visit.record)
            self._life.broke_off(why)
            self._file("refused", why)
            return
        done = settled(self.messages, visit, self._context, self._rules.provider)
        self._life.summarised(done.summary)
        self.record = record = self._target.apply(self._before, done, self._made("complete"))
        self._life.complete()
        if self._life.failed != record.listener_failed:
            self.record = record.model_copy(update={"listener_failed": self._life.failed})
            self._target.file(self.record, instead_of=record)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        if error is None or self.record is not None:
            return False
        cancelled = isinstance(error, _CalledOffError) or not isinstance(error, Exception)
        why = "it was called off" if cancelled else described(error)
        if isinstance(error, CompactionError):
            why = error.cause
            self._window = error.window or self._window
        self._life.start()
        self._life.broke_off(why)
        self._file("cancelled" if cancelled else "error", why)
        if not isinstance(error, Exception):
            return False
        if self._context.trigger != "manual":
            return True
        if isinstance(error, CompactionError):
            error.record = self.record
            return False
        if isinstance(error, UsageError):
            return False
        failed = CompactionError(f"the compaction failed: {why}", window=self._window)
        failed.record = self.record
        raise failed from error

    def _is_let_through(self) -> bool:
        policy = self._rules.should_compact_on_trigger
        if policy is None:
            return True
        answer: object = policy(self._before, Ask(trigger=self._context.trigger, usage=self._context.measured))
        if inspect.isawaitable(answer):
            if inspect.iscoroutine(answer):
                answer.close()
            raise UsageError("should_compact_on_trigger is asynchronous; make it a plain function")
        if not isinstance(answer, bool):
            raise UsageError(f"should_compact_on_trigger returned {shown(answer)}; return True or False")
        return answer

    def _check_not_called_off(self) -> None:
        if self._context.cancelled is not None and self._context.cancelled():
            raise _CalledOffError

    def _made(self, outcome: CompactionOutcome, error: str | None = None) -> CompactionRecord:
        return CompactionRecord(
            id=self._id,
            trigger=self._context.trigger,
            outcome=outcome,
            iteration=self._before.iteration,
            window=self._window,
            error=error,
            listener_failed=self._life.failed,
        )

    def _file(self, outcome: CompactionOutcome, error: str) -> None:
        self.record = self._made(outcome, error)
        self._target.file(self.record)


def _identifier(state: ConversationState, trigger: CompactionTrigger) -> str:
    last = state.messages[-1].fingerprint if state.messages else ""
    said = f"{trigger} {state.iteration} {len(state.records)} {len(state.messages)} {last}"
    return f"compaction-{hashlib.sha256(said.encode()).hexdigest()[:12]}"
