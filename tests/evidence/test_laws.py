"""The lineage laws that the evidence room shows, one test each, named after the law."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.evidence.generators import identifiers, result, scrambled, spelled_values, tool_results, words

from foldproof.evidence import EvidenceIndex, EvidenceOptions, Leaf, exempt_forms, read_result
from foldproof.evidence.candidates import scan
from foldproof.evidence.characters import fold_characters
from foldproof.evidence.spellings import folded_form
from foldproof.messages import FOLDED, OPENINGS, Message, ToolCall

SURROUNDINGS = ("It is {}.", "**{}**", "({})", "`{}`", "{}, and so on", '"{}"', "is: {}\n", "- {}")
SUMMARY = OPENINGS["summary"]


def verdicts(index: EvidenceIndex, text: str) -> set[str]:
    return {value.verdict for value in index.judge(text, options=EvidenceOptions(min_digits=1)).values}


def frame(text: str, *, exempt: tuple[str, ...] | None = None) -> Message:
    content = f"{SUMMARY}\n{text}"
    return Message(role="user", content=content, folded_exempt=exempt, metadata={FOLDED: {"observations": []}})


@given(spelled_values, st.lists(tool_results, max_size=3))
def test_no_laundering(value: str, results: list[Message]) -> None:
    """A value that stands only in a frame's text is neither exempt nor grounded."""
    before = EvidenceIndex(results)
    assume(verdicts(before, f"It is {value}.") == {"invented"})
    index = EvidenceIndex([*results, frame(f"The customer's order is {value}.", exempt=("unsaid-0000-word",))])
    assert verdicts(index, f"It is {value}.") == {"invented"}
    assert exempt_forms([frame(value)]) == frozenset()


@given(spelled_values, words)
def test_tool_bytes(value: str, said: str) -> None:
    """A value past the `toolChars` cut grounds nothing."""
    said = re.sub(r"\d", "", said)
    noted = Message(role="tool", content=f"{said}\n{value}", tool_call_id="1", tool_chars=len(said))
    assert "grounded" not in verdicts(EvidenceIndex([noted]), f"It is {value}.")


def ungrounding(value: str) -> Iterator[Message]:
    yield Message(role="assistant", content=f"It is {value}.")
    yield Message(role="assistant", tool_calls=(ToolCall(id="1", name="find", args={"id": value}),))
    for field in ("not_dispatched", "tool_arguments_failure", "tool_result_origin"):
        yield Message.model_validate({"role": "tool", "content": value, "tool_call_id": "1", field: {"reason": "x"}})
    yield result({"found": False, "looked_for": {"id": value}})
    yield result(f'{{"looked_for": {{"id": "{value}"}}, "found": false, "cut')
    yield Message(role="user", content=f"{OPENINGS['evidence-check']} {value}")


@given(spelled_values)
def test_nobody_else_grounds(value: str) -> None:
    """The model, its arguments, what never ran and an absence's own question ground and exempt nothing."""
    for message in ungrounding(value):
        assert verdicts(EvidenceIndex([message]), f"It is {value}.") <= {"invented", "echoed"}


def copyable(message: Message) -> list[str]:
    """The leaves of a result that an answer could quote: what a person would copy from it."""
    leaves: list[Leaf] = [leaf for leaf in read_result(message.text) if leaf.text.strip()]
    return [leaf.text.strip() for leaf in leaves]


@given(tool_results, st.sampled_from(SURROUNDINGS), st.data())
def test_verbatim(message: Message, surrounding: str, data: st.DataObject) -> None:
    """A value copied out of a tool result is never called invented."""
    leaves = copyable(message)
    assume(leaves)
    leaf = data.draw(st.sampled_from(leaves))
    assert "invented" not in verdicts(EvidenceIndex([message]), surrounding.format(leaf))


@given(st.integers(1000, 10**9), st.sampled_from(["{}7", "7{}", "X{}", "{}x9", "0.{}", "a{}b", "{}.7", "X9{}-1"]))
def test_whole_tokens(number: int, inside: str) -> None:
    """A value found only inside a longer token is not grounded."""
    index = EvidenceIndex([result({"id": inside.format(number)}), result(f"saw {inside.format(number)} today")])
    assert verdicts(index, f"It is {number}.") == {"invented"}


@given(st.one_of(spelled_values, words, scrambled))
def test_one_spelling_rule(text: str) -> None:
    """Normalisation is idempotent, and a form is a spelling of itself."""
    folded = fold_characters(text).text
    assert fold_characters(folded).text == folded
    for value in scan(text):
        assert all(folded_form(form) == form for form in value.stated)
        index = EvidenceIndex([result(value.text)])
        assert "invented" not in verdicts(index, f"It is {value.form}.")


@given(st.lists(tool_results, max_size=4), tool_results, st.lists(spelled_values, max_size=4))
def test_monotone(results: list[Message], more: Message, values: list[str]) -> None:
    """One more tool result never turns a grounded value into an invented one."""
    answer = "; ".join([*values, *(leaf for message in results for leaf in copyable(message))])
    before, after = EvidenceIndex(results).judge(answer), EvidenceIndex([*results, more]).judge(answer)
    for old, new in zip(before.values, after.values, strict=True):
        assert old.verdict != "grounded" or new.verdict == "grounded"


@given(st.lists(tool_results, max_size=6), st.integers(0, 6))
def test_incremental_equals_rebuilt(results: list[Message], cut: int) -> None:
    """Appending messages gives the index that a rebuild gives."""
    messages = [Message(role="user", content="order 4471, May 3"), *results]
    grown = EvidenceIndex(messages[:cut])
    for message in messages[cut:]:
        grown.extend([message])
    rebuilt = EvidenceIndex(messages)
    assert vars(grown) == vars(rebuilt)


@given(st.lists(tool_results, min_size=1, max_size=4))
def test_pointers_resolve(results: list[Message]) -> None:
    """Every carrier's message, path and span lead to text that normalises to the value."""
    index = EvidenceIndex(results)
    answer = "; ".join(leaf for message in results for leaf in copyable(message))
    for value in index.judge(answer).values:
        assert (value.verdict == "grounded") == bool(value.carriers)
        for carrier in value.carriers:
            assert carrier.resolve(index.messages) == carrier.text
            stated = {form for found in scan(carrier.text) for form in found.stated}
            assert stated & set(value.forms)


@given(identifiers, tool_results)
def test_no_accusation_from_half_a_corpus(value: str, message: Message) -> None:
    """Past a ceiling, or after discarded evidence, the verdict is `undecidable`."""
    assume(len(message.text) > 1)
    answer = f"It is {value}."
    assume("grounded" not in verdicts(EvidenceIndex([message]), answer))
    small = EvidenceOptions(max_characters=1, min_digits=1)
    assert EvidenceIndex([message], options=small).judge(answer).values[0].verdict == "undecidable"
    gone = Message(role="user", content=f"{OPENINGS['drop-notice']} results left.")
    assert EvidenceIndex([gone]).judge(answer).values[0].verdict == "undecidable"
    assert EvidenceIndex([gone]).judge(answer, options=EvidenceOptions(scope="window")).values[0].verdict == "invented"


@pytest.mark.parametrize("read_first", [True, False])
def test_a_fold_accuses_only_with_the_evidence_it_took(read_first: bool) -> None:  # noqa: FBT001
    from foldproof.messages import message_id

    left = result({"order": "ORD-4471"})
    notice = Message(
        role="user",
        content=OPENINGS["drop-notice"],
        metadata={FOLDED: {"observations": [message_id(left)]}},
    )
    index = EvidenceIndex([left, notice] if read_first else [notice])
    assert verdicts(index, "Your order is ORD-4472.") == ({"invented"} if read_first else {"undecidable"})
