"""The chat history of Aider: sessions, who said what, and headings in answers."""

from __future__ import annotations

import io
import re
from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foldproof.errors import TranscriptError, UsageError
from foldproof.messages import Message, author_of
from foldproof.transcripts import dump, formats, load, load_all, read_text
from foldproof.transcripts.aider_md import AiderMd

PATH = Path(__file__).parent.parent / "data" / "transcripts" / "aider_md" / "aider_chat-history.md"
START = "# aider chat started at 2024-08-05 19:33:02"


def spoken(text: str) -> list[tuple[str, str]]:
    (conversation,) = read_text(f"\n{START}\n\n{text}", name="history.md")
    return [(author_of(message), message.text) for message in conversation.messages]


def test_every_start_is_a_session() -> None:
    text = PATH.read_text(encoding="utf-8")
    starts = re.findall(r"(?m)^# aider chat started at (.+)$", text)
    conversations = list(load_all(PATH))
    assert [one.extras["started"] for one in conversations[1:]] == starts
    assert "started" not in conversations[0].extras  # the file begins in the middle of a session
    assert len({one.id for one in conversations}) == len(conversations)
    assert not any(one.damage for one in conversations)


def test_every_run_of_lines_of_the_user_is_a_message() -> None:
    lines = PATH.read_text(encoding="utf-8").split("\n")
    runs = [
        list(run) for is_user, run in groupby(lines, lambda line: bool(re.fullmatch(r"####( .*)?  ", line))) if is_user
    ]
    said = ["\n".join(line[5:].rstrip() for line in run).strip("\n") for run in runs]
    handed_on = ("# Fix any errors below", "I ran this command:", "# Question: ")
    messages = [message for one in load_all(PATH) for message in one.messages if message.role == "user"]
    persons = [message.text for message in messages if author_of(message) == "person"]
    assert persons == ["" if text == "<blank>" else text for text in said if not text.startswith(handed_on)]
    apps = {message.text for message in messages if author_of(message) == "app"}
    assert {text for text in said if text.startswith(handed_on)} <= apps


def bare(lines: list[str]) -> Counter[str]:
    """Lines without their marks, however they are marked, and without those that say nothing."""
    said = (line.lstrip("#> ").strip() for line in lines)
    return Counter(line for line in said if line and line != "<blank>" and not line.startswith("aider chat started at"))


def test_no_line_of_the_file_is_lost_or_said_twice() -> None:
    messages = [message for one in load_all(PATH) for message in one.messages]
    lines = [line for message in messages for line in message.text.split("\n")]
    assert bare(lines) == bare(PATH.read_text(encoding="utf-8").split("\n"))


WORDS = st.lists(st.text(alphabet="ab 1#>é`", min_size=1, max_size=8).filter(str.strip), min_size=1, max_size=3)
SAID = st.lists(st.tuples(st.sampled_from(["person", "app", "model"]), WORDS), max_size=6)


def as_aider_writes(kind: str, lines: list[str]) -> str:
    if kind == "person":
        return "\n" + "".join(f"#### {line.rstrip()}  \n" for line in lines)
    if kind == "app":
        return "".join(f"> {line.strip()}  \n" for line in lines)
    return "\n" + "\n".join(lines).strip() + "\n\n"


def is_plain(kind: str, lines: list[str]) -> bool:
    return kind != "model" or not any(line.endswith("  ") for line in lines)


@given(turns=SAID)
def test_law_what_aider_writes_is_read_as_who_said_it(turns: list[tuple[str, list[str]]]) -> None:
    turns = [(kind, lines) for kind, lines in turns if is_plain(kind, lines)]
    wanted: list[tuple[str, str]] = []
    for kind, lines in turns:
        text = "\n".join(
            line.strip() if kind == "app" else line.rstrip() if kind == "person" else line for line in lines
        )
        text = text.strip() if kind == "model" else text
        if kind == "app" and wanted and wanted[-1][0] == "app":
            wanted[-1] = ("app", f"{wanted[-1][1]}\n{text}")
        else:
            wanted.append((kind, text))
    read = spoken("".join(as_aider_writes(kind, lines) for kind, lines in turns))
    # Answers that follow one another are one; Aider's writer leaves nothing between them.
    joined = [(kind, list(run)) for kind, run in groupby(wanted, lambda one: one[0])]
    assert [kind for kind, _ in read] == [kind for kind, run in joined for _ in (run if kind == "person" else run[:1])]
    assert [text for kind, text in read if kind != "model"] == [text for kind, text in wanted if kind != "model"]
    model = re.sub(r"\s+", " ", " ".join(text for kind, text in read if kind == "model")).strip()
    assert model == re.sub(r"\s+", " ", " ".join(text for kind, text in wanted if kind == "model")).strip()


def test_a_heading_or_a_quotation_in_an_answer_is_the_models() -> None:
    answer = "Two classes:\n\n#### `Coder` Class\n\n> as the docs say\n\n# The end"
    assert spoken(f"\n#### which?  \n\n{answer}\n\n> Tokens: 5 sent  \n") == [
        ("person", "which?"), ("model", answer), ("app", "Tokens: 5 sent"),
    ]  # fmt: skip


def test_a_message_of_aiders_may_have_several_lines() -> None:
    text = "\n#### /test pytest  \n> ==== test session\n\n1 failed\n==== 1 failed in 0.1s  \n> Add it? y  \n"
    assert spoken(text) == [
        ("person", "/test pytest"), ("app", "==== test session\n\n1 failed\n==== 1 failed in 0.1s\nAdd it? y"),
    ]  # fmt: skip


def test_a_message_that_never_ends_hides_no_person() -> None:
    assert spoken("> opened\nand left\n\n#### hello  \n")[-1] == ("person", "hello")


@pytest.mark.parametrize(
    "words", ["# Fix any errors below, if possible.", "I ran this command:", "# Question: how?\n\n# Relevant docs:"]
)
def test_what_aider_hands_on_is_no_persons(words: str) -> None:
    lines = "".join(f"#### {line}  \n" for line in words.split("\n"))
    assert spoken(f"\n{lines}\nok\n") == [("app", words), ("model", "ok")]


def test_an_empty_line_of_the_user_says_nothing() -> None:
    assert spoken("\n#### <blank>  \n") == [("person", "")]


def test_a_history_can_only_be_read() -> None:
    (known,) = (known for known in formats() if known.name == "aider_md")
    assert (known.can_write, known.media) == (False, ("text",))
    conversation = next(load_all(PATH))
    with pytest.raises(UsageError, match="aider_md can only be read"):
        dump(conversation.replace([Message(role="user", content="x")]), io.StringIO())
    with pytest.raises(UsageError, match="several conversations"):
        load(PATH)


@pytest.mark.parametrize("text", ["", "# aider chat started at noon\n", "> quoted  \n", f"see `{START}`"])
def test_another_text_is_no_history(text: str) -> None:
    assert AiderMd().recognise(text) is None
    with pytest.raises(TranscriptError):
        list(read_text(text, name="notes.md"))


def test_windows_line_ends_are_read_alike() -> None:
    text = f"{START}\n\n\n#### hi  \n\nhello\n\n> Tokens: 1  \n"
    plain, windows = (list(read_text(one, name="h")) for one in (text, text.replace("\n", "\r\n")))
    assert [one.messages for one in plain] == [one.messages for one in windows]


@given(text=st.text(alphabet=st.sampled_from("#> a\n`"), max_size=60))
def test_any_text_is_read(text: str) -> None:
    for reading in AiderMd().read(f"{START}\n{text}"):
        assert not reading.damage
