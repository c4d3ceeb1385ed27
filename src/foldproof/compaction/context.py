"""What a compaction is told beside the conversation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from pydantic import JsonValue

from foldproof.compaction.records import CompactionTrigger
from foldproof.compaction.state import ConversationState
from foldproof.window import Standing, VisitOptions


class TurnOptions(TypedDict, total=False):
    """What a host may say at a turn; see `CompactionContext` for what each means."""

    measured: int | None
    request: str | None
    paused: Collection[str]
    pending_check_ins: Collection[str]
    standings: Mapping[str, Standing] | None
    tools: Sequence[JsonValue]
    cancelled: Callable[[], bool] | None


@dataclass(frozen=True, kw_only=True)
class CompactionContext:
    """What a compaction is told beside the conversation.

    Attributes:
        trigger: what asks for it.
        measured: the input tokens that the provider reported for this window, or None.
        request: the text the run was started with, where it is no message of the person.
        paused: ids of calls that wait for the person.
        pending_check_ins: ids of calls that somebody still has to look at.
        standings: what the model filed results as, by tool call id.
        tools: the schemas of the tools that go with the window.
        cancelled: asked before the work and before it is applied; True calls it off.
    """

    trigger: CompactionTrigger = "manual"
    measured: int | None = None
    request: str | None = None
    paused: Collection[str] = ()
    pending_check_ins: Collection[str] = ()
    standings: Mapping[str, Standing] | None = None
    tools: Sequence[JsonValue] = ()
    cancelled: Callable[[], bool] | None = None

    def visit_options(self, state: ConversationState) -> VisitOptions:
        """Return what a visit of this state is told."""
        return VisitOptions(
            iteration=max(1, state.iteration),
            state=state.window,
            measured=self.measured,
            request=self.request,
            paused=self.paused,
            pending_check_ins=self.pending_check_ins,
            standings=self.standings,
            tools=self.tools,
        )


@dataclass(frozen=True, kw_only=True)
class Ask:
    """What a policy is asked about.

    Attributes:
        trigger: what asks.
        usage: the input tokens that the provider reported for this window, or None.
    """

    trigger: CompactionTrigger
    usage: int | None = None
