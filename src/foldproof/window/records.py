"""What is filed about a visit: the record, the folded span, and the state that the next visit needs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from foldproof.evidence.kept import KeptValue
from foldproof.messages import Message
from foldproof.messages.base import FrozenModel
from foldproof.window.faithful import SummaryCheck
from foldproof.window.originals import Retain
from foldproof.window.pins import PinName, PinReport, Standing
from foldproof.window.refusals import Refusal
from foldproof.window.survival import Survival

Replacement = Literal["summary", "drop-notice", "cleared-result", "none"]

TriggerKind = Literal["tokens", "turns", "characters"]
"""What a strategy watches: the window's tokens, its turns, or the characters of its largest result."""


class WindowState(FrozenModel):
    """What one visit tells the next. Hand it on; without it a refused span is asked about again at every visit.

    Attributes:
        latched: the keys of spans whose replacement was not smaller.
        pin_blocks: how many visits in a row each pin has blocked.
    """

    latched: tuple[str, ...] = ()
    pin_blocks: dict[PinName, int] = Field(default_factory=dict)


class DroppedResult(FrozenModel):
    """A tool result that left, and what the model had filed it as (None: undeclared)."""

    tool_call_id: str
    standing: Standing | None = None


class Seam(FrozenModel):
    """Where a contiguous span left, and what stands for it.

    Attributes:
        start: index of the first message that left.
        count: how many left.
        replacement: what stands there now.
        frames: ids of the messages that do; a summary may have its appendix beside it.
    """

    start: int
    count: int
    replacement: Replacement
    frames: tuple[str, ...] = ()


class WindowRecord(FrozenModel):
    """What a visit did and why. Characters are code points; indices count in the window as it was visited.

    Attributes:
        strategy: the strategy's name.
        iteration: the iteration whose boundary was visited.
        outcome: `idle` (not triggered), `refused` (triggered, and nothing left), `removed`.
        trigger: what the strategy watches.
        measured_by: `reported`, `tokenizer:<name>`, `turns`, `characters`, or `nothing` before the first call of a run.
        measured: what was measured, in tokens, turns or characters; counted tokens include the tool schemas.
        threshold: the limit it was measured against.
        over_budget: whether it was over.
        removed: ids of the messages that left, in order; absorbed frames among them.
        removed_count: how many messages left.
        removed_from: index of the first one.
        seams: where they left; one, except where results are cleared one by one or a pipeline has several stages.
        messages_before: how many messages the window held.
        messages_after: how many it holds now.
        characters_before: what they say, in characters.
        characters_after: the same for the new window.
        tokens_before: what the window costs; only where a tokenizer measured it.
        tokens_after: the same for the new window.
        refusals: why turns stayed, in the order of the reasons.
        dropped_observations: tools whose results left.
        dropped_standings: the results that left, the worthiest first; only when the host told standings.
        dead_calls: calls without a result that left because the person had moved on.
        observations: what the `last-tool-result` pin held.
        ledger_facts: what the `ledger-fact` pin held.
        replacement: what stands for what left, at the first seam.
        frame: id of the message that does.
        summary_characters: size of the summary, without the frame's own words.
        summary_tokens: the same in tokens; only where a tokenizer counts.
        summarizer: who was to write the summary.
        summarizer_skipped: why it was not asked.
        summary_check: what was found about every summary that was asked for, and what it cost; where several stages of
            a pipeline folded, that of the one which invented most (`stages` has the others).
        survival: how much of what the span said the summary frame still says, and the rest of the window.
        carried: the values of tools that the summary frame carries.
        archive_failed: why the archive could not keep the originals, so that nothing left.
        provider: whose wire the window had to stay valid for; None is every one that takes a user message anywhere.
        stages: the records of a pipeline's stages, each over the window as that stage found it.
        listener_failed: what a listener raised; it changes nothing else.
    """

    strategy: str
    iteration: int
    outcome: Literal["idle", "refused", "removed"]
    trigger: TriggerKind
    measured_by: str
    measured: int | None = None
    threshold: int | None = None
    over_budget: bool = False
    removed: tuple[str, ...] = ()
    removed_count: int = 0
    removed_from: int | None = None
    seams: tuple[Seam, ...] = ()
    messages_before: int
    messages_after: int
    characters_before: int
    characters_after: int
    tokens_before: int | None = None
    tokens_after: int | None = None
    refusals: tuple[Refusal, ...] = ()
    dropped_observations: tuple[str, ...] = ()
    dropped_standings: tuple[DroppedResult, ...] = ()
    dead_calls: tuple[str, ...] = ()
    observations: PinReport | None = None
    ledger_facts: PinReport | None = None
    replacement: Replacement | None = None
    frame: str | None = None
    summary_characters: int | None = None
    summary_tokens: int | None = None
    summarizer: str | None = None
    summarizer_skipped: Literal["latched", "no-room"] | None = None
    summary_check: SummaryCheck | None = None
    survival: Survival | None = None
    carried: tuple[str, ...] = ()
    archive_failed: str | None = None
    provider: str | None = None
    stages: tuple[WindowRecord, ...] = ()
    listener_failed: str | None = None


class FoldedSpan(FrozenModel):
    """What one frame stands for, as it is kept beside the conversation.

    It is joined to its frame by fingerprint, never by index; see `span_of`.

    Attributes:
        fingerprint: of the whole frame (`Message.fingerprint`).
        iteration: the iteration at which it was folded.
        model: who wrote the summary; None where nothing was summarised.
        message_count: how many messages were folded.
        removed: their ids, in order.
        frames: the fingerprints of the frames among them that stand for others, and have spans of their own.
        retain: what was to happen to the originals.
        originals: the folded messages as they were, or None when they are not kept here.
        address: where an archive keeps them, for `archive`.
        kept: what tools said in them, value by value, for `lineage`.
    """

    fingerprint: str
    iteration: int
    model: str | None = None
    message_count: int
    removed: tuple[str, ...]
    frames: tuple[str, ...] = ()
    retain: Retain
    originals: tuple[Message, ...] | None = None
    address: str | None = None
    kept: tuple[KeptValue, ...] | None = None


def span_of(frame: Message, spans: Iterable[FoldedSpan]) -> FoldedSpan | None:
    """Return what a frame stands for, or None when no span is kept for it.

    The whole frame is compared, its note and its lineage too: a copy of its words joins nothing.
    """
    return next((span for span in spans if span.fingerprint == frame.fingerprint), None)
