"""The plain callback: a list of dicts in, a list of dicts out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foldproof import (
    ClearToolResults,
    Message,
    OffloadLarge,
    Pipeline,
    SlidingWindow,
    SummarizeOldest,
    TranscriptError,
    Visit,
    exempt_forms,
    parse,
    validate_messages,
)
from foldproof.window import Strategy
from foldproof_compactors.callback import compactor


def turn(number: int) -> list[dict[str, Any]]:
    call = {"id": f"call-{number}", "type": "function", "function": {"name": "find", "arguments": f'{{"n": {number}}}'}}
    return [
        {"role": "user", "content": f"Where is order {4470 + number}?"},
        {"role": "assistant", "content": None, "tool_calls": [call], "reasoning": "look it up"},
        {"role": "tool", "tool_call_id": f"call-{number}", "content": json.dumps({"left": f"2026-05-0{number}"}) * 30},
        {"role": "assistant", "content": f"It left on May {number}."},
    ]


def messages(turns: int) -> list[dict[str, Any]]:
    return [{"role": "system", "content": "You track parcels."}, *(row for at in range(1, turns) for row in turn(at))]


def test_what_stays_is_the_callers_own_objects() -> None:
    given = messages(6)
    before = json.dumps(given)
    folded = compactor(SlidingWindow(keep_recent_turns=3))(given)
    assert json.dumps(given) == before
    assert len(folded) < len(given)
    kept = [row for row in folded if any(row is own for own in given)]
    assert kept[0] is given[0]
    assert kept[-1] is given[-1]
    assert len(kept) == len(folded) - 1
    validate_messages(parse(folded).messages)


def test_what_comes_back_can_be_sent_and_lineage_is_kept_by_the_callback() -> None:
    visits: list[Visit] = []
    compact = compactor(SlidingWindow(keep_recent_turns=2), on_visit=visits.append)
    window, everything = messages(4), messages(8)
    for number in (4, 5, 6, 7):
        window = compact([*window, *turn(number)])
        frames = [row for row in window if "drop notice" in str(row["content"])]
        assert [set(row) for row in frames] == [{"role", "content"}]
    assert exempt_forms(visits[-1].messages) == exempt_forms(parse(everything).messages)


def test_the_very_list_comes_back_when_nothing_left() -> None:
    given = messages(2)
    assert compactor()(given) is given


def test_visits_are_reported_and_state_is_threaded() -> None:
    visits: list[Visit] = []
    compact = compactor(SlidingWindow(keep_recent_turns=2), on_visit=visits.append)
    window = messages(4)
    for number in (4, 5, 6):
        window = compact([*window, *turn(number)])
        validate_messages(parse(window).messages)
    assert [visit.record.outcome for visit in visits] == ["removed"] * 3
    assert sum("drop notice" in str(row["content"]) for row in window) == 1


def test_what_cannot_be_read_names_its_place() -> None:
    with pytest.raises(TranscriptError, match=r"\$\[1\]\.role"):
        compactor()([{"role": "user", "content": "hi"}, {"role": "wizard", "content": "ho"}])


def test_notices_that_read_alike_keep_their_own_lineage() -> None:
    visits: list[Visit] = []
    compact = compactor(SlidingWindow(keep_recent_turns=1), on_visit=visits.append)
    said, window = "x y z " * 80, list[dict[str, Any]]()
    for number in range(1000, 1004):
        mode = {"role": "system", "content": "mode"}  # a span ends at a system message, so notices cannot join
        asked = {"role": "user", "content": f"order {number} {said}"}
        window = json.loads(json.dumps(compact([*window, asked, {"role": "assistant", "content": said}, mode])))
    given = [Message(role="user", content=f"order {number}") for number in range(1000, 1004)]
    assert exempt_forms(visits[-1].messages) == exempt_forms(given)


@pytest.mark.parametrize(
    "strategy",
    [ClearToolResults(0, keep=1, keep_last_tool_results=0), OffloadLarge(150, 40), Pipeline([ClearToolResults(0, 1)])],
    ids=lambda strategy: strategy.name,
)
def test_a_cleared_result_still_answers_its_call_and_is_not_cleared_twice(strategy: Strategy) -> None:
    visits: list[Visit] = []
    compact = compactor(strategy, on_visit=visits.append)
    window = compact(messages(4))
    cleared = [row for row in window if "cleared result" in str(row["content"])]
    assert cleared
    assert all(set(row) == {"role", "tool_call_id", "content"} for row in cleared)
    for number in (4, 5):
        window = compact([*window, *turn(number)])
        validate_messages(parse(window).messages)
    assert all(row in window for row in cleared)
    assert [seam.count for seam in visits[-1].record.seams] == [1]


def test_a_frame_says_that_originals_were_handed_over_only_to_somebody_who_is_there() -> None:
    strategy = Pipeline([ClearToolResults(0, keep=1), SummarizeOldest(0, 2)])
    visits: list[Visit] = []
    silent, heard = compactor(strategy)(messages(5)), compactor(strategy, on_visit=visits.append)(messages(5))
    assert "The originals were not kept." in str(silent)
    assert "handed to the application" not in str(silent)
    assert "The originals were handed to the application." in str(heard)
    assert visits[0].spans
