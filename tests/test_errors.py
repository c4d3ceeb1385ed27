"""Errors: one line that names the file, the place and the cause; what was found is shown, and never at length."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.errors import TranscriptError, UsageError, shown

LINE_BREAKS = ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"]
lines = st.text(max_size=10) | st.sampled_from(LINE_BREAKS)
causes = st.lists(lines, max_size=4).map("".join)


class Shouted:
    """Something whose repr is the text it was made of."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class NarrowError(TranscriptError):
    pass


@given(causes, st.none() | causes, st.none() | causes)
def test_a_transcript_error_prints_as_one_line(cause: str, path: str | None, file: str | None) -> None:
    assert len(str(TranscriptError(cause, path=path, file=file)).splitlines()) <= 1


@given(causes)
def test_a_usage_error_prints_as_one_line(cause: str) -> None:
    assert len(str(UsageError(cause)).splitlines()) <= 1


@pytest.mark.parametrize("line_break", LINE_BREAKS)
def test_lines_are_joined_and_words_are_kept(line_break: str) -> None:
    cause = f"expected  a role;{line_break}  found 'a  b'"
    assert str(TranscriptError(cause)) == "expected  a role; found 'a  b'"
    assert TranscriptError(cause).cause == "expected  a role; found 'a  b'"
    assert str(UsageError(cause)) == "expected  a role; found 'a  b'"


@pytest.mark.parametrize(
    ("path", "file", "printed"),
    [
        (None, None, "no role"),
        ("$.messages[3]", None, "$.messages[3]: no role"),
        (None, "run.json", "run.json: no role"),
        ("$.messages[3]", "run.json", "run.json: $.messages[3]: no role"),
    ],
)
def test_file_then_place_then_cause(path: str | None, file: str | None, printed: str) -> None:
    error = TranscriptError("no role", path=path, file=file)
    assert str(error) == printed
    assert (error.cause, error.path, error.file) == ("no role", path, file)


@pytest.mark.parametrize(
    ("inner", "prefix", "outer"),
    [
        ("$[3]", "$.messages", "$.messages[3]"),
        ("$[3].toolCallId", "$.data.history", "$.data.history[3].toolCallId"),
        ("$", "$.messages", "$.messages"),
        (None, "$.messages", "$.messages"),
        ("$.messages[3]", "$", "$.messages[3]"),
        ("$.price$[1]", "$[0]", "$[0].price$[1]"),
    ],
)
def test_a_place_is_put_under_another(inner: str | None, prefix: str, outer: str) -> None:
    error = NarrowError("no role", path=inner, file="run.json")
    moved = error.under(prefix)
    assert (moved.path, moved.cause, moved.file) == (outer, "no role", "run.json")
    assert type(moved) is NarrowError
    assert error.path == inner


def test_a_file_is_named_once() -> None:
    error = NarrowError("no role", path="$[3]")
    named = error.in_file("run.json")
    assert type(named) is NarrowError
    assert (named.file, named.path, named.cause, error.file) == ("run.json", "$[3]", "no role", None)
    assert named.in_file("other.json") is named


@pytest.mark.parametrize("copied", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])  # noqa: S301 - ours
@pytest.mark.parametrize("error", [NarrowError("no role", path="$[3]", file="run.json"), UsageError("no  model")])
def test_an_error_crosses_to_another_process_whole(copied: type, error: Exception) -> None:
    twin = copied(error)
    assert type(twin) is type(error)
    assert str(twin) == str(error)
    assert vars(twin) == vars(error)


def test_the_two_roots_are_told_apart() -> None:
    assert not issubclass(TranscriptError, UsageError)
    assert not issubclass(UsageError, TranscriptError)


@given(st.text(max_size=140) | st.integers() | st.lists(st.text()), st.sampled_from(LINE_BREAKS))
def test_what_was_found_is_shown_on_one_line_of_at_most_120_characters(value: object, line_break: str) -> None:
    for found in (value, Shouted(f"array([1,{line_break}       2])" * 9)):
        assert len(shown(found)) <= 120
        assert len(shown(found).splitlines()) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a  b", "'a  b'"),
        (12345678901234567890, "12345678901234567890"),
        (None, "None"),
        ("\ud83d\n", r"'\ud83d\n'"),
        ("x" * 118, "'" + "x" * 118 + "'"),
        ("x" * 119, "'" + "x" * 118 + "…"),
        (Shouted("array([1,\n       2])"), "array([1, 2])"),
    ],
)
def test_what_was_found_is_shown_as_python_writes_it_and_cut_at_120(value: object, text: str) -> None:
    assert shown(value) == text
