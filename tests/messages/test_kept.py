"""What stayed of a window, found by identity, else by equality, in order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from foldproof.messages import Message, kept_indices

texts = st.lists(st.sampled_from("abc"), max_size=8)


def says(text: str) -> Message:
    return Message(role="user", content=text)


@given(texts, st.data())
def test_what_stayed_is_found_by_identity(said: list[str], data: st.DataObject) -> None:
    originals = [says(text) for text in said]
    stayed = data.draw(st.lists(st.sampled_from(range(len(said))), unique=True) if said else st.just([]))
    assert kept_indices(originals, [originals[index] for index in stayed]) == tuple(stayed)


@given(texts, st.data())
def test_what_was_read_again_is_found_by_equality_in_order(said: list[str], data: st.DataObject) -> None:
    stayed = [text for text in said if data.draw(st.booleans())]
    found = kept_indices([says(text) for text in said], [says(text) for text in stayed])
    indices = [index for index in found if index is not None]
    assert [said[index] for index in indices] == stayed
    assert indices == sorted(set(indices))


def test_what_is_new_is_no_original() -> None:
    originals = [says("a"), says("b")]
    assert kept_indices(originals, [says("x"), originals[1], says("a")]) == (None, 1, None)
    assert kept_indices(originals, [says("a"), says("a")]) == (0, None)


def test_one_object_that_stands_twice_is_found_twice() -> None:
    twice, other = says("a"), says("b")
    assert kept_indices([twice, other, twice], [twice, other, twice]) == (0, 1, 2)
    assert kept_indices([twice, other, twice], [twice, twice]) == (0, 2)
    assert kept_indices([twice], [twice, twice]) == (0, None)
