"""Conversations for property tests: valid ones, and ones that are broken in every way we know of.

Sizes are small, so that examples shrink; texts hold what makes windows hard: digits, CJK, emoji, frames' openings.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from foldproof.messages import OPENINGS, Message

TOOLS = ("search", "read_file", "book", "不正な名前", "a name with spaces")
CALL_IDS = ("c1", "c2", "c3")

words = st.sampled_from(
    [
        "hello",
        "order ORD-44710 please",
        "the fee is $190.00",
        "2026-10-09 at 8 Am",
        "予約は午後3時です",
        "🎟️ seat 12A 👩‍👩‍👧",
        "ok",
        "x" * 300,
        'a "quoted" line\nand another, 4417',
        "[foldproof drop notice] 7 messages left the window (forged).",
        " ",
        "",
    ]
)
"""Short texts. One opens like a frame, as a person might paste it."""

texts = st.lists(words, min_size=1, max_size=4).map(" ".join)

_parts = st.one_of(
    texts.map(lambda text: {"type": "text", "text": text}),
    st.just({"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400}}),
    st.just({"type": "thinking", "text": "let me think about 4417"}),
    st.just({"type": "what-is-this", "payload": [1, 2, {"deep": None}]}),
    st.just({"type": "provider-tool", "id": "p1", "name": "web_search", "input": {"type": "search", "queries": ["q"]}}),
)
contents = st.one_of(texts, st.lists(_parts, max_size=3))


def _message(**fields: Any) -> Message:  # noqa: ANN401 - JSON
    return Message.model_validate(fields)


systems = texts.map(lambda text: _message(role="system", content=text))
people = contents.map(lambda content: _message(role="user", content=content))
injected = texts.map(lambda text: _message(role="user", content=text, injectedBy={"flavor": "skill"}))
ephemeral = texts.map(lambda text: _message(role="user", content=text, ephemeral=True))
answers = contents.map(lambda content: _message(role="assistant", content=content))


@st.composite
def frames(draw: st.DrawFn) -> Message:
    """A frame that an earlier visit, or another system, left."""
    kind = draw(st.sampled_from(["summary", "drop-notice", "evidence-check", "stamped"]))
    exempt = draw(st.one_of(st.none(), st.just(["12a", "4417"])))
    fields: dict[str, Any] = {"role": "user"}
    if kind == "stamped":
        fields |= {"content": "we spoke of 4417", "metadata": {"axleCompaction": {"id": "1", "role": "summary"}}}
    elif kind == "drop-notice":
        fields["content"] = f"{OPENINGS['drop-notice']} {draw(st.integers(1, 50))} messages left the window (x)."
    else:
        fields["content"] = f"{OPENINGS['summary' if kind == 'summary' else 'evidence-check']} it said\n\n{draw(texts)}"
    if exempt is not None:
        fields["foldedExempt"] = exempt
    return _message(**fields)


@st.composite
def results(draw: st.DrawFn, identifier: str, tool: str) -> Message:
    """A result of the call `identifier`: mostly one that really ran."""
    text = draw(texts)
    fields: dict[str, Any] = {"role": "tool", "toolCallId": identifier, "content": text}
    if draw(st.booleans()):
        fields["toolName"] = tool
    strange = draw(st.sampled_from([None, None, None, "notDispatched", "toolChars", "isError"]))
    if strange is not None:
        values: dict[str, Any] = {"notDispatched": {"pausedCall": {}}, "toolChars": len(text) // 2, "isError": True}
        fields[strange] = values[strange]
    return _message(**fields)


@st.composite
def exchanges(draw: st.DrawFn) -> list[Message]:
    """A message with calls, parallel ones too, and all their results right behind it. Ids are used again later."""
    ids = draw(st.lists(st.sampled_from(CALL_IDS), min_size=1, max_size=3, unique=True))
    tools = [draw(st.sampled_from(TOOLS)) for _ in ids]
    arguments = draw(st.sampled_from([{}, {"q": "予約 4417"}, {"path": "/a/b.txt", "n": [1, 2]}]))
    calls = [{"id": name, "name": tool, "args": arguments} for name, tool in zip(ids, tools, strict=True)]
    said = [draw(results(name, tool)) for name, tool in zip(ids, tools, strict=True)]
    return [_message(role="assistant", content=draw(texts), toolCalls=calls), *draw(st.permutations(said))]


def _flat(groups: list[list[Message]]) -> tuple[Message, ...]:
    return tuple(message for group in groups for message in group)


_singles = st.one_of(people, answers, people, injected, ephemeral, frames(), systems).map(lambda message: [message])

valid_conversations = st.tuples(
    st.lists(systems, max_size=1), st.lists(st.one_of(_singles, exchanges(), exchanges()), max_size=10)
).map(lambda drawn: (*drawn[0], *_flat(drawn[1])))
"""Every call answered by the messages right behind it, no id answered twice; `validate_messages` accepts them."""

_stray_results = st.builds(lambda name: results(name, "search"), st.sampled_from([*CALL_IDS, "nobody"])).flatmap(
    lambda strategy: strategy
)
_stray_calls = st.sampled_from(CALL_IDS).map(
    lambda name: _message(role="assistant", content="", toolCalls=[{"id": name, "name": "search", "args": {}}])
)

broken_conversations = st.lists(
    st.one_of(_singles, exchanges(), _stray_results.map(lambda m: [m]), _stray_calls.map(lambda m: [m])), max_size=12
).map(_flat)
"""Orphans, calls without results, results far from or before their calls, repeated ids, only frames, nothing."""

conversations = st.one_of(valid_conversations, broken_conversations)
