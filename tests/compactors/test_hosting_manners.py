"""A host's bad manners: what cannot be read or written, ids that mean nothing, a listener that raises."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from tests.compaction.talk import Heard
from tests.compactors.test_hosting import FOLDING, is_sendable, talk, turn

from foldproof import ClearToolResults, CompactionError, Compactor, SummarizeOldest, TranscriptError
from foldproof_compactors.callback import compactor
from foldproof_compactors.hosting import HostedCompactor, Shape


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([{"role": "nobody", "content": "hm"}], "unknown role"),
        ([{"content": "no role"}], "role"),
        (["words"], "expected"),
        ([object()], "the list cannot be read"),
    ],
)
def test_a_list_that_cannot_be_read_goes_on_as_it_is_and_the_record_says_why(
    rows: list[Any], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    hosted, given = compactor(FOLDING), [*talk(6), *rows]
    with caplog.at_level(logging.WARNING, logger="foldproof.compactors"):
        assert hosted.fold(given) is given
    assert hosted.records[-1].outcome == "error"
    assert said in (hosted.records[-1].error or "")
    assert "cannot be read" in caplog.text
    with pytest.raises((TranscriptError, TypeError, ValueError)):
        hosted.fold(given, trigger="manual")


def test_parts_that_nobody_knows_stay_as_they_are() -> None:
    rows = talk(6)
    strange = {
        "role": "user",
        "content": [{"type": "hologram", "data": [1, {"deep": None}]}, {"type": "text", "text": "see"}],
    }
    rows.insert(len(rows) - 4, strange)
    folded = compactor(SummarizeOldest(0, 6)).fold(rows)
    assert len(folded) < len(rows)
    assert any(row is strange for row in folded)


def test_ids_that_are_used_again_or_missing_leave_a_valid_list() -> None:
    rows = [row for number in range(1, 9) for row in turn(number)]
    for row in rows:
        for call in row.get("tool_calls", ()):
            call["id"] = "call-1"
        if "tool_call_id" in row:
            row["tool_call_id"] = "call-1"
    folded = compactor(FOLDING).fold(rows)
    assert len(folded) < len(rows)
    is_sendable(folded)


def test_a_window_that_the_host_cannot_take_is_an_error_and_changes_nothing() -> None:
    def refuse(_: object) -> Any:  # noqa: ANN401 - it never returns
        raise OSError("no room")

    shape = Shape[Any](format="openai_chat", row=dict, item=refuse)
    heard = Heard()
    hosted, rows = HostedCompactor(Compactor(FOLDING, listener=heard), shape), talk(6)
    assert hosted.fold(rows) is rows
    assert "cannot be said in the host's messages: OSError: 'no room'" in (hosted.records[-1].error or "")
    assert heard.statuses == ["running", "error"]
    with pytest.raises(CompactionError, match="no room"):
        hosted.fold(rows, trigger="manual")


def test_a_listener_that_raises_is_on_the_record() -> None:
    hosted, rows = compactor(Compactor(FOLDING, listener=Heard(lambda _: True))), talk(6)
    assert len(hosted.fold(rows)) < len(rows)
    assert hosted.records[-1].listener_failed == "OSError: 'the screen is gone'"


def test_a_view_that_cannot_be_said_any_more_gives_way_to_the_list() -> None:
    broken = False

    def item(row: Any) -> Any:  # noqa: ANN401 - JSON
        if broken:
            raise OSError("no room")
        return row

    shape = Shape[Any](format="openai_chat", row=dict, item=item)
    hosted, rows = HostedCompactor(Compactor(FOLDING), shape), talk(6)
    assert len(hosted.fold(rows)) < len(rows)
    broken = True
    longer = [*rows, *turn(7)[:1]]
    assert hosted.fold(longer, measured=0) is longer
    assert "no room" in (hosted.records[-1].error or "")


def test_an_error_of_a_tool_is_still_one_once_it_is_cleared() -> None:
    said = [{"type": "tool_result", "tool_use_id": "t", "content": "it broke " * 99, "is_error": True}]
    rows: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for at in range(3):
        use = {"type": "tool_use", "id": f"t{at}", "name": "find", "input": {}}
        rows += [{"role": "assistant", "content": [use]}]
        rows += [{"role": "user", "content": [{**said[0], "tool_use_id": f"t{at}"}]}]
    view = compactor(ClearToolResults(0, 1), format="anthropic_messages").fold(rows)
    results = [block for row in view for block in row["content"] if "tool_use_id" in block]
    assert sum("cleared" in str(block) for block in results) == 2
    assert all(block["is_error"] for block in results)
