"""Messages as JSON, as agentfootprint and Axle write them, with fields that neither names; and small conversations."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from foldproof.messages import Message

Json = Any
Object = dict[str, Json]

texts = st.text(max_size=12)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
json_objects = st.dictionaries(texts, json_values, max_size=3)

_UNKNOWN_NAMES = (
    # Names that Python or pydantic give a meaning of their own, and names that other systems use.
    [
        "facts",
        "fingerprint",
        "model_dump",
        "model_fields_set",
        "_fields_set",
        "copy",
        "self",
        "",
        "created_at",
        "Role",
        "x-ai",
    ]
)


def _with_unknown_fields(known: st.SearchStrategy[Object], *more_names: str) -> st.SearchStrategy[Object]:
    unknown = st.dictionaries(st.sampled_from([*_UNKNOWN_NAMES, *more_names]), json_values, max_size=2)
    return st.tuples(unknown, known).map(lambda pair: pair[0] | pair[1])


def _object(required: dict[str, Any], optional: dict[str, Any]) -> st.SearchStrategy[Object]:
    return _with_unknown_fields(st.fixed_dictionaries(required, optional=optional))


files = _object(
    {
        "kind": st.sampled_from(["image", "document", "text"]),
        "mimeType": texts,
        "name": texts,
        "source": st.fixed_dictionaries({"type": st.just("text"), "content": texts})
        | st.fixed_dictionaries({"type": st.just("base64"), "data": texts})
        | st.fixed_dictionaries({"type": st.just("url"), "url": texts})
        | st.fixed_dictionaries({"type": st.just("ref"), "ref": json_values}),
    },
    {"size": st.integers(0, 10**12)},
)
_provider = {"continuity": json_objects}
_metadata = {"providerMetadata": json_objects}
known_parts = st.one_of(
    _object({"type": st.just("text"), "text": texts}, {"citations": st.lists(json_objects, max_size=2)} | _metadata),
    _object({"type": st.just("file"), "file": files}, {}),
    _object({"type": st.just("tool-call"), "id": texts, "name": texts, "parameters": json_objects}, _metadata),
    _object(
        {"type": st.just("thinking")},
        {"id": texts, "text": texts, "summary": texts, "redacted": json_values} | _provider | _metadata,
    ),
    _object(
        {"type": st.just("provider-tool"), "id": texts, "name": texts},
        {"input": json_objects, "result": json_objects} | _provider,
    ),
    _object(
        {"type": st.just("provider-tool-result"), "id": texts, "name": texts, "result": json_objects},
        _provider,
    ),
    _object({"type": st.just("citation"), "citations": st.lists(json_objects, max_size=2)}, _metadata),
)
tool_results = _object(
    {"id": texts, "name": texts, "content": texts | st.lists(json_objects)}, {"isError": st.booleans()}
)
"""What an Axle tool message is made of: results, which are no parts of the union."""
unknown_parts = tool_results | _with_unknown_fields(st.fixed_dictionaries({"type": json_values})) | json_objects
parts = known_parts | unknown_parts

_calls = _object({"id": texts, "name": texts, "args": json_objects}, {"providerMeta": json_objects})
_content = texts | st.lists(parts, max_size=3)
_anywhere = {
    "id": texts,
    "name": texts,
    "ephemeral": st.booleans(),
    "injectedBy": json_objects,
    "replay": json_objects,
    "metadata": json_objects
    | st.fixed_dictionaries({"axleCompaction": st.fixed_dictionaries({"id": texts, "role": st.just("summary")})}),
}


def _message(role: str, fields: dict[str, Any]) -> st.SearchStrategy[Object]:
    known = st.fixed_dictionaries({"role": st.just(role), "content": _content}, optional=_anywhere | fields)
    return _with_unknown_fields(known, "text", "type", "usage")


message_objects = st.one_of(
    _message("system", {}),
    _message("user", {"foldedExempt": st.lists(texts, max_size=3)}),
    _message(
        "assistant",
        {
            "toolCalls": st.lists(_calls, max_size=2),
            "thinkingBlocks": st.lists(json_objects, max_size=2),
            "model": texts,
            "finishReason": texts,
        },
    ),
    _message(
        "tool",
        {
            "toolCallId": texts,
            "toolName": texts,
            "isError": st.booleans(),
            "toolChars": st.integers(0, 20),
            "notDispatched": json_objects,
            "toolArgumentsFailure": json_objects,
            "toolResultOrigin": st.sampled_from(["not-entered", "input-cancelled"]),
        },
    ),
)
"""One message as JSON: any field of LLMMessage and AxleMessage, and fields of neither."""

messages = message_objects.map(Message.model_validate)

_ids = st.sampled_from(["a", "b", "c", ""])


def says(role: str, content: Json = "", **fields: Json) -> Message:
    """Return the message that this JSON is."""
    return Message.model_validate({"role": role, "content": content, **fields})


def calls(*ids: str, in_content: bool = False) -> Message:
    """Return an assistant message that makes calls under these ids, in order."""
    if in_content:
        return says("assistant", [{"type": "tool-call", "id": each, "name": "look", "parameters": {}} for each in ids])
    return says("assistant", toolCalls=[{"id": each, "name": "look", "args": {}} for each in ids])


def answers(identifier: str | None) -> Message:
    """Return a tool message that answers the call of this id, or names none."""
    return says("tool", "42") if identifier is None else says("tool", "42", toolCallId=identifier)


_steps = st.one_of(
    st.builds(
        lambda ids, in_content: calls(*ids, in_content=in_content), st.lists(_ids, max_size=3), in_content=st.booleans()
    ),
    st.builds(answers, _ids | st.none()),
    st.builds(answers, _ids),
    st.sampled_from(
        [says("user", "go on"), says("system", "be brief"), says("user", toolCalls=[{"id": "a", "name": "x"}])]
    ),
)
_turns = st.lists(_ids, unique=True, max_size=3).flatmap(
    lambda ids: st.permutations(ids).map(lambda order: [calls(*ids), *map(answers, order)])
)
valid_conversations = st.lists(_turns | st.just([says("user", "go on")]), max_size=4).map(
    lambda turns: [message for turn in turns for message in turn]
)
"""Every call is answered right after it, in any order; later turns use the ids again."""


@st.composite
def _spoiled(draw: st.DrawFn) -> list[Message]:
    conversation = draw(valid_conversations.filter(bool))
    at = draw(st.integers(0, len(conversation) - 1))
    match draw(st.sampled_from(["leave out", "repeat", "move", "insert"])):
        case "leave out":
            del conversation[at]
        case "repeat":
            conversation.insert(at, conversation[at])
        case "move":
            conversation.insert(draw(st.integers(0, len(conversation) - 1)), conversation.pop(at))
        case _:
            conversation.insert(at, draw(_steps))
    return conversation


conversations = valid_conversations | _spoiled() | st.lists(_steps, max_size=8)
"""Valid ones, ones with a single fault, and any sequence of messages at all."""


def canonical(value: Json) -> str:
    """Return JSON text that is the same for the same JSON, whatever the order of its members."""
    return json.dumps(value, sort_keys=True)
