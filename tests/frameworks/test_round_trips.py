"""Each framework writes a conversation, foldproof folds it, and the framework loads what came of it.

`make test-frameworks` runs these, in an environment that has the frameworks. One that is missing fails.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import NamedTuple, cast

import pytest
from tests.frameworks.talk import CALLS, Side

import foldproof as fp
from foldproof.messages import FrameKind, Message, author_of, calls_of, frame_kind, pair
from foldproof.window import VisitableStrategy

# What a framework warns of when it is imported or asked for its own files is its own business.
pytestmark = pytest.mark.filterwarnings("ignore")

SIDES = sorted(path.stem for path in Path(__file__).parent.glob("as_*.py"))
FRAMEWORKS = 7
AUTHORS = {"system": "app", "user": "person", "assistant": "model", "tool": "tool"}
FOLDS: dict[FrameKind, VisitableStrategy] = {
    "drop-notice": fp.SlidingWindow(keep_recent_turns=1),
    "summary": fp.SummarizeOldest(threshold_tokens=1, keep_recent_turns=1),
}
CLEARING: dict[FrameKind, VisitableStrategy] = {"cleared-result": fp.ClearToolResults(threshold_tokens=1, keep=1)}


@pytest.fixture(params=SIDES)
def side(request: pytest.FixtureRequest) -> Side:
    return cast("Side", import_module(f"tests.frameworks.{request.param}"))


@pytest.fixture
def written(side: Side, tmp_path: Path) -> Path:
    return side.written(tmp_path)


def holding(message: Message) -> str:
    """All that a message holds as text: what was said beside calls may stand as thinking."""
    return message.text or str(message.content)


def test_every_framework_has_a_side() -> None:
    requirements = (Path(__file__).parent / "requirements.in").read_text(encoding="utf-8")
    pinned = [line.partition("==")[0] for line in requirements.splitlines() if "==" in line]
    assert len(pinned) == FRAMEWORKS
    for name in pinned:
        start = f"as_{name.removesuffix('-slim').replace('-', '_')}"
        assert any(side.startswith(start) for side in SIDES), name


def test_what_a_framework_writes_is_read_as_it_was_said(side: Side, written: Path) -> None:
    conversation = fp.load(written, strict=True)
    assert conversation.format == side.FORMAT
    messages = conversation.messages
    assert [message.role for message in messages] == [said.role for said in side.TOLD]
    for message, said in zip(messages, side.TOLD, strict=True):
        assert said.words in holding(message)
        assert author_of(message) == AUTHORS[said.role]


def test_calls_and_results_are_read_with_their_errors(side: Side, written: Path) -> None:
    messages = fp.load(written).messages
    calls = [call for message in messages for call in calls_of(message)]
    assert [(call.id, call.name, call.args) for call in calls] == list(CALLS)
    pairing = pair(messages)
    assert not pairing.orphans
    assert not pairing.unanswered
    assert [at.position for at in pairing.call_of.values()] == [said.call for said in side.TOLD if said.role == "tool"]
    if side.FLAGS_ERRORS:
        assert [bool(message.is_error) for message in messages if message.role == "tool"] == [False, True]


def test_an_unchanged_conversation_is_written_as_it_was(written: Path, tmp_path: Path) -> None:
    out = tmp_path / f"out{written.suffix}"
    fp.dump(fp.load(written), out)
    assert out.read_bytes() == written.read_bytes()


class Changed(NamedTuple):
    """A file with another window in it, that window, and the one message of it that is new."""

    path: Path
    window: tuple[Message, ...]
    new: Message


def changed(written: Path, strategy: VisitableStrategy, folder: Path) -> Changed:
    conversation = fp.load(written)
    visit = strategy.visit(conversation.messages)
    path = folder / f"changed{written.suffix}"
    fp.dump(conversation.replace(visit.messages), path)
    read = {id(message) for message in conversation.messages}
    (new,) = (message for message in visit.messages if id(message) not in read)
    return Changed(path, tuple(visit.messages), new)


def check_that_the_framework_holds(side: Side, written: Path, made: Changed) -> None:
    """Check that a framework holds the new message and, of the pieces that it wrote, exactly those that stayed."""
    before, after = side.loaded(written), side.loaded(made.path)
    ours = [piece for piece in after if made.new.text in side.words(piece)]
    assert len(ours) == 1
    held = [holding(message) for message in made.window if message is not made.new]
    stayed = [said.words for said in side.TOLD if any(said.words in words for words in held)]
    kept = [piece for piece in after if piece not in ours and side.words(piece)]
    assert kept == [piece for piece in before if any(words in side.words(piece) for words in stayed)]
    assert len(kept) >= len(stayed)


@pytest.mark.parametrize("kind", FOLDS)
def test_a_folded_window_loads_in_the_framework_with_its_frame(
    side: Side, written: Path, tmp_path: Path, kind: FrameKind
) -> None:
    made = changed(written, FOLDS[kind], tmp_path)
    assert frame_kind(made.new) == kind
    assert len(made.window) < len(side.TOLD)
    check_that_the_framework_holds(side, written, made)


def test_a_cleared_result_loads_in_the_framework(side: Side, written: Path, tmp_path: Path) -> None:
    made = changed(written, CLEARING["cleared-result"], tmp_path)
    assert len(made.window) == len(side.TOLD)
    check_that_the_framework_holds(side, written, made)


@pytest.mark.parametrize("kind", [*FOLDS, *CLEARING])
def test_what_the_framework_writes_again_still_says_what_was_folded(
    side: Side, written: Path, tmp_path: Path, kind: FrameKind
) -> None:
    made = changed(written, (FOLDS | CLEARING)[kind], tmp_path)
    again = fp.load(side.written_again(made.path, tmp_path)).messages
    assert [message.role for message in again] == [message.role for message in made.window]
    found = again[made.window.index(made.new)]
    assert found.text == made.new.text
    if kind in side.KEEPS_NOTES:
        assert again == made.window
        assert frame_kind(found) == kind
        return
    assert found != made.new  # what it folded is no longer said; that it is a frame is, by its opening
    if found.role == "user":
        assert frame_kind(found) == kind
    assert author_of(found) != "person"
