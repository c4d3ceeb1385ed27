"""A host that could not put a compacted list in the place of its own says so."""

from __future__ import annotations

from typing import Any

from foldproof import SummarizeOldest
from foldproof_compactors.callback import list_shape
from foldproof_compactors.hosting import HostedCompactor, as_compactor

TALK: list[Any] = [
    {"role": "user" if at % 2 == 0 else "assistant", "content": f"the {at}th thing. " * 40} for at in range(8)
]


def test_a_list_that_was_not_put_in_place_was_not_compacted() -> None:
    hosted = HostedCompactor[Any](as_compactor(SummarizeOldest(0, 2)), list_shape("openai_chat"), persistent=True)
    folded = hosted.fold(TALK)
    assert [record.outcome for record in hosted.records] == ["complete"]
    hosted.not_applied(folded, "the list was changed")
    (record,) = hosted.records
    assert (record.outcome, record.error) == ("error", "the list was changed")


def test_there_is_nothing_to_take_back_of_a_list_that_nobody_compacted() -> None:
    hosted = HostedCompactor[Any](as_compactor(SummarizeOldest(0, 2)), list_shape("openai_chat"), persistent=True)
    hosted.not_applied(TALK, "the list was changed")
    assert hosted.records == ()
