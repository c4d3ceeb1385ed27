"""One long life of a window: it grows, is visited by any strategy, is written and read, pauses and goes on.

Beside the window the machine keeps the ledger, which is everything that was ever appended. What a strategy did must be
explained by the window, the spans and the state alone; the ledger is what it is held to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.strategies.conversations import TOOLS, texts
from tests.strategies.visits import COUNTER, Says, retaining_strategies, strategies
from tests.window.laws import is_valid

from foldproof.evidence import EvidenceIndex, exempt_forms
from foldproof.messages import (
    FOLDED,
    Message,
    author_of,
    folded_messages,
    frame_kind,
    is_observation,
    tool_text,
    turns_of,
)
from foldproof.messages.pairing import call_ids
from foldproof.window import (
    FoldedSpan,
    SlidingWindow,
    Strategy,
    SummarizeOldest,
    Visit,
    WindowRecord,
    WindowState,
    run_visit,
    span_of,
    total_characters,
)
from foldproof.window.pins import PATIENCE, PIN_NAMES

_VOUCHED = ("grounded", "undecidable", "exempt")
_LEAST_WORTH_A_FRAME = (400, 120)  # characters and tokens: no frame of these strategies is larger

_FOLDING = SummarizeOldest(0, 1, summarizer=Says("claim"), keep_last_tool_results=0, keep_ledger_facts=0)
_DROPPING = SlidingWindow(1, keep_last_tool_results=0, keep_ledger_facts=0)

steps = st.integers(0, 1)
places = st.integers(0, 50)


class WindowMachine(RuleBasedStateMachine):
    """A host that keeps everything a visit hands it, and goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.ledger: list[Message] = []
        self.window: Sequence[Message] = ()
        self.spans: tuple[FoldedSpan, ...] = ()
        self.records: tuple[WindowRecord, ...] = ()
        self.state = WindowState()
        self.retains = True
        self.waiting: list[str] = []
        self.paused: list[str] = []
        self.blocked = Counter[str]()
        self.iteration = 1
        self.calls = 0
        self.judged = 0

    @initialize(retains=st.booleans())
    def begin(self, retains: bool) -> None:  # noqa: FBT001
        """Half of the lives know only strategies that keep every original, so that all of the ledger can be told."""
        self.retains = retains

    # What happens.

    @rule(text=texts)
    def person_speaks(self, text: str) -> None:
        self._append(role="user", content=text)

    @rule(text=texts)
    def model_answers(self, text: str) -> None:
        self._append(role="assistant", content=text)

    @rule(said=st.lists(st.tuples(st.sampled_from(TOOLS), texts), min_size=1, max_size=3), last_first=st.booleans())
    def tools_run(self, said: list[tuple[str, str]], last_first: bool) -> None:  # noqa: FBT001
        named = [(self._new_call(), tool, text) for tool, text in said]
        calls = [{"id": name, "name": tool, "args": {"q": name}} for name, tool, _ in named]
        self._append(role="assistant", toolCalls=calls)
        for name, tool, text in reversed(named) if last_first else named:
            self._append(role="tool", toolCallId=name, toolName=tool, content=text)

    @rule(tool=st.sampled_from(TOOLS))
    def model_calls(self, tool: str) -> None:
        name = self._new_call()
        self.waiting.append(name)
        self._append(role="assistant", toolCalls=[{"id": name, "name": tool}])

    @precondition(lambda self: self.waiting)
    @rule(place=places)
    def call_is_pending(self, place: int) -> None:
        name = self.waiting[place % len(self.waiting)]
        self._append(role="tool", toolCallId=name, content="it waits for somebody", notDispatched={"pausedCall": {}})

    @precondition(lambda self: self.waiting)
    @rule(place=places, text=texts)
    def call_is_answered(self, place: int, text: str) -> None:
        name = self.waiting.pop(place % len(self.waiting))
        self._append(role="tool", toolCallId=name, content=text)

    @rule(text=texts)
    def app_delivers(self, text: str) -> None:
        self._append(role="user", content=text, injectedBy={"flavor": "skill"})

    @rule(text=texts)
    def app_instructs(self, text: str) -> None:
        self._append(role="system", content=text)

    @precondition(lambda self: self.calls)
    @rule(place=places)
    def call_is_paused(self, place: int) -> None:
        self.paused.append(f"call-{place % self.calls}")

    @precondition(lambda self: self.paused)
    @rule(place=places)
    def call_is_resumed(self, place: int) -> None:
        name = self.paused[place % len(self.paused)]
        self.paused = [other for other in self.paused if other != name]

    # What is done about it.

    @precondition(lambda self: not self.retains)
    @rule(strategy=strategies, later=steps)
    def visit(self, strategy: Strategy, later: int) -> None:
        self._visit(strategy, later)

    @rule(strategy=retaining_strategies, later=steps)
    def visit_and_retain(self, strategy: Strategy, later: int) -> None:
        self._visit(strategy, later)

    @rule(later=steps)
    def fold_again(self, later: int) -> None:
        fold = SummarizeOldest(0, 1, keep_last_tool_results=0, keep_ledger_facts=0)
        self._visit(fold, later)
        self._visit(fold, later)

    @rule()
    def everything_is_written_and_read(self) -> None:
        window, spans, records, state = self._read_again()
        assert window == tuple(self.window)
        assert (spans, records, state) == (self.spans, self.records, self.state)

    @rule(strategy=retaining_strategies, later=steps)
    def run_is_restored(self, strategy: Strategy, later: int) -> None:
        original, at = self.window, self.iteration
        window, spans, records, state = self._read_again()
        went_on = run_visit(strategy, original, iteration=at + later, state=self.state, paused=self.paused)
        self.window, self.spans, self.records, self.state = window, spans, records, state
        restored = self._visit(strategy, later)
        assert tuple(restored.messages) == tuple(went_on.messages)
        assert (restored.record, restored.spans) == (went_on.record, went_on.spans)
        assert restored.state == went_on.state

    @rule()
    def window_is_squeezed(self) -> None:
        """Visit until nothing more leaves. What is left is held, or smaller than what could stand for it."""
        strategy = _FOLDING if self.retains else _DROPPING
        for _ in range(2 * len(self.window) + 1):
            before = self.state
            visit = self._visit(strategy, 0)
            if not visit.changed and visit.state == before:
                break
        else:
            raise AssertionError("visits go on changing a window that does not grow")
        if visit.record.outcome == "refused":
            self._all_that_is_left_is_held_or_small(visit.record)

    def _all_that_is_left_is_held_or_small(self, record: WindowRecord) -> None:
        on_spans = ("only-existing-summary", "replacement-not-smaller")
        held = {refusal.turn_index for refusal in record.refusals if refusal.reason not in on_spans}
        stretch: list[Message] = []
        for index, turn in enumerate((*turns_of(self.window), None)):
            if turn is not None and index not in held:
                stretch += self.window[turn.start : turn.stop]
            else:
                self._is_small(stretch)
                stretch = []

    def _is_small(self, stretch: Sequence[Message]) -> None:
        if all(frame_kind(message) is not None for message in stretch):
            return  # nothing new stands beside the frames
        characters, tokens = _LEAST_WORTH_A_FRAME
        assert total_characters(stretch) <= characters or sum(map(COUNTER.content, stretch)) <= tokens

    # What holds all the time.

    @invariant()
    def the_request_stays(self) -> None:
        said = [message for message in self.ledger if author_of(message) == "person"]
        assert all(request in self.window for request in said[-1:])

    @invariant()
    def the_lineage_is_conserved(self) -> None:
        assert exempt_forms(self.window) == exempt_forms(self.ledger)

    @invariant()
    def every_frame_joins_its_span(self) -> None:
        for frame in filter(self._is_ours, self.window):
            joined = [span for span in self.spans if span.fingerprint == frame.fingerprint]
            assert all(span == joined[0] for span in joined)  # equal messages, folded alike, have equal spans
            assert joined or not self.retains or _is_appendix(frame)

    @invariant()
    def the_spans_give_the_ledger_back(self) -> None:
        told = _written(message for entry in self.window for message in self._expanded(entry))
        if self.retains:
            assert told == _written(self.ledger)
        else:
            rest = iter(_written(self.ledger))
            assert all(message in rest for message in told)

    @invariant()
    def nobody_is_accused_for_what_a_tool_said(self) -> None:
        if self.judged == len(self.records):
            return  # the window only grew at its end
        self.judged = len(self.records)
        index = EvidenceIndex(self.window)
        for result in filter(is_observation, self.ledger):
            judged = index.judge(tool_text(result)).values
            assert all(value.verdict in _VOUCHED for value in judged), judged

    # How.

    def _append(self, **fields: Any) -> None:  # noqa: ANN401 - JSON
        message = Message.model_validate(fields)
        self.ledger.append(message)
        self.window = (*self.window, message)

    def _new_call(self) -> str:
        self.calls += 1
        return f"call-{self.calls - 1}"

    def _visit(self, strategy: Strategy, later: int) -> Visit:
        self.iteration += later
        before = self.window
        visit = run_visit(strategy, before, iteration=self.iteration, state=self.state, paused=self.paused)
        assert is_valid(visit.messages) or not is_valid(before)
        stays = {id(message) for message in visit.messages}
        for turn in turns_of(before):
            messages = before[turn.start : turn.stop]
            if any(set(self.paused).intersection(filter(None, call_ids(message))) for message in messages):
                assert all(id(message) in stays for message in messages)
        self._no_pin_blocks_for_long(visit)
        self.window, self.state = visit.messages, visit.state
        self.spans, self.records = (*self.spans, *visit.spans), (*self.records, visit.record)
        return visit

    def _no_pin_blocks_for_long(self, visit: Visit) -> None:
        if visit.record.outcome == "idle":
            return
        reasons = set() if visit.changed else {refusal.reason for refusal in visit.record.refusals}
        for pin in PIN_NAMES:
            self.blocked[pin] = self.blocked[pin] + 1 if pin in reasons else 0
            assert self.blocked[pin] <= PATIENCE

    def _read_again(
        self,
    ) -> tuple[tuple[Message, ...], tuple[FoldedSpan, ...], tuple[WindowRecord, ...], WindowState]:
        return (
            tuple(Message.model_validate_json(message.model_dump_json()) for message in self.window),
            tuple(FoldedSpan.model_validate_json(span.model_dump_json()) for span in self.spans),
            tuple(WindowRecord.model_validate_json(record.model_dump_json()) for record in self.records),
            WindowState.model_validate_json(self.state.model_dump_json()),
        )

    def _expanded(self, message: Message) -> Iterator[Message]:
        """What an entry of the window stands for: itself, or the originals of its span, frames among them in turn."""
        span = span_of(message, self.spans) if self._is_ours(message) else None
        if span is not None and span.originals is not None:
            for original in span.originals:
                yield from self._expanded(original)
        elif not self._is_ours(message):
            yield message

    def _is_ours(self, message: Message) -> bool:
        """Whether a visit wrote it: nothing that is appended here carries the library's note."""
        return message.metadata is not None and FOLDED in message.metadata


def _is_appendix(frame: Message) -> bool:
    return folded_messages(frame) == 0


def _written(messages: Iterable[Message]) -> list[str]:
    return [message.model_dump_json() for message in messages]


# A life is some twenty visits and costs as much as ten examples of a law.
WindowMachine.TestCase.settings = settings(
    stateful_step_count=30, max_examples=min(settings.default.max_examples if settings.default else 100, 1_000)
)
TestWindowMachine: Callable[..., Any] = WindowMachine.TestCase
