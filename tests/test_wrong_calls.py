"""A wrong call is a UsageError that says what to pass instead, and changes nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import foldproof as fp

DICT = {"role": "user", "content": "hi"}
CALLS: dict[str, Callable[[], object]] = {
    "validate": lambda: fp.validate_messages([DICT]),  # type: ignore[list-item]
    "to_wire": lambda: fp.to_wire([DICT]),  # type: ignore[list-item]
    "index": lambda: fp.EvidenceIndex([DICT]),  # type: ignore[list-item]
    "visit": lambda: fp.SlidingWindow().visit([DICT]),  # type: ignore[list-item]
    "replace": lambda: fp.parse([DICT]).replace([DICT]),  # type: ignore[list-item]
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_dict_is_no_message(call: Callable[[], object]) -> None:
    with pytest.raises(fp.UsageError, match=r"messages\[0\] is \{'role'.*foldproof\.parse"):
        call()


def test_a_judgement_needs_a_text() -> None:
    with pytest.raises(fp.UsageError, match="text is None"):
        fp.EvidenceIndex().judge(None)  # type: ignore[arg-type]


def test_a_window_is_a_sequence() -> None:
    with pytest.raises(fp.UsageError, match="pass a list or a tuple"):
        fp.SlidingWindow().visit(iter(()))  # type: ignore[arg-type]
