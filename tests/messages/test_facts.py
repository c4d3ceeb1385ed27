"""What is kept with a message: worked out once, and seen by nobody who writes, compares or copies the message."""

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.messages.generators import messages, says

from foldproof.messages import (
    Message,
    author_of,
    calls_of,
    frame_kind,
    frames_of,
    is_observation,
    message_id,
    message_ids,
    observations_of,
    only_reasons,
)
from foldproof.messages.facts import Facts
from foldproof.messages.pairing import call_ids

OWNERS: list[Callable[[Message], object]] = [
    message_id,
    frame_kind,
    author_of,
    is_observation,
    calls_of,
    call_ids,
    only_reasons,
]


def asked(message: Message) -> list[object]:
    """Everything that is worked out about a message."""
    return [owner(message) for owner in OWNERS]


@given(messages)
def test_facts_are_neither_written_nor_compared(message: Message) -> None:
    untouched = message.model_copy()
    written, fields = message.model_dump_json(), dict(message)
    first = asked(message)
    assert asked(message) == first == asked(untouched)
    assert message == untouched
    assert message.model_dump_json() == written
    assert dict(message) == fields
    assert message.model_fields_set == untouched.model_fields_set
    assert repr(message) == repr(untouched)


@given(messages)
def test_a_copy_works_out_its_own(message: Message) -> None:
    asked(message)
    for copied in (
        message.model_copy(),
        message.model_copy(deep=True),
        copy.copy(message),
        copy.deepcopy(message),
        pickle.loads(pickle.dumps(message)),  # noqa: S301 - ours
    ):
        assert copied.facts is not message.facts
        assert copied.facts.identifier is None
        assert copied == message
        assert asked(copied) == asked(message)


def test_a_changed_copy_is_not_what_it_was() -> None:
    person = says("user", "a")
    asked(person)
    assert author_of(person.model_copy(update={"injected_by": "app"})) == "app"
    assert author_of(person.model_copy(update={"role": "assistant"})) == "model"
    assert author_of(person) == "person"


@given(st.lists(messages, max_size=6))
def test_a_question_about_many_is_the_question_about_each(many: list[Message]) -> None:
    for _ in range(2):
        assert frames_of(many) == [message for message in many if frame_kind(message) is not None]
        assert observations_of(many) == [message for message in many if is_observation(message)]
        assert message_ids(many) == tuple(map(message_id, many))


def test_facts_go_with_their_message() -> None:
    def alive() -> int:
        return sum(isinstance(found, Facts) for found in gc.get_objects())

    message = says("user", "a")
    asked(message)
    before = alive()
    del message
    assert alive() == before - 1


def test_a_field_named_like_the_facts_is_the_host_s() -> None:
    message = says("user", "a", facts=[1])
    assert message.model_extra == {"facts": [1]}
    assert asked(message)
    assert message.model_dump() == {"role": "user", "content": "a", "facts": [1]}


def test_another_name_is_still_no_attribute() -> None:
    assert says("user", unknown=1).unknown == 1  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="nothing"):
        _ = says("user", "a").nothing  # type: ignore[attr-defined]


def test_facts_of_a_message_of_a_later_version() -> None:
    class Later(Message):
        added: str | None = None

    later = Later(role="user", content="a")
    assert asked(later)[:3] == asked(says("user", "a"))[:3]
    assert message_ids([later, says("user", "a", id="m")]) == (message_id(later), "m")
