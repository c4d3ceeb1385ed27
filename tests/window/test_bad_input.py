"""Windows that are already broken, and calls that make no sense.

A broken window is never made worse and never raises from a visit, whatever the strategy; what cannot be decided is
refused by name. A call that makes no sense is a `UsageError` of one line that says what to write instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tests.window.builders import (
    PROSE,
    Listening,
    call,
    claim,
    every,
    frames_of,
    holds,
    is_no_worse,
    later,
    loop,
    plain,
    reasons,
    result,
    system,
    talk,
    user,
)

from foldproof.errors import UsageError
from foldproof.evidence import exempt_forms
from foldproof.messages import OPENINGS, Message, message_id
from foldproof.tokens import TiktokenCounter, default_counter
from foldproof.window import (
    REFUSAL_REASONS,
    ClearToolResults,
    CompactionUnmeasurableError,
    Decision,
    InStages,
    MessageCounter,
    OffloadLarge,
    Pipeline,
    PromptCompactor,
    SlidingWindow,
    StrategyInput,
    SummarizeOldest,
    TokenBudget,
    VisitableStrategy,
    WindowState,
    run_visit,
)

WINDOW = [user(), *loop(9), plain()]
LONE = "half of a pair: \ud83d and \udc00 " + PROSE
TWICE = user("said once, held twice " + PROSE)


def message(**fields: object) -> Message:
    return Message.model_validate(fields)


def summary() -> Message:
    return user(f"{OPENINGS['summary']} 4 messages folded by x. A claim:\n\n{PROSE}")


def notice() -> Message:
    return user(f"{OPENINGS['drop-notice']} 9 messages left the window (x). {PROSE}")


EMPTY = [
    message(role="user", content=""),
    message(role="assistant", content=[]),
    message(role="tool", toolCallId="e", content=""),
    message(role="tool", content=()),
]

ODD_CUTS: tuple[object, ...] = (-1, 10**9, 1.5, "7", True, [], None)

BROKEN: dict[str, list[Message]] = {
    "nothing": [],
    "orphans": [result("gone"), user(), result("lost"), *loop(3), result("c9"), plain(), user(), plain()],
    "only orphans": [result(name) for name in "abcdef"],
    "a result that names no call": [user(), call("a"), message(role="tool", content=PROSE), *talk(3)],
    "a call without a result": [user(), call("a", "b"), result("a"), *talk(3)],
    "a call nobody answered, at the end": [*talk(4), call("a")],
    "one id for two calls of a message": [user(), call("a", "a"), result("a"), *talk(3)],
    "one id for everything": [user(), *[call("a"), result("a")] * 5, plain(), plain()],
    "an answer given twice": [user(), call("a"), result("a"), result("a", "again " + PROSE), *loop(3), *talk(2)],
    "one id on every message": [
        message(role="user", id="same", content=PROSE),
        *[message(role=role, id="same", content=f"{role} {PROSE}") for role in ("assistant", "user") * 4],
    ],
    "empty content": [*EMPTY, call("e"), *EMPTY, *talk(2), *EMPTY],
    "only empty content": EMPTY * 3,
    "blank ids": [user(), call("", " "), result("", PROSE), result(" ", PROSE), *talk(3)],
    "results before their calls": [user(), result("a"), call("a"), result("b"), result("c"), call("b", "c"), *talk(3)],
    "results far from their calls": [user(), call("a", "b"), *talk(2), result("b"), *talk(2), result("a"), *talk(2)],
    "pairs that cross": [user(), call("a"), call("b"), result("a"), user(), result("b"), *talk(3)],
    "only system messages": [system(PROSE) for _ in range(6)],
    "system messages everywhere": [m for turn in (*loop(4), *talk(2)) for m in (system(PROSE), turn)],
    "only frames": [summary(), notice(), summary(), notice(), summary()],
    "only one frame": [summary()],
    "frames around everything": [m for turn in talk(4) for m in (notice(), turn, summary())],
    "only the model": [plain() for _ in range(8)],
    "one message larger than any budget": [user("word " * 100_000)],
    "one result larger than any budget": [user(), call("a"), result("a", "word " * 100_000)],
    "a huge text without a space": [user(), call("a"), result("a", "x" * 400_000), *talk(3)],
    "a huge run of spaces": [user(), call("a"), result("a", " " * 400_000), *talk(3)],
    "lone surrogates": [
        user(LONE),
        call("a"),
        result("a", LONE),
        call("b"),
        result("b", LONE),
        plain(LONE),
        *talk(2, LONE),
        plain(LONE),
    ],
    "a surrogate in a name": [user(), call("a", tool="t\udc00"), result("a", PROSE, tool="t\udc00"), *talk(3)],
    "a surrogate in an id": [user(), call("a\udc00"), result("a\udc00"), call("b"), result("b"), *talk(3)],
    "parts of unknown type": [
        message(role=role, content=[{"type": "hologram", "at": [1, {"x": None}]}, {"no": "type"}, {"type": 7}])
        for role in ("user", "assistant", "user", "assistant", "user", "assistant")
    ],
    "unknown parts in a result": [
        user(),
        call("a"),
        message(role="tool", toolCallId="a", content=[{"type": "hologram"}] * 3),
        *loop(3),
        *talk(2),
    ],
    "calls on a user message": [message(role="user", content=PROSE, toolCalls=[{"id": "u", "name": "t"}]), *talk(4)],
    "a call id on an answer": [message(role="assistant", content=PROSE, toolCallId="c0"), *loop(4), *talk(2)],
    "the same message twice": [TWICE, *loop(2), TWICE, *loop(2), TWICE, plain(), plain()],
    "the same pair twice": [user(), *loop(1) * 6, plain(), plain()],
    "a cut that makes no sense": [
        user(),
        *[
            m
            for at, cut in enumerate(ODD_CUTS)
            for m in (call(f"c{at}"), message(role="tool", toolCallId=f"c{at}", content=PROSE, toolChars=cut))
        ],
        *talk(2),
    ],
    "notes that lie": [
        message(role="user", content=PROSE, metadata={"foldproof": {"messages": -4, "observations": 7}}),
        message(role="user", content=PROSE, metadata={"foldproof": {"messages": True}}),
        message(role="tool", toolCallId="a", content=PROSE, metadata={"foldproof": {}}),
        message(role="user", content=PROSE, metadata={"axleCompaction": {"id": None, "role": "king"}}),
        *talk(3),
    ],
    "results that never ran": [
        user(),
        *[
            m
            for at in range(4)
            for m in (
                call(f"c{at}"),
                message(role="tool", toolCallId=f"c{at}", content=PROSE, notDispatched={"pausedCall": {}}),
            )
        ],
        *talk(2),
    ],
}
"""Windows that break a rule, or are odd in another way."""

every_window = pytest.mark.parametrize("name", BROKEN)


@every
@every_window
def test_a_broken_window_is_never_made_worse(strategy: VisitableStrategy, name: str) -> None:
    window = BROKEN[name]
    before = list(window)
    visit = strategy.visit(window)
    assert len(window) == len(before)
    assert all(new is old for new, old in zip(window, before, strict=True))
    assert is_no_worse(window, visit.messages)
    assert exempt_forms(visit.messages) == exempt_forms(window)
    assert visit.changed == (size_of(visit.messages) < size_of(window))
    assert visit.changed or visit.messages is window


def size_of(window: Sequence[Message]) -> tuple[int, int]:
    """What a window costs, and how many messages it has: a part without words has a price, and no characters."""
    return MessageCounter(default_counter()).total(window), len(window)


@every
@every_window
def test_a_broken_window_comes_to_rest(strategy: VisitableStrategy, name: str) -> None:
    window: Sequence[Message] = BROKEN[name]
    state = WindowState()
    changes = []
    for _ in range(12):
        visit = strategy.visit(window, state=state)
        assert is_no_worse(window, visit.messages)
        window, state = visit.messages, visit.state
        changes.append(visit.changed)
    assert not changes[-1]


@every
@every_window
def test_what_is_not_decided_is_refused_by_name(strategy: VisitableStrategy, name: str) -> None:
    record = strategy.visit(BROKEN[name]).record
    clears_only = not any(hasattr(stage, "keep_recent_turns") for stage in _stages(strategy))
    if record.outcome == "refused" and BROKEN[name] and not clears_only:
        assert record.refusals
    assert all(refusal.reason in REFUSAL_REASONS for refusal in record.refusals)
    assert all(message_id(BROKEN[name][told.message_index]) == told.message_id for told in record.refusals)


def _stages(strategy: object) -> list[object]:
    if isinstance(strategy, Pipeline):
        return [inner for stage in strategy.stages for inner in _stages(stage)]
    return [strategy]


@every
@every_window
def test_a_broken_window_is_as_it_was_for_every_way_of_calling(strategy: VisitableStrategy, name: str) -> None:
    window = BROKEN[name]
    options: dict[str, Any] = {"paused": ["a"], "standings": {"a": "fact", "c0": "noise"}, "request": PROSE}
    listening = Listening()
    visit = strategy.visit(tuple(window), listener=listening, **options)
    assert is_no_worse(window, visit.messages)
    assert listening.kinds[0] == "visit-started"
    assert listening.kinds[-1] == "settled"
    assert strategy.visit(window, **options).record == visit.record


@every
@pytest.mark.parametrize("name", [name for name in BROKEN if not name.startswith("a surrogate in")])
def test_the_record_of_a_broken_window_survives_json(strategy: VisitableStrategy, name: str) -> None:
    visit = strategy.visit(BROKEN[name])
    # Originals with half of a surrogate pair cannot be written, here or anywhere.
    spans = () if name == "lone surrogates" else visit.spans
    for kept in (visit.record, visit.state, *spans):
        assert type(kept).model_validate_json(kept.model_dump_json()) == kept


@every
def test_a_frame_of_half_a_surrogate_pair_can_be_sent(strategy: VisitableStrategy) -> None:
    visit = strategy.visit(BROKEN["lone surrogates"])
    assert visit.changed
    ours = [frame for frame in frames_of(visit.messages) if frame.role == "user" and "verbatim" not in frame.text]
    assert all(frame.text.encode() for frame in ours)


@every
def test_one_message_larger_than_the_budget_is_refused_by_name(strategy: VisitableStrategy) -> None:
    window = BROKEN["one message larger than any budget"]
    visit = strategy.visit(window)
    assert visit.messages is window
    if visit.record.outcome == "refused":
        assert "current-request" in reasons(visit.record) or visit.record.strategy == "clear-tool-results"


def test_a_turn_count_is_not_over_where_there_is_nothing_to_keep() -> None:
    for name in ("nothing", "only system messages", "only one frame"):
        assert SlidingWindow(1).visit(BROKEN[name]).record.outcome == "idle"


@every
def test_a_list_that_changes_after_the_visit_changes_nothing(strategy: VisitableStrategy) -> None:
    window = [user("the request"), *loop(6), plain(), plain()]
    undisturbed = strategy.visit(tuple(window))
    visit = strategy.visit(window)
    window.clear()
    assert visit.changed
    assert tuple(visit.messages) == tuple(undisturbed.messages)
    assert (visit.record, visit.spans, visit.state) == (undisturbed.record, undisturbed.spans, undisturbed.state)


@every
def test_the_same_message_twice_in_a_window_is_two_messages(strategy: VisitableStrategy) -> None:
    window = BROKEN["the same message twice"]
    visit = strategy.visit(window)
    assert visit.changed
    assert holds(visit.messages, TWICE)
    assert visit.record.messages_before - visit.record.removed_count + len(frames_of(visit.messages)) == len(
        visit.messages
    )


class Forgetful:
    """A user's own strategy that returns what it is told to."""

    name = "forgetful"

    def __init__(self, decision: Any) -> None:  # noqa: ANN401 - that is the mistake
        self.decision = decision

    def plan(self, _: StrategyInput, /) -> Decision:
        decided: Decision = self.decision
        return decided


RETAIN = "write one of conversation, archive, lineage, discard"
CONSTRUCTED: dict[str, tuple[Callable[[], object], str]] = {
    "sliding, no turn": (lambda: SlidingWindow(0), "keep_recent_turns is 0; write a whole number, 1 or more"),
    "budget, no turn": (lambda: TokenBudget(1, 0), "keep_recent_turns is 0; write a whole number, 1 or more"),
    "fold, no turn": (lambda: SummarizeOldest(1, 0), "keep_recent_turns is 0; write a whole number, 1 or more"),
    "prompt, no turn": (lambda: PromptCompactor(1, 0), "keep_recent_turns is 0; write a whole number, 1 or more"),
    "no number": (lambda: SlidingWindow("6"), "keep_recent_turns is '6'; write"),  # type: ignore[arg-type]
    "budget, negative": (lambda: TokenBudget(-1), "threshold_tokens is -1; write a whole number, 0 or more"),
    "fold, negative": (lambda: SummarizeOldest(-1), "threshold_tokens is -1; write a whole number, 0 or more"),
    "prompt, negative": (lambda: PromptCompactor(-1), "threshold_tokens is -1; write a whole number, 0 or more"),
    "clear, negative": (lambda: ClearToolResults(-1), "threshold_tokens is -1; write a whole number, 0 or more"),
    "offload, nothing": (lambda: OffloadLarge(0), "threshold_characters is 0; write a whole number, 1 or more"),
    "fold, no name": (lambda: SummarizeOldest(1, summarizer=claim), "pass model='...'"),
    "fold, blank name": (lambda: SummarizeOldest(1, summarizer=claim, model=" "), "pass model='...'"),
    "fold, only a name": (lambda: SummarizeOldest(1, model="gpt"), "pass its summarizer too"),
    "fold, a text": (lambda: SummarizeOldest(1, summarizer="gpt", model="m"), "pass a callable"),  # type: ignore[arg-type]
    "fold, retain": (lambda: SummarizeOldest(1, retain="no"), RETAIN),  # type: ignore[arg-type]
    "prompt, no name": (lambda: PromptCompactor(1, summarizer=claim), "pass model='...'"),
    "prompt, blank name": (lambda: PromptCompactor(1, summarizer=claim, model=" "), "pass model='...'"),
    "prompt, only a name": (lambda: PromptCompactor(1, model="gpt"), "pass its summarizer too"),
    "prompt, a text": (lambda: PromptCompactor(1, summarizer="gpt", model="m"), "pass a callable"),  # type: ignore[arg-type]
    "prompt, no target": (lambda: PromptCompactor(1, target_tokens=0), "target_tokens is 0; write"),
    "prompt, uncounted target": (
        lambda: PromptCompactor(1, target_tokens=500, counter="reported-only"),
        'target_tokens needs something that counts; leave out counter="reported-only"',
    ),
    "prompt, quotes": (lambda: PromptCompactor(1, quoted_messages=-1), "quoted_messages is -1; write"),
    "prompt, retain": (lambda: PromptCompactor(1, retain="no"), RETAIN),  # type: ignore[arg-type]
    "clear, retain": (lambda: ClearToolResults(1, retain="no"), RETAIN),  # type: ignore[arg-type]
    "offload, retain": (lambda: OffloadLarge(retain="no"), RETAIN),  # type: ignore[arg-type]
    "clear, keep": (lambda: ClearToolResults(1, -1), "keep is -1; write a whole number, 0 or more"),
    "clear, keep all": (lambda: ClearToolResults(1, None), "keep is None; write"),  # type: ignore[arg-type]
    "offload, keep": (lambda: OffloadLarge(keep=-1), "keep is -1; write a whole number, 0 or more"),
    "clear, gain": (lambda: ClearToolResults(1, min_gain_tokens=-1), "min_gain_tokens is -1; write"),
    "clear, uncounted gain": (
        lambda: ClearToolResults(1, min_gain_tokens=9, counter="reported-only"),
        'min_gain_tokens needs something that counts; leave out counter="reported-only"',
    ),
    "clear, one name": (lambda: ClearToolResults(1, exclude="search"), "such as ['search']"),
    "offload, one name": (lambda: OffloadLarge(exclude="search"), "such as ['search']"),
    "clear, no names": (lambda: ClearToolResults(1, exclude=None), "pass a collection of names"),  # type: ignore[arg-type]
    "clear, numbers": (lambda: ClearToolResults(1, exclude=[1]), "pass a collection of names"),  # type: ignore[list-item]
    "offload, a number": (lambda: OffloadLarge(exclude=7), "pass a collection of names"),  # type: ignore[arg-type]
    "offload, all head": (lambda: OffloadLarge(100, 100), "keep a head that is smaller than what is offloaded"),
    "offload, more head": (lambda: OffloadLarge(100, 200), "keep a head that is smaller than what is offloaded"),
    "offload, no head": (lambda: OffloadLarge(100, -1), "head_characters is -1; write"),
    **{
        f"cut_every=0 of {make.name}": (
            lambda make=make: make(1, cut_every=0),  # type: ignore[misc]
            "cut_every is 0; write a whole number, 1 or more",
        )
        for make in (SlidingWindow, TokenBudget, SummarizeOldest, PromptCompactor, ClearToolResults, OffloadLarge)
    },
    "a step of halves": (lambda: SlidingWindow(cut_every=1.5), "cut_every is 1.5"),  # type: ignore[arg-type]
    "pins": (lambda: SlidingWindow(keep_last_tool_results=-1), "keep_last_tool_results is -1"),
    "facts": (lambda: ClearToolResults(1, keep_ledger_facts=True), "keep_ledger_facts is True"),
    "no counter": (lambda: TokenBudget(1, counter=len), "counter is <built-in function len>; pass"),  # type: ignore[arg-type]
    "the class of a counter": (lambda: TokenBudget(1, counter=TiktokenCounter), "pass an object with name"),  # type: ignore[arg-type]
    "no stage": (lambda: Pipeline([]), "stages is []; pass a list of strategies, the cheapest first"),
    "no list of stages": (lambda: Pipeline(SlidingWindow()), "pass a list of strategies"),  # type: ignore[arg-type]
    "the class of a stage": (lambda: Pipeline([SlidingWindow]), "pass a strategy: an object with a name"),  # type: ignore[list-item]
    "the name of a stage": (lambda: Pipeline(["sliding-window"]), "'sliding-window' is no strategy; pass"),  # type: ignore[list-item]
    "a stage of stages": (lambda: Pipeline([[SlidingWindow()]]), "pass a strategy: an object with a name"),  # type: ignore[list-item]
    "pipeline, no counter": (lambda: Pipeline([SlidingWindow()], counter=5), "counter is 5; pass"),  # type: ignore[arg-type]
}
"""Options that make no sense where a strategy is made."""

VISITED: dict[str, tuple[dict[str, Any], str]] = {
    "iteration": ({"iteration": -1}, "iteration is -1; write a whole number, 0 or more"),
    "iteration, a truth": ({"iteration": True}, "iteration is True; write"),
    "measured": ({"measured": -5}, "measured is -5; write a whole number, 0 or more"),
    "measured, half a token": ({"measured": 0.5}, "measured is 0.5; write"),
    "provider": ({"provider": "nobody"}, "provider is 'nobody'; write one of openai_chat"),
    "provider, several": ({"provider": ["mistral"]}, "provider is ['mistral']; write one of openai_chat"),
    "paused, one id": ({"paused": "c1"}, "paused is one string; pass a collection of ids, such as ['c1']"),
    "paused, none": ({"paused": None}, "paused is None; pass a collection of ids"),
    "paused, a number": ({"paused": 7}, "paused is 7; pass a collection of ids"),
    "paused, lists": ({"paused": [["c1"]]}, "paused is [['c1']]; pass a collection of ids"),
    "check-ins, one id": ({"pending_check_ins": "c1"}, "such as ['c1']"),
    "check-ins, none": ({"pending_check_ins": None}, "pending_check_ins is None; pass a collection of ids"),
    "standings, a list": ({"standings": ["c1"]}, "standings is ['c1']; pass"),
    "standings, no such word": ({"standings": {"c1": "facts"}}, "facts"),
    "state, as a dict": ({"state": {"latched": []}}, "state is {'latched': []}; pass"),
    "request, no text": ({"request": 5}, "request is 5; pass"),
    "listener": ({"listener": object()}, "pass an object with on_event(event)"),
    "listener, a function": ({"listener": print}, "pass an object with on_event(event)"),
    "listener, its class": ({"listener": Listening}, "pass an object with on_event(event)"),
    "tools, as text": ({"tools": '[{"name": "search"}]'}, "tools is "),
    "tools, one of them": ({"tools": {"name": "search"}}, "tools is {'name': 'search'}; pass"),
    "tools, none": ({"tools": None}, "tools is None; pass"),
    "tools, no JSON": ({"tools": [{"name": object}]}, "tools"),
    "tools, a function": ({"tools": [print]}, "tools"),
}
"""Options that make no sense where a window is visited."""


def says(make: Callable[[], object], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        make()
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize("name", CONSTRUCTED)
def test_a_strategy_that_makes_no_sense_says_what_to_write(name: str) -> None:
    says(*CONSTRUCTED[name])


@pytest.mark.parametrize("name", VISITED)
def test_a_visit_that_makes_no_sense_says_what_to_write(name: str) -> None:
    options, told = VISITED[name]
    for strategy in (TokenBudget(0, 2), SlidingWindow(50), Pipeline([SlidingWindow(50), ClearToolResults(0)])):
        says(lambda strategy=strategy: strategy.visit(WINDOW, **options), told)  # type: ignore[misc]


def test_names_may_come_from_any_collection_once_read() -> None:
    for names in (["search"], ("search",), {"search"}, frozenset(["search"]), {"search": 1}.keys()):
        assert not ClearToolResults(0, 1, exclude=names).visit(WINDOW).changed
    says(lambda: ClearToolResults(0, 1, exclude=iter(["search"])), "exclude")  # type: ignore[arg-type]


@every
@pytest.mark.parametrize(
    ("window", "told"),
    [
        ([{"role": "user"}], "messages[0] is {'role': 'user'}"),
        ([*WINDOW, None], "messages[20] is None"),
        ("a text", "messages[0] is 'a'"),
        (None, "messages is None; pass a list or a tuple of messages"),
        (iter(WINDOW), "pass a list or a tuple of messages"),
        ({"messages": WINDOW}, "pass a list or a tuple of messages"),
    ],
    ids=["a dict", "nothing among them", "a text", "nothing", "an iterator", "an object"],
)
def test_what_is_no_window_says_what_to_pass(strategy: VisitableStrategy, window: Any, told: str) -> None:  # noqa: ANN401
    says(lambda: strategy.visit(window), told)


@pytest.mark.parametrize("make", [SummarizeOldest, PromptCompactor], ids=lambda make: make.name)
def test_an_asynchronous_summarizer_says_how_to_call_it(make: Callable[..., VisitableStrategy]) -> None:
    strategy = make(0, 1, summarizer=later, model="m")
    for visited in (strategy, Pipeline([strategy]), Pipeline([Pipeline([SlidingWindow(99), strategy])])):
        says(lambda visited=visited: visited.visit(WINDOW), "call avisit")  # type: ignore[misc]


@pytest.mark.parametrize("make", [TokenBudget, SummarizeOldest, PromptCompactor, ClearToolResults])
def test_what_nothing_can_measure_is_refused_by_name(make: Callable[..., VisitableStrategy]) -> None:
    strategy = make(0, 1, counter="reported-only")
    for visited in (strategy, Pipeline([strategy])):
        with pytest.raises(CompactionUnmeasurableError, match="pass measured=<reported input tokens>"):
            visited.visit(WINDOW)
    assert not strategy.visit(WINDOW, iteration=0).changed


@pytest.mark.parametrize(
    "decided",
    [None, 5, InStages(stages=()), InStages(stages=[SlidingWindow])],  # type: ignore[list-item]
    ids=["none", "5", "no stage", "a class"],
)
def test_a_strategy_of_the_users_own_that_decides_nothing_is_told(decided: object) -> None:
    says(lambda: run_visit(Forgetful(decided), WINDOW), "forgetful")


@pytest.mark.parametrize("strategy", [None, SlidingWindow, "sliding-window"], ids=str)
def test_what_is_no_strategy_is_told(strategy: Any) -> None:  # noqa: ANN401 - that is the mistake
    says(lambda: run_visit(strategy, WINDOW), "strategy")


def test_stages_are_those_that_were_passed() -> None:
    stages = [SlidingWindow(2)]
    pipeline = Pipeline(stages)
    stages.clear()
    assert pipeline.visit(WINDOW).changed


def test_a_wrong_call_leaves_no_trace() -> None:
    listening = Listening()
    with pytest.raises(UsageError):
        SlidingWindow(2).visit(WINDOW, measured=-1, listener=listening)
    assert listening.heard == []
