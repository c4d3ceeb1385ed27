"""Who wrote it, row by row. A doubt is never resolved in favour of the person."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.messages.generators import Object, messages, says

from foldproof.messages import OPENINGS, Author, FrameKind, Message, author_of, is_observation

DELIVERED = {"injectedBy": {"flavor": "fact", "injectionId": "note", "iteration": 1}}
NEVER_RAN = {"notDispatched": {"pausedCall": {"toolCallId": "1", "toolName": "ask"}}}
REFUSED = {"toolArgumentsFailure": {"reason": "invalid-json"}}
STAMPED = {"metadata": {"axleCompaction": {"id": "1", "role": "appendix"}}}
KINDS: tuple[FrameKind, ...] = ("summary", "drop-notice", "cleared-result", "evidence-check")


@pytest.mark.parametrize(
    ("role", "fields", "author"),
    [
        ("user", {}, "person"),
        ("user", {"name": "Ada", "metadata": {"device": "phone"}, "unknown": 1}, "person"),
        ("user", {"injectedBy": None, "ephemeral": None, "foldedExempt": None, "metadata": None}, "person"),
        ("user", {"ephemeral": False}, "person"),
        ("user", DELIVERED, "app"),
        ("user", DELIVERED | {"ephemeral": True}, "app"),
        ("user", {"injectedBy": {}}, "app"),
        ("user", {"injectedBy": False}, "app"),
        ("user", {"ephemeral": True}, "library"),
        ("user", {"foldedExempt": ["4417"]}, "library"),
        ("user", {"foldedExempt": []}, "library"),
        ("user", STAMPED, "library"),
        ("user", STAMPED | DELIVERED, "library"),
        ("user", {"foldedExempt": []} | DELIVERED, "library"),
        ("system", {}, "app"),
        ("system", DELIVERED, "app"),
        ("system", {"ephemeral": True}, "app"),
        ("assistant", {}, "model"),
        ("assistant", {"ephemeral": True}, "model"),
        ("assistant", STAMPED | {"foldedExempt": ["4417"]}, "model"),
        # Delivered words in the model's mouth exempt nothing: agentfootprint too reads user and system turns only.
        ("assistant", DELIVERED, "model"),
        ("tool", {}, "tool"),
        ("tool", {"isError": True, "toolChars": 2}, "tool"),
        ("tool", {"notDispatched": None, "toolArgumentsFailure": None, "toolResultOrigin": None}, "tool"),
        ("tool", STAMPED, "tool"),
        ("tool", NEVER_RAN, "library"),
        ("tool", {"notDispatched": {}}, "library"),
        ("tool", REFUSED, "library"),
        ("tool", {"toolResultOrigin": "not-entered"}, "library"),
        ("tool", {"toolResultOrigin": "input-cancelled"}, "library"),
    ],
)
def test_each_row_of_the_table(role: str, fields: Object, author: Author) -> None:
    assert author_of(says(role, "The fee is $190.", **fields)) == author


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("role", "fields", "author"),
    [
        ("user", {}, "library"),
        ("user", DELIVERED, "library"),
        ("user", {"ephemeral": True}, "library"),
        ("tool", {}, "tool"),  # a file or a page may say anything
        ("system", {}, "app"),
        ("assistant", {}, "model"),
    ],
)
def test_who_wrote_what_opens_like_a_frame(kind: FrameKind, role: str, fields: Object, author: Author) -> None:
    message = says(role, f"{OPENINGS[kind]} 3 messages were folded", **fields)
    assert author_of(message) == author


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("before", ["why do I read ", " ", "\n", "> ", "\ufeff"])
def test_whoever_quotes_a_frame_is_still_who_they_are(kind: FrameKind, before: str) -> None:
    quoted = f"{before}{OPENINGS[kind]}?"
    assert author_of(says("user", quoted)) == "person"
    assert author_of(says("user", quoted, **DELIVERED)) == "app"
    assert author_of(says("tool", quoted)) == "tool"


@pytest.mark.parametrize(
    ("role", "fields", "observation"),
    [
        ("tool", {}, True),
        ("tool", {"isError": True}, True),
        ("tool", NEVER_RAN, False),
        ("tool", REFUSED, False),
        ("tool", {"toolResultOrigin": "not-entered"}, False),
        ("tool", {"notDispatched": False, "toolArgumentsFailure": False, "toolResultOrigin": ""}, True),
        ("user", {}, False),
        ("system", {}, False),
        ("assistant", {}, False),
    ],
)
def test_only_a_tool_message_whose_call_ran_is_an_observation(role: str, fields: Object, *, observation: bool) -> None:
    assert is_observation(says(role, "42", **fields)) is observation


@given(messages)
def test_everything_has_one_author_and_only_a_plain_user_message_is_a_person_s(message: Message) -> None:
    author = author_of(message)
    possible = {
        "system": {"app"},
        "assistant": {"model"},
        "user": {"person", "app", "library"},
        "tool": {"tool", "library"},
    }
    assert author in possible[message.role]
    marked = message.injected_by is not None or message.ephemeral or message.folded_exempt is not None
    stamped = "axleCompaction" in (message.metadata or {})
    assert (author == "person") == (message.role == "user" and not marked and not stamped)
    if author == "tool":
        assert is_observation(message)
