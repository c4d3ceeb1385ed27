"""Names of files: what stands in quotes may be one with spaces, or a quote of other words that ends in one."""

from __future__ import annotations

import pytest
from tests.evidence.generators import result

from foldproof.evidence import EvidenceIndex, EvidenceOptions
from foldproof.evidence.candidates import scan
from foldproof.evidence.file_names import bare_names, is_bare
from foldproof.messages import OPENINGS, Message

ASKED = "Hi there! Please fix tests/test_parser.py and then update README.md. Do not touch setup.py!"


def judged(answer: str, *messages: Message, floor: int = 3) -> list[tuple[str, str, str | None]]:
    judgement = EvidenceIndex(messages).judge(answer, options=EvidenceOptions(min_digits=floor))
    return [(value.text, value.verdict, value.how) for value in judgement.values]


def user(text: str) -> Message:
    return Message(role="user", content=text)


def typed(**arguments: str) -> Message:
    calls = [{"id": "1", "name": "run", "args": arguments}]
    return Message.model_validate({"role": "assistant", "content": "", "toolCalls": calls})


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ('You said "update README.md".', user(ASKED)),
        ('You said: "Do not touch setup.py"', user(ASKED)),
        ('So "fix test_parser.py" comes first', user(ASKED)),
        ("So \u201cupdate README.md\u201d comes next", user(ASKED)),
        ('I ran "python main.py"', result("$ python main.py\nok")),
        ('I ran "python -m main.py"', result({"log": "now:\nmain.py\nok"})),
        ('"rename a.txt to b.txt" is done', result("mv a.txt b.txt\nok")),
        ('It is "edit README.md" now', user("Update README.md")),
        ('It is "edit README.md" now', Message(role="system", content="Keep README.md short.")),
        ('It is "Q3 report.pdf".', result("Saved to /home/u/Q3 report.pdf.")),
    ],
)
def test_a_quote_that_ends_in_a_known_file_is_no_name(answer: str, read: Message) -> None:
    assert judged(answer, read) == []


@pytest.mark.parametrize(
    ("answer", "read", "expected"),
    [
        # What stands in the quote is judged as if there were none
        ('"copy ORD-4471 to main.py"', result("main.py: ok\nORD-4480"), ("ORD-4471", "invented", None)),
        (
            '"copy ORD-4480 to main.py"',
            result("main.py: ok\nORD-4480"),
            ("copy ORD-4480 to main.py", "grounded", "part"),
        ),
        ('"fix tests/test_lexer.py"', user(ASKED), ("tests/test_lexer.py", "invented", None)),
        ('"python main2.py"', result("$ python main.py"), ("main2.py", "invented", None)),
        # The last word is known to nobody, or only within a name with spaces
        ('"Do not touch setup.cfg"', user(ASKED), ("Do not touch setup.cfg", "invented", None)),
        ('"My report.pdf"', result({"file": "Q3 report.pdf"}), ("My report.pdf", "invented", None)),
        ('"My report.pdf"', result('saved as "Q3 report.pdf", ok'), ("My report.pdf", "invented", None)),
        ('"Q4 report.pdf"', result("/home/u/Q3 report.pdf"), ("Q4 report.pdf", "invented", None)),
        # A short word with a digit is known to nobody
        ('"Q4 report.pdf"', result("Saved to /home/u/Q3 report.pdf."), ("Q4 report.pdf", "invented", None)),
        # A name that a tool said is one value
        ('"Q3 report.pdf"', result({"file": "Q3 report.pdf"}), ("Q3 report.pdf", "grounded", "exact")),
        ('"Q3 report.pdf"', result({"files": ["Q3 report.pdf", "report.pdf"]}), ("Q3 report.pdf", "grounded", "exact")),
    ],
)
def test_what_stands_in_a_quote_is_judged_or_the_name_is(
    answer: str, read: Message, expected: tuple[str, str, str | None]
) -> None:
    assert judged(answer, read) == [expected]


def test_a_command_that_the_model_typed_is_echoed() -> None:
    assert judged('I ran "python main.py"', typed(command="cd app && python main.py")) == [
        ("python main.py", "echoed", None)
    ]


def test_a_file_is_known_from_what_was_read_before_and_within_the_scope() -> None:
    index = EvidenceIndex()
    assert index.judge('"python main.py"').values[0].verdict == "invented"
    index.extend([result("$ python main.py")])
    assert index.judge('"python main.py"').values == ()


def test_nobody_is_accused_of_words_that_a_frame_may_have_taken() -> None:
    frame = Message(
        role="user", content=OPENINGS["drop-notice"], metadata={"foldproof": {"messages": 1, "observations": []}}
    )
    for answer in ('You said "update README.md".', "It is main.py:142."):
        (value,) = EvidenceIndex([frame]).judge(answer).values
        assert value.verdict == "undecidable"


@pytest.mark.parametrize(
    ("text", "spoken", "said"),
    [
        ("Fix setup.py, README.md.", ["setup.py", "readme.md"], ["setup.py", "readme.md"]),
        ("Fix setup.py", ["setup.py"], []),
        ('In "Q3 report.pdf" and "a.txt"', ["a.txt"], ["a.txt"]),
        ("in src/main.py: a.tar.gz", ["main.py", "a.tar.gz"], ["main.py", "a.tar.gz"]),
        ("No. 5.5 of 3", [], []),
        (".py and x.abcdef", [], []),
    ],
)
def test_which_bare_names_a_text_has(text: str, spoken: list[str], said: list[str]) -> None:
    assert list(bare_names(text, is_spoken=True)) == spoken
    assert list(bare_names(text, is_spoken=False)) == said


@pytest.mark.parametrize(
    ("text", "bare"),
    [("main.py:42", True), ("src/main.py:42", False)],
)
def test_a_bare_name_is_a_file_without_a_folder(text: str, *, bare: bool) -> None:
    (place,) = scan(text)
    file, line = place.pieces
    assert is_bare(file) is bare
    assert not is_bare(line)
