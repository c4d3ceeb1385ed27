"""The evidence index: what it has read, what it is told, and what it refuses."""

from __future__ import annotations

import pytest
from tests.evidence.generators import result

from foldproof.errors import UsageError
from foldproof.evidence import EvidenceIndex, EvidenceOptions
from foldproof.messages import Message


def verdicts(index: EvidenceIndex, answer: str, options: EvidenceOptions | None = None) -> list[str]:
    return [value.verdict for value in index.judge(answer, options=options).values]


def test_an_index_has_read_its_messages_in_order_and_reads_on() -> None:
    first, second, third = result("4471"), result("4472"), result("4471")
    index = EvidenceIndex([first])
    index.extend(iter([second]))
    index.extend([third])
    assert index.messages == (first, second, third)
    (value,) = index.judge("It is 4471.").values
    assert [carrier.message for carrier in value.carriers] == [0, 2]


def test_an_index_that_read_nothing_grounds_nothing() -> None:
    assert EvidenceIndex().messages == ()
    assert verdicts(EvidenceIndex(), "It is 4471.") == ["invented"]


def test_the_options_of_an_index_are_those_of_its_judgements_unless_others_are_given() -> None:
    index = EvidenceIndex([result("x")], options=EvidenceOptions(exempt=("4471",), min_digits=4))
    assert verdicts(index, "It is 4471 or 123.") == ["exempt"]
    assert verdicts(index, "It is 4471 or 123.", EvidenceOptions()) == ["invented", "invented"]
    assert verdicts(index, "It is 4471 or 123.") == ["exempt"]
    assert EvidenceIndex().options == EvidenceOptions()


def test_what_bounds_the_reading_is_told_to_the_index() -> None:
    index = EvidenceIndex([result("order 4471")], options=EvidenceOptions(max_characters=5))
    assert verdicts(index, "It is 4471.", EvidenceOptions()) == ["undecidable"]


def test_nobody_is_accused_where_something_could_not_be_read() -> None:
    index = EvidenceIndex([result("order 4471")], options=EvidenceOptions(incomplete=True))
    assert verdicts(index, "It is 4471 or 4472.") == ["grounded", "undecidable"]
    assert verdicts(index, "It is 4472.", EvidenceOptions()) == ["invented"]


def test_what_is_no_message_is_refused_by_its_place_and_those_before_it_are_read() -> None:
    index = EvidenceIndex([result("4471")])
    more: list[Message] = [result("4472"), "4473", result("4474")]  # type: ignore[list-item] # what is tested
    with pytest.raises(UsageError, match=r"^messages\[2\] is '4473', not a Message"):
        index.extend(more)
    assert index.messages == (result("4471"), result("4472"))
    assert verdicts(index, "Is it 4471, 4472 or 4474?") == ["grounded", "grounded", "invented"]


@pytest.mark.parametrize(("text", "found"), [(None, "None"), (4471, "4471"), (b"4471", "b'4471'")])
def test_an_answer_that_is_no_text_is_refused(text: object, found: str) -> None:
    with pytest.raises(UsageError) as error:
        EvidenceIndex([result("4471")]).judge(text)  # type: ignore[arg-type] # what is tested
    assert str(error.value) == f"text is {found}; pass the answer's text"
