"""Values that a frame carries as data: which, how many, and what they are evidence of."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies.conversations import conversations
from tests.window.builders import PROSE, call, loop, plain, result, user

from foldproof.errors import UsageError
from foldproof.evidence import Carrier, EvidenceIndex, EvidenceOptions
from foldproof.evidence.kept import KeptValue, carried_by
from foldproof.messages import Message, carry_of, frames_of
from foldproof.window import OffloadLarge, SummarizeOldest, Visit, history, validate_for
from foldproof.window.frames import claim_of

ORDERS = json.dumps(
    {
        "orders": [
            {"id": "ORD-44710", "ticket": "TCK-700123", "fee": "$190.00", "note": PROSE},
            {"id": "ORD-55512", "ticket": "TCK-700999", "fee": "$210.00", "note": PROSE},
        ]
    }
)
FOLDED = [user("What have I ordered?"), call("1", tool="find"), result("1", ORDERS, tool="find"), plain("Two things.")]
OPEN = [user("Please cancel ORD-44710."), plain("I will.")]


def says_nothing(*_: object) -> str:
    return "Some things were looked up."


def fold(window: list[Message], carry: int = 12) -> Visit:
    return SummarizeOldest(0, 2, summarizer=says_nothing, model="m", carry=carry, keep_last_tool_results=0).visit(
        window
    )


def verdicts(messages: object, text: str, **options: object) -> list[str]:
    index = EvidenceIndex(messages, options=EvidenceOptions(**options))  # type: ignore[arg-type]
    return [value.verdict for value in index.judge(text).values]


def test_what_the_open_work_refers_to_is_carried_with_the_names_in_its_record() -> None:
    visit = fold([*FOLDED, *OPEN])
    assert visit.record.carried == ("ORD-44710", "TCK-700123")
    assert ' Values of theirs, as tools said them: id "ORD-44710", ticket "TCK-700123". ' in visit.messages[0].text
    assert claim_of(visit.messages[0]) == says_nothing()


def test_nothing_is_carried_where_nothing_is_referred_to() -> None:
    visit = fold([*FOLDED, user("Thank you."), plain("You are welcome.")])
    assert visit.record.carried == ()
    assert "Values of theirs" not in visit.messages[0].text


def test_what_a_result_that_stays_says_is_not_carried() -> None:
    again = [user("And ORD-44710?"), call("2", tool="get"), result("2", '{"id": "ORD-44710"}', tool="get")]
    assert "ORD-44710" not in fold([*FOLDED, *again]).record.carried


@pytest.mark.parametrize("scope", ["conversation", "window"])
def test_a_carried_value_is_grounded_by_the_frame_alone(scope: str) -> None:
    window = fold([*FOLDED, *OPEN]).messages
    index = EvidenceIndex(window, options=EvidenceOptions(scope=scope))  # type: ignore[arg-type]
    (ticket,) = index.judge("The ticket is TCK-700123.").values
    assert (ticket.verdict, ticket.folded, ticket.in_view) == ("grounded", True, False)
    (carrier,) = ticket.carriers
    assert (carrier.tool_name, carrier.path, carrier.record, carrier.column) == (
        "find",
        "$.orders[0].ticket",
        "$.orders[0]",
        "ticket",
    )
    assert carrier.message == 0  # the frame
    assert carrier.message_id is not None
    assert carrier.message_id.startswith("sha256:")
    assert carrier.resolve(index.messages) == "TCK-700123"


def test_what_stands_only_in_the_text_of_a_frame_is_not() -> None:
    frame = fold([*FOLDED, *OPEN]).messages[0]
    copied = Message(role="user", content=frame.text, folded_exempt=frame.folded_exempt)
    assert verdicts([copied, *OPEN], "TCK-700123", scope="window") == ["invented"]


def test_where_the_result_was_read_that_is_the_carrier() -> None:
    window = [*FOLDED, *OPEN]
    index = EvidenceIndex(window)
    index.extend(fold(window).messages)
    (ticket,) = index.judge("TCK-700123").values
    assert [carrier.message for carrier in ticket.carriers] == [2]
    assert ticket.folded
    assert ticket.latest == 2


def test_the_other_values_of_what_left_stay_undecided() -> None:
    assert verdicts(fold([*FOLDED, *OPEN]).messages, "TCK-700999 and $210.00") == ["undecidable", "undecidable"]


def test_a_carried_value_is_carried_on_as_long_as_it_is_referred_to() -> None:
    first = fold([*FOLDED, *OPEN])
    second = fold([*first.messages, *loop(3), user("Is ORD-44710 cancelled?"), plain("Yes.")])
    assert second.record.carried == ("ORD-44710", "TCK-700123")
    assert verdicts(second.messages, "TCK-700123") == ["grounded"]
    third = fold([*second.messages, *loop(3), user("Thank you."), plain("You are welcome.")])
    assert third.record.carried == ()


def test_the_bound_holds_and_what_is_referred_to_comes_before_what_stands_beside_it() -> None:
    rows = [{"id": f"ORD-{number}", "ticket": f"TCK-{number}"} for number in range(10_000, 10_040)]
    window = [
        user(),
        call("1"),
        result("1", json.dumps(rows)),
        plain(),
        user(" ".join(row["id"] for row in rows)),
        plain("I see."),
    ]
    carried = fold(window, 7).record.carried
    assert len(carried) == 7
    assert all(value.startswith("ORD-") for value in carried)
    assert fold(window, 0).record.carried == ()


def test_a_frame_has_room_for_its_claim_before_it_carries() -> None:
    window = [user("Hello there, what is it?"), call("1"), result("1", f"ORD-44710 {'a ' * 90}"), plain(), *OPEN]
    visit = fold(window)
    assert visit.changed


def test_a_note_of_somebody_else_under_our_key_is_evidence_of_nothing() -> None:
    notes: list[Any] = [{}, [1], [{"text": "TCK-1234"}], [{"forms": "TCK-1234"}], "TCK-1234"]
    for carry in notes:
        frame = Message(role="user", content="[foldproof summary frame] x", metadata={"foldproof": {"carry": carry}})
        assert verdicts([frame], "TCK-1234", scope="window") == ["invented"]
    told = Message(role="user", content="hello", metadata={"other": {"carry": [{"text": "TCK-1234"}]}})
    assert verdicts([told], "TCK-1234") == ["invented"]


def test_what_is_no_value_among_those_that_are_is_passed_over() -> None:
    frame = fold([*FOLDED, *OPEN]).messages[0]
    note = {**(frame.metadata or {})["foldproof"], "carry": [7, {}, *carry_of(frame)]}  # type: ignore[dict-item]
    mixed = frame.model_copy(update={"metadata": {"foldproof": note}})
    assert [value.text for value in carried_by(mixed)] == ["ORD-44710", "TCK-700123"]


def test_a_carried_value_holds_its_place_and_nothing_of_the_window_it_stood_in() -> None:
    frame = fold([*FOLDED, *OPEN]).messages[0]
    index = EvidenceIndex([frame])
    (carrier,) = index.judge("TCK-700123").values[0].carriers
    for value in carried_by(frame):
        assert set(value.model_dump(by_alias=False)) <= set(KeptValue.model_fields)
    assert set(carrier.model_dump(by_alias=False)) <= set(Carrier.model_fields)


def test_a_pointer_to_a_value_that_the_frame_does_not_carry_leads_nowhere() -> None:
    frame = fold([*FOLDED, *OPEN]).messages[0]
    (carrier,) = EvidenceIndex([frame]).judge("TCK-700123").values[0].carriers
    for wrong in ({"text": "TCK-700124"}, {"path": "$.orders[1].ticket"}, {"message": 1}, {"message_id": "sha256:0"}):
        with pytest.raises(UsageError, match="leads nowhere"):
            carrier.model_copy(update=wrong).resolve([frame, frame.model_copy(update={"metadata": None}), frame])


def test_the_head_of_a_cleared_result_and_the_values_kept_of_the_rest_are_both_found() -> None:
    window = [user(), call("1"), result("1", f"ORD-44710 {'a ' * 400} TCK-700123"), plain(), *OPEN]
    visit = OffloadLarge(100, 20, retain="lineage").visit(window)
    index = EvidenceIndex(history(visit.messages, visit.spans))
    head, rest = index.judge("ORD-44710 and TCK-700123").values
    assert [(carrier.message, carrier.message_id is None) for carrier in head.carriers] == [(2, True), (2, False)]
    assert [carrier.resolve(index.messages) for carrier in (*head.carriers, *rest.carriers)] == [
        "ORD-44710",
        "ORD-44710",
        "TCK-700123",
    ]


@given(conversations, st.integers(0, 5))
def test_a_carried_value_is_one_that_a_tool_said_in_what_left(messages: list[Message], most: int) -> None:
    visit = SummarizeOldest(0, 1, carry=most, keep_last_tool_results=0).visit(messages)
    assert len(visit.record.carried) <= most
    before = EvidenceIndex(messages)
    after = EvidenceIndex(visit.messages)
    for text in visit.record.carried:
        assert "grounded" in {value.verdict for value in before.judge(text).values}
        assert "grounded" in {value.verdict for value in after.judge(text).values}
    for frame in frames_of(visit.messages):
        assert Message.model_validate_json(frame.model_dump_json()) == frame


def test_a_window_with_a_frame_that_carries_is_what_providers_take() -> None:
    for provider in ("openai_chat", "anthropic", "gemini", "bedrock"):
        validate_for(provider, fold([*FOLDED, *OPEN]).messages)
