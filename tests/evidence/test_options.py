"""Options that make no sense are refused, and it is said why."""

from __future__ import annotations

import pytest

from foldproof.errors import UsageError
from foldproof.evidence import EvidenceOptions
from foldproof.evidence.options import shape_pattern


def test_a_bound_is_at_least_one() -> None:
    assert EvidenceOptions(min_digits=1, max_characters=1).min_digits == 1
    for min_digits, max_characters in ((0, 5), (5, 0)):
        with pytest.raises(
            UsageError,
            match=f"^min_digits={min_digits}, max_characters={max_characters}: both must be at least 1$",
        ):
            EvidenceOptions(min_digits=min_digits, max_characters=max_characters)


def test_a_shape_is_a_regular_expression() -> None:
    with pytest.raises(UsageError, match=r"shapes: '\(' is no regular expression"):
        EvidenceOptions(shapes=("fine", "("))


def test_a_shape_finds_whole_tokens_in_any_case() -> None:
    pattern = shape_pattern(r"esxi|host-\w+")
    assert [match.group() for match in pattern.finditer("ESXI, esxis, Host-a myhost-b")] == ["ESXI", "Host-a"]
