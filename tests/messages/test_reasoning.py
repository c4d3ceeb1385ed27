"""Messages that hold nothing but reasoning."""

from __future__ import annotations

from typing import Any

import pytest
from tests.messages.generators import says

from foldproof.messages import only_reasons

THINKING = {"type": "thinking", "text": "hm"}
BLOCKS = [{"thinking": "hm", "signature": "x"}]
CALL = {"id": "1", "name": "look"}


@pytest.mark.parametrize(
    "fields",
    [
        {"content": [THINKING]},
        {"content": [THINKING, {"type": "text", "text": " \n"}]},
        {"content": [{"type": "redacted_thinking", "data": "x"}]},
        {"content": "", "thinkingBlocks": BLOCKS},
        {"content": " ", "thinkingBlocks": BLOCKS},
        {"content": [], "thinkingBlocks": BLOCKS},
    ],
)
def test_what_only_reasons(fields: dict[str, Any]) -> None:
    assert only_reasons(says("assistant", **fields))
    assert not only_reasons(says("user", **fields))
    assert not only_reasons(says("assistant", **fields, toolCalls=[CALL]))


@pytest.mark.parametrize(
    "fields",
    [
        {"content": ""},
        {"content": []},
        {"content": "", "thinkingBlocks": []},
        {"content": "so", "thinkingBlocks": BLOCKS},
        {"content": [THINKING, {"type": "text", "text": "so"}]},
        {"content": [THINKING, {"type": "tool-call"} | CALL]},
        {"content": [THINKING, {"type": "hologram"}]},
    ],
)
def test_what_says_something_or_nothing_at_all(fields: dict[str, Any]) -> None:
    assert not only_reasons(says("assistant", **fields))
