"""Frames are known by their opening; frames of other systems by their stamp or their lineage."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.messages.generators import Object, says, texts

from foldproof.messages import (
    FOLDED,
    OPENINGS,
    STAMP,
    FrameKind,
    author_of,
    folded_messages,
    folded_observations,
    frame_kind,
    is_observation,
    is_stamped,
)

KINDS: tuple[FrameKind, ...] = ("summary", "drop-notice", "cleared-result", "evidence-check")
STAMPED: Object = {"metadata": {"axleCompaction": {"id": "1", "role": "summary"}}}


def test_the_kinds_are_the_words_of_the_design() -> None:
    assert set(OPENINGS) == set(get_args(FrameKind)) == set(KINDS)


def test_no_opening_is_empty_or_starts_another() -> None:
    openings = list(OPENINGS.values())
    assert all(opening.strip() == opening != "" for opening in openings)
    assert not [(one, other) for one in openings for other in openings if one != other and other.startswith(one)]


@given(st.sampled_from(KINDS), texts)
def test_a_user_message_that_opens_like_a_frame_is_that_frame(kind: FrameKind, rest: str) -> None:
    words = OPENINGS[kind] + rest
    assert frame_kind(says("user", words)) == kind
    assert frame_kind(says("user", [{"type": "hologram"}, {"type": "text", "text": words}])) == kind


@given(st.sampled_from(KINDS), texts)
def test_a_tool_may_say_our_words_and_only_our_note_makes_a_cleared_result(kind: FrameKind, rest: str) -> None:
    words, note = OPENINGS[kind] + rest, {"metadata": {FOLDED: {"observations": ["1"]}}}
    assert frame_kind(says("tool", words)) is None
    assert frame_kind(says("tool", words, **note)) == ("cleared-result" if kind == "cleared-result" else None)


@pytest.mark.parametrize(
    ("note", "messages", "observations"),
    [
        ({"messages": 7, "observations": ["a", "b"]}, 7, ("a", "b")),
        ({"messages": True, "observations": "a"}, 1, None),
        ({"messages": -3}, 1, None),
        ("x", 1, None),
    ],
)
def test_a_frame_says_in_its_note_what_it_stands_for(
    note: object, messages: int, observations: tuple[str, ...] | None
) -> None:
    frame = says("user", f"{OPENINGS['drop-notice']} 999 messages left", metadata={FOLDED: note})
    assert folded_messages(frame) == messages
    assert folded_observations(frame) == observations


@given(st.sampled_from(KINDS), st.sampled_from(["user", "tool"]), st.text(min_size=1, max_size=5))
def test_a_message_that_only_contains_an_opening_is_no_frame(kind: FrameKind, role: str, before: str) -> None:
    opening = OPENINGS[kind]
    words = before + opening
    if not words.startswith(opening):  # "[" + "[foldproof …" does not
        assert frame_kind(says(role, words)) is None
    assert frame_kind(says(role, [{"type": "text", "text": before}, {"type": "text", "text": opening}])) is None
    assert frame_kind(says(role, opening[:-1])) is None
    assert frame_kind(says(role, opening.upper())) is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("role", ["system", "assistant"])
def test_the_model_and_the_app_write_no_frames(kind: FrameKind, role: str) -> None:
    assert frame_kind(says(role, OPENINGS[kind])) is None
    assert frame_kind(says(role, "words", foldedExempt=["4417"], **STAMPED)) is None


def test_the_stamp_is_at_the_place_the_seed_names() -> None:
    assert STAMP == "axleCompaction"


@pytest.mark.parametrize("fields", [STAMPED, {"metadata": {"axleCompaction": {"id": "1", "role": "appendix"}}}])
def test_a_stamped_user_message_is_a_summary(fields: Object) -> None:
    assert is_stamped(says("user", "words", **fields))
    assert frame_kind(says("user", "words", **fields)) == "summary"
    assert frame_kind(says("tool", "words", **fields)) is None


@pytest.mark.parametrize("metadata", [None, {}, {"axleCompaction": None}, {"axleCompaction": "summary"}, {"axle": {}}])
def test_other_metadata_is_no_stamp(metadata: object) -> None:
    assert not is_stamped(says("user", "words", metadata=metadata))
    assert frame_kind(says("user", "words", metadata=metadata)) is None


def test_a_user_message_with_our_note_is_a_summary() -> None:
    assert frame_kind(says("user", "words", metadata={FOLDED: {"messages": 2}})) == "summary"
    assert frame_kind(says("user", "words", metadata={FOLDED: "x"})) is None


def test_a_cleared_result_may_keep_a_head_of_the_tools_own_words() -> None:
    words = f"row 1\nrow 2\n{OPENINGS['cleared-result']} 90 characters left."
    note: Object = {"metadata": {FOLDED: {"observations": ["1"]}}}
    with_head, without = says("tool", words, toolChars=11, **note), says("tool", words[12:], toolChars=0, **note)
    assert frame_kind(with_head) == frame_kind(without) == "cleared-result"
    assert (author_of(with_head), author_of(without)) == ("tool", "library")
    assert (is_observation(with_head), is_observation(without)) == (True, False)
    assert frame_kind(says("tool", words, toolChars=11)) is None
    assert frame_kind(says("tool", words, toolChars=3, **note)) is None


@pytest.mark.parametrize("forms", [["4417", "8:00"], []])
def test_a_user_message_with_lineage_is_a_summary(forms: list[str]) -> None:
    assert frame_kind(says("user", "words", foldedExempt=forms)) == "summary"
    assert frame_kind(says("tool", "words", foldedExempt=forms)) is None


def test_no_lineage_is_no_frame() -> None:
    assert frame_kind(says("user", "words", foldedExempt=None)) is None
    assert frame_kind(says("user", "words")) is None


@pytest.mark.parametrize("kind", KINDS)
def test_an_opening_says_more_than_a_stamp(kind: FrameKind) -> None:
    assert frame_kind(says("user", OPENINGS[kind], foldedExempt=[], **STAMPED)) == kind


@pytest.mark.parametrize(
    ("metadata", "observations"),
    [
        (None, None),
        ({}, None),
        ({FOLDED: None}, None),
        ({FOLDED: "m-1"}, None),
        ({FOLDED: {}}, None),
        ({FOLDED: {"observations": "m-1"}}, None),
        ({FOLDED: {"observations": []}}, ()),
        ({FOLDED: {"observations": ["m-2", "m-1"], "other": 1}}, ("m-2", "m-1")),
    ],
)
def test_a_frame_names_the_results_that_left_or_does_not_say(metadata: object, observations: object) -> None:
    assert folded_observations(says("user", OPENINGS["summary"], metadata=metadata)) == observations
