"""Who wrote a message. The one place that decides it; every other room asks here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from foldproof.messages.frames import frame_kind
from foldproof.messages.model import Message
from foldproof.messages.tool_text import tool_cut

_ABSENT = (None, False, "")

PERSON_SAID = "personSaid"
"""Key in a refused result's `metadata` for what the person said with the refusal ("use port 8765 instead")."""

Author = Literal["person", "app", "model", "tool", "library"]


def author_of(message: Message) -> Author:
    """Return who wrote a message.

    * `person`: a user message that nobody delivered, that is no frame and that is not ephemeral (an ephemeral user
      message is a retry's feedback, and may quote the very value the model invented).
    * `app`: a system message, or a user message that the app delivered (`injected_by`).
    * `model`: an assistant message, also a delivered one: words in the model's mouth exempt nothing. So is a user
      message in which the app tells one model what another one said (`injected_by` names `model` as its `author`).
    * `tool`: a tool message whose call really ran; only its bytes up to `toolChars` are the tool's, the head that a
      cleared result keeps among them.
    * `library`: frames, feedback, and settlements of calls that were refused, cancelled or never dispatched.
    """
    facts = message.facts
    if facts.author is None:
        facts.author = _author(message)
    return facts.author


def _author(message: Message) -> Author:
    if message.role == "assistant":
        return "model"
    if message.role == "system":
        return "app"
    if message.role == "tool":
        return "tool" if is_observation(message) else "library"
    if frame_kind(message) is not None:
        return "library"
    if message.injected_by is not None:
        by = message.injected_by
        return "model" if isinstance(by, dict) and by.get("author") == "model" else "app"
    return "library" if message.ephemeral else "person"


def said_with_refusal(message: Message) -> str:
    """Return what the person said when they refused the call that a tool message answers; "" for nothing."""
    said = (message.metadata or {}).get(PERSON_SAID) if message.role == "tool" else None
    return said if isinstance(said, str) and not is_observation(message) else ""


def is_observation(message: Message) -> bool:
    """Whether a tool message reports a call that really ran, and so is evidence of anything.

    A cleared result is one only by the head that it kept of the tool's own words.
    """
    facts = message.facts
    if facts.observed is None:
        facts.observed = _is_observation(message)
    return facts.observed


def observations_of(messages: Iterable[Message]) -> list[Message]:
    """Return the messages that are evidence of anything, as `is_observation` says."""
    return [message for message in messages if message.facts.observed is not False and is_observation(message)]


def _is_observation(message: Message) -> bool:
    return (
        message.role == "tool"
        and message.not_dispatched in _ABSENT
        and message.tool_arguments_failure in _ABSENT
        and message.tool_result_origin in _ABSENT
        and (message.metadata is None or frame_kind(message) is None or bool(tool_cut(message)))
    )
