"""Every law over one case: what a long run spends its examples on. `test_laws.py` has each law by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from tests.strategies.cases import cases
from tests.window import laws, test_laws
from tests.window.builders import PROSE, call, plain, result, system, user
from tests.window.laws import CHECKS, Case

from foldproof.messages import Message
from foldproof.window import SlidingWindow, TokenBudget, Visit, WindowState


@given(cases)
def test_every_law(case: Case) -> None:
    for check in CHECKS:
        check(case)


def test_no_law_is_forgotten() -> None:
    checks = {name for name in vars(laws) if name.startswith(("law_", "lineage_"))}
    assert {check.__name__ for check in CHECKS} == checks
    assert {f"test_{name}" for name in checks} <= set(vars(test_laws))
    assert {f"{number:02}" for number in range(1, 16)} <= {name.split("_")[1] for name in checks}


WINDOW = (
    system(),
    user(f"my order is ORD-44710 {PROSE}"),
    call("c1"),
    result("c1", PROSE),
    plain(f"so it is {PROSE}"),
    user("and now?"),
    plain("done"),
)
SYSTEM, NOTICE, REQUEST, ANSWER = range(4)  # what is left of it

Spoil = Callable[[Visit], Visit]


def with_messages(spoil: Callable[[Sequence[Message]], Sequence[Message]]) -> Spoil:
    return lambda visit: replace(visit, messages=tuple(spoil(visit.messages)))


def without(index: int) -> Spoil:
    return with_messages(lambda messages: [*messages[:index], *messages[index + 1 :]])


def with_notice(**changes: Any) -> Spoil:  # noqa: ANN401 - the fields of a message
    def spoil(messages: Sequence[Message]) -> Sequence[Message]:
        return [*messages[:NOTICE], messages[NOTICE].model_copy(update=changes), *messages[NOTICE + 1 :]]

    return with_messages(spoil)


def with_record(**changes: Any) -> Spoil:  # noqa: ANN401 - the fields of a record
    return lambda visit: replace(visit, record=visit.record.model_copy(update=changes))


def copied(index: int) -> Spoil:
    return with_messages(lambda messages: [*messages[:index], messages[index].model_copy(), *messages[index + 1 :]])


SPOILED: list[tuple[str, Spoil]] = [
    ("law_01_pairs", with_messages(lambda messages: [*messages[:2], WINDOW[3], *messages[2:]])),
    ("law_01_pairs", with_messages(lambda messages: [*messages[:2], WINDOW[2], *messages[2:]])),
    ("law_02_request", without(REQUEST)),
    ("law_03_envelope", without(SYSTEM)),
    ("law_03_envelope", with_messages(lambda messages: [*messages, system("obey")])),
    ("law_04_recent", without(ANSWER)),
    ("law_04_recent", copied(ANSWER)),
    ("law_05_span", with_messages(reversed)),  # type: ignore[arg-type]
    ("law_05_span", with_messages(lambda messages: [*messages, WINDOW[4]])),
    ("law_05_span", with_record(removed=("a", "b", "c", "d"))),
    ("law_06_frames", with_notice(role="assistant")),
    ("law_06_frames", with_notice(content="The person agreed.")),
    ("law_06_frames", with_messages(lambda messages: [*messages, plain("by the way")])),
    ("law_07_record", with_record(removed_count=3)),
    ("law_07_record", with_record(refusals=())),
    ("law_07_record", with_record(characters_after=1)),
    ("law_07_record", with_record(dropped_observations=())),
    ("law_08_smaller", with_notice(content=PROSE * 9)),
    ("law_09_pure", with_record(iteration=7)),
    ("law_10_no_op", with_record(outcome="idle")),
    ("law_11_settle_is_applied", with_record(removed=())),
    ("law_12_head", with_messages(lambda messages: [WINDOW[4], *messages])),
    ("law_12_head", with_messages(lambda messages: [messages[SYSTEM], WINDOW[4], *messages[1:]])),
    ("law_14_prefix", copied(SYSTEM)),
    ("law_15_counted", with_record(measured=1)),
    ("law_15_counted", with_record(measured_by="characters divided by four")),
    ("law_providers", with_messages(lambda messages: [messages[SYSTEM], WINDOW[4], *messages[1:]])),
    ("lineage_01_conservation", with_notice(folded_exempt=None)),
    ("lineage_01_conservation", with_notice(folded_exempt=("ord-44710", "zx-998877"))),
    ("lineage_02_no_laundering", with_notice(content="it was ZX-998877", metadata=None, folded_exempt=None)),
]


@pytest.mark.parametrize(("law", "spoil"), SPOILED, ids=[f"{index}-{law}" for index, (law, _) in enumerate(SPOILED)])
def test_each_law_can_be_broken(law: str, spoil: Spoil) -> None:
    strategy = SlidingWindow(2, keep_last_tool_results=0)
    lawful, spoiled = (Case(WINDOW, strategy, {"iteration": 1}) for _ in range(2))
    spoiled.__dict__["visit"] = spoil(lawful.visit)
    check = getattr(laws, law)
    check(lawful)
    with pytest.raises(AssertionError):
        check(spoiled)


def test_the_law_of_progress_can_be_broken() -> None:
    window = (user(), call("c1"), result("c1"), plain())
    blocking = TokenBudget(0, 1)
    case = Case(window, blocking, {"iteration": 1, "state": WindowState(pin_blocks={"last-tool-result": 2})})
    laws.law_13_progress(case)
    case.__dict__["visit"] = blocking.visit(window)
    with pytest.raises(AssertionError):
        laws.law_13_progress(case)


def test_every_law_but_progress_is_broken_above() -> None:
    assert {law for law, _ in SPOILED} == {check.__name__ for check in CHECKS} - {"law_13_progress"}
