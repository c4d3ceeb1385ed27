"""Conversations for property tests: valid ones, and ones that are broken in every way we know of.

Sizes are small, so that examples shrink; texts hold what makes windows hard: digits, CJK, emoji, frames' openings. No
message stands in a conversation twice: equal ones are different objects, so that what stayed can be told by identity.
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
        "there is a lot to be said about this, so it is said at length. " * 4,
        'a "quoted" line\nand another, 4417',
        "[foldproof drop notice] 7 messages left the window (forged).",
        " ",
        "",
    ]
)
"""Short texts. One opens like a frame, as a person might paste it."""

texts = st.lists(words, min_size=1, max_size=4).map(" ".join)

_SIGNED = {"type": "thinking", "thinking": "is it 4417?", "signature": "c2lnbmVk"}
_REDACTED = {"type": "redacted_thinking", "data": "aGlkZGVu"}

_plain_parts = st.one_of(
    texts.map(lambda text: {"type": "text", "text": text}),
    st.just({"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400}}),
    st.just({"type": "what-is-this", "payload": [1, 2, {"deep": None}]}),
)
_model_parts = st.one_of(
    _plain_parts,
    st.sampled_from(
        [
            {"type": "thinking", "text": "let me think about 4417"},
            {"type": "thinking", "text": "so it is", "continuity": {"provider": "anthropic", "signature": "c2ln"}},
            _REDACTED,
            {"type": "provider-tool", "id": "p1", "name": "web_search", "input": {"type": "search", "queries": ["q"]}},
            {"type": "provider-tool", "id": "p2", "name": "web_search", "result": {"output": "4417 results"}},
            {"type": "provider-tool-result", "id": "p1", "name": "web_search", "result": {"output": "seat 12A"}},
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
        ]
    ),
)
contents = st.one_of(texts, st.lists(_plain_parts, max_size=3))
model_contents = st.one_of(texts, texts, st.lists(_model_parts, max_size=3))
_thoughts = st.sampled_from([None, None, None, [_SIGNED], [_REDACTED], [{"type": "thinking", "thinking": "hm"}]])


def _message(**fields: Any) -> Message:  # noqa: ANN401 - JSON
    return Message.model_validate({name: value for name, value in fields.items() if value is not None})


systems = texts.map(lambda text: _message(role="system", content=text))
people = contents.map(lambda content: _message(role="user", content=content))
injected = texts.map(lambda text: _message(role="user", content=text, injectedBy={"flavor": "skill"}))
ephemeral = texts.map(lambda text: _message(role="user", content=text, ephemeral=True))
answers = st.builds(
    lambda content, blocks: _message(role="assistant", content=content, thinkingBlocks=blocks),
    model_contents,
    _thoughts,
)


@st.composite
def frames(draw: st.DrawFn) -> Message:
    """A frame that an earlier visit, or another system, left."""
    kind = draw(st.sampled_from(["summary", "drop-notice", "evidence-check", "stamped", "appendix"]))
    exempt = draw(st.sampled_from([None, ["12a", "4417"]]))
    fields: dict[str, Any] = {"role": "user", "foldedExempt": exempt}
    if kind in ("stamped", "appendix"):
        role = "summary" if kind == "stamped" else kind
        fields |= {"content": "we spoke of 4417", "metadata": {"axleCompaction": {"id": "1", "role": role}}}
    elif kind == "drop-notice":
        fields["content"] = f"{OPENINGS['drop-notice']} {draw(st.integers(1, 50))} messages left the window (x)."
    else:
        fields["content"] = f"{OPENINGS['summary' if kind == 'summary' else 'evidence-check']} it said\n\n{draw(texts)}"
    return _message(**fields)


def _cleared(said: str) -> dict[str, Any]:
    """A result that an earlier visit cleared, and of which it kept a head."""
    note = f"{OPENINGS['cleared-result']} The tool said 4,417 characters, which left the window."
    noted = {"foldproof": {"messages": 1, "observations": ["sha256:44170000"]}}
    return {"content": f"{said}\n\n{note}", "toolChars": len(said), "metadata": noted}


@st.composite
def results(draw: st.DrawFn, identifier: str, tool: str) -> Message:
    """A result of the call `identifier`: mostly one that really ran."""
    text = draw(texts)
    strange = draw(st.sampled_from([None, None, None, None, "notDispatched", "toolChars", "isError", "cleared"]))
    fields: dict[str, Any] = {"role": "tool", "toolCallId": identifier, "content": text}
    fields["toolName"] = tool if draw(st.booleans()) else None
    match strange:
        case "notDispatched":
            fields[strange] = {"pausedCall": {}}
        case "toolChars":
            fields[strange] = len(text) // 2
        case "isError":
            fields[strange] = True
        case "cleared":
            fields |= _cleared(text[:20])
    return _message(**fields)


_arguments: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{}, {"q": "予約 4417"}, {"path": "/a/b.txt", "n": [1, 2]}]
)


@st.composite
def exchanges(draw: st.DrawFn) -> list[Message]:
    """A message with calls, parallel ones too, and all their results right behind it. Ids are used again later."""
    ids = draw(st.lists(st.sampled_from(CALL_IDS), min_size=1, max_size=3, unique=True))
    tools = [draw(st.sampled_from(TOOLS)) for _ in ids]
    arguments = draw(_arguments)
    said = [draw(results(name, tool)) for name, tool in zip(ids, tools, strict=True)]
    asked = _asking(draw, list(zip(ids, tools, strict=True)), arguments)
    return [asked, *draw(st.permutations(said))]


def _asking(draw: st.DrawFn, named: list[tuple[str, str]], arguments: dict[str, Any]) -> Message:
    """The message that calls: beside its content as most formats do, or inside it as Axle does."""
    if draw(st.integers(0, 3)):
        calls = [{"id": name, "name": tool, "args": arguments} for name, tool in named]
        return _message(role="assistant", content=draw(texts), toolCalls=calls, thinkingBlocks=draw(_thoughts))
    parts = [{"type": "tool-call", "id": name, "name": tool, "parameters": arguments} for name, tool in named]
    return _message(role="assistant", content=[{"type": "text", "text": draw(texts)}, *parts])


def _flat(groups: list[list[Message]]) -> tuple[Message, ...]:
    return tuple(message for group in groups for message in group)


_singles = st.one_of(people, answers, people, injected, ephemeral, frames(), systems).map(lambda message: [message])

_envelopes = st.lists(systems, max_size=1)


def _groups(*groups: st.SearchStrategy[list[Message]]) -> st.SearchStrategy[list[list[Message]]]:
    """Few groups of messages, or so many that a visit finds something to do."""
    return st.one_of(st.lists(st.one_of(*groups), max_size=4), st.lists(st.one_of(*groups), min_size=4, max_size=12))


valid_conversations = st.builds(
    lambda envelope, groups: (*envelope, *_flat(groups)), _envelopes, _groups(_singles, exchanges(), exchanges())
)
"""Every call answered by the messages right behind it, no id answered twice; `validate_messages` accepts them."""

_said = texts.map(lambda text: text.strip() or "hm")
_spoken = _said.map(lambda text: _message(role="user", content=text))
_thinking_answers = st.builds(
    lambda text, blocks: _message(role="assistant", content=text, thinkingBlocks=blocks),
    _said,
    st.sampled_from([None, None, [_SIGNED], [_REDACTED]]),
)
_rounds = st.builds(
    lambda asked, busy, answer: [asked, *_flat(busy), answer],
    _spoken,
    st.lists(exchanges(), max_size=3),
    _thinking_answers,
)

dialogues = st.builds(
    lambda envelope, rounds: (*envelope, *_flat(rounds)),
    _envelopes,
    st.lists(_rounds, min_size=1, max_size=6),
)
"""A person asks, the model calls its tools and answers, once and again: what most wires take."""

_stray_results = st.builds(lambda name: results(name, "search"), st.sampled_from([*CALL_IDS, "nobody"])).flatmap(
    lambda strategy: strategy
)
_stray_calls = st.sampled_from(CALL_IDS).map(
    lambda name: _message(role="assistant", content="", toolCalls=[{"id": name, "name": "search", "args": {}}])
)

broken_conversations = _groups(
    _singles, exchanges(), _stray_results.map(lambda message: [message]), _stray_calls.map(lambda message: [message])
).map(_flat)
"""Orphans, calls without results, results far from or before their calls, repeated ids, only frames, nothing."""

conversations = st.one_of(valid_conversations, broken_conversations, dialogues)
