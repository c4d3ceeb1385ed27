"""Every strategy there is, a user's own included, and the options of a visit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

from hypothesis import strategies as st
from tests.strategies.conversations import CALL_IDS, TOOLS

from foldproof.messages import Message
from foldproof.tokens import default_counter
from foldproof.window import (
    WIRE_RULES,
    Clear,
    ClearToolResults,
    Decision,
    Drop,
    Fold,
    MessageCounter,
    OffloadLarge,
    Pipeline,
    PromptCompactor,
    Retain,
    SlidingWindow,
    Strategy,
    StrategyInput,
    SummarizeOldest,
    SummaryRequest,
    TokenBudget,
    VisitOptions,
    WindowState,
    turn_trigger,
)

COUNTER = MessageCounter(default_counter())

CLAIMED = "ZX-998877"
"""What `Says` claims, and nobody else ever says."""

Failure = Literal["raise", "stop", "none", "empty", "blank", "bytes", "surrogate"]
FAILURES: tuple[Failure, ...] = ("raise", "stop", "none", "empty", "blank", "bytes", "surrogate")


@dataclass(frozen=True)
class Says:
    """A summarizer that makes a short claim, or too long a one, or fails in one of the ways in which they do."""

    what: Failure | Literal["claim", "verbose"]

    @property
    def name(self) -> str:
        return f"says-{self.what}"

    def __call__(self, span: Sequence[Message], _: SummaryRequest, /) -> str:
        claim = f"{len(span)} things happened around {CLAIMED}"
        if self.what in ("raise", "stop"):
            raise StopIteration if self.what == "stop" else OSError("down")
        answers = {"claim": claim, "verbose": claim * 400, "empty": "", "blank": " \n", "surrogate": "\ud800"}
        wrong: dict[str, object] = {"none": None, "bytes": b"text"}
        return cast("str", {**answers, **wrong}[self.what])


@dataclass(frozen=True)
class Own:
    """A user's own strategy: wants these turns (or messages, to clear) gone, all of them by default."""

    how: Drop | Fold | Clear
    keep: int = 0
    wanted: frozenset[int] | None = None
    cut_every: int = 1
    keep_last_tool_results: int = 0
    keep_ledger_facts: int = 0
    counts: bool = True
    name: ClassVar[str] = "own"

    def plan(self, given: StrategyInput, /) -> Decision:
        trigger = turn_trigger(given, threshold=0)
        if not trigger.over:
            return Decision(trigger=trigger)
        pins = {"keep_last_tool_results": self.keep_last_tool_results, "keep_ledger_facts": self.keep_ledger_facts}
        if isinstance(self.how, Clear):
            wanted = given.plan_clearing.results() if self.wanted is None else self.wanted
            removal = given.plan_clearing(keep=self.keep, wanted=wanted, **pins)
        else:
            removal = given.plan_removal(
                keep_recent_turns=self.keep, wanted=self.wanted, cut_every=self.cut_every, **pins
            )
        counter = COUNTER if self.counts else None
        return Decision(trigger=trigger, removal=removal, how=self.how, counter=counter)


_pins = {
    "keep_last_tool_results": st.sampled_from([0, 0, 1, 2]),
    "keep_ledger_facts": st.sampled_from([0, 0, 1, 2]),
    "cut_every": st.sampled_from([1, 1, 1, 2, 3]),
}
_thresholds = st.sampled_from([0, 0, 0, 9, 60, 300])
_recent = st.integers(1, 3)
_retain: st.SearchStrategy[Retain] = st.sampled_from(["conversation", "discard"])
_summarizers = st.sampled_from([Says("claim")] * 8 + [Says("verbose")] * 2 + [Says(failure) for failure in FAILURES])
_excluded = st.sampled_from([(), (), ("search",), TOOLS[:2]])

_retaining: st.SearchStrategy[Retain] = st.just("conversation")


def _summarizing(retain: st.SearchStrategy[Retain]) -> st.SearchStrategy[SummarizeOldest]:
    return st.builds(
        SummarizeOldest,
        _thresholds,
        _recent,
        summarizer=st.one_of(st.none(), _summarizers),
        retain=retain,
        **_pins,
    )


def _clearing(retain: st.SearchStrategy[Retain]) -> st.SearchStrategy[ClearToolResults]:
    gains = st.sampled_from([0, 0, 5, 60])
    keep = st.sampled_from([0, 0, 1, 2, 3])
    return st.builds(ClearToolResults, _thresholds, keep, _excluded, min_gain_tokens=gains, retain=retain, **_pins)


def _offloading(retain: st.SearchStrategy[Retain]) -> st.SearchStrategy[OffloadLarge]:
    return st.builds(
        lambda head, beyond, **options: OffloadLarge(head + beyond, head, **options),
        st.integers(0, 40),
        st.integers(1, 80),
        keep=st.sampled_from([0, 0, 1, 2]),
        exclude=_excluded,
        retain=retain,
        **_pins,
    )


def _compacting(retain: st.SearchStrategy[Retain]) -> st.SearchStrategy[PromptCompactor]:
    return st.builds(
        PromptCompactor,
        _thresholds,
        _recent,
        target_tokens=st.sampled_from([None, None, 1, 60, 120, 200]),
        quoted_messages=st.integers(0, 3),
        summarizer=st.one_of(st.none(), _summarizers),
        retain=retain,
        **_pins,
    )


def _folds(retain: st.SearchStrategy[Retain]) -> st.SearchStrategy[Fold]:
    return st.builds(
        Fold,
        summarizer=st.just(Says("claim")),
        model=st.just("own-1"),
        retain=retain,
        target_tokens=st.sampled_from([None, 100]),
        quoted_messages=st.integers(0, 1),
        stamped=st.booleans(),
    )


def _clears(retain: st.SearchStrategy[Retain]) -> st.SearchStrategy[Clear]:
    gains = st.sampled_from([0, 30])
    steps = st.sampled_from([1, 1, 1, 2, 3])
    return st.builds(Clear, retain=retain, head_characters=st.integers(0, 40), min_gain_tokens=gains, cut_every=steps)


def _own(*how: st.SearchStrategy[Drop | Fold | Clear]) -> st.SearchStrategy[Own]:
    wanted = st.one_of(st.none(), st.none(), st.frozensets(st.integers(0, 12), min_size=3))
    return st.builds(Own, st.one_of(*how), st.integers(0, 2), wanted=wanted, counts=st.booleans(), **_pins)


def _pipelines(stages: st.SearchStrategy[Strategy]) -> st.SearchStrategy[Pipeline]:
    """Two or three stages, now and then a pipeline among them."""
    budgets = st.sampled_from([None, None, "reported-only"])
    inner = st.builds(Pipeline, st.lists(stages, min_size=2, max_size=2), counter=budgets)
    mostly = st.one_of(stages, stages, stages, inner)
    return st.builds(Pipeline, st.lists(mostly, min_size=2, max_size=3), counter=budgets)


def _that_retain(retain: st.SearchStrategy[Retain]) -> tuple[st.SearchStrategy[Strategy], ...]:
    return _summarizing(retain), _clearing(retain), _offloading(retain), _compacting(retain)


_dropping: tuple[st.SearchStrategy[Strategy], ...] = (
    st.builds(SlidingWindow, _recent, **_pins),
    st.builds(TokenBudget, _thresholds, _recent, **_pins),
)
single_strategies: st.SearchStrategy[Strategy] = st.one_of(
    *_dropping, *_that_retain(_retain), _own(st.just(Drop()), _folds(_retain), _clears(_retain))
)
strategies: st.SearchStrategy[Strategy] = st.one_of(*[single_strategies] * 2, *[_pipelines(single_strategies)] * 4)
"""Every strategy. One in five is a pipeline; alternatives of alternatives count as so many alternatives."""

_single_retaining: st.SearchStrategy[Strategy] = st.one_of(
    *_that_retain(_retaining), _own(_folds(_retaining), _clears(_retaining))
)
retaining_strategies: st.SearchStrategy[Strategy] = st.one_of(
    *[_single_retaining] * 2, *[_pipelines(_single_retaining)] * 3
)
"""Those that hand every original to the application."""

standings = st.dictionaries(
    st.sampled_from(CALL_IDS), st.sampled_from(["fact", "open", "noise", "ruled-out"]), max_size=3
)
_states = st.builds(
    WindowState,
    pin_blocks=st.dictionaries(st.sampled_from(["last-tool-result", "ledger-fact"]), st.integers(1, 2), max_size=2),
)
_schemas = st.just([{"name": "search", "description": "予約を探す", "parameters": {"type": "object"}}])
_some_ids = st.lists(st.sampled_from(CALL_IDS), min_size=1, max_size=2)
_optional: dict[str, st.SearchStrategy[Any]] = {
    "measured": st.integers(0, 900),
    "paused": _some_ids,
    "pending_check_ins": _some_ids,
    "standings": standings,
    "request": st.sampled_from(["ok", "hello", "never said"]),
    "tools": _schemas,
    "provider": st.sampled_from(list(WIRE_RULES)),
    "state": _states,
}


@st.composite
def _options(draw: st.DrawFn) -> VisitOptions:
    """The options of a visit; most are left out most of the time, so that most cases stay readable and busy."""
    options: dict[str, Any] = {"iteration": draw(st.sampled_from([1, 2, 9, 9, 9, 9, 9, 0]))}
    for name in draw(st.lists(st.sampled_from([*_optional, "provider"]), max_size=3, unique=True)):
        options[name] = draw(_optional[name])
    return cast("VisitOptions", options)


visit_options = _options()
