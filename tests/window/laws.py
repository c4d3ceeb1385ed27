"""The laws of the window, one check each, over one visit.

What stayed is told by the identity of the messages, never by what a record says.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import Final, NamedTuple

from tests.strategies.visits import COUNTER, Own, Says

from foldproof.errors import TranscriptError
from foldproof.evidence import EvidenceIndex, exempt_forms
from foldproof.messages import (
    FOLDED,
    OPENINGS,
    FilePart,
    Message,
    OpaquePart,
    author_of,
    calls_of,
    frame_kind,
    is_observation,
    message_id,
    pair,
    pair_server_tools,
    part_text,
    tool_text,
    turns_of,
    validate_messages,
)
from foldproof.tokens import default_counter
from foldproof.window import (
    REFUSAL_REASONS,
    Clear,
    ClearToolResults,
    Event,
    Fold,
    Folded,
    FoldedSpan,
    MessageEvicted,
    OffloadLarge,
    Pipeline,
    Progress,
    PromptCompactor,
    Provider,
    Refused,
    Seam,
    Settled,
    SlidingWindow,
    Strategy,
    SummarizeOldest,
    TokenBudget,
    VisitableStrategy,
    VisitOptions,
    VisitStarted,
    WindowRecord,
    WindowState,
    arun_visit,
    run_visit,
    span_of,
    total_characters,
    validate_for,
)
from foldproof.window.pins import PATIENCE, PIN_NAMES
from foldproof.window.providers import ANY_PLACE
from foldproof.window.visit import Visit

Window = tuple[Message, ...]

_WORTH: Final = ("fact", "open", None, "ruled-out", "noise")
_COUNTED_BY: Final = f"tokenizer:{default_counter().name}"


class Place(NamedTuple):
    """Where a span left, by the record: `messages[start:stop]`, and what stands there in the new window."""

    seam: Seam
    left: Sequence[Message]
    frames: Sequence[Message]

    @property
    def indices(self) -> range:
        return range(self.seam.start, self.seam.start + self.seam.count)


@dataclass(frozen=True)
class Case:
    """A window, a strategy and the options of one visit, which is made once."""

    messages: Window
    strategy: Strategy
    options: VisitOptions

    @cached_property
    def written(self) -> tuple[str, ...]:
        """The messages as JSON, as they were before the visit."""
        return tuple(message.model_dump_json() for message in self.messages)

    @cached_property
    def copies(self) -> Window:
        """Equal messages, read anew: nothing is known about them yet."""
        return tuple(map(Message.model_validate_json, self.written))

    @cached_property
    def visit(self) -> Visit:
        _ = self.written
        return visited(self.strategy, self.messages, self.options)

    @property
    def record(self) -> WindowRecord:
        return self.visit.record

    @cached_property
    def after(self) -> Window:
        return tuple(self.visit.messages)

    @cached_property
    def stays(self) -> list[bool]:
        """Of each message of the old window, whether it is in the new one."""
        there = {id(message) for message in self.after}
        return [id(message) in there for message in self.messages]

    @cached_property
    def new(self) -> Window:
        """What is in the new window and was not in the old one."""
        old = {id(message) for message in self.messages}
        return tuple(message for message in self.after if id(message) not in old)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        found, shift = [], 0
        for seam in self.record.seams:
            start = seam.start + shift
            frames = self.after[start : start + len(seam.frames)]
            found.append(Place(seam, self.messages[seam.start : seam.start + seam.count], frames))
            shift += len(seam.frames) - seam.count
        return tuple(found)

    @cached_property
    def stages(self) -> tuple[Strategy, ...]:
        """The strategies that decide: those of a pipeline, or the one."""
        return tuple(_flat(self.strategy))

    @property
    def is_pipeline(self) -> bool:
        return isinstance(self.strategy, Pipeline)


def visited(strategy: Strategy, messages: Sequence[Message], options: VisitOptions) -> Visit:
    if isinstance(strategy, VisitableStrategy):
        return strategy.visit(messages, **options)
    return run_visit(strategy, messages, **options)


def law_01_pairs(case: Case) -> None:
    """Call and result stay or leave together; a result that is cleared in its place stays an answer.

    Of several results of one call, those between the first and the last were overtaken, and may leave without it.
    """
    if not case.visit.changed:
        return
    assert is_valid(case.after) or not is_valid(case.messages)
    assert _faults(case.after) <= _faults(case.messages)
    before, after = pair(case.messages), pair(case.after)
    answered = Counter[tuple[int, str | None]]()
    for result, at in before.call_of.items():
        if case.stays[at.message] and result in before.results[at][1:-1]:
            continue
        if case.stays[at.message] and not case.stays[result]:
            answered[_place_of(case, result), case.messages[result].tool_call_id] += 1
        else:
            assert case.stays[at.message] == case.stays[result]
    for (number, identifier), count in answered.items():
        frames = [frame for frame in case.places[number].frames if frame.role == "tool"]
        assert [frame.tool_call_id for frame in frames].count(identifier) >= count
    links_before = {(result, at.message) for result, at in before.call_of.items()}
    links_after = {(result, at.message) for result, at in after.call_of.items()}
    assert _kept_links(case, links_before) == _links_of_old(case, links_after)
    _server_tools_stay_whole(case)


def _server_tools_stay_whole(case: Case) -> None:
    before, after = pair_server_tools(case.messages), pair_server_tools(case.after)
    assert all(case.stays[call] == case.stays[result] for call, result in before.pairs)
    assert _kept_links(case, set(before.pairs)) <= _links_of_old(case, set(after.pairs))
    old = {id(case.messages[index]) for index in before.halves}
    assert all(id(case.after[index]) in old for index in after.halves)


def _kept_links(case: Case, links: set[tuple[int, int]]) -> set[tuple[int, int]]:
    return {
        (id(case.messages[one]), id(case.messages[other]))
        for one, other in links
        if case.stays[one] and case.stays[other]
    }


def _links_of_old(case: Case, links: set[tuple[int, int]]) -> set[tuple[int, int]]:
    old = {id(message) for message in case.messages}
    named = {(id(case.after[one]), id(case.after[other])) for one, other in links}
    return {link for link in named if old.issuperset(link)}


def _place_of(case: Case, index: int) -> int:
    return next(number for number, place in enumerate(case.places) if index in place.indices)


def _faults(messages: Sequence[Message]) -> Counter[str]:
    """What is wrong with a window's pairs, by the id of the call."""
    pairing = pair(messages)
    found = Counter(f"orphan {messages[index].tool_call_id}" for index in pairing.orphans)
    found.update(f"unanswered {calls_of(messages[at.message])[at.position].id}" for at in pairing.unanswered)
    for result, at in pairing.call_of.items():
        if any(message.role != "tool" for message in messages[at.message + 1 : result]):
            found[f"apart {messages[result].tool_call_id}"] += 1
    return found


def is_valid(messages: Sequence[Message]) -> bool:
    try:
        validate_messages(messages)
    except TranscriptError:
        return False
    return True


def law_02_request(case: Case) -> None:
    """The latest thing the person said, or the text the run was started with, is there: the very same message."""
    request = _request(case)
    assert request is None or case.stays[request]


def _request(case: Case) -> int | None:
    said = [index for index, message in enumerate(case.messages) if author_of(message) == "person"]
    wanted = (case.options.get("request") or "").strip()
    exactly = [index for index in said if case.messages[index].text.strip() == wanted] if wanted else []
    return next(reversed(exactly or said), None)


def law_03_envelope(case: Case) -> None:
    """No system message left, came or moved."""
    before, after = (
        [id(message) for message in window if message.role == "system"] for window in (case.messages, case.after)
    )
    assert before == after


def law_04_recent(case: Case) -> None:
    """What the strategy keeps at the end is an untouched suffix; of several stages, what the one keeps least."""
    start = max(_kept_from(case.messages, strategy) for strategy in case.stages)
    recent = case.messages[start:]
    assert not recent or same(case.after[-len(recent) :], recent)


def law_05_span(case: Case) -> None:
    """Kept and removed, put together by the record's seams, are the original; each seam is one contiguous span."""
    places, rebuilt, behind, shown = case.places, list[Message](), 0, 0
    for place in places:
        assert place.seam.start >= behind
        assert place.seam.count > 0
        kept = place.seam.start - behind
        rebuilt += [*case.after[shown : shown + kept], *place.left]
        behind, shown = place.seam.start + place.seam.count, shown + kept + len(place.frames)
    rebuilt += case.after[shown:]
    assert same(rebuilt, case.messages)
    left = [index for index, stays in enumerate(case.stays) if not stays]
    assert left == list(chain.from_iterable(place.indices for place in places))
    assert case.record.removed == tuple(message_id(case.copies[index]) for index in left)
    if case.is_pipeline:
        return
    if _clears(case.strategy):
        assert all(place.seam.count == 1 for place in places)
        assert all(place.left[0].role == "tool" for place in places)
    else:
        assert len(places) <= 1


def law_06_frames(case: Case) -> None:
    """Whatever is new is a frame that the record names, written by the library; a cleared result may keep a head."""
    assert same(case.new, [frame for place in case.places for frame in place.frames])
    for place in case.places:
        assert tuple(map(message_id, place.frames)) == place.seam.frames
        kinds = {str(frame_kind(frame)) for frame in place.frames}
        assert place.seam.replacement in (kinds or {"none"})
        assert case.is_pipeline or len(kinds) <= 1
    for frame in case.new:
        kind = frame_kind(frame)
        assert kind in ("summary", "drop-notice", "cleared-result")
        assert frame.metadata is not None
        assert FOLDED in frame.metadata
        assert kind != "cleared-result" or frame.role == "tool"
        head, ours = _split(frame)
        assert ours.lstrip().startswith(OPENINGS[kind])
        assert author_of(frame) == ("tool" if head else "library")
    _heads_are_the_tools(case)


def _heads_are_the_tools(case: Case) -> None:
    for place in case.places:
        said = [tool_text(message) for message in place.left if message.role == "tool"]
        for frame in place.frames:
            head = _split(frame)[0]
            assert not head or any(text.startswith(head) and len(head) < len(text) for text in said)


def _split(frame: Message) -> tuple[str, str]:
    """A frame's text: what it keeps of a tool's words, and the library's own."""
    cut = frame.tool_chars if frame.role == "tool" and isinstance(frame.tool_chars, int) else 0
    return frame.text[:cut], frame.text[cut:]


def law_07_record(case: Case) -> None:
    """The record says what was visited, what left, what stayed and why, and survives JSON; so do state and spans."""
    record = case.record
    assert WindowRecord.model_validate_json(record.model_dump_json()) == record
    assert WindowState.model_validate_json(case.visit.state.model_dump_json()) == case.visit.state
    assert (record.strategy, record.iteration) == (case.strategy.name, case.options["iteration"])
    assert record.provider == case.options.get("provider")
    assert record.outcome == "idle" or any(one.over_budget for one in (record, *record.stages))
    assert (record.outcome == "removed") == bool(record.seams) == (not all(case.stays)) == case.visit.changed
    assert (record.messages_before, record.messages_after) == (len(case.messages), len(case.after))
    assert record.characters_before == total_characters(case.copies)
    assert record.characters_after == total_characters(case.after)
    assert record.removed_count == len(record.removed) == case.stays.count(False)
    assert record.removed_from == next((index for index, stays in enumerate(case.stays) if not stays), None)
    assert record.replacement == next((seam.replacement for seam in record.seams), None)
    assert record.frame == next(chain.from_iterable(seam.frames for seam in record.seams), None)
    _refusals_are_told(case)
    _what_left_is_told(case)
    _pins_are_told(case)
    _spans_are_kept(case)
    _stages_follow(record)


def _refusals_are_told(case: Case) -> None:
    refusals = case.record.refusals
    ranks = [(REFUSAL_REASONS.index(refusal.reason), refusal.turn_index) for refusal in refusals]
    assert ranks == sorted(ranks)
    turns = turns_of(case.messages)
    for refusal in refusals:
        turn = turns[refusal.turn_index]
        assert turn.start <= refusal.message_index < turn.stop
        assert message_id(case.messages[refusal.message_index]) == refusal.message_id
        assert case.stays[refusal.message_index]
    assert not refusals or case.record.outcome != "idle"
    told = {(refusal.reason, refusal.turn_index) for refusal in refusals}
    due = set(_due(case)) if case.record.outcome != "idle" else set[tuple[str, int]]()
    assert {(reason, turn) for reason, turn in told if reason in _BY_RULE} <= due | set(_doubtful(case))
    if not case.is_pipeline and not _clears(case.strategy):
        recent = set() if case.record.outcome == "idle" else set(_recent_turns(case))
        assert told >= due | {("inside-keep-window", turn) for turn in recent}
    assert case.record.outcome != "refused" or refusals or not case.messages or _wants_little(case)


_BY_RULE: Final = ("current-request", "system-envelope", "paused-tool", "pending-check-in")


def _due(case: Case) -> Iterator[tuple[str, int]]:
    """The turns that stay whatever a strategy keeps, and why."""
    turn_of = [number for number, turn in enumerate(turns_of(case.messages)) for _ in range(*turn)]
    request = _request(case)
    if request is not None:
        yield "current-request", turn_of[request]
    ids = {"paused-tool": case.options.get("paused", ()), "pending-check-in": case.options.get("pending_check_ins", ())}
    for index, message in enumerate(case.messages):
        if message.role == "system":
            yield "system-envelope", turn_of[index]
        own = {message.id, message.tool_call_id, *(call.id for call in calls_of(message))}
        yield from ((reason, turn_of[index]) for reason, held in ids.items() if own.intersection(held))
    last_said = max(
        (index for index, message in enumerate(case.messages) if author_of(message) == "person"), default=-1
    )
    for at in pair(case.messages).unanswered:
        if at.message > last_said:
            yield "unresolved-tool-call", turn_of[at.message]


def _doubtful(case: Case) -> Iterator[tuple[str, int]]:
    """The turns that may hold a request, because a person may quote a frame."""
    for number, turn in enumerate(turns_of(case.messages)):
        message = case.messages[turn.start]
        if message.role == "user" and message.text.startswith(tuple(OPENINGS.values())):
            yield "current-request", number


def _recent_turns(case: Case) -> Iterator[int]:
    start = _kept_from(case.messages, case.strategy)
    return (number for number, turn in enumerate(turns_of(case.messages)) if turn.start >= start)


def _wants_little(case: Case) -> bool:
    """Whether nobody may have wanted anything: what is not wanted is not refused either."""
    return any(_clears(stage) or (isinstance(stage, Own) and stage.wanted is not None) for stage in case.stages)


def _what_left_is_told(case: Case) -> None:
    record, pairing = case.record, pair(case.messages)
    left = [index for index, stays in enumerate(case.stays) if not stays]
    results = [index for index in left if case.messages[index].role == "tool"]
    tools = dict.fromkeys(_tool_of(case, index) for index in results if is_observation(case.copies[index]))
    assert set(record.dropped_observations) == {name for name in tools if name}
    dead = [calls_of(case.messages[at.message])[at.position].id for at in pairing.unanswered if at.message in left]
    assert set(record.dead_calls) == set(dead)
    filed = case.options.get("standings")
    ids = [case.messages[index].tool_call_id for index in results if case.messages[index].tool_call_id]
    told = [result.tool_call_id for result in record.dropped_standings]
    assert set(told) == (set() if filed is None else set(ids))
    assert all(one.standing == (filed or {}).get(one.tool_call_id) for one in record.dropped_standings)
    if not case.is_pipeline:
        assert len(told) == (0 if filed is None else len(ids))
        assert len(record.dead_calls) == len(dead)
        worths = [_WORTH.index(result.standing) for result in record.dropped_standings]
        assert worths == sorted(worths)


def _tool_of(case: Case, index: int) -> str | None:
    message, at = case.messages[index], pair(case.messages).call_of.get(index)
    asked = None if at is None else calls_of(case.messages[at.message])[at.position].name
    return message.tool_name if message.tool_name is not None else asked


def _pins_are_told(case: Case) -> None:
    """What a pin held stayed, is one of its tool's turns, and costs what that turn says."""
    if case.is_pipeline:
        return
    turns = turns_of(case.messages)
    for report in (case.record.observations, case.record.ledger_facts):
        name = "last-tool-result" if report is case.record.observations else "ledger-fact"
        told = {refusal.turn_index for refusal in case.record.refusals if refusal.reason == name}
        pinned = {held.turn_index for held in report.pinned} if report else set()
        assert told == pinned or (_clears(case.strategy) and told <= pinned)
        for held in report.pinned if report else ():
            indices = range(*turns[held.turn_index])
            assert all(case.stays[index] for index in indices)
            results = [index for index in indices if case.messages[index].role == "tool"]
            assert held.tool in {_tool_of(case, index) or "" for index in results}
            assert held.characters == total_characters([case.copies[index] for index in indices])
        assert report is None or len(report.pinned) <= report.limit
        assert report is None or not (report.stand_down and report.pinned)


def _spans_are_kept(case: Case) -> None:
    spans = case.visit.spans
    assert all(FoldedSpan.model_validate_json(span.model_dump_json()) == span for span in spans)
    assert all(span.message_count == len(span.removed) for span in spans)
    assert all((span.originals is None) == (span.retain == "discard") for span in spans)
    assert all(span.originals is None or tuple(map(message_id, span.originals)) == span.removed for span in spans)
    joined = [frame for frame in case.new if _stands_for_a_span(frame)]
    assert all(span_of(frame, spans) is not None for frame in joined)
    if not case.is_pipeline:
        told = [place for place in case.places if place.seam.replacement in ("summary", "cleared-result")]
        assert [span.fingerprint for span in spans] == [place.frames[0].fingerprint for place in told]
        assert all(
            span.originals is None or same(span.originals, place.left) for span, place in zip(spans, told, strict=True)
        )


def _stands_for_a_span(frame: Message) -> bool:
    stamp = (frame.metadata or {}).get("axleCompaction")
    is_appendix = isinstance(stamp, dict) and stamp.get("role") == "appendix"
    return frame_kind(frame) in ("summary", "cleared-result") and not is_appendix and "Appendix:" not in frame.text[:60]


def _stages_follow(record: WindowRecord) -> None:
    """Each stage found the window that the last one left."""
    for one, other in pairwise(record.stages):
        assert one.messages_after == other.messages_before
        assert one.characters_after == other.characters_before
    if record.stages:
        first, last = record.stages[0], record.stages[-1]
        assert (record.messages_before, record.messages_after) == (first.messages_before, last.messages_after)
    for stage in record.stages:
        _stages_follow(stage)


def law_08_smaller(case: Case) -> None:
    """What stands at a seam is strictly smaller than what left there, in characters and in tokens.

    A picture has a price and no characters, so where one left and tokens are counted, they alone decide.
    """
    counts = [not isinstance(stage, Own) or stage.counts for stage in case.stages]
    for place in case.places:
        if place.frames:
            assert len(place.frames) <= place.seam.count
            shorter = sum(len(frame.text) for frame in place.frames) < total_characters(place.left)
            assert shorter or (any(counts) and any(map(_has_picture, place.left)))
            assert not all(counts) or sum(map(_tokens, place.frames)) < sum(map(COUNTER.content, place.left))
    if isinstance(case.strategy, ClearToolResults) and case.visit.changed:
        left = chain.from_iterable(place.left for place in case.places)
        saved = sum(map(COUNTER.content, left)) - sum(map(_tokens, case.new))
        assert saved >= case.strategy.min_gain_tokens
    if isinstance(case.strategy, PromptCompactor) and case.strategy.target_tokens is not None:
        assert sum(map(_tokens, case.new)) <= case.strategy.target_tokens


def _has_picture(message: Message) -> bool:
    parts = () if isinstance(message.content, str) else message.content
    return any(part_text(part) is None and isinstance(part, FilePart | OpaquePart) for part in parts)


def _tokens(frame: Message) -> int:
    return default_counter().count(frame.text)


def law_09_pure(case: Case) -> None:
    """The input is unchanged; equal messages, read anew, in a list, awaited, give an equal visit."""
    visit = case.visit
    awaited = _driven(case.strategy, list(case.copies), case.options)
    assert tuple(awaited.messages) == case.after
    assert (awaited.record, awaited.spans, awaited.state) == (visit.record, visit.spans, visit.state)
    assert tuple(message.model_dump_json() for message in case.messages) == case.written


def _driven(strategy: Strategy, messages: Sequence[Message], options: VisitOptions) -> Visit:
    """What awaiting a visit gives. Nothing in it waits, so that it needs no event loop."""
    if isinstance(strategy, VisitableStrategy):
        visiting = strategy.avisit(messages, **options)
    else:
        visiting = arun_visit(strategy, messages, **options)
    try:
        visiting.send(None)
    except StopIteration as done:
        visit: Visit = done.value
        return visit
    visiting.close()
    raise AssertionError("a visit waits for something although its summarizer does not")


def law_10_no_op(case: Case) -> None:
    """Under the threshold, and where nothing left, the very same object comes back; an idle visit keeps its state."""
    visit = case.visit
    if not visit.changed:
        assert visit.messages is case.messages
        assert visit.spans == ()
        assert visit.folded is None
    over = [_is_over(case, stage) for stage in case.stages]
    if not any(over):
        assert visit.record.outcome == "idle"
    if visit.record.outcome == "idle":
        assert not any(over)
        assert visit.state == (case.options.get("state") or WindowState())
        assert (visit.record.seams, visit.record.refusals) == ((), ())


def _is_over(case: Case, strategy: Strategy) -> bool:
    threshold = _threshold(strategy)
    if isinstance(strategy, SlidingWindow | Own):
        return _conversation_turns(case.messages) > threshold
    if isinstance(strategy, OffloadLarge):
        return _largest_result(case) > threshold
    if case.options.get("measured") is not None:
        return (case.options.get("measured") or 0) > threshold
    return case.options["iteration"] > 0 and _counted(case) > threshold


def _threshold(strategy: Strategy) -> int:
    match strategy:
        case SlidingWindow():
            return strategy.keep_recent_turns
        case OffloadLarge():
            return strategy.threshold_characters
        case TokenBudget() | SummarizeOldest() | PromptCompactor() | ClearToolResults():
            return strategy.threshold_tokens
        case _:
            return 0


def _conversation_turns(messages: Sequence[Message]) -> int:
    return sum(message.role not in ("tool", "system") for message in messages) + sum(
        message.role == "tool" for message in messages[:1]
    )


def _largest_result(case: Case) -> int:
    results = (message for message in case.copies if message.role == "tool" and frame_kind(message) is None)
    return max((total_characters([message]) for message in results), default=0)


def _counted(case: Case) -> int:
    schemas = (json.dumps(tool, ensure_ascii=False, separators=(",", ":")) for tool in case.options.get("tools", ()))
    return COUNTER.total(case.copies) + sum(map(default_counter().count, schemas))


@dataclass
class Interrupting:
    """A listener that takes note of everything, and raises when it hears the end."""

    heard: list[Event]

    def on_event(self, event: Event, /) -> None:
        self.heard.append(event)
        if isinstance(event, Settled):
            raise OSError("the disk is full")


def law_11_settle_is_applied(case: Case) -> None:
    """A summarizer that fails changes nothing; a listener hears what happened, and changes nothing by raising."""
    if not any(_may_succeed(stage) for stage in case.stages):
        assert case.visit.messages is case.messages
    if not any(_may_succeed(stage) for stage in case.stages if _summarizer(stage) is not None):
        assert all(frame_kind(frame) != "summary" for frame in case.new)
    listener = Interrupting([])
    heard = visited(case.strategy, case.messages, {**case.options, "listener": listener})
    assert heard.record.listener_failed == "OSError: 'the disk is full'"
    assert tuple(heard.messages) == case.after
    assert heard.record.model_copy(update={"listener_failed": None}) == case.record
    assert (heard.spans, heard.state) == (case.visit.spans, case.visit.state)
    _heard(case, listener.heard)


def _summarizer(strategy: Strategy) -> object:
    """Who summarises for a strategy, or None where nobody does."""
    if isinstance(strategy, SummarizeOldest | PromptCompactor):
        return strategy.summarizer or "extractive"
    return strategy.how.summarizer if isinstance(strategy, Own) and isinstance(strategy.how, Fold) else None


def _may_succeed(strategy: Strategy) -> bool:
    """Whether a strategy may change something: nobody summarises, or somebody who gives a text."""
    summarizer = _summarizer(strategy)
    return not isinstance(summarizer, Says) or summarizer.what in ("claim", "verbose")


def _heard(case: Case, events: Sequence[Event]) -> None:
    assert isinstance(events[0], VisitStarted)
    evicted = [event for event in events if isinstance(event, MessageEvicted)]
    assert [event.message_index for event in evicted] == [at for at, stays in enumerate(case.stays) if not stays]
    assert tuple(event.message_id for event in evicted) == case.record.removed
    assert tuple(event.refusal for event in events if isinstance(event, Refused)) == case.record.refusals
    assert tuple(event.span for event in events if isinstance(event, Folded)) == case.visit.spans
    fractions = [event.fraction for event in events if isinstance(event, Progress)]
    assert fractions == sorted(fractions)
    assert fractions[-1:] == [1]
    assert [event.record for event in events if isinstance(event, Settled)] == [case.record]


def law_12_head(case: Case) -> None:
    """A window that opens on a system or user message goes on doing so, also behind its system messages."""
    assert _opens(case.after, "system", "user") or not _opens(case.messages, "system", "user")
    spoken, was_spoken = (
        [message for message in window if message.role != "system"] for window in (case.after, case.messages)
    )
    assert _opens(spoken, "user") or not _opens(was_spoken, "user")


def _opens(window: Sequence[Message], *roles: str) -> bool:
    return bool(window) and window[0].role in roles


def law_13_progress(case: Case) -> None:
    """No pin blocks more than two visits in a row, as long as the state is handed on."""
    blocked = Counter[str]((case.options.get("state") or WindowState()).pin_blocks)
    visit = case.visit
    for _ in range(2 * PATIENCE + 1):
        reasons = set() if visit.changed else {refusal.reason for refusal in visit.record.refusals}
        for pin in PIN_NAMES:
            blocked[pin] = blocked[pin] + 1 if pin in reasons else 0
            assert blocked[pin] <= PATIENCE
        if visit.record.outcome == "idle" or not (visit.changed or reasons.intersection(PIN_NAMES)):
            break
        visit = visited(case.strategy, visit.messages, {**case.options, "state": visit.state})


def law_14_prefix(case: Case) -> None:
    """Ahead of the first seam stand the very same objects; a cut takes `cut_every` turns or results, or a multiple.

    Turns ahead of a system message are as many as they will ever be, and leave as they are.
    """
    start = case.record.removed_from
    if start is None:
        return
    assert same(case.after[:start], case.messages[:start])
    least = min(cut_every(stage) for stage in case.stages)
    if least == 1:
        return
    following = case.places[-1].indices.stop
    if (
        not _clears(case.strategy)
        and case.messages[following : following + 1]
        and case.messages[following].role == "system"
    ):
        return
    assert units_that_left(case) >= least
    if not case.is_pipeline:
        assert units_that_left(case) % least == 0


def cut_every(strategy: Strategy) -> int:
    if isinstance(strategy, Own) and isinstance(strategy.how, Clear):
        return strategy.how.cut_every
    every: int = getattr(strategy, "cut_every", 1)
    return every


def units_that_left(case: Case) -> int:
    """What a cut is counted in: turns that are no frames, or results where they are cleared in their place."""
    starts = {turn.start for turn in turns_of(case.messages)}
    found = 0
    for place in case.places:
        if all(message.role == "tool" for message in place.left) and place.frames:
            found += place.seam.count
        else:
            turns = [case.messages[index] for index in place.indices if index in starts]
            found += sum(frame_kind(message) not in ("summary", "drop-notice") for message in turns)
    return found


def law_15_counted(case: Case) -> None:
    """Tokens are reported, or counted by a real tokenizer; the record says which, and what they were."""
    record = case.record
    if case.is_pipeline:
        first = next(record for record in _first_stages(record) if not record.stages)
        _is_measured(case, case.stages[0], first)
        if record.tokens_before is not None:
            assert record.tokens_before == COUNTER.total(case.copies)
            assert record.tokens_after == COUNTER.total(case.after)
    else:
        _is_measured(case, case.strategy, record)
        if record.tokens_before is not None and record.tokens_after is not None:
            assert record.tokens_after == COUNTER.total(case.after)


def _first_stages(record: WindowRecord) -> Iterator[WindowRecord]:
    while record.stages:
        record = record.stages[0]
    yield record


def _is_measured(case: Case, strategy: Strategy, record: WindowRecord) -> None:
    reported = case.options.get("measured")
    assert record.threshold == _threshold(strategy)
    assert record.over_budget == _is_over(case, strategy)
    assert record.tokens_before is None or record.measured_by == _COUNTED_BY
    if isinstance(strategy, SlidingWindow | Own):
        assert (record.trigger, record.measured_by) == ("turns", "turns")
        assert record.measured == _conversation_turns(case.messages)
    elif isinstance(strategy, OffloadLarge):
        assert (record.trigger, record.measured_by) == ("characters", "characters")
        assert record.measured == _largest_result(case)
    elif reported is not None:
        assert (record.trigger, record.measured_by, record.measured) == ("tokens", "reported", reported)
    elif case.options["iteration"] == 0:
        assert (record.trigger, record.measured_by, record.measured) == ("tokens", "nothing", None)
    else:
        assert (record.trigger, record.measured_by, record.measured) == ("tokens", _COUNTED_BY, _counted(case))
        assert record.tokens_before == COUNTER.total(case.copies)


def law_providers(case: Case) -> None:
    """A window that a wire took is one that it takes: the named wire, or every one that takes a frame anywhere."""
    if not case.visit.changed:
        return
    named = case.options.get("provider")
    for provider in ANY_PLACE if named is None else (named,):
        fault = rejection(provider, case.after)
        assert fault is None or rejection(provider, case.messages) is not None, fault


def rejection(provider: Provider, messages: Sequence[Message]) -> str | None:
    try:
        validate_for(provider, messages)
    except TranscriptError as error:
        return str(error)
    return None


def lineage_01_conservation(case: Case) -> None:
    """Exempt before is exempt after, of messages that were written and read again."""
    read_again = [Message.model_validate_json(message.model_dump_json()) for message in case.new]
    kept = [message for message, stays in zip(case.copies, case.stays, strict=True) if stays]
    assert exempt_forms([*kept, *read_again]) == exempt_forms(case.copies)


def lineage_02_no_laundering(case: Case) -> None:
    """What the new frames say is grounded or exempt only where the old window grounds or exempts it."""
    said = "\n".join(_split(frame)[1] for frame in case.new)
    if not said:
        return
    vouched = ("grounded", "exempt")
    before, after = EvidenceIndex(case.messages).judge(said), EvidenceIndex(case.after).judge(said)
    for was, now in zip(before.values, after.values, strict=True):
        assert now.verdict not in vouched or was.verdict in vouched, now


CHECKS: Final[tuple[Callable[[Case], None], ...]] = (
    law_01_pairs,
    law_02_request,
    law_03_envelope,
    law_04_recent,
    law_05_span,
    law_06_frames,
    law_07_record,
    law_08_smaller,
    law_09_pure,
    law_10_no_op,
    law_11_settle_is_applied,
    law_12_head,
    law_13_progress,
    law_14_prefix,
    law_15_counted,
    law_providers,
    lineage_01_conservation,
    lineage_02_no_laundering,
)
"""Every law that shows in one visit."""


def _flat(strategy: Strategy) -> Iterator[Strategy]:
    if isinstance(strategy, Pipeline):
        yield from chain.from_iterable(map(_flat, strategy.stages))
    else:
        yield strategy


def _clears(strategy: Strategy) -> bool:
    return isinstance(strategy, ClearToolResults | OffloadLarge) or (
        isinstance(strategy, Own) and isinstance(strategy.how, Clear)
    )


def _kept_from(messages: Sequence[Message], strategy: Strategy) -> int:
    """Where what a strategy keeps begins: its last results where it clears, else its last turns."""
    if _clears(strategy):
        results = [index for index, message in enumerate(messages) if message.role == "tool"]
        return _last(results, getattr(strategy, "keep", 0), len(messages))
    turns = [turn.start for turn in turns_of(messages) if messages[turn.start].role != "system"]
    keep = strategy.keep if isinstance(strategy, Own) else getattr(strategy, "keep_recent_turns", 0)
    return _last(turns, max(1, keep), len(messages))


def _last(places: Sequence[int], keep: int, end: int) -> int:
    if not keep:
        return end
    return 0 if len(places) < keep else places[-keep]


def same(one: Sequence[Message], other: Sequence[Message]) -> bool:
    """Whether these are the very same messages."""
    return len(one) == len(other) and all(left is right for left, right in zip(one, other, strict=True))
