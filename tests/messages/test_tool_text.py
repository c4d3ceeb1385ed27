"""The `toolChars` cut: applied when it is a whole number of code points inside the content, and only then."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.messages.generators import says

from foldproof.messages import Message, Segment, library_note, tool_segments, tool_text

# Outside the basic plane, joined, combining: all of these are counted one code point at a time.
wide_texts = st.text(st.sampled_from("ab \n😀👩\u200d🚀é\u0301\U0001d7d8"), max_size=6)
no_words = st.sampled_from([{"type": "thinking", "text": "xx"}, {"type": "hologram", "text": "xx"}, {"type": "text"}])


def text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def file_part(text: str) -> dict[str, Any]:
    file = {"kind": "text", "mimeType": "text/plain", "name": "n", "source": {"type": "text", "content": text}}
    return {"type": "file", "file": file}


mixed_parts = st.lists(wide_texts.map(text_part) | wide_texts.map(file_part) | no_words, max_size=5)


def words_of(part: dict[str, Any]) -> str | None:
    """The words of the parts above, as they were made."""
    if part["type"] == "file":
        words: str = part["file"]["source"]["content"]
        return words
    return part.get("text") if part["type"] == "text" else None


def result(content: object, tool_chars: object) -> Message:
    return says("tool", content, toolChars=tool_chars)


@given(wide_texts, st.data())
def test_the_cut_of_a_string_keeps_its_first_code_points(content: str, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(content)))
    assert tool_text(result(content, cut)) == "".join(list(content)[:cut])
    assert tool_text(result(content, float(cut))) == "".join(list(content)[:cut])


@given(mixed_parts, st.data())
def test_the_cut_of_parts_counts_code_points_over_their_words_in_order(
    content: list[dict[str, Any]], data: st.DataObject
) -> None:
    characters = [(index, character) for index, part in enumerate(content) for character in words_of(part) or ""]
    cut = data.draw(st.integers(0, len(characters)))
    segments = tool_segments(result(content, cut))
    assert [(segment.part, character) for segment in segments for character in segment.text] == characters[:cut]
    places = [segment.part for segment in segments]
    assert len(set(places)) == len(places)
    assert tool_text(result(content, cut)) == "\n".join(segment.text for segment in segments)


NOT_A_CUT = [True, False, 3.5, 0.5, "3", "", -1, -1.0, -0.5, [3], {"n": 3}, float("inf"), float("-inf"), float("nan")]


@given(mixed_parts, st.sampled_from([*NOT_A_CUT, None]), st.integers(1, 10**20))
def test_what_is_no_whole_number_inside_the_content_is_not_applied(
    content: list[dict[str, Any]], not_a_cut: object, past: int
) -> None:
    words = [(index, words_of(part)) for index, part in enumerate(content) if words_of(part) is not None]
    total = sum(len(text or "") for _, text in words)
    for cut in (not_a_cut, total + past):
        assert list(tool_segments(result(content, cut))) == words


@pytest.mark.parametrize("cut", [*NOT_A_CUT, None, 9, 9.0, 10**30])
def test_a_string_is_whole_under_a_cut_that_is_not_applied(cut: object) -> None:
    assert tool_segments(result("4417, 2h", cut)) == (Segment(None, "4417, 2h"),)


def test_a_result_without_a_cut_is_the_tool_s_own_whole() -> None:
    assert tool_segments(says("tool", "4417")) == (Segment(None, "4417"),)
    assert tool_segments(says("tool", [])) == ()
    assert tool_text(says("tool", [])) == ""


@pytest.mark.parametrize(
    ("content", "cut", "text"),
    [
        ("4417 (ran with 2h)", 4, "4417"),
        ("4417 (ran with 2h)", 4.0, "4417"),
        ("4417", 4, "4417"),
        ("4417", 0, ""),
        ("4417", -0.0, ""),
        ("", 0, ""),
        ("😀😀 note", 2, "😀😀"),
        ("e\u0301 note", 2, "e\u0301"),
        ([text_part("😀a"), text_part("bc")], 3, "😀a\nb"),
        ([text_part("ab"), text_part("note")], 2, "ab"),
        ([file_part("ab"), text_part("note")], 3, "ab\nn"),
        ([{"type": "hologram", "text": "xxxx"}, text_part("ab note")], 2, "ab"),
    ],
)
def test_where_the_tool_s_words_end(content: object, cut: object, text: str) -> None:
    assert tool_text(result(content, cut)) == text


def test_the_message_still_holds_everything_the_model_reads() -> None:
    message = result("4417 (ran with 2h)", 4)
    assert message.text == "4417 (ran with 2h)"
    assert message.tool_chars == 4


@given(mixed_parts, st.integers(0, 40))
def test_what_is_behind_the_cut_is_the_note_and_both_are_everything(parts: list[dict[str, Any]], cut: int) -> None:
    message = result(parts, cut)
    whole = "".join(filter(None, map(words_of, parts)))
    own = "".join(segment.text for segment in tool_segments(message))
    assert own + library_note(message) == whole
    assert library_note(message) == (whole[cut:] if cut <= len(whole) else "")
