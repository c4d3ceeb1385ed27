"""What Hypothesis puts into a conversation of any format: turns, frames, words that are hard to write."""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import strategies as st

from foldproof.messages import OPENINGS, Message
from foldproof.transcripts.json_text import Json

WORDS = st.text(alphabet=st.sampled_from('ab 1é\U0001f389"\\\n:\u2028\ud800'), max_size=12)
NAMES = st.sampled_from(["search", "read_file"])


class Call(NamedTuple):
    name: str
    args: dict[str, Any]
    result: str


class Said(NamedTuple):
    role: str  # user or assistant
    text: str
    calls: tuple[Call, ...] = ()


ARGS = st.dictionaries(st.sampled_from(["q", "n"]), st.one_of(WORDS, st.integers(), st.none()), max_size=2)
CALLS = st.lists(st.builds(Call, NAMES, ARGS, WORDS), max_size=3).map(tuple)
TURNS = st.lists(
    st.one_of(
        st.builds(Said, st.just("user"), WORDS, st.just(())),
        st.builds(Said, st.just("assistant"), WORDS, CALLS),
    ),
    max_size=6,
)
EXEMPT = st.one_of(st.none(), st.lists(WORDS, max_size=2).map(tuple))
METADATA = st.one_of(
    st.none(), st.just({"axleCompaction": {"id": "c1", "role": "summary"}, "foldproof": {"n": [1.5, None]}})
)


def _without_none(**fields: Json) -> Message:
    return Message.model_validate({name: value for name, value in fields.items() if value is not None})


FRAMES = st.builds(
    lambda kind, text, exempt, metadata: _without_none(
        role="user", content=f"{OPENINGS[kind]} {text}", folded_exempt=exempt, metadata=metadata
    ),
    st.sampled_from(["summary", "drop-notice"]),
    WORDS,
    EXEMPT,
    METADATA,
)

TALK = (
    Said("user", "hello"),
    Said("assistant", "let me see", (Call("search", {"q": 1}, "found 7"), Call("search", {}, "nothing"))),
    Said("user", "and?"),
    Said("assistant", "it is 7"),
)
"""One conversation in which everything happens that every format can say."""
