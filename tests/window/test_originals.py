"""Where the originals of a fold go, and that a frame says truthfully where."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from tests.strategies.conversations import conversations
from tests.window.builders import PROSE, call, loop, plain, result, user

from foldproof.errors import UsageError
from foldproof.evidence import EvidenceIndex, evidence_forms, exempt_forms
from foldproof.messages import Message, archived_at, frame_kind, frames_of
from foldproof.window import (
    ClearToolResults,
    FoldedSpan,
    OffloadLarge,
    Pipeline,
    PromptCompactor,
    Retain,
    SlidingWindow,
    SummarizeOldest,
    SummaryRequest,
    VisitableStrategy,
    history,
    span_address,
    span_of,
)

WINDOW = [
    user("My card is 4111111111111111 and my order is ORD-44710."),
    call("1", tool="find"),
    result(
        "1", '{"order": "ORD-44710", "fee": "$190.00", "rows": [100.5, 220.25], "note": "' + PROSE + '"}', tool="find"
    ),
    plain("It costs $190.00."),
    user("Fine."),
    plain("Yes."),
]


class Kept:
    """An archive in memory, which hides card numbers."""

    def __init__(self, *, hides: str = "", fails: Exception | None = None) -> None:
        self.spans: dict[str, list[Message]] = {}
        self.hides, self.fails = hides, fails
        self.asked = 0

    def redact(self, message: Message, /) -> Message:
        if not self.hides or self.hides not in message.text:
            return message
        return message.model_copy(update={"content": message.text.replace(self.hides, "(hidden)")})

    def keep(self, spans: Mapping[str, Sequence[Message]], /) -> None:
        self.asked += 1
        if self.fails is not None:
            raise self.fails
        self.spans |= {address: list(span) for address, span in spans.items()}


FOLDS: list[VisitableStrategy] = [
    SummarizeOldest(0, 2, retain="archive"),
    PromptCompactor(0, 2, retain="archive"),
    ClearToolResults(0, 0, retain="archive", keep_last_tool_results=0),
    OffloadLarge(100, 20, retain="archive"),
    Pipeline(
        [ClearToolResults(0, 0, retain="archive", keep_last_tool_results=0), SummarizeOldest(0, 2, retain="archive")]
    ),
]
folds = pytest.mark.parametrize("strategy", FOLDS, ids=lambda strategy: strategy.name)


@folds
def test_what_left_is_in_the_archive_under_the_address_that_the_frame_names(strategy: VisitableStrategy) -> None:
    archive = Kept()
    visit = strategy.visit(WINDOW, archive=archive)
    assert visit.changed
    for frame in frames_of(visit.messages):
        address = archived_at(frame)
        if address is None:
            assert "Appendix" in frame.text
            continue
        assert span_address(archive.spans[address]) == address
        assert "archived" in frame.text
        span = span_of(frame, visit.spans)
        assert span is not None
        assert (span.address, span.originals, span.kept) == (address, None, None)
        assert FoldedSpan.model_validate_json(span.model_dump_json()) == span


@folds
def test_an_archive_that_fails_leaves_the_window_as_it_was(strategy: VisitableStrategy) -> None:
    archive = Kept(fails=OSError("database or disk is full"))
    visit = strategy.visit(WINDOW, archive=archive)
    assert visit.messages is WINDOW
    assert not visit.spans
    record = visit.record
    assert record.archive_failed == "OSError: 'database or disk is full'"
    assert record.outcome == "refused"
    assert "archive-failed" in {refusal.reason for refusal in record.refusals}


@folds
def test_a_visit_without_an_archive_says_what_is_missing(strategy: VisitableStrategy) -> None:
    with pytest.raises(UsageError, match=r'has retain="archive" and the visit was given no archive; pass one'):
        strategy.visit(WINDOW)


def test_one_visit_asks_the_archive_once_and_an_idle_one_never() -> None:
    archive = Kept()
    window = [*loop(5), user("Fine."), plain("Yes.")]
    visit = ClearToolResults(0, 0, retain="archive", keep_last_tool_results=0).visit(window, archive=archive)
    assert (archive.asked, len(visit.spans)) == (1, 5)
    assert asyncio.run(SummarizeOldest(10**6, retain="archive").avisit(WINDOW, archive=archive)).messages is WINDOW
    assert archive.asked == 1


def test_an_archive_is_awaited_by_avisit_too() -> None:
    archive = Kept()
    visit = asyncio.run(SummarizeOldest(0, 2, retain="archive").avisit(WINDOW, archive=archive))
    assert visit.changed
    assert archive.asked == 1


@pytest.mark.parametrize("archive", [7, Kept, object()])
def test_something_that_is_no_archive(archive: object) -> None:
    with pytest.raises(UsageError, match=r"archive is .*; pass an object with redact\(message\) and keep\(spans\)"):
        SummarizeOldest(0, 2).visit(WINDOW, archive=archive)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "strategy",
    [
        *FOLDS,
        *(SummarizeOldest(0, 2, retain=retain) for retain in ("conversation", "lineage", "discard")),
        SlidingWindow(2),
    ],
    ids=lambda strategy: f"{strategy.name} {getattr(strategy, 'retain', '')}",
)
@pytest.mark.parametrize("secret", ["4111111111111111", "$190.00"])
def test_what_the_archive_hides_is_nowhere_in_what_a_visit_makes(strategy: VisitableStrategy, secret: str) -> None:
    archive = Kept(hides=secret)
    window = [
        message.model_copy(update={"content": message.text.replace(secret, "")}) if index == 3 else message
        for index, message in enumerate(WINDOW)
    ]
    visit = strategy.visit(window, archive=archive)
    assert visit.changed
    made = [frame for frame in visit.messages if frame not in window]
    told = " ".join(
        [
            *(frame.model_dump_json() for frame in made),
            *(span.model_dump_json() for span in visit.spans),
            *(message.model_dump_json() for span in archive.spans.values() for message in span),
            visit.record.model_dump_json(),
        ]
    )
    if secret in window[0].text and any(window[0] == message for message in visit.messages):
        return  # results alone left, and the person's words stand where they stood
    assert secret not in told
    assert secret.strip("$") not in told
    (value,) = EvidenceIndex(visit.messages).judge(f"It is {secret}.").values
    assert value.verdict == "undecidable"


def test_what_the_archive_hides_in_the_current_request_is_not_shown_to_a_summarizer() -> None:
    asked: list[str | None] = []

    def repeats(_: Sequence[Message], request: SummaryRequest) -> str:
        asked.append(request.current_request)
        return f"The person now asks: {request.current_request}"

    window = [*WINDOW[1:4], user("Charge 4111111111111111."), plain("Yes.")]
    strategy = SummarizeOldest(0, 2, summarizer=repeats, model="m", retain="archive")
    visit = strategy.visit([plain(), *window], archive=Kept(hides="4111111111111111"))
    assert visit.changed
    assert asked == ["Charge (hidden)."]
    assert "4111111111111111" not in visit.messages[0].text


def test_the_address_that_a_frame_names_is_nobodys_invention() -> None:
    visit = SummarizeOldest(0, 2, retain="archive").visit(WINDOW, archive=Kept())
    address = archived_at(visit.messages[0])
    assert address is not None
    index = EvidenceIndex(visit.messages)
    for shown in (address, address[:12], address[:8]):
        (value,) = index.judge(f"They were archived as {shown}.").values
        assert (value.verdict, value.how) == ("exempt", "system")
    (other,) = index.judge(f"They were archived as {'0' if address[0] != '0' else '1'}{address[1:12]}.").values
    assert other.verdict != "exempt"


@pytest.mark.parametrize("made", [None, "text", Message(role="assistant", content="x")])
def test_a_hook_that_makes_something_else_of_a_message(made: object) -> None:
    archive = Kept()
    archive.redact = lambda _: made  # type: ignore[assignment, method-assign, return-value]
    with pytest.raises(UsageError, match=r"redact (returned|changed) "):
        SummarizeOldest(0, 2, retain="archive").visit(WINDOW, archive=archive)


def test_a_hook_that_raises_folds_nothing() -> None:
    archive = Kept()

    def broken(_: Message) -> Message:
        raise ValueError("no rule for this")

    archive.redact = broken  # type: ignore[method-assign]
    visit = SummarizeOldest(0, 2, retain="archive").visit(WINDOW, archive=archive)
    assert visit.messages is WINDOW
    assert visit.record.archive_failed == "ValueError: 'no rule for this'"


@pytest.mark.parametrize(
    "strategy",
    [SummarizeOldest(0, 2, retain="lineage"), ClearToolResults(0, 0, retain="lineage", keep_last_tool_results=0)],
    ids=lambda strategy: strategy.name,
)
def test_lineage_keeps_the_values_and_not_the_words(strategy: VisitableStrategy) -> None:
    visit = strategy.visit(WINDOW)
    (span,) = visit.spans
    assert span.originals is None
    assert span.kept is not None
    assert PROSE.strip() not in span.model_dump_json()
    assert evidence_forms([WINDOW[2]]) == {form for value in span.kept for form in value.forms}
    span = FoldedSpan.model_validate_json(span.model_dump_json())
    index = EvidenceIndex(history(visit.messages, [span]))
    fee, order, lie, total = index.judge("The fee is $190.00 for ORD-44710, not for ORD-44719: 320.75 in all.").values
    assert (fee.verdict, fee.folded) == ("grounded", True)
    assert order.verdict in ("grounded", "exempt")
    assert [(carrier.tool_name, carrier.path) for carrier in fee.carriers] == [("find", "$.fee")]
    assert fee.carriers[0].resolve(index.messages) == "$190.00"
    assert lie.verdict == "invented"  # every value is known
    assert total.verdict == "undecidable"  # its column is not: 100.5 + 220.25
    (alone,) = EvidenceIndex(visit.messages).judge("ORD-44719").values
    assert alone.verdict == "undecidable"


def test_lineage_goes_through_folds_of_folds() -> None:
    strategy = SummarizeOldest(0, 2, retain="lineage", keep_last_tool_results=0)
    first = strategy.visit(WINDOW)
    second = strategy.visit([*first.messages, *loop(3, "row 77001 " * 40), user("And?"), plain("Yes.")])
    spans = [*first.spans, *second.spans]
    index = EvidenceIndex(history(second.messages, spans))
    assert [value.verdict for value in index.judge("$190.00, 77001, ORD-44719").values] == [
        "grounded",
        "grounded",
        "invented",
    ]
    partly = EvidenceIndex(history(second.messages, second.spans))  # the first span was not kept
    assert [value.verdict for value in partly.judge("77001, ORD-44719").values] == ["grounded", "undecidable"]


@pytest.mark.parametrize("first", ["conversation", "lineage"])
@pytest.mark.parametrize("second", ["conversation", "lineage"])
def test_folds_of_folds_are_opened_however_each_was_kept(first: Retain, second: Retain) -> None:
    inner = SummarizeOldest(0, 2, retain=first, keep_last_tool_results=0).visit(WINDOW)
    outer = SummarizeOldest(0, 2, retain=second, keep_last_tool_results=0).visit(
        [*inner.messages, *loop(3, "row 77001 " * 40), user("And?"), plain("Yes.")]
    )
    index = EvidenceIndex(history(outer.messages, [*inner.spans, *outer.spans]))
    fee, row, lie, total = index.judge("$190.00, 77001, ORD-44719, and 320.75 in all.").values
    assert (fee.verdict, row.verdict, lie.verdict) == ("grounded", "grounded", "invented")
    assert total.verdict == ("undecidable" if first == "lineage" else "derived")


def test_a_cleared_result_that_a_fold_took_is_opened() -> None:
    strategy = Pipeline(
        [ClearToolResults(0, 0, keep_last_tool_results=0), SummarizeOldest(0, 2, retain="lineage", carry=0)]
    )
    visit = strategy.visit(WINDOW)
    index = EvidenceIndex(history(visit.messages, visit.spans))
    assert [value.verdict for value in index.judge("$190.00, ORD-44719").values] == ["grounded", "invented"]


def test_an_appendix_hides_no_lineage() -> None:
    strategy = PromptCompactor(0, 2, retain="lineage", keep_last_tool_results=0)
    first = strategy.visit(WINDOW)
    second = strategy.visit([*first.messages, *loop(3, "row 77001 " * 40), user("And?"), plain("Yes.")])
    assert len(frames_of(first.messages)) == 2
    index = EvidenceIndex(history(second.messages, [*first.spans, *second.spans]))
    assert [value.verdict for value in index.judge("$190.00, ORD-44719").values] == ["grounded", "invented"]


def test_three_facts_stay_three() -> None:
    kept = SummarizeOldest(0, 2).visit(WINDOW)
    gone = SummarizeOldest(0, 2, retain="discard").visit(WINDOW)
    assert span_of(kept.messages[0], []) is None
    without, with_messages = span_of(gone.messages[0], gone.spans), span_of(kept.messages[0], kept.spans)
    assert without is not None
    assert without.originals is None
    assert with_messages is not None
    assert with_messages.originals == tuple(WINDOW[:4])


@given(conversations, conversations)
def test_the_history_of_a_window_is_the_conversation(earlier: list[Message], later: list[Message]) -> None:
    strategy = SummarizeOldest(0, 1, keep_last_tool_results=0)
    first = strategy.visit(earlier)
    second = strategy.visit([*first.messages, *later])
    whole = history(second.messages, [*first.spans, *second.spans])
    said = [message for message in whole if message in earlier or message in later]
    assert said == [*earlier, *later]
    rest = [message for message in whole if message not in said]
    assert all(frame_kind(message) is not None for message in rest)
    assert exempt_forms(whole) == exempt_forms([*earlier, *later])
