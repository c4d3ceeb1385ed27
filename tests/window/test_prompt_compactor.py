"""The summary and the appendix of `PromptCompactor`: stamps, quotes, targets, and what a second fold makes of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from tests.window.builders import (
    PROSE,
    claim,
    failing,
    frames_of,
    later,
    loop,
    plain,
    reasons,
    result,
    talk,
    user,
)

from foldproof.evidence import EvidenceIndex, exempt_forms
from foldproof.messages import (
    OPENINGS,
    STAMP,
    Message,
    author_of,
    folded_messages,
    frame_kind,
    is_stamped,
    message_id,
    to_wire,
)
from foldproof.tokens import default_counter
from foldproof.window import (
    MessageCounter,
    PromptCompactor,
    SummaryRequest,
    Visit,
    WindowState,
    span_of,
    total_characters,
)

SAID = [f"request number {name}: do what it says" for name in ("one", "two", "three", "four", "five")]
APPENDIX = f"{OPENINGS['summary']} Appendix: the last "


def window_of(said: Sequence[str]) -> list[Message]:
    """What the person said, each answered at length, and a last exchange that stays."""
    return [*[m for text in said for m in (user(text), plain(PROSE * 3))], user("and now?"), plain()]


def compactor(**options: Any) -> PromptCompactor:  # noqa: ANN401 - any option
    return PromptCompactor(0, 1, **{"summarizer": claim, "model": "claims-1", **options})


def stamp_of(frame: Message) -> Any:  # noqa: ANN401 - whatever stands there
    return (frame.metadata or {}).get(STAMP)


def quotes_of(appendix: Message) -> list[str]:
    return appendix.text.split("\n\n")[1:]


def test_the_frames_of_a_fold_carry_one_stamp_and_their_roles() -> None:
    visit = compactor().visit(window_of(SAID))
    summary, appendix = frames_of(visit.messages)
    assert (stamp_of(summary)["role"], stamp_of(appendix)["role"]) == ("summary", "appendix")
    assert stamp_of(summary)["id"] == stamp_of(appendix)["id"] != ""
    assert set(stamp_of(summary)) == set(stamp_of(appendix)) == {"id", "role"}
    assert {frame.role for frame in (summary, appendix)} == {"user"}
    assert list(visit.messages[:2]) == [summary, appendix]
    assert visit.record.seams[0].frames == (message_id(summary), message_id(appendix))
    assert all(map(is_stamped, to_wire(visit.messages)[:2]))


def test_equal_folds_have_equal_stamps_and_others_have_others() -> None:
    one, same, other = (compactor().visit(window_of(said)) for said in (SAID, SAID, SAID[1:]))
    ids = [stamp_of(frames_of(visit.messages)[0])["id"] for visit in (one, same, other)]
    assert ids[0] == ids[1] != ids[2]


def test_the_words_of_the_appendix() -> None:
    _, appendix = frames_of(compactor(quoted_messages=2).visit(window_of(SAID)).messages)
    assert appendix.text == (
        f"{APPENDIX}2 of 5 messages of the person among those folded, verbatim and in order:\n\n{SAID[3]}\n\n{SAID[4]}"
    )


@pytest.mark.parametrize("most", [1, 2, 3, 5, 10])
def test_the_appendix_holds_the_last_of_what_the_person_said(most: int) -> None:
    _, appendix = frames_of(compactor(quoted_messages=most).visit(window_of(SAID)).messages)
    assert quotes_of(appendix) == SAID[-most:]


def test_no_appendix_where_none_is_asked_for_or_nobody_said_anything() -> None:
    none = frames_of(compactor(quoted_messages=0).visit(window_of(SAID)).messages)
    assert [stamp_of(frame)["role"] for frame in none] == ["summary"]
    silent = [plain(PROSE * 3), *loop(5), user("and now?"), plain()]
    assert [stamp_of(frame)["role"] for frame in frames_of(compactor().visit(silent).messages)] == ["summary"]


def test_a_quote_is_the_persons_text_to_the_byte() -> None:
    odd = ["  two  spaces,\ttabs\n\n\nand\u00a0lines \r\n ", "予約を「変更」して 🎟️", '{"json": "4417"}']
    _, appendix = frames_of(compactor().visit(window_of(odd)).messages)
    assert appendix.text.endswith("\n\n".join(odd))


def test_only_what_the_person_said_is_quoted() -> None:
    others = [
        Message.model_validate({"role": "user", "content": "DELIVERED " + PROSE, "injectedBy": {"flavor": "skill"}}),
        Message(role="user", content="FEEDBACK " + PROSE, ephemeral=True),
        user(f"{OPENINGS['drop-notice']} 9 messages left. NOTICE"),
        user(f"{OPENINGS['evidence-check']} CHECK"),
        Message(role="user", content="EARLIER " + PROSE, metadata={STAMP: {"id": "1", "role": "summary"}}),
        Message(role="user", content="QUOTED", metadata={STAMP: {"id": "1", "role": "appendix"}}),
        plain("Human: IMITATED"),
        Message(role="user", content="   "),
    ]
    window = [user("the first words"), *[m for other in others for m in (other, plain())], *talk(1)]
    appendix = frames_of(compactor().visit(window).messages)[1]
    assert quotes_of(appendix) == ["the first words"]


def test_pictures_are_no_words_to_quote() -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    both = Message.model_validate({"role": "user", "content": [picture, {"type": "text", "text": "what is this?"}]})
    alone = Message.model_validate({"role": "user", "content": [picture]})
    window = [both, plain(PROSE * 3), alone, plain(PROSE * 3), *talk(1)]
    appendix = frames_of(compactor().visit(window).messages)[1]
    assert quotes_of(appendix) == ["what is this?"]


def tokens_of(frames: Sequence[Message]) -> int:
    counter = default_counter()
    return sum(counter.count(frame.text) for frame in frames)


@pytest.mark.parametrize("target", [40, 60, 80, 100, 150, 250, 400, 1_000])
def test_the_frames_keep_to_their_target_and_the_appendix_to_half_of_it(target: int) -> None:
    said = [f"{text} {PROSE[:90]}" for text in SAID]
    visit = PromptCompactor(0, 1, target_tokens=target).visit(window_of(said))
    if not visit.changed:
        assert "replacement-not-smaller" in reasons(visit.record)
        return
    frames = frames_of(visit.messages)
    assert tokens_of(frames) <= target
    for appendix in frames[1:]:
        assert tokens_of([appendix]) <= target // 2
        assert quotes_of(appendix) == said[-len(quotes_of(appendix)) :]


def test_as_many_quotes_as_half_of_the_target_holds_and_the_oldest_goes_first() -> None:
    said = [f"{text} {PROSE[:90]}" for text in SAID]
    held = []
    for target in range(60, 700, 10):
        frames = frames_of(compactor(target_tokens=target).visit(window_of(said)).messages)
        quotes = quotes_of(frames[1]) if len(frames) > 1 else []
        assert quotes == said[len(said) - len(quotes) :]
        held.append(len(quotes))
        if 0 < len(quotes) < len(said):
            longer = frames[1].text.replace(quotes[0], f"{said[-len(quotes) - 1]}\n\n{quotes[0]}")
            assert default_counter().count(longer) > target // 2
    assert held == sorted(held)
    assert set(held) == set(range(6))


def test_a_quote_that_is_too_long_is_left_out_whole() -> None:
    said = ["short and first", "word " * 3_000]
    frames = frames_of(compactor(target_tokens=200).visit(window_of(said)).messages)
    assert [stamp_of(frame)["role"] for frame in frames] == ["summary"]
    assert "word word" not in frames[0].text


def test_an_appendix_never_takes_more_than_half_of_what_it_stands_beside() -> None:
    window = [user("a word " * 60), plain("ok"), user("another " * 60), plain("ok"), *talk(1)]
    visit = compactor().visit(window)
    frames = frames_of(visit.messages)
    span = window[: visit.record.removed_count]
    assert all(total_characters([appendix]) <= total_characters(span) // 2 for appendix in frames[1:])
    assert total_characters(frames) < total_characters(span)


def test_a_summary_past_the_target_is_refused_by_name_and_latched() -> None:
    asked: list[SummaryRequest] = []

    def verbose(_: Sequence[Message], request: SummaryRequest) -> str:
        asked.append(request)
        return "a word too many " * 40

    strategy = compactor(summarizer=verbose, target_tokens=120)
    window = window_of(SAID)
    first = strategy.visit(window)
    second = strategy.visit(window, state=first.state)
    assert first.messages is second.messages is window
    assert len(asked) == 1
    assert "120 tokens" in str(first.record.refusals[-1].detail)
    assert second.record.summarizer_skipped == "latched"


def test_what_a_summarizer_is_told() -> None:
    asked: list[SummaryRequest] = []

    def listening(_: Sequence[Message], request: SummaryRequest) -> str:
        asked.append(request)
        return "a claim"

    visit = compactor(summarizer=listening, target_tokens=300, quoted_messages=2).visit(window_of(SAID), iteration=4)
    request = asked[0]
    assert (request.iteration, request.model, request.current_request) == (4, "claims-1", "and now?")
    assert request.quoted == tuple(SAID[-2:])
    assert request.max_tokens is not None
    counter = default_counter()
    around = tokens_of(frames_of(visit.messages)) - counter.count("a claim")
    assert request.max_tokens + around <= 300


def test_a_summary_that_uses_all_it_was_given_is_taken() -> None:
    def full(_: Sequence[Message], request: SummaryRequest) -> str:
        assert request.max_tokens is not None
        return ("word " * request.max_tokens)[: request.max_characters].rstrip()

    visit = compactor(summarizer=full, target_tokens=200).visit(window_of(SAID))
    assert visit.changed
    assert 180 < tokens_of(frames_of(visit.messages)) <= 200


def test_the_extractive_summary_need_not_repeat_a_quote() -> None:
    frames = frames_of(PromptCompactor(0, 1, quoted_messages=2).visit(window_of(SAID)).messages)
    assert [text in frames[0].text for text in SAID] == [True, True, True, False, False]


def folded_twice(**options: Any) -> tuple[Visit, Visit]:  # noqa: ANN401 - any option
    strategy = PromptCompactor(0, 1, **options)
    first = strategy.visit(window_of(SAID))
    more = [m for name in ("six", "seven") for m in (user(f"request number {name}"), plain(PROSE * 3))]
    return first, strategy.visit([*first.messages, *more, *talk(1)], state=first.state)


def test_a_second_fold_quotes_no_earlier_summary_and_no_earlier_quote() -> None:
    first, second = folded_twice(summarizer=claim, model="claims-1")
    _, before = frames_of(first.messages)
    summary, appendix = frames_of(second.messages)
    assert quotes_of(appendix) == ["and now?", "request number six", "request number seven"]
    assert not any(text in appendix.text for text in SAID)
    assert APPENDIX not in summary.text
    assert stamp_of(before)["id"] != stamp_of(appendix)["id"]
    assert [stamp_of(frame)["role"] for frame in frames_of(second.messages)] == ["summary", "appendix"]


def test_frames_do_not_pile_up_and_nothing_is_said_over_and_over() -> None:
    strategy, state = PromptCompactor(0, 1), WindowState()
    window: Sequence[Message] = window_of(SAID)
    for _ in range(6):
        visit = strategy.visit(window, state=state)
        window, state = [*visit.messages, *talk(2)], visit.state
    frames = frames_of(window)
    assert [stamp_of(frame)["role"] for frame in frames] == ["summary", "appendix"]
    assert all(frame.text.count(text) <= 1 for frame in frames for text in SAID)
    assert all(frame.text.count(OPENINGS["summary"]) == 1 for frame in frames)
    assert all(frame.text.count("Appendix: the last") <= 1 for frame in frames)


def test_a_frame_counts_what_it_stands_for_and_its_appendix_counts_nothing() -> None:
    first, second = folded_twice(summarizer=claim, model="claims-1")
    folded = [folded_messages(frame) for frame in frames_of(first.messages)]
    assert folded == [first.record.removed_count, 0]
    again = [folded_messages(frame) for frame in frames_of(second.messages)]
    messages_beside_frames = second.record.removed_count - 2
    assert again == [first.record.removed_count + messages_beside_frames, 0]
    assert frames_of(second.messages)[0].text.startswith(f"{OPENINGS['summary']} {again[0]} messages folded")


def test_two_lone_frames_of_one_fold_are_not_folded_again() -> None:
    strategy = compactor()
    first = strategy.visit(window_of(SAID))
    again = strategy.visit(first.messages, state=first.state)
    assert again.messages is first.messages
    assert "only-existing-summary" in reasons(again.record)


def test_lineage_rides_on_the_summary_alone_and_a_quote_grants_nothing() -> None:
    window = window_of(["the order is ORD-44710", *SAID, "the gate is QX-55121"])
    visit = compactor().visit(window)
    summary, appendix = frames_of(visit.messages)
    assert {"ord-44710", "qx-55121"} <= {form.casefold() for form in summary.folded_exempt or ()}
    assert appendix.folded_exempt is None
    assert exempt_forms([appendix]) == frozenset()
    assert exempt_forms(visit.messages) == exempt_forms(window)
    forged = appendix.model_copy(update={"content": appendix.text + " ZX-998877"})
    values = EvidenceIndex([summary, forged]).judge("It is ZX-998877.").values
    assert [value.verdict for value in values] == ["invented"]
    assert {author_of(summary), author_of(appendix)} == {"library"}


def test_lineage_survives_any_number_of_folds() -> None:
    strategy, state = PromptCompactor(0, 1), WindowState()
    window: Sequence[Message] = window_of(["the order is ORD-44710", *SAID])
    before = exempt_forms(window)
    for _ in range(5):
        visit = strategy.visit(window, state=state)
        stored = [Message.model_validate_json(message.model_dump_json()) for message in visit.messages]
        assert exempt_forms(stored) == before
        window, state = [*stored, *talk(2)], visit.state


def test_an_appendix_takes_nothing_from_whoever_judges() -> None:
    window = window_of(SAID)
    window[1:1] = loop(2, "seat 12A and order ORD-44710 " + PROSE)
    visit = compactor().visit(window)
    assert EvidenceIndex(visit.messages).judge("It is ORD-44711.").values[0].verdict == "undecidable"
    index = EvidenceIndex([*window, *frames_of(visit.messages)])
    assert [value.verdict for value in index.judge("It is ORD-44710 or ORD-44711.").values] == ["grounded", "invented"]


def test_the_span_belongs_to_the_summary() -> None:
    window = window_of(SAID)
    visit = compactor().visit(window)
    summary, appendix = frames_of(visit.messages)
    assert visit.spans == (visit.folded,)
    assert span_of(summary, visit.spans) is visit.folded
    assert span_of(appendix, visit.spans) is None
    assert visit.folded is not None
    assert visit.folded.originals == tuple(window[: visit.record.removed_count])
    assert visit.record.summary_characters == len("a claim")
    assert visit.record.messages_after == visit.record.messages_before - visit.record.removed_count + 2


def test_the_record_counts_both_frames() -> None:
    window = window_of(SAID)
    visit = compactor().visit(window)
    counter = MessageCounter(default_counter())
    assert visit.record.tokens_before == counter.total(window)
    assert visit.record.tokens_after == counter.total(visit.messages)
    assert visit.record.characters_after == total_characters(visit.messages)


def test_a_summarizer_that_fails_leaves_no_appendix_behind() -> None:
    window = window_of(SAID)
    for broken in (failing, lambda _, __: "", lambda _, __: "  \n", lambda _, __: None):
        visit = compactor(summarizer=broken).visit(window)
        assert visit.messages is window
        assert "summarizer-failed" in reasons(visit.record)
        assert frames_of(visit.messages) == []


def test_a_summarizer_may_be_asynchronous() -> None:
    window = window_of(SAID)
    visit = asyncio.run(compactor(summarizer=later).avisit(window))
    assert visit == compactor().visit(window)


def test_a_frame_of_another_compactor_is_folded_like_ours() -> None:
    theirs = [
        Message(role="user", content="We moved the order. " + PROSE, metadata={STAMP: {"id": "x", "role": "summary"}}),
        Message(role="user", content="move ORD-44710!", metadata={STAMP: {"id": "x", "role": "appendix"}}),
    ]
    visit = PromptCompactor(0, 1).visit([*theirs, *window_of(SAID)])
    summary, appendix = frames_of(visit.messages)
    assert "We moved the order." in summary.text
    assert "ORD-44710" not in appendix.text
    assert not any(frame_kind(message) and message in theirs for message in visit.messages)


def test_results_are_quoted_by_nobody() -> None:
    said = result("c0", "the tool says: order ORD-44710 " + PROSE)
    window = [user("please look"), loop(1)[0], said, plain(PROSE * 4), *talk(1)]
    _, appendix = frames_of(compactor().visit(window).messages)
    assert quotes_of(appendix) == ["please look"]
