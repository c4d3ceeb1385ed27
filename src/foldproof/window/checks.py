"""The checks that options go through, where a strategy is made and where a window is visited.

Each raises a `UsageError` of one line that says what was found and what to write instead.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, get_args

from pydantic import JsonValue, TypeAdapter, ValidationError

from foldproof.errors import UsageError, shown
from foldproof.evidence.gate import Posture
from foldproof.messages import Message, calls_of, message_id
from foldproof.window.faithful import Fallback
from foldproof.window.originals import Retain
from foldproof.window.pins import Standing

_JSON: Final = TypeAdapter[JsonValue](JsonValue)


def whole_number(name: str, value: object, *, at_least: int) -> None:
    """Check an option that counts something."""
    if not isinstance(value, int) or isinstance(value, bool) or value < at_least:
        raise UsageError(f"{name} is {shown(value)}; write a whole number, {at_least} or more")


def names(option: str, value: object, *, of: str = "names") -> None:
    """Check an option that names several things; an iterator would be used up by looking at it."""
    if isinstance(value, str):
        raise UsageError(f"{option} is one string; pass a collection of {of}, such as [{shown(value)}]")
    if not isinstance(value, Collection) or not all(isinstance(entry, str) for entry in value):
        raise UsageError(f"{option} is {shown(value)}; pass a collection of {of}")


def retain(value: object) -> None:
    """Check what is to happen to the originals."""
    if value not in get_args(Retain):
        raise UsageError(f"retain is {shown(value)}; write one of {', '.join(get_args(Retain))}")


def archive(value: object) -> None:
    """Check what is to keep originals."""
    if not all(is_object_with(method, value) for method in ("redact", "keep")):
        raise UsageError(f"archive is {shown(value)}; pass an object with redact(message) and keep(spans), or None")


def redacted(original: Message, value: object) -> Message:
    """Return what an archive made of a message, once it is sure that it still answers and calls what it did."""
    if not isinstance(value, Message):
        raise UsageError(f"redact returned {shown(value)} for {message_id(original)}; return a Message")
    if (original.role, original.tool_call_id) != (value.role, value.tool_call_id) or [
        call.id for call in calls_of(original)
    ] != [call.id for call in calls_of(value)]:
        raise UsageError(
            f"redact changed the role or the call ids of {message_id(original)}; hide words, arguments and results only"
        )
    return value


def posture(value: object) -> None:
    """Check what is to happen to a summary that states what nobody said."""
    if value not in get_args(Posture):
        raise UsageError(f"posture is {shown(value)}; write one of {', '.join(get_args(Posture))}")


def fallback(value: object) -> None:
    """Check what takes the place of a summary that is refused."""
    if value not in get_args(Fallback):
        raise UsageError(f"fallback is {shown(value)}; write one of {', '.join(get_args(Fallback))}")


def standings(value: object) -> None:
    """Check what the model filed results as, by tool call id."""
    if not isinstance(value, Mapping):
        raise UsageError(f"standings is {shown(value)}; pass a mapping from tool call id to one of {_words()}")
    for identifier, standing in value.items():
        if not isinstance(identifier, str) or standing not in get_args(Standing):
            raise UsageError(f"standings has {shown(identifier)}: {shown(standing)}; write one of {_words()}")


def schemas(value: object) -> None:
    """Check the schemas of the tools that go with a window."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise UsageError(f"tools is {shown(value)}; pass a list of schemas, each as the JSON that is sent")
    for index, schema in enumerate(value):
        try:
            _JSON.validate_python(schema)
        except ValidationError as error:
            raise UsageError(f"tools[{index}] is {shown(schema)}; pass the schema as the JSON that is sent") from error


def strategy(value: object) -> None:
    """Check that something is a strategy, and not its class or its name."""
    if not is_object_with("plan", value) or not isinstance(getattr(value, "name", None), str):
        raise UsageError(f"{shown(value)} is no strategy; pass a strategy: an object with a name and plan(given)")


def counter(value: object) -> None:
    """Check what is to count tokens."""
    if not is_object_with("count", value) or not isinstance(getattr(value, "name", None), str):
        raise UsageError(
            f"counter is {shown(value)}; pass an object with name and count(text), a MessageCounter, None for ours, "
            'or "reported-only" to count nothing'
        )


def is_object_with(method: str, value: object) -> bool:
    """Whether something is an object with this method, and not the class of one."""
    return not isinstance(value, type) and callable(getattr(value, method, None))


def _words() -> str:
    return ", ".join(map(repr, get_args(Standing)))
