"""Characters: one folding for both sides, and the way back to where a value stands in the original."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.evidence.candidates import scan
from foldproof.evidence.characters import Folded, fold_characters


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("plain 4471", "plain 4471"),
        ("٤٤٧١ and ४४७१", "4471 and 4471"),
        ("４４７１", "4471"),  # noqa: RUF001 - full width
        ("10² and H₂O", "10^2 and H2O"),
        ("10⁻⁷", "10^-^7"),
        ("①", "\ufffc"),
        ("é à ü ñ", "e a u n"),
        ("ﬁ Ĳ", "ﬁ Ĳ"),  # two letters in one stay as they are
        ("Ａ１", "A1"),  # noqa: RUF001 - full width
        ("e\u0301", "e"),
        ("44\u200b71", "4471"),
        ("\u202a4471\u202c", "4471"),
        ("44\u00ad71", "4471"),
        ("1\u00a0380 1\u202f380 1\u2009380 1\u2007380", "1\u00a0380 1\u00a0380 1\u00a0380 1\u00a0380"),
        ("a\u3000b\u2003c", "a b c"),
        ("\u22125 \u20135 \u20145 \uff0d5", "-5 -5 -5 -5"),
        ("\u201cab\u201d \u2018cd\u2019 5\u2032 5\u2033", "\"ab\" 'cd' 5' 5\""),
        ("价格100元", "\ufffc\ufffc100\ufffc"),
        ("a\u2028b", "a\nb"),
        ("½ × €", "½ × €"),  # noqa: RUF001 - a multiplication sign
        ("\x1b[31m4471\x1b[0m", "     4471    "),
        ("a\\n4471 \\u00204471 \\nx", "a  4471       4471 \\nx"),
        ("é\x1b[31m4471", "e     4471"),
        ("1&nbsp;380&#160;000&#xa0;000", "1\u00a0380\u00a0000\u00a0000"),
        ("5&ndash;6&mdash;7&minus;8&#8211;9", "5-6-7-8-9"),
        ("&quot;a&#34; &apos;b&#39; &lt;c&gt;", "\"a\" 'b' <c>"),
        ("a=1&amp;b=2", "a=1&b=2"),
        ("a=1&amp;amp;b=2", "a=1&b=2"),
        ("&amp;lt;5&amp;gt;", "<5>"),
        ("a & b &unknown; 5", "a & b &unknown; 5"),
        ("é&nbsp;5", "e\u00a05"),
        ("\u200b5&nbsp;6", "5\u00a06"),
    ],
)
def test_a_text_is_folded(text: str, folded: str) -> None:
    assert fold_characters(text).text == folded


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("id 4471", ["4471"]),
        ("id 44\u200b71 x", ["44\u200b71"]),
        ("é\u200b is 4471", ["4471"]),
        ("\u200bé \x1b[31m4471", ["4471"]),
        ("H₂O x² is 4471", ["H₂O", "²", "4471"]),
        ("\x1b[31m4471\x1b[0m", ["4471"]),
        ("5&ndash;6 kg, 4471", ["5&ndash;6", "4471"]),
        ("1&nbsp;380 ms and &quot;4471&quot;, &amp; 4472", ["1&nbsp;380 ms", "4471", "4472"]),
        ("\u200b&nbsp;1&nbsp;380 ms\u200b \u200b&quot;4471\u200b&quot;", ["1&nbsp;380 ms", "4471"]),
        ("at http://x.org/a?b=1&amp;c=2 now", ["http://x.org/a?b=1&amp;c=2"]),
    ],
)
def test_a_value_stands_in_the_original_where_it_says(text: str, spans: list[str]) -> None:
    values = [value for value in scan(text) if value.text not in ("5", "6 kg")]
    assert [text[value.start : value.end] for value in values] == [value.text for value in values]
    assert [value.text for value in values] == spans


def test_a_span_of_the_folded_text_has_one_of_the_original() -> None:
    folded = fold_characters("é\u200b&nbsp;5\u200b6")
    assert folded.text == "e\u00a056"
    assert [folded.original(at, at + 1) for at in range(4)] == [(0, 1), (2, 3), (8, 9), (10, 11)]
    assert folded.original(2, 4) == (8, 11)
    assert folded.original(2, 2) == (2, 2)
    assert Folded("abc", None).original(1, 2) == (1, 2)


def test_what_is_plain_stays_the_text_itself() -> None:
    for text in ("plain 4471", "a & b", "back\\slash"):
        folded = fold_characters(text)
        assert folded.text is text
        assert folded.origins is None


PIECES = ["a", "5", "é", "²", "½", "①", "价", "\u200b", "\u00a0", "\\n", "\x1b[1m", "&", "&amp;", "&nbsp;", "&lt;", ";"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_folding_twice_changes_nothing(text: str) -> None:
    folded = fold_characters(text)
    assert folded.origins is None or len(folded.origins) == len(folded.text)
    assert fold_characters(folded.text).text == folded.text
