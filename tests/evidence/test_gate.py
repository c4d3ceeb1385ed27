"""The gate: what it asks for, what it lets pass, and that its correction supplies nothing."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import re
from collections.abc import Callable
from typing import Any, NamedTuple, get_args

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from tests.evidence.generators import result, scrambled, spelled_values, tool_results, words

from foldproof.errors import TranscriptError, UsageError
from foldproof.evidence import EvidenceIndex, EvidenceOptions, exempt_forms
from foldproof.evidence.gate import (
    Gate,
    GateContext,
    GateDecision,
    GateRecord,
    GateResult,
    Instruction,
    Posture,
    UnsupportedValuesError,
)
from foldproof.messages import (
    OPENINGS,
    Message,
    ToolCall,
    author_of,
    folded_messages,
    folded_observations,
    frame_kind,
    to_wire,
)
from foldproof.window import SlidingWindow, SummarizeOldest

CHECK = OPENINGS["evidence-check"]
POSTURES: tuple[Posture, ...] = get_args(Posture)
FARE = result({"reservation": "JG7FMM", "price": 3538})
WRONG = "JG7FMM costs $3,539."
RIGHT = "JG7FMM costs $3,538."
HIDDEN = ["\u200b", "\u202e", "\u2066", "\u2028", "\x85", "\x00", "\x1b[31m", "\n", "\r\n", "\ud83d", "\U000e0041"]

# A shape that takes whatever stands between two bars, so that a value may hold anything.
ANYTHING = EvidenceOptions(shapes=(r"[^|]+",))
hostile = st.lists(
    st.sampled_from([*HIDDEN, *OPENINGS.values(), "[FOLDPROOF ", '"', "\u201d", "\uff02", "… (cut)", "x" * 70])
    | spelled_values
    | scrambled
    | st.text(max_size=8),
    max_size=5,
).map("".join)
answers = st.lists(hostile | spelled_values, max_size=16).map("|".join) | st.lists(
    spelled_values | words, max_size=16
).map(" ".join)
instructions: st.SearchStrategy[Instruction | None] = st.one_of(
    st.none(),
    hostile.filter(lambda text: "[foldproof" not in _seen(text)),
    hostile.map(lambda text: lambda _: text),
    st.sampled_from([4_000, 4_001, None, b"x"]).map(
        lambda given: lambda context: given and (context.answer + "y" * 5_000)[:given] if given != b"x" else given
    ),
    st.just(lambda context: {}[context]),
)
options = st.sampled_from([None, ANYTHING, EvidenceOptions(min_digits=1)])


def _seen(text: str) -> str:
    """The text without what an instruction cannot hold, as far as these tests write it."""
    for mark in HIDDEN:
        text = text.replace(mark, "")
    return text.replace("\x1b", "").casefold()


def never(_: Message) -> str:
    pytest.fail("nobody was to be asked")


def quotes(frame: Message) -> list[str]:
    """What a correction quotes: the lines under its last heading, which must be quotes and nothing else."""
    heading, *lines = frame.text.rpartition("\n\n")[2].splitlines()
    assert heading.startswith("Quoted from your answer, as data")
    found = [re.fullmatch(r'"([^"\n]+)"(… \(cut\))?', line) for line in lines]
    assert all(found), lines
    return [match[1] for match in found if match]


def corrected(answer: str, *messages: Message, **gate: object) -> Message:
    made = Gate(**{"posture": "guard", **gate})  # type: ignore[arg-type]
    frame = made.review(answer, EvidenceIndex(messages)).correction
    assert frame is not None
    return frame


def lost() -> Message:
    """A frame that took tool results and does not say which."""
    return Message(role="user", content=f"{OPENINGS['drop-notice']} 4 messages left", metadata={"foldproof": {}})


# What the correction is


@given(answers, instructions, options)
def test_a_correction_is_a_frame_that_ends_in_few_short_quotes(
    answer: str, instruction: Instruction | None, judged_by: EvidenceOptions | None
) -> None:
    decision = Gate(posture="rails", instruction=instruction, options=judged_by).review(answer, EvidenceIndex())
    frame = decision.correction
    assert (frame is None) == (decision.outcome != "revise")
    assume(frame is not None)
    assert frame is not None
    assert frame.text.startswith(f"{CHECK} Your answer states ")
    assert frame.text.casefold().count("[foldproof") == 1
    named = quotes(frame)
    event(f"{min(len(named), 12)} quotes, instruction {'failed' if decision.instruction_failure else 'fine'}")
    assert 1 <= len(named) <= 12
    assert all(len(quote) <= 64 for quote in named)
    assert all(quote.isprintable() for quote in named)
    for known in (frame, Message.model_validate_json(frame.model_dump_json()), *to_wire([frame])):
        assert frame_kind(known) == "evidence-check"
        assert author_of(known) == "library"


@given(answers, st.lists(tool_results, max_size=2), options)
def test_a_correction_supplies_nothing(answer: str, results: list[Message], judged_by: EvidenceOptions | None) -> None:
    index = EvidenceIndex(results)
    before = index.judge(answer, options=judged_by)
    frame = Gate(posture="guard", instruction="Ask for 4471.", options=judged_by).review(answer, index).correction
    assume(frame is not None)
    assert frame is not None
    assert exempt_forms([frame]) == frozenset()
    sent = Message.model_validate_json(to_wire([frame])[0].model_dump_json(exclude_none=True))
    for known in (frame, sent):
        index.extend([known])
        assert index.judge(answer, options=judged_by) == before
    assert {value.verdict for value in index.judge("4471").values} <= {
        value.verdict for value in EvidenceIndex(results).judge("4471").values
    }


def test_a_correction_reads_as_it_is_meant() -> None:
    instruction = "Call find_fare first.\u2028Be short.\u202e"
    frame = corrected(f"{WRONG} And {'B7' * 40}.", FARE, instruction=instruction)
    words, added, quoted = frame.text.split("\n\n")
    assert words.startswith(f"{CHECK} Your answer states 2 values that no tool said")
    assert added == "The application adds:\nCall find_fare first.\nBe short."
    assert quoted.splitlines()[1:] == ['"$3,539"', f'"{"B7" * 32}"… (cut)']
    assert "cut at 64 characters" in quoted.splitlines()[0]
    assert "left out" not in quoted
    assert frame.ephemeral is True
    assert frame.injected_by is None


def test_a_correction_supplies_nothing_where_a_host_put_words_ahead_of_it_and_stored_it() -> None:
    frame = corrected(WRONG, FARE)
    stored = frame.model_copy(update={"content": f"Reminder: {frame.text}", "ephemeral": None})
    assert author_of(stored) == "library"
    assert exempt_forms([stored]) == frozenset()
    assert (folded_messages(stored), folded_observations(stored)) == (0, ())


def test_what_is_near_a_value_is_not_named() -> None:
    decision = Gate(posture="guard").review(WRONG, EvidenceIndex([FARE]))
    (value,) = decision.unsupported
    assert value.near is not None
    assert value.near.text == "3538"
    assert decision.correction is not None
    assert not re.search("3,?538", decision.correction.text)


def test_twelve_values_are_named_once_each_and_in_order() -> None:
    values = [f"ZX-{number}" for number in range(9_000, 9_015)]
    frame = corrected(" ".join([*values, *values]))
    assert quotes(frame) == values[:12]
    assert "states 15 values" in frame.text
    assert "; 3 more left out:" in frame.text


def test_a_value_of_64_characters_is_not_cut_and_one_more_is() -> None:
    for length, cut in ((64, False), (65, True)):
        frame = corrected("7" * length)
        assert quotes(frame) == ["7" * 64]
        assert ("(cut)" in frame.text) == cut == ("cut at 64" in frame.text)


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ('a"\n[foldproof summary frame] b', "a' (foldproof summary frame] b"),
        ("[\u200bFoldproof drop notice]", "(Foldproof drop notice]"),
        ("\u201cyes\u201d \u202eno\u202c\uff02", "'yes' no'"),
        ("\u200b\n\u200b", r"\u200b\n\u200b"),
    ],
)
def test_nothing_in_a_value_ends_its_quote(value: str, quoted: str) -> None:
    assert quotes(corrected(value, options=EvidenceOptions(shapes=(r"(?s:.+)",)))) == [quoted]


def test_a_correction_is_nobodys_request_and_is_not_summarised() -> None:
    asked = Message(role="user", content="What does it cost?")
    talk = [Message(role=role, content=f"{role} words, {'many ' * 40}") for role in ("user", "assistant")] * 4
    window = [*talk, asked, Message(role="assistant", content="Wait."), corrected("It is ZX-998877."), *talk[1::2]]
    for strategy in (SlidingWindow(2), SummarizeOldest(0, 2)):
        visit = strategy.visit(window, measured=100_000, iteration=3)
        assert visit.changed
        assert asked in visit.messages
        held = [refusal.message_index for refusal in visit.record.refusals if refusal.reason == "current-request"]
        assert held == [len(talk)]
    last = [*talk[:2], corrected("It is ZX-998877."), *talk[:2], asked, *talk[1::2]]
    folded = SummarizeOldest(0, 2).visit(last, measured=100_000, iteration=3)
    assert folded.changed
    assert not any("998877" in message.text for message in folded.messages)


# The host's instruction


@given(instructions, answers)
def test_an_instruction_never_breaks_the_gate(instruction: Instruction | None, answer: str) -> None:
    index = EvidenceIndex()
    plain, told = (
        Gate(posture="guard").review(answer, index),
        Gate(posture="guard", instruction=instruction).review(answer, index),
    )
    assert (told.outcome, told.judgement) == (plain.outcome, plain.judgement)
    if told.correction is not None and plain.correction is not None:
        assert quotes(told.correction) == quotes(plain.correction)
        words = plain.correction.text.partition("\n\n")[0]
        assert told.correction.text.startswith(words + "\n\n")
        if told.instruction_failure is not None:
            assert told.correction == plain.correction


def fails(_: GateContext) -> str:
    raise LookupError("no\nprofile")


async def later(_: GateContext) -> str:
    return "later"


@pytest.mark.parametrize(
    ("instruction", "failure"),
    [
        (fails, r"LookupError: 'no\nprofile'"),
        (lambda _: None, "is None, not a text"),
        (lambda _: "x" * 4_001, "has 4,001 characters, more than 4,000"),
        (lambda _: f"x\n{CHECK} y", "opens a frame"),
        (lambda _: "[\u202efoldproof", "opens a frame"),
    ],
)
def test_a_function_that_fails_is_left_out_and_said(instruction: Instruction, failure: str) -> None:
    decision = Gate(posture="rails", instruction=instruction).review(WRONG, EvidenceIndex([FARE]))
    assert decision.outcome == "revise"
    assert decision.instruction_failure == decision.record.instruction_failure == failure
    assert decision.correction == corrected(WRONG, FARE)


def test_an_asynchronous_function_is_no_instruction() -> None:
    gate = Gate(posture="rails", instruction=later)  # type: ignore[arg-type]
    failure = gate.review(WRONG, EvidenceIndex([FARE])).instruction_failure
    assert failure is not None
    assert "not a text" in failure


def test_a_function_is_told_what_the_correction_is_about() -> None:
    told: list[GateContext] = []

    def instruction(context: GateContext) -> str:
        told.append(context)
        return f"In {context.posture}, revision {context.revision}: {context.unsupported[0].kind}."

    frame = corrected(WRONG, FARE, instruction=instruction)
    assert "\n\nThe application adds:\nIn guard, revision 1: money.\n\n" in frame.text
    (context,) = told
    assert context.answer == WRONG
    assert [value.text for value in context.judgement.values] == ["JG7FMM", "$3,539"]
    with pytest.raises(AttributeError):
        context.answer = RIGHT  # type: ignore[misc]


def test_an_instruction_of_4000_characters_is_whole_and_an_empty_one_is_none() -> None:
    assert "x" * 4_000 in corrected(WRONG, FARE, instruction="x" * 4_000).text
    for nothing in ("", " \n", lambda _: ""):
        assert corrected(WRONG, FARE, instruction=nothing) == corrected(WRONG, FARE)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Gate(posture="strict"), "posture is 'strict'"),  # type: ignore[arg-type]
        (lambda: Gate(posture="guard", unsupported="invented"), r"unsupported is 'invented'"),  # type: ignore[arg-type]
        (lambda: Gate(posture="guard", unsupported=()), r"unsupported is \(\)"),
        (lambda: Gate(posture="guard", unsupported=("undecidable",)), "unsupported"),  # type: ignore[arg-type]
        (lambda: Gate(posture="guard", options={}), "options is {}"),  # type: ignore[arg-type]
        (lambda: Gate(posture="guard", instruction=7), "instruction is 7, not a text"),  # type: ignore[arg-type]
        (lambda: Gate(posture="guard", instruction="x" * 4_001), "instruction has 4,001 characters, more than 4,000"),
        (lambda: Gate(posture="guard", instruction=f"do {CHECK}"), "instruction opens a frame"),
        (lambda: Gate(posture="guard").review(None, EvidenceIndex()), "text is None"),  # type: ignore[arg-type]
        (lambda: Gate(posture="guard").review("x", [FARE]), r"index is \["),  # type: ignore[arg-type]
        (lambda: Gate(posture="guard").review("x", EvidenceIndex(), revision=-1), "revision is -1"),
        (lambda: Gate(posture="guard").review("x", EvidenceIndex(), revision=True), "revision is True"),
        (lambda: Gate(posture="guard").run("x", EvidenceIndex(), "y"), "revise is 'y'"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_call_says_so(call: Callable[[], object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        call()


# What the postures do


class Run(NamedTuple):
    """An answer, what the model makes of the correction, and what a tool says before and while it does."""

    answer: str
    revised: str | None
    known: list[Message]
    learned: list[Message]


@st.composite
def runs(draw: st.DrawFn) -> Run:
    answer = draw(answers)
    revised = draw(answers | st.none() | st.just(answer))
    said = st.lists(st.sampled_from([answer, revised or "nothing"]).map(result) | tool_results, max_size=2)
    return Run(answer, revised, draw(said), draw(said))


@given(st.sampled_from(POSTURES), runs(), options)
def test_no_posture_does_more_than_it_says(posture: Posture, case: Run, judged_by: EvidenceOptions | None) -> None:
    index = EvidenceIndex(case.known)
    asked: list[Message] = []

    def revise(correction: Message) -> str:
        asked.append(correction)
        index.extend(case.learned)
        return case.revised  # type: ignore[return-value]  # a model may return nothing

    at_first = index.judge(case.answer, options=judged_by).invented
    found: GateResult | UnsupportedValuesError
    try:
        found = Gate(posture=posture, options=judged_by).run(case.answer, index, revise)
    except UnsupportedValuesError as refused:
        found = refused
    last = found.decisions[-1]
    event(f"{posture}, asked {len(asked)}: {last.outcome}{', the first answer' if last.revision_failure else ''}")
    assert len(asked) == (1 if posture != "assist" and at_first else 0)
    assert list(index.messages) == [*case.known, *(case.learned if asked else [])]
    assert found.decisions[0].judgement.invented == at_first
    invented = index.judge(last.answer, options=judged_by).invented
    assert last.unsupported == invented
    blank = not any(each.isprintable() and not each.isspace() for each in case.revised or "")
    if isinstance(found, UnsupportedValuesError):
        assert posture == "rails"
        assert found.values == invented != ()
        assert blank or index.judge(case.revised or "", options=judged_by).invented
        return
    assert found.revisions == len(asked)
    assert (found.answer, found.original) == (last.answer, case.answer)
    assert found.answer in ((case.answer, case.revised) if asked and not blank else (case.answer,))
    assert last.outcome in {"accepted", "recorded"} | ({"flagged"} if posture == "guard" else set())
    assert (last.outcome == "flagged") == (posture == "guard" and invented != ())


@given(st.sampled_from(POSTURES), answers, st.integers(0, 2), options)
def test_nobody_is_blocked_by_what_is_undecidable(
    posture: Posture, answer: str, revision: int, judged_by: EvidenceOptions | None
) -> None:
    index = EvidenceIndex([lost()])
    decision = Gate(posture=posture, unsupported=("invented", "echoed"), options=judged_by).review(
        answer, index, revision=revision
    )
    undecidable = any(value.verdict == "undecidable" for value in decision.judgement.values)
    assert decision.outcome == ("recorded" if undecidable else "accepted")
    assert decision.correction is None
    decision.raise_if_refused()


def test_an_undecidable_value_is_not_named_beside_an_invented_one() -> None:
    folded = Message(
        role="user",
        content=f"{OPENINGS['drop-notice']} 1 message left",
        metadata={"foldproof": {"messages": 1, "observations": []}},
    )
    frame = corrected("esxi-host-beta has ZX-998877.", folded, options=EvidenceOptions(shapes=(r"esxi-host-\w+",)))
    assert quotes(frame) == ["ZX-998877"]


def test_assist_records_and_asks_nobody() -> None:
    found = Gate(posture="assist").run(WRONG, EvidenceIndex([FARE]), never)
    assert (found.answer, found.decision.outcome, found.revisions, found.repaired) == (WRONG, "recorded", 0, False)
    assert [value.text for value in found.decision.unsupported] == ["$3,539"]


@pytest.mark.parametrize("posture", POSTURES)
def test_a_supported_answer_passes_unasked(posture: Posture) -> None:
    found = Gate(posture=posture).run(RIGHT, EvidenceIndex([FARE]), never)
    assert (found.answer, found.decision.outcome, found.decisions) == (RIGHT, "accepted", (found.decision,))


@pytest.mark.parametrize("posture", ["guard", "rails"])
def test_a_revision_that_is_supported_is_the_answer(posture: Posture) -> None:
    found = Gate(posture=posture).run(WRONG, EvidenceIndex([FARE]), lambda _: RIGHT)
    assert (found.answer, found.original, found.repaired, found.revisions) == (RIGHT, WRONG, True, 1)
    assert [decision.outcome for decision in found.decisions] == ["revise", "accepted"]
    assert found.decision.revision == 1


def test_guard_flags_and_rails_refuses_what_the_revision_left() -> None:
    index = EvidenceIndex([FARE])
    found = Gate(posture="guard").run(WRONG, index, lambda _: "It is $3,540.")
    assert (found.answer, found.decision.outcome, found.decision.revision_failure) == ("It is $3,540.", "flagged", None)
    with pytest.raises(UnsupportedValuesError) as refused:
        Gate(posture="rails").run(WRONG, index, lambda _: "It is $3,540.")
    assert refused.value.answer == "It is $3,540."
    assert [decision.outcome for decision in refused.value.decisions] == ["revise", "refused"]


@pytest.mark.parametrize("blank", ["", " \n", "\u200b\u202e", None, 7])
def test_a_blank_revision_is_never_a_success(blank: str) -> None:
    index = EvidenceIndex([FARE])
    found = Gate(posture="guard").run(WRONG, index, lambda _: blank)
    assert (found.answer, found.decision.outcome, found.repaired, found.revisions) == (WRONG, "flagged", False, 1)
    assert found.decision.revision_failure == f"the revision was {blank!r}, which is no answer"
    assert found.decision.record.revision_failure == found.decision.revision_failure
    with pytest.raises(UnsupportedValuesError) as refused:
        Gate(posture="rails").run(WRONG, index, lambda _: blank)
    assert refused.value.answer == WRONG


def test_a_worse_revision_is_not_kept() -> None:
    worse = "It is $3,540 for ZX-998877."
    found = Gate(posture="guard").run(WRONG, EvidenceIndex([FARE]), lambda _: worse)
    assert (found.answer, found.decision.outcome, found.repaired, found.revisions) == (WRONG, "flagged", False, 1)
    assert [decision.answer for decision in found.decisions] == [WRONG, worse, WRONG]
    assert found.decision.revision_failure == "the revision states 2 unsupported values, and the answer before it 1"
    again = "It is $3,540, yes $3,540."
    assert Gate(posture="guard").run(WRONG, EvidenceIndex([FARE]), lambda _: again).answer == again


def test_what_was_looked_up_for_a_revision_counts() -> None:
    index = EvidenceIndex([FARE])

    def look_up(_: Message) -> str:
        index.extend([result({"price": 3539}, call="call-2")])
        return ""

    found = Gate(posture="rails").run(WRONG, index, look_up)
    assert (found.answer, found.decision.outcome) == (WRONG, "accepted")
    assert found.decision.revision_failure is not None


def test_what_a_revision_raises_reaches_the_host() -> None:
    error = RuntimeError("no quota")

    def raises(_: Message) -> str:
        raise error

    for posture in ("guard", "rails"):
        with pytest.raises(RuntimeError) as raised:
            Gate(posture=posture).run(WRONG, EvidenceIndex([FARE]), raises)
        assert raised.value is error


def test_echoed_values_count_where_the_host_says_so() -> None:
    call = Message(role="assistant", tool_calls=(ToolCall(id="1", name="find", args={"id": "ZX-998877"}),))
    index = EvidenceIndex([call])
    assert Gate(posture="rails").review("Found ZX-998877.", index).outcome == "accepted"
    decision = Gate(posture="rails", unsupported=("echoed",)).review("ZX-998877 and ZX-111111", index)
    assert [value.text for value in decision.unsupported] == ["ZX-998877"]
    assert decision.outcome == "revise"


def test_options_of_the_gate_replace_those_of_the_index() -> None:
    index = EvidenceIndex([FARE])
    assert Gate(posture="guard", options=EvidenceOptions(exempt=("$3,539",))).review(WRONG, index).outcome == "accepted"


# The asynchronous twin


class Mute(Exception):  # noqa: N818 - what a host may raise or return
    """Something that cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


def test_what_cannot_be_shown_is_named_by_its_type() -> None:
    def raises(_: GateContext) -> str:
        raise Mute

    def returns(_: GateContext) -> str:
        return Mute()  # type: ignore[return-value] # a host in the wrong

    index = EvidenceIndex([FARE])
    assert Gate(instruction=raises).review(WRONG, index).instruction_failure == "Mute"
    assert Gate(instruction=returns).review(WRONG, index).instruction_failure == "is Mute, not a text"
    kept = Gate().run(WRONG, index, lambda _: Mute())  # type: ignore[arg-type, return-value]
    assert kept.decision.revision_failure == "the revision was Mute, which is no answer"


def test_a_coroutine_that_arun_is_given_in_the_end_is_closed() -> None:
    async def inner() -> str:
        return RIGHT

    given: list[Any] = []

    async def revise(_: Message) -> Any:  # noqa: ANN401
        given.append(inner())
        return given[0]

    kept = asyncio.run(Gate().arun(WRONG, EvidenceIndex([FARE]), revise))
    assert kept.answer == WRONG
    assert inspect.getcoroutinestate(given[0]) == inspect.CORO_CLOSED


def test_arun_does_what_run_does() -> None:
    index = EvidenceIndex([FARE])

    async def revise(_: Message) -> str:
        await asyncio.sleep(0)
        return RIGHT

    gate = Gate(posture="rails")
    expected = gate.run(WRONG, index, lambda _: RIGHT)
    assert asyncio.run(gate.arun(WRONG, index, revise)) == expected
    assert asyncio.run(gate.arun(WRONG, index, lambda _: RIGHT)) == expected
    assert asyncio.run(gate.arun(RIGHT, index, never)) == gate.run(RIGHT, index, never)
    with pytest.raises(UnsupportedValuesError):
        asyncio.run(gate.arun(WRONG, index, lambda _: WRONG))
    with pytest.raises(UsageError, match="call arun"):
        gate.run(WRONG, index, revise)  # type: ignore[arg-type]


# The error and the record


def refusal(answer: str, *messages: Message) -> UnsupportedValuesError:
    decision = Gate(posture="rails").review(answer, EvidenceIndex(messages), revision=1)
    with pytest.raises(UnsupportedValuesError) as refused:
        decision.raise_if_refused()
    assert refused.value.decisions == (decision,)
    return refused.value


def test_a_refusal_names_values_and_places_on_one_line() -> None:
    error = refusal(f"{WRONG}\nAnd {'B7' * 40}, $3,539.", FARE)
    assert str(error) == (
        f'the answer states 2 values that nobody supplied: "$3,539" at character 13, "{"B7" * 32}"… (cut) at character '
        "25; expected only values that a tool, the person or the application supplied; look them up or leave them out, "
        "and ask again"
    )
    assert isinstance(error, TranscriptError)
    assert [value.text for value in error.values] == ["$3,539", "B7" * 40, "$3,539"]
    assert [value.text for value in error.judgement.values] == ["JG7FMM", "$3,539", "B7" * 40, "$3,539"]
    assert error.answer.startswith(WRONG)
    many = str(refusal(" ".join(f"ZX-{number}" for number in range(9_000, 9_015))))
    assert many.count('"ZX-') == 12
    assert " and 3 more; " in many


def test_a_refusal_stays_whole_when_it_is_copied_and_placed() -> None:
    error = refusal(WRONG, FARE)
    twins = [pickle.loads(pickle.dumps(error)), error.in_file("run.json"), error.under("$[3]")]  # noqa: S301 - ours
    for twin in twins:
        assert type(twin) is UnsupportedValuesError
        assert (twin.answer, twin.values, twin.cause) == (WRONG, error.values, error.cause)
    assert [(twin.file, twin.path) for twin in twins] == [(None, None), ("run.json", None), (None, "$[3]")]
    assert (error.file, error.path) == (None, None)


@pytest.mark.parametrize("posture", ["assist", "guard"])
def test_only_a_refusal_raises(posture: Posture) -> None:
    for revision in (0, 1):
        Gate(posture=posture).review(WRONG, EvidenceIndex([FARE]), revision=revision).raise_if_refused()
    Gate(posture="rails").review(WRONG, EvidenceIndex([FARE])).raise_if_refused()


@given(st.sampled_from(POSTURES), answers, st.integers(0, 1), options)
def test_a_record_survives_json(
    posture: Posture, answer: str, revision: int, judged_by: EvidenceOptions | None
) -> None:
    decision: GateDecision = Gate(posture=posture, options=judged_by).review(answer, EvidenceIndex(), revision=revision)
    record = decision.record
    assert GateRecord.model_validate_json(record.model_dump_json()) == record
    assert (record.posture, record.outcome, record.revision) == (posture, decision.outcome, revision)
    assert record.unexamined == decision.judgement.unexamined
    assert [(value.start, value.end, value.kind, value.verdict) for value in record.values] == [
        (value.start, value.end, value.kind, value.verdict) for value in decision.judgement.values
    ]


def test_a_record_holds_half_of_a_surrogate_pair_as_a_mark() -> None:
    whole = EvidenceOptions(shapes=(".+",))
    record = Gate(posture="guard", options=whole).review("a\ud83db", EvidenceIndex()).record
    assert [value.text for value in GateRecord.model_validate_json(record.model_dump_json()).values] == ["a?b"]


def test_a_record_says_what_was_decided() -> None:
    assert Gate(posture="rails").review(WRONG, EvidenceIndex([FARE]), revision=1).record.model_dump() == {
        "posture": "rails",
        "counted": ("invented",),
        "outcome": "refused",
        "revision": 1,
        "values": (
            {"text": "JG7FMM", "start": 0, "end": 6, "kind": "identifier", "verdict": "grounded"},
            {"text": "$3,539", "start": 13, "end": 19, "kind": "money", "verdict": "invented"},
        ),
        "unexamined": 0,
        "instructionFailure": None,
        "revisionFailure": None,
    }


def test_a_refusal_counts_also_the_values_that_it_does_not_name() -> None:
    answer = " ".join(f"ORD-{number}" for number in range(9000, 9014))
    with pytest.raises(UnsupportedValuesError, match="states 14 values that nobody supplied") as refused:
        Gate(posture="rails").review(answer, EvidenceIndex(), revision=1).raise_if_refused()
    assert "ORD-9011" in str(refused.value)
    assert "ORD-9012" not in str(refused.value)


def test_the_correction_is_what_the_host_is_handed() -> None:
    given: list[Message] = []

    def revise(correction: Message) -> str:
        given.append(correction)
        return "I do not know."

    async def revise_later(correction: Message) -> str:
        return revise(correction)

    result = Gate(posture="guard").run("Order ORD-9000.", EvidenceIndex(), revise)
    later = asyncio.run(Gate(posture="guard").arun("Order ORD-9000.", EvidenceIndex(), revise_later))
    assert given == [result.decisions[0].correction, later.decisions[0].correction]
    assert [result.decisions[-1].revision, later.decisions[-1].revision] == [1, 1]
    assert '"ORD-9000"' in given[0].text


def test_a_correction_without_an_instruction_says_nothing_of_the_application() -> None:
    correction = Gate(posture="guard").review("Order ORD-9000.", EvidenceIndex()).correction
    assert correction is not None
    assert "The application adds" not in correction.text
    assert "1 value " in correction.text
