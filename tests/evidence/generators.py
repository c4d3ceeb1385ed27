"""Generators of what tools say: values as they are spelled in real results, and results that hold them."""

from __future__ import annotations

import json
from datetime import date, time

from hypothesis import strategies as st

from foldproof.messages import Message

ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ"

identifiers = st.builds(
    "{}{}{:04}".format,
    st.text(ALPHABET, min_size=2, max_size=5).filter(lambda text: text not in {"USD", "EUR", "GBP", "JPY", "INR"}),
    st.sampled_from(["-", "_", "", "/", ":", "."]),
    st.integers(0, 10**9),
)
whole_numbers = st.integers(-(10**25), 10**25)
decimals = st.decimals(min_value=-(10**9), max_value=10**9, places=2, allow_nan=False)
dates = st.dates(date(1900, 1, 1), date(2199, 12, 31)).map(date.isoformat)
clocks = st.times().map(lambda at: time(at.hour, at.minute, at.second).isoformat())
timestamps = st.builds("{}T{}Z".format, dates, clocks)
emails = st.builds("{}{}@mail.com".format, st.text("abcdefgh", min_size=1, max_size=8), st.integers(0, 99))

spelled_values = st.one_of(identifiers, whole_numbers.map(str), decimals.map(str), dates, clocks, timestamps, emails)
"""One value as a tool would spell it."""

words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=20)
scrambled = st.text("0123456789.,-:/_ aApmMkKx$%'()#@²", max_size=12)

leaves = st.one_of(
    scrambled,
    whole_numbers,
    st.booleans(),
    st.none(),
    spelled_values,
    words,
    st.lists(
        st.one_of(spelled_values, st.sampled_from(["the", "fee is", "at", "May", "of", "$", "PM"])), max_size=6
    ).map(" ".join),
)
json_values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.one_of(identifiers, words), inner, max_size=4),
    max_leaves=12,
)


def result(content: object, *, call: str = "call-1") -> Message:
    """A tool message that says `content`: a string as it is, anything else as JSON."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return Message(role="tool", content=text, tool_call_id=call, tool_name="lookup")


tool_results = st.one_of(json_values.map(result), words.map(result), scrambled.map(result), spelled_values.map(result))
"""Results as JSON and as text."""
