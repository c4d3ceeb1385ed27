"""The generators reach every strategy, and find something for it to do: a law over visits that do nothing is no law."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hypothesis import HealthCheck, Phase, given, settings
from tests.strategies.cases import cases
from tests.strategies.visits import FAILURES, Own
from tests.window.laws import Case, cut_every, rejection

from foldproof.messages import Message, frame_kind, pair
from foldproof.window import WIRE_RULES, Provider
from foldproof.window.providers import ANY_PLACE

STRICT: tuple[Provider, ...] = tuple(provider for provider in WIRE_RULES if provider not in ANY_PLACE)
STRATEGIES = {
    "SlidingWindow",
    "TokenBudget",
    "SummarizeOldest",
    "ClearToolResults",
    "OffloadLarge",
    "PromptCompactor",
    "Pipeline",
    "Own",
}
EXPECTED = {
    *STRATEGIES,
    *("own drop", "own fold", "own clear"),
    *("cut every 2", "cut every 3"),
    *("accepted by every wire", "accepted by a strict wire"),
    *("seam summary", "seam drop-notice", "seam cleared-result", "seam none"),
    *("several seams", "several replacements", "appendix", "head"),
    *("orphans", "dead calls", "pins", "paused"),
}


def reached(case: Case) -> Iterator[str]:
    """What a visit that changed something shows."""
    strategy, record = case.strategy, case.record
    yield type(strategy).__name__
    yield f"cut every {cut_every(strategy)}"
    if isinstance(strategy, Own):
        yield f"own {type(strategy.how).__name__.casefold()}"
    yield from (f"seam {seam.replacement}" for seam in record.seams)
    found = {
        "several seams": len(record.seams) > 1,
        "several replacements": len({seam.replacement for seam in record.seams}) > 1,
        "appendix": any(len(seam.frames) > 1 for seam in record.seams),
        "head": any(map(has_head, case.new)),
        "accepted by every wire": record.provider is None and all(is_accepted(case, wire) for wire in WIRE_RULES),
        "accepted by a strict wire": any(record.provider == wire and is_accepted(case, wire) for wire in STRICT),
        "orphans": bool(pair(case.messages).orphans),
        "dead calls": bool(record.dead_calls),
        "pins": any(refusal.reason == "last-tool-result" for refusal in record.refusals),
        "paused": any(refusal.reason == "paused-tool" for refusal in record.refusals),
    }
    yield from (name for name, is_so in found.items() if is_so)


def is_accepted(case: Case, provider: Provider) -> bool:
    return rejection(provider, case.messages) is None


def has_head(frame: Message) -> bool:
    return frame_kind(frame) == "cleared-result" and bool(frame.tool_chars)


def test_cases_reach_everything() -> None:
    seen, outcomes = Counter[str](), Counter[str]()
    failures: set[str] = set()

    # The same examples every time: a rare case must not make this fail now and then.
    @settings(
        max_examples=1_500,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases)
    def look(case: Case) -> None:
        outcomes[case.record.outcome] += 1
        if case.visit.changed:
            seen.update(reached(case))
        if any(refusal.reason == "summarizer-failed" for refusal in case.record.refusals):
            failures.add(str(getattr(getattr(case.strategy, "summarizer", None), "what", "")))

    look()
    assert set(seen) >= EXPECTED
    assert len(failures.intersection(FAILURES)) >= len(FAILURES) / 2
    assert outcomes["removed"] > sum(outcomes.values()) / 5
